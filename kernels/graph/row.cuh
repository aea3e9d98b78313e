// Where the edges of a vertex lie.
#pragma once
#include "core/args.cuh"
#include "core/device.cuh"

namespace nd {

// RowOf is the positions first ... first+degree-1. Place is u32 where every position of the graph fits in it: half the
// registers, and half the multiplications of a choice.
template <class Place> struct RowOf { Place first; u32 degree; };

// PlainRows reads rows from indptr, of any graph: two neighbouring words, most often in one sector.
struct PlainRows {
  using Row = RowOf<u64>;
  ND_FN static Row of(const Graph& g, u32 v) {
    u64 first = fetch(g.indptr + v);
    return {first, (u32)(fetch(g.indptr + v + 1) - first)};
  }
};

// id_at gives the id of the edge at a position: the user's own, or the position itself.
ND_FN u64 id_at(const Graph& g, u64 position) {
  if (!g.ids) return position;
  return g.id_size == 4 ? (u64)fetch_far((const u32*)g.ids + position) : fetch_far(g.ids + position);
}

// label_row gives the row of v's edges with a label in label_indices and label_positions.
ND_FN RowOf<u64> label_row(const Graph& g, u32 v, u32 kind) {
  const u64* at = g.label_rows + (v * g.label_kinds + kind);
  u64 first = fetch(at);
  return {first, (u32)(fetch(at + 1) - first)};
}

}  // namespace nd
