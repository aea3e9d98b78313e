// Whether an edge leads from one vertex to another. A bitmap with one bit for a hash of each edge says no to most pairs
// that are none, by one access; only where it says maybe is a row searched.
#pragma once
#include "core/draw.cuh"
#include "graph/row.cuh"

namespace nd {

constexpr u32 BloomBits = 16;  // bits for each pair at least: one pair in 16 that is no edge passes

// bloom_bit gives the bit of a pair. Where every edge has its mirror both directions share one.
ND_FN u64 bloom_bit(const Graph& g, u32 u, u32 v) {
  bool turn = g.mirrored && v < u;
  return mix((u64)(turn ? v : u) << 32 | (turn ? u : v)) & g.bloom_mask;
}

// may_have_edge is false only where no edge leads from u to v. Without a bitmap it is always true.
ND_FN bool may_have_edge(const Graph& g, u32 u, u32 v) {
  if (!g.bloom) return true;
  u64 bit = bloom_bit(g, u, v);
  return fetch_far(g.bloom + (bit >> 5)) >> (bit & 31) & 1;
}

// in_row says whether v is among the end points of a row, by halving. It reads through the cache: neighbours in a warp
// and tries of one step search the same rows.
template <class Row> ND_FN bool in_row(const Graph& g, Row row, u32 v) {
  const u32* first = g.indices + row.first;
  u32 low = 0, high = row.degree;
  while (low < high) {
    u32 middle = low + (high - low) / 2, at = fetch(first + middle);
    if (at == v) return true;
    if (at < v) low = middle + 1;
    else high = middle;
  }
  return false;
}

// search_edge is the exact answer: in the shorter of both rows, where every edge has its mirror.
template <class Rows> ND_FN bool search_edge(const Graph& g, u32 u, typename Rows::Row of_u, u32 v) {
  if (g.mirrored) {
    auto of_v = Rows::of(g, v);
    if (of_v.degree < of_u.degree) return in_row(g, of_v, u);
  }
  return in_row(g, of_u, v);
}

template <class Rows> ND_FN bool has_edge(const Graph& g, u32 u, u32 v) {
  return may_have_edge(g, u, v) && search_edge<Rows>(g, u, Rows::of(g, u), v);
}

}  // namespace nd
