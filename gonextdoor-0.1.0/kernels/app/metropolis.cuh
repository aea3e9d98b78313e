// Walks whose stationary distribution is uniform over the vertices: the twin of app.MetropolisHastings.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// Proposal is a Move that keeps the row of its vertex: a step compares the degrees of two vertices, and either becomes
// the present one.
template <class Rows> struct Proposal {
  u32 vertex;
  typename Rows::Row row;

  ND_FN void set_vertex(const Graph& g, u32 v) {
    vertex = v;
    row = {0, 0};
    if (v != None) row = Rows::of(g, v);
  }
};

// Metropolis proposes a neighbour uniformly at random, and moves there with probability min(1, degree / its degree): if
// below(word, its degree) < degree. Otherwise it stays.
struct Metropolis {
  ND_FN Metropolis(const Walk&, u32) {}
  template <class Rows> ND_FN PickedEdge step(const Walk& a, u64 key, u64 s, Proposal<Rows>& at) {
    if (at.row.degree == 0) {
      at.vertex = None;
      return {None, 0, NoEdge};
    }
    PickedEdge e = propose(a.g, at.row, key, s);
    typename Rows::Row row = Rows::of(a.g, e.vertex);
    if (!accepts(key, s, at.row.degree, row.degree)) return stay(at.vertex, e);
    at.vertex = e.vertex;
    at.row = row;
    return e;
  }

  // propose returns an edge of a row that is not empty.
  template <class Row> ND_FN static PickedEdge propose(const Graph& g, Row row, u64 key, u64 s) {
    u64 position = row.first + below(word_of(key, slot_of(s, 0)), row.degree).index;
    return {fetch_far(g.indices + position), 0, position};
  }
  // accepts decides on a vertex with `others` edges, proposed by one with `degree`.
  ND_FN static bool accepts(u64 key, u64 s, u32 degree, u32 others) {
    return below(word_of(key, slot_of(s, HookTry)), others).index < degree;
  }
  // stay returns the step after a proposal was rejected. Its edge is recorded if it is a loop.
  ND_FN static PickedEdge stay(u32 vertex, const PickedEdge& e) {
    return {vertex, 0, e.vertex == vertex ? e.position : NoEdge};
  }
};

}  // namespace nd
