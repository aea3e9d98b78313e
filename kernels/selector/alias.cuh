// Alias takes an edge by the alias table of its row. The twin of selector.Alias.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"
#include "graph/packed.cuh"
#include "graph/wide.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// Alias chooses in rows that are found by the vertex, with one slot of 16 bytes: the edge's end point, the other edge's,
// the threshold, the other edge's place in the row. In a row without a bias all slots lead to None.
template <class Of> struct Alias {
  using Rows = Of;
  using Row = typename Rows::Row;
  static constexpr bool weighted = true;
  u32 vertex;

  ND_FN void set_vertex(const Graph&, u32 v) { vertex = v; }
  ND_FN PickedEdge pick(const Graph& g, u64 word) {
    Row row{0, 0};
    if (vertex != None) row = Rows::of(g, vertex);
    PickedEdge t = among(g, row, word);
    vertex = t.vertex;
    return t;
  }
  // among takes an edge of a row.
  ND_FN static PickedEdge among(const Graph& g, Row row, u64 word) {
    auto pick = below(word, row.degree);
    PickedEdge t{None, second(word), NoEdge};
    if (row.degree > 0) {
      AliasSlot slot = AliasSlot::at(g, row.first + pick.index);
      bool own = pick.fraction < slot.threshold;
      t.vertex = own ? slot.vertex : slot.other;
      if (t.vertex != None) t.position = row.first + (own ? pick.index : slot.place);
    }
    return t;
  }
};

// WideAlias has the slot tell the rows of both end points, in 32 bytes: one access a step, of one sector.
struct WideAlias {
  static constexpr bool weighted = true;
  RowOf<u32> row;

  ND_FN void set_vertex(const Graph& g, u32 v) {
    row = {0, 0};
    if (v == None) return;
    auto at = PlainRows::of(g, v);
    row = {(u32)at.first, at.degree};
  }
  ND_FN PickedEdge pick(const Graph& g, u64 word) {
    auto pick = below(word, row.degree);
    if (row.degree == 0) return {None, second(word), NoEdge};
    WideSlot slot = WideSlot::at(g, row.first + pick.index);
    bool own = pick.fraction < slot.threshold;
    PickedEdge t{own ? slot.vertex : slot.other, second(word), NoEdge};
    if (t.vertex != None) t.position = row.first + (own ? pick.index : slot.place);
    row = own ? slot.row : slot.other_row;
    return t;
  }
};

}  // namespace nd
