// RankedAlias is Alias for graphs whose vertices are too many for any table of rows to stay in the second-level cache.
#pragma once
#include "core/draw.cuh"
#include "graph/ranked.cuh"
#include "selector/taken.cuh"

namespace nd {

// RankedAlias takes a slot of 16 bytes, the one random access to memory of a step, and the record of where it leads, which
// for most steps is a hub's and in a cache. It does not know the edge's position.
struct RankedAlias {
  static constexpr bool weighted = true;
  RowOf<u32> row;

  ND_FN void stand(const Graph& g, u32 v) {
    row = {0, 0};
    if (v != None) row = RankedRow::of(g, fetch(g.ranks + v)).row;
  }
  ND_FN Taken take(const Graph& g, u64 word) {
    auto pick = below(word, row.degree);
    Taken t{None, second(word), NoEdge};
    RankedRow to{None, {0, 0}};
    if (row.degree > 0) {
      AliasSlot slot = ranked_slot(g, row.first + pick.index);
      u32 rank = pick.fraction < slot.threshold ? slot.vertex : slot.other;
      if (rank != None) to = RankedRow::of(g, rank);
    }
    t.vertex = to.vertex;
    row = to.row;
    return t;
  }
};

}  // namespace nd
