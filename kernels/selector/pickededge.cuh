// The result of a choice, and what the walks' selectors have in common.
#pragma once
#include "core/args.cuh"
#include "graph/row.cuh"

namespace nd {

// PickedEdge is the edge that a selector picked, or none.
struct PickedEdge {
  u32 vertex;    // the end point; None if there was no candidate
  u32 fraction;  // 32 bits of the choice's word that the choice did not use
  u64 position;  // of the edge; NoEdge if vertex is None
};

// A Move is a walker's position together with the selector of its next edge. Drivers call set_vertex once, then pick
// once per step; pick moves on to the end point. The two bases below differ in what they keep: the vertex, whose row is
// looked up at each step, or the row itself, which an edge's record brings along. Both live in a thread's registers.

// RowMove keeps the vertex. Self::among picks one of a row's edges.
template <class Self, class Of> struct RowMove {
  using Rows = Of;
  using Row = typename Rows::Row;
  u32 vertex;

  ND_FN void set_vertex(const Graph&, u32 v) { vertex = v; }
  ND_FN PickedEdge pick(const Graph& g, u64 word) {
    Row row{0, 0};
    if (vertex != None) row = Rows::of(g, vertex);
    PickedEdge t = Self::among(g, row, word);
    vertex = t.vertex;
    return t;
  }
};

// WideMove keeps the row, an empty one for no vertex.
struct WideMove {
  RowOf<u32> row;

  ND_FN void set_vertex(const Graph& g, u32 v) {
    row = {0, 0};
    if (v == None) return;
    auto at = PlainRows::of(g, v);
    row = {(u32)at.first, at.degree};
  }
};

}  // namespace nd
