// Search picks an edge of a row in proportion to its bias, by a search in sums of biases. The twin of selector.Scan.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"
#include "graph/segments.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// Search reads the row of the vertex and the sum of its biases; the sums of log2(degree / 32) segments; the biases of a
// segment, in sectors of 8 edges; and the end point.
template <class Of> struct Search {
  using Rows = Of;
  using Row = typename Rows::Row;
  u32 vertex;

  ND_FN void set_vertex(const Graph&, u32 v) { vertex = v; }
  ND_FN PickedEdge pick(const Graph& g, u64 word) {
    PickedEdge t{None, second(word), NoEdge};
    if (vertex == None) return t;
    u64 total = fetch(g.totals + vertex);
    Row row = Rows::of(g, vertex);
    if (total > 0) {
      t.position = search_row(g, row, high_product(word, total));
      t.vertex = fetch_far(g.indices + t.position);
    }
    vertex = t.vertex;
    return t;
  }
};

}  // namespace nd
