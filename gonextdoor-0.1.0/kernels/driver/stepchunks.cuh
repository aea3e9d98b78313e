// Compaction of samples of different lengths. A walk is launched in step chunks: the trace of a chunk has the steps
// [begin, end) of all rows, or of the rows of a list, step by step. These kernels copy the chunks into one array,
// sample by sample, at the offsets of driver/sampleoffsets.cuh:
//
//   1. compact_first  Write the offsets, the roots and the steps of the first chunk, a block per OffsetRows rows.
//   2. compact_more   Write the steps of one later chunk.
//
// Most walks end in the first chunk, so its copy goes through shared memory, and both sides are accessed in order.
#pragma once
#include "driver/sampleoffsets.cuh"

namespace nd {

constexpr u32 CompactTile = 2048;  // vertices that a block gathers in shared memory before it writes them in order
constexpr i64 CompactAhead = 4;    // loads of a thread that are in flight together

// Column is a row in the first chunk: a column of the trace, and the sample's range in the result.
template <class T> struct Column {
  const T* from;  // step 0
  u64 stride;
  i64 begin, roots, end;  // the begin of the sample, the end of its roots, and the end of its steps in the chunk

  // step returns the element of the result at index `at`, which is a step.
  ND_FN T step(i64 at) const { return read_once(from + (u64)(at - roots) * stride); }
};

// compact_tiles writes the elements [first, last) of the result, tile by tile. Each thread fills in the elements of its
// row; elements of later chunks are arbitrary, and overwritten by these. All threads of the block call it; it has two
// barriers per tile.
template <class T, class Root>
ND_FN void compact_tiles(T* tile, const Column<T>& c, T* to, i64 first, i64 last, Root root) {
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

// compact_first writes offsets, roots and the first chunk: kernel stepchunks_first, a block per OffsetRows rows, a
// thread per row. The host guesses the capacity of the result. A block whose samples exceed it writes offsets only, and
// the host launches the kernel again with enough capacity.
ND_FN void compact_first(const StepChunks& a) {
  ND_SHARED(i64, tile, CompactTile);
  // 1. Offsets: the begin of the block's part plus a prefix sum within the block.
  u64 row = (u64)block_index() * OffsetRows + thread_index();
  i64 first = part_begins(a, block_index()), all, length = length_of(a, row);
  i64 begin = first + block_before(length, tile, all), last = first + all;
  if (row < a.b.rows) a.offsets[row] = begin;
  if (row == a.b.rows - 1) a.offsets[a.b.rows] = begin + length;
  if (last > (i64)a.capacity) return;
  // 2. Vertices, then edges. Roots have no edge.
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

// compact_more writes a later chunk, of listed rows: kernel stepchunks_more, a thread per row. Reads are coalesced;
// writes are not, but few rows are left.
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
