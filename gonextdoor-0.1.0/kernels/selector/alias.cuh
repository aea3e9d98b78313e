// Alias picks an edge of a row in proportion to its bias, in O(1), by the row's alias table. The twin of
// selector.Alias.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"
#include "graph/packed.cuh"
#include "graph/wide.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// Alias reads the row of the vertex, and then one slot of 16 bytes: the end points of the edge and of its alias, the
// threshold, and the place of the alias in the row. In a row without a positive bias, all slots lead to None.
template <class Of> struct Alias : RowMove<Alias<Of>, Of> {
  using Row = typename Of::Row;
  static constexpr bool weighted = true;

  // among picks an edge of a row, or no edge if the row is empty.
  ND_FN static PickedEdge among(const Graph& g, Row row, u64 word) { return at(g, row, below(word, row.degree), word); }

  // at picks an edge by the index and the fraction that a word was split into.
  ND_FN static PickedEdge at(const Graph& g, Row row, Below32 pick, u64 word) {
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

// WideAlias reads a slot of 32 bytes that also has the rows of both end points: one sector per step.
struct WideAlias : WideMove {
  static constexpr bool weighted = true;

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
