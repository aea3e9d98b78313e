// The result of a choice, and the bases of the selectors of walks.
#pragma once
#include "core/args.cuh"
#include "graph/row.cuh"

namespace nd {

// PickedEdge is the edge that a selector picked, or no edge.
struct PickedEdge {
  u32 vertex;    // the end point; None if there was no candidate
  u32 fraction;  // 32 bits of the choice's word that the choice did not use
  u64 position;  // of the edge; NoEdge if vertex is None
};

// A Move is the position of a walker together with the selector of its next edge, in a thread's registers. Drivers call
// set_vertex once, then pick once per step, which moves to the end point. There are two bases: RowMove keeps the vertex
// and reads its row at each step; WideMove keeps the row, which the records of edges contain.

// RowMove keeps the vertex. Self::among picks an edge of a row.
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

// WideMove keeps the row; it is empty if there is no vertex.
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
