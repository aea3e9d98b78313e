// Rows: the edges of a vertex as a range of positions.
#pragma once
#include "core/args.cuh"
#include "core/device.cuh"

namespace nd {

// RowOf is the positions first ... first+degree-1. Place is u32 if all positions of the graph fit in it, which takes
// half the registers, and half the multiplications of a choice.
template <class Place> struct RowOf {
  Place first;
  u32 degree;
};

// PlainRows reads rows from indptr, of any graph: two adjacent elements, usually in one sector.
struct PlainRows {
  using Row = RowOf<u64>;
  ND_FN static Row of(const Graph& g, u32 v) {
    u64 first = fetch(g.indptr + v);
    return {first, (u32)(fetch(g.indptr + v + 1) - first)};
  }
};

// degree_of returns the number of edges of a vertex, whose row is not read.
template <class Rows> ND_FN u32 degree_of(const Graph& g, u32 v) { return Rows::of(g, v).degree; }

// id_at returns the id of the edge at a position: the caller's id, or the position if the graph has no ids.
ND_FN u64 id_at(const Graph& g, u64 position) {
  if (!g.ids) return position;
  return g.id_size == 4 ? (u64)fetch_far((const u32*)g.ids + position) : fetch_far(g.ids + position);
}

// label_row returns the range of v's edges of a kind of label in label_indices and label_positions.
ND_FN RowOf<u64> label_row(const Graph& g, u32 v, u32 kind) {
  const u64* at = g.label_rows + (v * g.label_kinds + kind);
  u64 first = fetch(at);
  return {first, (u32)(fetch(at + 1) - first)};
}

}  // namespace nd
