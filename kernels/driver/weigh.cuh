// The choice among all edges of a row by their biases, in one pass with a reservoir: by a lane, a tile or a warp. It
// costs O(degree / G::size) and constant memory.
//
// Each rank reads four edges at a time, from positions that are multiples of four: one load instead of four, and whole
// sectors. The first and the last four may contain edges of neighbouring rows, which are no candidates.
#pragma once
#include "driver/previousrow.cuh"
#include "driver/walker.cuh"
#include "selector/reservoir.cuh"

namespace nd {

constexpr u32 Four = 4;

// load_four reads four elements of a column of `edges` elements, from position p, a multiple of four. Elements past the
// column's end are None or 0. The template parameter `inside` promises that there are none.
template <bool inside = false> ND_FN void load_four(const u32* column, u64 p, u64 edges, u32 (&out)[Four]) {
  if (inside || p + Four <= edges) {
    Quad q = fetch((const Quad*)(column + p));
    out[0] = q.x;
    out[1] = q.y;
    out[2] = q.z;
    out[3] = q.w;
  } else {
    for (u32 j = 0; j < Four; j++) out[j] = p + j < edges ? fetch(column + p + j) : None;
  }
}

template <bool inside = false> ND_FN void load_four(const f64* column, u64 p, u64 edges, f64 (&out)[Four]) {
  if (!column) {  // a graph without weights
    for (u32 j = 0; j < Four; j++) out[j] = 1;
    return;
  }
  if (inside || p + Four <= edges) {
    for (u32 half = 0; half < 2; half++) {
      Quad q = fetch((const Quad*)(column + p) + half);
      out[2 * half] = float_of_bits((u64)q.y << 32 | q.x);
      out[2 * half + 1] = float_of_bits((u64)q.w << 32 | q.z);
    }
  } else {
    for (u32 j = 0; j < Four; j++) out[j] = p + j < edges ? fetch(column + p + j) : 0;
  }
}

// FourEdges is four consecutive edges of a rank: which of them belong to the row, their end points, and the data from
// which the rule computes their biases. The template parameter `full` promises that all four belong to the row.
//
// Users' hooks are called without branches between the four calls, so that the calls overlap. In place of an edge that
// does not belong to the row, they are called for the nearest one of the row; its bias and its faults do not count.
template <class Rule> struct FourEdges {
  static constexpr bool nearest = !Rule::trusted && !Rule::second;
  u64 position;
  u32 first, end;  // edges first ... end-1 of the four belong to the row
  u32 dst[Four];   // None: not of the row
  typename Rule::Read read[Four];
  u64 least, most;  // the first and the last edge of the row, if nearest

  template <bool full> ND_FN bool has(u32 j) const { return full || (first <= j && j < end); }
  // place returns the position of the edge for which the rule is evaluated.
  ND_FN u64 place(u32 j) const {
    u64 at = position + j;
    return !nearest ? at : at < least ? least : at > most ? most : at;
  }

  // load reads the four edges from position `at` on, a multiple of four.
  template <bool full, class Row> ND_FN void load(const Graph& g, Rule& rule, const Walker& w, u64 at, Row row) {
    position = at;
    first = 0;
    end = Four;
    if constexpr (!full) {
      u64 last = row.first + row.degree;
      if (at < row.first) first = (u32)(row.first - at);
      if (at + Four > last) end = at < last ? (u32)(last - at) : 0;
      if constexpr (nearest) {
        least = row.first;
        most = last - 1;
        if (first > 0 || end < Four) {
          for (u32 j = 0; j < Four; j++) {
            if constexpr (Rule::ends) dst[j] = fetch(g.indices + place(j));
            read[j] = rule.words() ? fetch(rule.words() + place(j)) : 1;
          }
          return;
        }
      }
      for (u32 j = 0; j < Four; j++) {
        dst[j] = None;
        read[j] = {};
      }
      if (first >= end) return;
    }
    if constexpr (Rule::ends) {
      load_four<full>(g.indices, at, g.edges, dst);
      for (u32 j = 0; j < Four; j++)
        if (!has<full>(j)) dst[j] = None;
    }
    if constexpr (Rule::column) {
      load_four<full>(rule.words(), at, g.edges, read);
    } else {
      for (u32 j = 0; j < Four; j++)
        if (has<full>(j)) read[j] = rule.read(w, at + j, dst[j]);
    }
  }

  // weigh computes the four biases. Bit j of near is whether the previous vertex has an edge to candidate j.
  template <bool full> ND_FN void weigh(Rule& rule, const Walker& w, u32 near, u32 (&biases)[Four]) {
    for (u32 j = 0; j < Four; j++) {
      bool counts = has<full>(j);
      biases[j] = nearest || counts ? rule.bias(w, read[j], place(j), dst[j], Known{(near >> j & 1) != 0}) : 0;
      if (!counts) biases[j] = 0;
      rule.note(counts);
    }
    rule.settle(w);
  }
};

// skip weighs `fours` fours of each rank by a user's hook, all within the row, and adds them to the sum of the
// reservoir. If the reservoir takes one of the edges, or a bias has a fault, it returns false and adds nothing. The
// edges of a rank are loaded before the first is weighed. All ranks of G call it.
template <u32 fours, class G, class Rule, class Row>
ND_FN bool skip(const Graph& g, Rule& rule, const Walker& w, u64 at, Row row, Reserve<G>& reservoir) {
  FourEdges<Rule> four[fours];
  for (u32 q = 0; q < fours; q++) four[q].template load<true>(g, rule, w, at + (q * G::size + G::rank()) * Four, row);
  u64 mine = 0;
  bool faulty = false;
  for (u32 q = 0; q < fours; q++)
    for (u32 j = 0; j < Four; j++) mine += rule.weigh(w, four[q].read[j], four[q].position + j, four[q].dst[j], faulty);
  if (G::vote(faulty) != 0) return false;
  u64 all = G::sum(mine);
  if (all > 0 && reservoir.takes(reservoir.sum + all)) return false;
  reservoir.sum += all;
  return true;
}

// SkipFours is the number of fours per rank that weigh tries to skip at a time. In the far part of a long row the
// reservoir takes only few edges: about ln n of n in total. More fours take too many registers.
constexpr u32 SkipFours = 2;

// weigh returns the number of the chosen edge within its row, or None if no bias is positive. marks is shared memory of
// zeros, an element per thread of the block, and is zero again afterwards. All ranks of G call it with the same walker
// and row. Callers: driver/computed.cuh.
template <class G, class Rows, class Rule>
ND_FN u32 weigh(const Graph& g, Rule& rule, const Walker& w, typename Rows::Row row, u32* marks) {
  Reserve<G> reservoir(derived_key(w.key, slot_of(w.step, MaxTries), 0));
  PreviousRow<G> previous{g};
  if constexpr (Rule::second) {
    if (w.previous != None) previous.begin(Rows::of(g, w.previous), row.degree, marks);
  }
  constexpr u32 chunk = Four * G::size, stride = SkipFours * chunk;
  u64 end = (u64)row.first + row.degree, careful = (u64)row.first + chunk;
  for (u64 at = row.first / Four * Four; at < end; at += chunk) {
    // 1. Skip edges that the reservoir does not take. Positions before `careful` are not skipped: the begin of the row,
    // and a stride with an edge that is taken, or with a fault.
    if constexpr (FourEdges<Rule>::nearest && G::size == WarpSize) {
      while (at >= careful && at + stride <= end) {
        if (skip<SkipFours>(g, rule, w, at, row, reservoir)) at += stride;
        else careful = at + stride;
      }
      if (at >= end) break;
    }
    // 2. Load and weigh four edges per rank. Users' hooks are compiled in one copy only, so for them `full` is false.
    bool full = Rule::trusted && at >= row.first && at + chunk <= end;
    FourEdges<Rule> four;
    u32 near = 0, biases[1][Four];
    if (full) four.template load<true>(g, rule, w, at + G::rank() * Four, row);
    else four.template load<false>(g, rule, w, at + G::rank() * Four, row);
    if constexpr (Rule::second) near = previous.holds(four.dst);
    if (full) four.template weigh<true>(rule, w, near, biases[0]);
    else four.template weigh<false>(rule, w, near, biases[0]);
    // 3. Offer them to the reservoir. End early if no later edge can be taken, even with the largest bias.
    reservoir.template offer<1, Four>((u32)(at - row.first), biases);
    if (Rule::trusted && G::size >= WarpSize && at + chunk < end && reservoir.done((end - at - chunk) * Rule::most))
      break;
  }
  return reservoir.held;
}

}  // namespace nd
