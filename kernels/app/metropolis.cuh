// The walk that is at every vertex equally often: the twin of app.MetropolisHastings.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// Proposal is a Move that knows its row, since a neighbour is taken where below(word, its degree) < the own degree.
template <class Rows> struct Proposal {
  u32 vertex;
  typename Rows::Row row;

  ND_FN void set_vertex(const Graph& g, u32 v) {
    vertex = v, row = {0, 0};
    if (v != None) row = Rows::of(g, v);
  }
};

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
      at.vertex = v, at.row = row;
      return {v, 0, position};
    }
    return {at.vertex, 0, v == at.vertex ? position : NoEdge};
  }
};

}  // namespace nd
