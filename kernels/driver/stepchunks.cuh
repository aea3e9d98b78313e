// StepChunks of samples of different length become one array, sample by sample.
#pragma once
#include "driver/sampleoffsets.cuh"

namespace nd {

constexpr u32 CompactTile = 2048;  // vertices that a block gathers before it writes them, in order
constexpr i64 CompactAhead = 4;    // loads of a thread on their way together

// Column is a row's slots in the first leg.
template <class T> struct Column {
  const T* from;  // its step 0
  u64 stride;
  i64 begin, roots, end;  // where the sample begins, where its roots end, and where its steps in the leg do

  ND_FN T step(i64 at) const { return read_once(from + (u64)(at - roots) * stride); }
};

// compact_tiles writes [first, last) of the result, tile by tile; each thread brings what belongs there of its own row. What
// is not in the leg comes with the next ones.
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

// compact_first writes where the samples begin, their roots and the first leg, a block OffsetRows rows. It writes nothing
// beyond room vertices: the host guesses how many there are, and asks again.
ND_FN void compact_first(const StepChunks& a) {
  ND_SHARED(i64, tile, CompactTile);
  u64 row = (u64)block_index() * OffsetRows + thread_index();
  i64 first = part_begins(a, block_index()), all, length = length_of(a, row);
  i64 begin = first + block_before(length, tile, all), last = first + all;
  if (row < a.b.rows) a.offsets[row] = begin;
  if (row == a.b.rows - 1) a.offsets[a.b.rows] = begin + length;
  if (last > (i64)a.room) return;
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

// compact_more writes a leg of listed rows.
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
