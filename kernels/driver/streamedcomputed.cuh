// The walkers of driver/streamedwalk.cuh by computed biases, as in driver/computed.cuh: those whose biases depend on
// the edges of the present vertex alone.
#pragma once
#include "app/computedbias.cuh"
#include "driver/proposals.cuh"
#include "driver/streamedfirst.cuh"
#include "driver/weigh.cuh"

namespace nd {

// StreamedComputed is a walker by a bias rule, see driver/walker.cuh. A lane makes the tries of a step. If all are
// rejected, it weighs a short row, and a warp a longer one.
template <class Rule> struct StreamedComputed : StreamedFirst {
  static constexpr bool scans = true;
  static constexpr u32 LaneRow = 16;

  using StreamedFirst::StreamedFirst;
  ND_FN Walker walker() const { return {key, (u32)row, (u32)place, step, vertex, None}; }

  ND_FN void advance(u32) {
    Rule rule(w);
    const Walker walker = this->walker();
    auto of = PlainRows::of(w.g, vertex);
    if (of.degree == 0) return end();
    for (u32 t = 0, limit = rule.tries(walker, of.degree); t < limit; t++) {
      Picked p = one_try<PlainRows>(w.g, rule, walker, of, t);
      if (p.index != None) return move({p.vertex, 0, of.first + p.index});
    }
    if (of.degree > LaneRow) waits = true;
    else weighed<Lane>(true);
  }
  ND_FN void by_warp() { weighed<Warp>(lane_index() == 0); }

  // weighed makes the step by weighing the row, and records it if that is wanted.
  template <class G> ND_FN void weighed(bool wanted) {
    Rule rule(w);
    auto of = PlainRows::of(w.g, vertex);
    u32 at = weigh<G, PlainRows>(w.g, rule, walker(), of, nullptr);
    if (!wanted) return;
    if (at == None) end();
    else move({fetch_far(w.g.indices + of.first + at), 0, of.first + at});
  }
};

}  // namespace nd
