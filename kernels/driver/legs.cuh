// Legs of samples of different length become one array, sample by sample.
#pragma once
#include "driver/rows.cuh"

namespace nd {

constexpr u32 LegsThreads = 128;
constexpr u32 LegsTile = 2048;  // vertices that a block gathers before it writes them, in order

// Column is a row's slots in the first leg.
template <class T> struct Column {
  const T* from;  // its step 0
  u64 stride;
  i64 begin, roots, end;  // where the sample, its steps, and those of the leg end in the result
};

// lay_tiles writes [first, last) of the result, tile by tile, of which each thread knows one row. What is not in the leg
// comes with the next ones.
template <class T, class Root> ND_FN void lay_tiles(T* tile, const Column<T>& c, T* to, i64 first, i64 last, Root root) {
  for (i64 lo = first; lo < last; lo += LegsTile) {
    i64 hi = last < lo + LegsTile ? last : lo + LegsTile, end = c.end < hi ? c.end : hi;
    for (i64 at = c.begin < lo ? lo : c.begin; at < end; ++at)
      tile[at - lo] = at < c.roots ? root((u64)(at - c.begin)) : read_once(c.from + (u64)(at - c.roots) * c.stride);
    sync_block();
    for (i64 at = lo + thread_index(); at < hi; at += block_size()) write_once(to + at, tile[at - lo]);
    sync_block();
  }
}

// lay_first writes the roots of all samples and the first leg, a block LegsThreads rows.
ND_FN void lay_first(const Legs& a) {
  ND_SHARED(i64, tile, LegsTile);
  u64 head = (u64)block_index() * LegsThreads, row = head + thread_index();
  u64 tail = head + LegsThreads < a.b.rows ? head + LegsThreads : a.b.rows;
  i64 first = a.offsets[head], last = a.offsets[tail], begin = last, roots = last, end = last;
  if (row < tail) {
    begin = a.offsets[row], roots = begin + (i64)a.b.width;
    end = roots + (i64)(a.lengths[row] < a.end ? a.lengths[row] : a.end);
  }
  Column<u32> vertices{a.vertices + row, a.stride, begin, roots, end};
  lay_tiles((u32*)tile, vertices, a.to_vertices, first, last, [&](u64 k) { return root_of(a.b, row, k); });
  if (!a.to_edges) return;
  Column<i64> edges{a.edges + row, a.stride, begin, roots, end};
  lay_tiles(tile, edges, a.to_edges, first, last, [](u64) { return (i64)-1; });
}

// lay_more writes a leg of listed rows.
ND_FN void lay_more(const Legs& a) {
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
