// Walks whose stationary distribution is uniform over the vertices: the twin of app.MetropolisHastings.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// Proposal is a Move that keeps the row of its vertex: a step compares the degrees of two vertices, and either becomes
// the present one. Others has the degrees of proposed vertices.
template <class Rows, class Others = Rows> struct Proposal {
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
  static constexpr bool rooted = false;
  ND_FN Metropolis(const Walk&, u32) {}
  template <class Rows, class Others> ND_FN PickedEdge step(const Walk& a, u64 key, u64 s, Proposal<Rows, Others>& at) {
    if (at.row.degree == 0) {
      at.vertex = None;
      return {None, 0, NoEdge};
    }
    u64 position = at.row.first + below(word_of(key, slot_of(s, 0)), at.row.degree).index;
    PickedEdge e{fetch_far(a.g.indices + position), 0, position};
    typename Rows::Row row = Others::of(a.g, e.vertex);
    // A walker that stays records its edge if it is a loop.
    if (below(word_of(key, slot_of(s, HookTry)), row.degree).index >= at.row.degree)
      return {at.vertex, 0, e.vertex == at.vertex ? e.position : NoEdge};
    at.vertex = e.vertex;
    at.row = row;
    return e;
  }
};

}  // namespace nd
