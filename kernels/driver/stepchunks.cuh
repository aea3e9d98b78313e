// Compaction of samples of different lengths. A walk is launched in step chunks: the trace of a chunk holds the steps
// [begin, end) of all rows, or of the rows that a list names, column by column. These kernels copy the chunks into one
// array, sample by sample, at the offsets of driver/sampleoffsets.cuh:
//
//   1. compact_first  writes the offsets, the roots and the steps of the first chunk, a block per OffsetRows rows
//   2. compact_more   writes the steps of one later chunk
#pragma once
#include "driver/sampleoffsets.cuh"

namespace nd {

constexpr u32 CompactTile = 2048;  // vertices that a block gathers in shared memory before it writes them in order
constexpr i64 CompactAhead = 4;    // loads of a thread in flight together

// Column is the steps of a row in the first chunk.
template <class T> struct Column {
  const T* from;  // its step 0
  u64 stride;
  i64 begin, roots, end;  // where the sample begins, where its roots end, and where its steps in the chunk do

  ND_FN T step(i64 at) const { return read_once(from + (u64)(at - roots) * stride); }
};

// compact_tiles writes the elements [first, last) of the result, tile by tile; each thread contributes those of its own
// row. Steps that are not in the chunk are left to later chunks. All threads of the block call it; two barriers per
// tile.
template <class T, class Root> ND_FN void compact_tiles(T* tile, const Column<T>& c, T* to, i64 first, i64 last, Root root) {
  for (i64 lo = first; lo < last; lo += CompactTile) {
    i64 hi = last < lo + CompactTile ? last : lo + CompactTile, end = c.end < hi ? c.end : hi;
    i64 at = c.begin < lo ? lo : c.begin;
    for (; at < end && at < c.roots; ++at) tile[at - lo] = root((u64)(at - c.begin));
    for (; at < end; at += CompactAhead) {
      T x[CompactAhead];
      for (i64 k = 0; k < CompactAhead; ++k)
        if (at + k < end) x[k] = c.step(at + k);
      for (i64 k = 0; k < CompactAhead; ++k)
        if (at + k < end) tile[at + k - lo] = x[k];
    }
    sync_block();
    for (at = lo + thread_index(); at < hi; at += block_size()) write_once(to + at, tile[at - lo]);
    sync_block();
  }
}

// compact_first writes offsets, roots and the first chunk: kernel stepchunks_first, a block per OffsetRows rows, one
// thread per row. If the samples do not fit in `room` vertices it writes offsets only: the host guesses the room, and
// launches it again.
ND_FN void compact_first(const StepChunks& a) {
  ND_SHARED(i64, tile, CompactTile);
  u64 row = (u64)block_index() * OffsetRows + thread_index();
  i64 first = part_begins(a, block_index()), all, length = length_of(a, row);
  i64 begin = first + block_before(length, tile, all), last = first + all;
  if (row < a.b.rows) a.offsets[row] = begin;
  if (row == a.b.rows - 1) a.offsets[a.b.rows] = begin + length;
  if (last > (i64)a.capacity) return;
  i64 roots = begin, end = begin;
  if (row < a.b.rows) {
    roots = begin + (i64)a.b.width;
    end = roots + (i64)(a.lengths[row] < a.end ? a.lengths[row] : a.end);
  }
  Column<u32> vertices{a.vertices + row, a.stride, begin, roots, end};
  compact_tiles((u32*)tile, vertices, a.to_vertices, first, last, [&](u64 k) { return root_of(a.b, row, k); });
  if (!a.to_edges) return;
  Column<i64> edges{a.edges + row, a.stride, begin, roots, end};
  compact_tiles(tile, edges, a.to_edges, first, last, [](u64) { return (i64)-1; });
}

// compact_more writes a chunk of listed rows: kernel stepchunks_more, a thread per row.
ND_FN void compact_more(const StepChunks& a) {
  u64 places = rows_end(a.b);
  for (u64 i = thread_of_grid(); i < places; i += threads_of_grid()) {
    u64 row = row_at(a.b, i), end = a.lengths[row] < a.end ? a.lengths[row] : a.end;
    u64 to = (u64)a.offsets[row] + a.b.width, at = i;
    for (u64 s = a.begin; s < end; ++s, at += a.stride) {
      a.to_vertices[to + s] = read_once(a.vertices + at);
      if (a.to_edges) a.to_edges[to + s] = read_once(a.edges + at);
    }
  }
}

}  // namespace nd
