// Proposals under a bound, for driver/computed.cuh: the lanes of a warp propose for their own walkers, or for each
// other's.
#pragma once
#include "driver/walker.cuh"
#include "selector/propose.cuh"

namespace nd {

// Picked is a choice: the number of the edge in its row, None if there is none, and its end point.
struct Picked { u32 index, vertex; };

// place_of returns the position of the k-th set bit, by halving.
ND_FN u32 place_of(u32 bits, u32 k) {
  u32 place = 0;
  for (u32 half = WarpSize / 2; half > 0; half /= 2) {
    u32 low = count_bits(bits >> place & ((1u << half) - 1));
    if (k >= low) k -= low, place += half;
  }
  return place;
}

// one_try makes try t and returns the candidate if it is accepted.
template <class Rows, class Rule> ND_FN Picked one_try(const Graph& g, Rule& rule, const Walker& w, typename Rows::Row row, u32 t) {
  Proposed p = rule.propose(w, word_of(w.key, slot_of(w.step, t)), row.degree);
  Candidate c{g, row.first + p.index};
  if (!rule.accepts(w, c, p.level, Asked<Rows>{w.previous, c})) return {None, None};
  return {p.index, c.vertex()};
}

// lent makes `each` tries for each of the walkers whose lanes are open, by as many lanes, from try t of the lane on.
// The first accepted one counts, as if they were made one after the other. Whole warp.
template <class Rows, class Rule>
ND_FN Picked lent(const Graph& g, Rule& rule, const Walker& w, typename Rows::Row row, u32 limit, u32 t, u32 open, u32 each) {
  u32 lane = lane_index(), walkers = count_bits(open), k = lane / each;
  u32 owner = place_of(open, k < walkers ? k : 0);
  Walker other = w.of<Warp>(owner);
  typename Rows::Row its{Warp::from(row.first, owner), Warp::from(row.degree, owner)};
  u32 last = Warp::from(limit, owner), number = Warp::from(t, owner) + lane % each;
  Picked mine{None, None};
  bool made = k < walkers && number < last;
  if (made) mine = one_try<Rows>(g, rule, other, its, number);
  u32 said = Warp::vote(mine.index != None);
  u32 ours = said >> k * each & (u32)((1ull << each) - 1);
  rule.note(made && (ours == 0 || lane % each <= lowest_bit(ours)));
  rule.settle(other);
  u32 first = count_bits(open & ((1u << lane) - 1)) * each;  // of the lanes that tried for this one's walker
  u32 tried = (open >> lane & 1) ? said >> first & (u32)((1ull << each) - 1) : 0;
  u32 giver = tried ? first + lowest_bit(tried) : lane;
  Picked given{Warp::from(mine.index, giver), Warp::from(mine.vertex, giver)};
  if (!tried) given.index = None;
  return given;
}

// proposals makes the next tries of the open lanes: one per walker, or, if that leaves lanes idle, `each`. It returns
// the accepted candidate. Whole warp.
template <class Rows, class Rule>
ND_FN Picked proposals(const Graph& g, Rule& rule, const Walker& w, typename Rows::Row row, u32 limit, u32 t, bool open, u32& each) {
  Picked p{None, None};
  u32 lanes = Warp::vote(open);
  each = 1;
  if (lanes == 0) return p;
  while (each * 2 * count_bits(lanes) <= WarpSize) each *= 2;
  if (each > 1) return lent<Rows>(g, rule, w, row, limit, t, lanes, each);
  if (!open) return p;
  p = one_try<Rows>(g, rule, w, row, t);
  rule.note(true);
  rule.settle(w);
  return p;
}

}  // namespace nd
