// Uniform picks an edge of a row uniformly at random: candidate number below(word, degree). The twin of
// selector.Uniform.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"
#include "graph/packed.cuh"
#include "graph/slim.cuh"
#include "graph/wide.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// Uniform reads the row of the vertex, and then the end point: two dependent accesses per step. The first is cheap if
// the table of rows fits the L2 cache.
template <class Of> struct Uniform : RowMove<Uniform<Of>, Of> {
  using Row = typename Of::Row;
  static constexpr bool weighted = false;

  // among picks an edge of a row, or no edge if the row is empty.
  ND_FN static PickedEdge among(const Graph& g, Row row, u64 word) { return at(g, row, below(word, row.degree), word); }

  // at picks an edge by the index and the fraction that a word was split into.
  ND_FN static PickedEdge at(const Graph& g, Row row, Below32 pick, u64) {
    PickedEdge t{None, pick.fraction, NoEdge};
    if (row.degree > 0) {
      t.position = row.first + pick.index;
      t.vertex = fetch_far(g.indices + t.position);
    }
    return t;
  }
};

// SlimUniform reads the end point from the packed array of graph/slim.cuh.
struct SlimUniform : RowMove<SlimUniform, PackedRows> {
  static constexpr bool weighted = false;

  ND_FN static PickedEdge among(const Graph& g, Row row, u64 word) {
    auto pick = below(word, row.degree);
    PickedEdge t{None, pick.fraction, NoEdge};
    if (row.degree > 0) {
      t.position = row.first + pick.index;
      t.vertex = slim_end(g, row.first + pick.index);
    }
    return t;
  }
};

// WideUniform reads the record of an edge, which contains the row of its end point: one access per step.
struct WideUniform : WideMove {
  static constexpr bool weighted = false;

  ND_FN PickedEdge pick(const Graph& g, u64 word) {
    auto pick = below(word, row.degree);
    if (row.degree == 0) return {None, pick.fraction, NoEdge};
    u32 position = row.first + pick.index;
    WideEdge edge = WideEdge::at(g, position);
    row = edge.row;
    return {edge.vertex, pick.fraction, position};
  }
};

// uniform_draw returns a number below n, for choices of several edges. Caller: driver/choose.cuh.
ND_FN u32 uniform_draw(u64 word, u32 n) { return below(word, n).index; }

}  // namespace nd
