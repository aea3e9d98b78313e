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
    u64 position = at.row.first + below(word_of(key, slot_of(s, 0)), at.row.degree).index;
    u32 v = fetch_far(a.g.indices + position);
    typename Rows::Row row = Rows::of(a.g, v);
    if (below(word_of(key, slot_of(s, HookTry)), row.degree).index < at.row.degree) {
      at.vertex = v;
      at.row = row;
      return {v, 0, position};
    }
    return {at.vertex, 0, v == at.vertex ? position : NoEdge};
  }
};

}  // namespace nd
