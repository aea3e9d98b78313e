// The selector of metapath walks in driver/streamedwalk.cuh. The rows by label of a part are made by the host. Their
// places are counted from the begin of the row, so positions of 64 bits are possible.
#pragma once
#include "selector/bylabel.cuh"

namespace nd {

// PlacedByLabel is ByLabel for such rows.
struct PlacedByLabel : ByLabel<PlainLabels> {
  u32 from;  // the vertex before the pick

  ND_FN void set_vertex(const Graph&, u32 v) { vertex = from = v; }
  ND_FN u64 position(const Graph& g, u64 place) const {
    return fetch(g.indptr + from) + fetch_far(g.label_positions + place);
  }
};

}  // namespace nd
