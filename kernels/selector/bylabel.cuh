// Uniform among the edges of a vertex that have a label: the twin of app.MetaPath's choice.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"
#include "graph/packedlabels.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// ByLabel chooses in rows partitioned by label. A label is the number of its kind; one that no edge has is any other.
template <class Labels> struct ByLabel {
  u32 vertex;

  ND_FN void set_vertex(const Graph&, u32 v) { vertex = v; }
  // pick returns an edge's place in the order of labels for its position.
  ND_FN PickedEdge pick(const Graph& g, u64 word, i32 label) {
    typename Labels::Row row{0, 0};
    if (vertex != None && (u32)label < g.label_kinds) row = Labels::of(g, vertex, (u32)label);
    vertex = None;
    if (row.degree == 0) return {None, 0, NoEdge};
    auto at = row.first + below(word, row.degree).index;
    vertex = fetch_far(g.label_indices + at);
    return {vertex, 0, at};
  }
  ND_FN static u64 position(const Graph& g, u64 place) { return fetch_far(g.label_positions + place); }
};

// Counted goes twice through the row instead, where there is no room for other rows, or too many labels.
struct Counted {
  u32 vertex;

  ND_FN void set_vertex(const Graph&, u32 v) { vertex = v; }
  ND_FN PickedEdge pick(const Graph& g, u64 word, i32 label) {
    RowOf<u64> row{0, 0};
    if (vertex != None) row = PlainRows::of(g, vertex);
    vertex = None;
    u32 count = 0;
    for (u32 i = 0; i < row.degree; i++) count += fetch(g.labels + row.first + i) == label;
    if (count == 0) return {None, 0, NoEdge};
    u32 left = below(word, count).index;
    for (u64 at = row.first;; at++) {
      if (fetch(g.labels + at) != label || left-- > 0) continue;
      vertex = fetch_far(g.indices + at);
      return {vertex, 0, at};
    }
  }
  ND_FN static u64 position(const Graph&, u64 place) { return place; }
};

}  // namespace nd
