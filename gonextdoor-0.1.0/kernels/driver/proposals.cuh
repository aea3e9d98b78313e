// Proposals under a bound, for driver/computed.cuh. Each lane proposes for its own walker. If few walkers of a warp
// still need a proposal, the idle lanes make further tries for them, ahead of time: try t of a step has its own random
// word, so tries are independent and the lowest accepted one counts.
#pragma once
#include "driver/walker.cuh"
#include "selector/propose.cuh"

namespace nd {

// Picked is a choice: the number of the edge within its row, None if there is none, and its end point.
struct Picked {
  u32 index, vertex;
};

// place_of returns the position of the k-th set bit, counted from 0, by binary search: five popcounts.
ND_FN u32 place_of(u32 bits, u32 k) {
  u32 place = 0;
  for (u32 half = WarpSize / 2; half > 0; half /= 2) {
    u32 low = count_bits(bits >> place & ((1u << half) - 1));
    if (k >= low) {
      k -= low;
      place += half;
    }
  }
  return place;
}

// one_try makes try t of the walker's step, and returns the candidate if it is accepted. One lane.
template <class Rows, class Rule>
ND_FN Picked one_try(const Graph& g, Rule& rule, const Walker& w, typename Rows::Row row, u32 t) {
  Proposed p = rule.propose(w, word_of(w.key, slot_of(w.step, t)), row.degree);
  Candidate c{g, row.first + p.index};
  if (!rule.accepts(w, c, p.level, LookUp<Rows>{w.previous, c})) return {None, None};
  return {p.index, c.vertex()};
}

// shared_tries makes `each` tries for each walker whose lane is in the mask open: tries t ... t+each-1 of that lane, by
// as many consecutive lanes. The first accepted one counts, as if the tries were made in order. limit is the number of
// tries of a lane's step. All lanes of the warp call it; a lane gets the choice of its own walker.
template <class Rows, class Rule>
ND_FN Picked shared_tries(const Graph& g, Rule& rule, const Walker& w, typename Rows::Row row, u32 limit, u32 t,
                          u32 open, u32 each) {
  // 1. Lanes k*each ... (k+1)*each-1 fetch the k-th walker, its row and the number of its next try.
  u32 lane = lane_index(), walkers = count_bits(open), k = lane / each;
  u32 owner = place_of(open, k < walkers ? k : 0);
  Walker other = w.of<Warp>(owner);
  typename Rows::Row its{Warp::from(row.first, owner), Warp::from(row.degree, owner)};
  u32 last = Warp::from(limit, owner), number = Warp::from(t, owner) + lane % each;
  // 2. Make the tries.
  Picked mine{None, None};
  bool made = k < walkers && number < last;
  if (made) mine = one_try<Rows>(g, rule, other, its, number);
  u32 accepted = Warp::vote(mine.index != None);
  // 3. Faults count for the tries up to the first accepted one: the definition makes no later ones.
  u32 ours = accepted >> k * each & (u32)((1ull << each) - 1);
  rule.note(made && (ours == 0 || lane % each <= lowest_bit(ours)));
  rule.settle(other);
  // 4. Return the first accepted candidate of each walker to its lane.
  u32 first = count_bits(open & ((1u << lane) - 1)) * each;  // the first lane that tried for this lane's walker
  u32 found = (open >> lane & 1) ? accepted >> first & (u32)((1ull << each) - 1) : 0;
  u32 giver = found ? first + lowest_bit(found) : lane;
  Picked p{Warp::from(mine.index, giver), Warp::from(mine.vertex, giver)};
  if (!found) p.index = None;
  return p;
}

// proposals makes the next tries of the lanes that are open and returns the accepted candidate, if any. `each` receives
// the number of tries per walker: one, or the largest power of two for which the warp has lanes. All lanes of the warp
// call it.
template <class Rows, class Rule>
ND_FN Picked proposals(const Graph& g, Rule& rule, const Walker& w, typename Rows::Row row, u32 limit, u32 t, bool open,
                       u32& each) {
  Picked p{None, None};
  u32 lanes = Warp::vote(open);
  each = 1;
  if (lanes == 0) return p;
  while (each * 2 * count_bits(lanes) <= WarpSize) each *= 2;
  if (each > 1) return shared_tries<Rows>(g, rule, w, row, limit, t, lanes, each);
  if (!open) return p;
  p = one_try<Rows>(g, rule, w, row, t);
  rule.note(true);
  rule.settle(w);
  return p;
}

}  // namespace nd
