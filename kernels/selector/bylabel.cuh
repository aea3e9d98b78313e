// Choices among the edges of a vertex that have a label: the twin of the choice of app.MetaPath.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"
#include "graph/packedlabels.cuh"
#include "graph/segments.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// ByLabel chooses in rows partitioned by label, in O(1). Labels are kinds: 0 ... label_kinds-1. A label that no edge of
// the graph has is any other number.
template <class Labels> struct ByLabel {
  u32 vertex;

  ND_FN void set_vertex(const Graph&, u32 v) { vertex = v; }
  // pick returns an edge whose position is its index in the partitioned rows; `position` converts it. Only recorded
  // edges need the conversion, which is a memory access.
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

// SearchByLabel is ByLabel in proportion to the weights, by a search in the sums of a label's edges. Biases and their
// sums are those of the partitioned rows.
template <class Labels> struct SearchByLabel : ByLabel<Labels> {
  ND_FN PickedEdge pick(const Graph& g, u64 word, i32 label) {
    u32 v = this->vertex;
    this->vertex = None;
    if (v == None || (u32)label >= g.label_kinds) return {None, 0, NoEdge};
    u64 total = fetch(g.totals + (v * g.label_kinds + label));
    auto row = Labels::of(g, v, (u32)label);
    if (total == 0) return {None, 0, NoEdge};
    auto at = search_row(g, row, high_product(word, total));
    this->vertex = fetch_far(g.label_indices + at);
    return {this->vertex, 0, at};
  }
};

// Counted passes over the row twice instead, in O(degree). It is used if the partitioned rows do not fit in memory, or
// if there are too many labels.
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

// SearchCounted is Counted in proportion to the weights.
struct SearchCounted : Counted {
  ND_FN PickedEdge pick(const Graph& g, u64 word, i32 label) {
    RowOf<u64> row{0, 0};
    if (vertex != None) row = PlainRows::of(g, vertex);
    vertex = None;
    u64 total = 0;
    for (u32 i = 0; i < row.degree; i++) total += bias(g, row.first + i, label);
    if (total == 0) return {None, 0, NoEdge};
    u64 left = high_product(word, total), at = row.first;
    for (u32 b; (b = bias(g, at, label)) <= left; at++) left -= b;
    vertex = fetch_far(g.indices + at);
    return {vertex, 0, at};
  }
  ND_FN static u32 bias(const Graph& g, u64 at, i32 label) {
    return fetch(g.labels + at) == label ? fetch(g.biases + at) : 0;
  }
};

}  // namespace nd
