// Uniform takes each edge of a row alike: candidate number below(word, degree). The twin of selector.Uniform.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"
#include "core/group.cuh"
#include "graph/packed.cuh"
#include "graph/slim.cuh"
#include "graph/wide.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// Uniform chooses in rows that are found by the vertex: two dependent accesses a step, of which that for the row is
// cheap where the table of rows fits the second-level cache.
template <class Of> struct Uniform {
  using Rows = Of;
  using Row = typename Rows::Row;
  static constexpr bool weighted = false;
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
    PickedEdge t{None, (u32)pick.fraction, NoEdge};
    if (row.degree > 0) {
      t.position = row.first + pick.index;
      t.vertex = fetch_far(g.indices + t.position);
    }
    return t;
  }
};

// SlimUniform reads end points where they are packed.
struct SlimUniform {
  static constexpr bool weighted = false;
  u32 vertex;

  ND_FN void set_vertex(const Graph&, u32 v) { vertex = v; }
  ND_FN PickedEdge pick(const Graph& g, u64 word) {
    PackedRows::Row row{0, 0};
    if (vertex != None) row = PackedRows::of(g, vertex);
    auto pick = below(word, row.degree);
    PickedEdge t{None, pick.fraction, NoEdge};
    if (row.degree > 0) {
      t.position = row.first + pick.index;
      t.vertex = slim_end(g, row.first + pick.index);
    }
    vertex = t.vertex;
    return t;
  }
};

// WideUniform has each edge's record tell the row of its end point: one access a step.
struct WideUniform {
  static constexpr bool weighted = false;
  RowOf<u32> row;

  ND_FN void set_vertex(const Graph& g, u32 v) {
    row = {0, 0};
    if (v == None) return;
    auto at = PlainRows::of(g, v);
    row = {(u32)at.first, at.degree};
  }
  ND_FN PickedEdge pick(const Graph& g, u64 word) {
    auto pick = below(word, row.degree);
    if (row.degree == 0) return {None, pick.fraction, NoEdge};
    u32 position = row.first + pick.index;
    WideEdge edge = WideEdge::at(g, position);
    row = edge.row;
    return {edge.vertex, pick.fraction, position};
  }
};

// uniform_picks takes k of n candidates with replacement, and gives their number: none where there is no candidate. All
// ranks of the group come, and see picks.
template <class G, class Picks> ND_FN u32 uniform_picks(u64 key, u32 k, u32 n, Picks picks) {
  for (u32 i = G::rank(); n > 0 && i < k; i += G::size) picks[i] = below(word_of(key, i), n).index;
  G::sync();
  return n > 0 ? k : 0;
}

}  // namespace nd
