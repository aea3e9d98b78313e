// Lookup of an edge from one vertex to another: by a Bloom filter first, then by a search in a row. The filter has
// three bits per edge in one word, so most lookups of absent edges cost one access.
#pragma once
#include "core/draw.cuh"
#include "graph/row.cuh"

namespace nd {

// BloomPlace is a word of the filter, and the bits of a pair in it: three, or fewer if they coincide.
struct BloomPlace {
  u64 word;
  u32 bits;
};

// bloom_place hashes a pair by two 32-bit products. If every edge has its mirror, the first product is symmetric, so
// both directions share their bits.
ND_FN BloomPlace bloom_place(const Graph& g, u32 u, u32 v) {
  u64 pair = (u64)(u ^ 0x9E3779B9u) * (v ^ (g.mirrored ? 0x9E3779B9u : 0x7F4A7C15u));
  u64 x = (u64)((u32)pair ^ 0xBF58476Du) * ((u32)(pair >> 32) ^ 0x94D049BBu);
  return {x >> 32 & g.bloom_mask, 1u << (x & 31) | 1u << (x >> 5 & 31) | 1u << (x >> 10 & 31)};
}

// may_have_edge returns false only if no edge leads from u to v. Without a filter it is always true.
ND_FN bool may_have_edge(const Graph& g, u32 u, u32 v) {
  if (!g.bloom) return true;
  BloomPlace at = bloom_place(g, u, v);
  return (fetch_far(g.bloom + at.word) & at.bits) == at.bits;
}

constexpr u32 Guesses = 3;    // probes by interpolation
constexpr u32 FewPlaces = 8;  // the length from which bisection is as good: a sector

// in_row returns whether v is among the end points of a row: by interpolation search, since most rows are spread evenly
// enough, then by bisection. O(log degree). It reads through the L1 cache: adjacent lanes, and the tries of a step,
// search the same rows.
template <class Row> ND_FN bool in_row(const Graph& g, Row row, u32 v) {
  const u32* first = g.indices + row.first;
  // Invariant: the index of v, if it exists, is in low ... high-1, and least <= v < beyond.
  u32 low = 0, high = row.degree;
  u32 least = 0, beyond = (u32)g.vertices;
  for (u32 guess = 0; guess < Guesses && high - low > FewPlaces; guess++) {
    u32 middle = low + (u32)((f32)(high - low) * rough_quotient((f32)(v - least), (f32)(beyond - least)));
    if (middle >= high) middle = high - 1;
    u32 at = fetch(first + middle);
    if (at == v) return true;
    if (at < v) {
      low = middle + 1;
      least = at;
    } else {
      high = middle;
      beyond = at;
    }
  }
  while (low < high) {
    u32 middle = low + (high - low) / 2, at = fetch(first + middle);
    if (at == v) return true;
    if (at < v) low = middle + 1;
    else high = middle;
  }
  return false;
}

// search_edge returns whether an edge leads from u to v, by a search in u's row. If every edge has its mirror, it
// searches the shorter of both rows.
template <class Rows> ND_FN bool search_edge(const Graph& g, u32 u, typename Rows::Row of_u, u32 v) {
  if (g.mirrored) {
    auto of_v = Rows::of(g, v);
    if (of_v.degree < of_u.degree) {  // exchange the operands, so that all lanes of a warp run one search
      of_u = of_v;
      v = u;
    }
  }
  return in_row(g, of_u, v);
}

// has_edge returns whether an edge leads from u to v.
template <class Rows> ND_FN bool has_edge(const Graph& g, u32 u, u32 v) {
  return may_have_edge(g, u, v) && search_edge<Rows>(g, u, Rows::of(g, u), v);
}

}  // namespace nd
