// Second-order walks: the bias of an edge depends on the previous vertex too. The twin of app.Node2Vec.
#pragma once
#include "core/args.cuh"
#include "graph/edgeset.cuh"

namespace nd {

// Node2Vec accepts a candidate if a 32-bit fraction is below its bias: back for the previous vertex, near for a
// neighbour of the previous vertex, away otherwise. The edge is looked up only if the fraction is between near and
// away.
struct Node2Vec {
  u32 back, least,
      most;           // the largest accepted fractions: of back, and of the lesser and the greater one of near and away
  bool near_is_more;  // near > away

  static constexpr u32 LaneScan = 0;
  static constexpr bool outliers = false;
  ND_FN static u32 tries(u32) { return MaxTries; }

  ND_FN explicit Node2Vec(const Walk& a)
      : back((u32)(a.back - 1)),
        least((u32)((a.near < a.away ? a.near : a.away) - 1)),
        most((u32)((a.near < a.away ? a.away : a.near) - 1)),
        near_is_more(a.near > a.away) {}

  // The same if every edge back is accepted.
  ND_FN Node2Vec(u64 near, u64 away)
      : back(~0u),
        least((u32)((near < away ? near : away) - 1)),
        most((u32)((near < away ? away : near) - 1)),
        near_is_more(near > away) {}

  template <class Rows> ND_FN bool accepts(const Graph& g, u32 previous, u32 candidate, u32 fraction) const {
    if (candidate == previous) return fraction <= back;
    if (fraction > most) return false;
    return fraction <= least || has_edge<Rows>(g, previous, candidate) == near_is_more;
  }

  // bias returns the bias that accepts compares the fraction with.
  template <class Rows> ND_FN static u64 bias(const Walk& a, u32 previous, u32 candidate) {
    if (candidate == previous) return a.back;
    return has_edge<Rows>(a.g, previous, candidate) ? a.near : a.away;
  }
};

}  // namespace nd
