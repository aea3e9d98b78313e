// Whether an edge leads from one vertex to another. A bitmap with three bits for each edge says no to most pairs that
// are none, by one access; only where it says maybe is a row searched.
#pragma once
#include "core/draw.cuh"
#include "graph/row.cuh"

namespace nd {

// BloomPlace is where a pair's bits are: three, or fewer where they fall together, of one word.
struct BloomPlace { u64 word; u32 bits; };

// bloom_place goes by two products of 32 bits. The first is the same for both directions where every edge has its
// mirror.
ND_FN BloomPlace bloom_place(const Graph& g, u32 u, u32 v) {
  u64 pair = (u64)(u ^ 0x9E3779B9u) * (v ^ (g.mirrored ? 0x9E3779B9u : 0x7F4A7C15u));
  u64 x = (u64)((u32)pair ^ 0xBF58476Du) * ((u32)(pair >> 32) ^ 0x94D049BBu);
  return {x >> 32 & g.bloom_mask, 1u << (x & 31) | 1u << (x >> 5 & 31) | 1u << (x >> 10 & 31)};
}

// may_have_edge is false only where no edge leads from u to v. Without a bitmap it is always true.
ND_FN bool may_have_edge(const Graph& g, u32 u, u32 v) {
  if (!g.bloom) return true;
  BloomPlace at = bloom_place(g, u, v);
  return (fetch_far(g.bloom + at.word) & at.bits) == at.bits;
}

constexpr u32 Guesses = 3;   // looks by where v would lie among end points that are spread evenly
constexpr u32 FewPlaces = 8; // places that halving is as good for: they share a sector

// in_row says whether v is among the end points of a row: by guesses of its place, since most rows are spread somehow
// evenly, then by halving. It reads through the cache: neighbours in a warp and tries of one step search the same rows.
template <class Row> ND_FN bool in_row(const Graph& g, Row row, u32 v) {
  const u32* first = g.indices + row.first;
  u32 low = 0, high = row.degree;                // v's place is among low ... high-1,
  u32 least = 0, beyond = (u32)g.vertices;       // and least <= v < beyond
  for (u32 guess = 0; guess < Guesses && high - low > FewPlaces; guess++) {
    u32 middle = low + (u32)((f32)(high - low) * rough_quotient((f32)(v - least), (f32)(beyond - least)));
    if (middle >= high) middle = high - 1;
    u32 at = fetch(first + middle);
    if (at == v) return true;
    if (at < v) low = middle + 1, least = at;
    else high = middle, beyond = at;
  }
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
    if (of_v.degree < of_u.degree) of_u = of_v, v = u;  // one search for both, which lanes then make together
  }
  return in_row(g, of_u, v);
}

template <class Rows> ND_FN bool has_edge(const Graph& g, u32 u, u32 v) {
  return may_have_edge(g, u, v) && search_edge<Rows>(g, u, Rows::of(g, u), v);
}

}  // namespace nd
