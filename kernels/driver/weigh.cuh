// The choice among all edges of a row by their biases, in one pass: by a lane, a tile, a warp or a block.
//
// Rows are read four edges at a time, by each rank its own four, at places that are multiples of four: one load in place of
// four, and whole sectors. What a row's first and last four share with other rows counts as no candidate.
#pragma once
#include "driver/previousrow.cuh"
#include "driver/walker.cuh"
#include "selector/reservoir.cuh"

namespace nd {

constexpr u32 Four = 4;

// four_of reads four elements of a column of all edges, from position p on, a multiple of four.
ND_FN void four_of(const u32* column, u64 p, u64 edges, u32 (&out)[Four]) {
  if (p + Four <= edges) {
    Quad q = fetch((const Quad*)(column + p));
    out[0] = q.x, out[1] = q.y, out[2] = q.z, out[3] = q.w;
  } else {
    for (u32 j = 0; j < Four; j++) out[j] = p + j < edges ? fetch(column + p + j) : None;
  }
}

ND_FN void four_of(const f64* column, u64 p, u64 edges, f64 (&out)[Four]) {
  if (!column) return;
  if (p + Four <= edges) {
    for (u32 half = 0; half < 2; half++) {
      Quad q = fetch((const Quad*)(column + p) + half);
      out[2 * half] = float_of_bits((u64)q.y << 32 | q.x), out[2 * half + 1] = float_of_bits((u64)q.w << 32 | q.z);
    }
  } else {
    for (u32 j = 0; j < Four; j++) out[j] = p + j < edges ? fetch(column + p + j) : 0;
  }
}

// Stretch is the four edges of a rank: which of them are the row's, where they lead, and what the rule has read of them.
// whole says that all are.
template <class Rule> struct Stretch {
  u64 position;
  u32 first, end;  // of the four: those between are the row's
  u32 dst[Four];   // None: not the row's
  typename Rule::Read read[Four];

  template <bool whole> ND_FN bool has(u32 j) const { return whole || (first <= j && j < end); }

  template <bool whole, class Row> ND_FN void load(const Graph& g, Rule& rule, const Walker& w, u64 at, Row row) {
    position = at, first = 0, end = Four;
    if constexpr (!whole) {
      u64 last = row.first + row.degree;
      if (at < row.first) first = (u32)(row.first - at);
      if (at + Four > last) end = at < last ? (u32)(last - at) : 0;
      for (u32 j = 0; j < Four; j++) dst[j] = None, read[j] = {};
      if (first >= end) return;
    }
    if constexpr (Rule::ends) {
      four_of(g.indices, at, g.edges, dst);
      for (u32 j = 0; j < Four; j++)
        if (!has<whole>(j)) dst[j] = None;
    }
    if constexpr (Rule::column) {
      four_of(rule.words(), at, g.edges, read);
    } else {
      for (u32 j = 0; j < Four; j++)
        if (has<whole>(j)) read[j] = rule.read(w, at + j, dst[j]);
    }
  }

  // weigh gives the four biases; bit j of near says whether the vertex before has an edge to candidate j.
  template <bool whole> ND_FN void weigh(Rule& rule, const Walker& w, u32 near, u32 (&biases)[Four]) {
    for (u32 j = 0; j < Four; j++) {
      biases[j] = has<whole>(j) ? rule.bias(w, read[j], position + j, dst[j], Known{(near >> j & 1) != 0}) : 0;
      rule.note(has<whole>(j));
    }
    rule.settle(w);
  }
};

// far_on adds up the biases of `fours` fours of each rank, all of them the row's, where none can be taken: the reservoir
// is past them then.
template <u32 fours, class G, class Rule> ND_FN bool far_on(const Graph& g, Rule& rule, u64 at, Reserve<G>& held) {
  u64 mine = 0;
  for (u32 q = 0; q < fours; q++) {
    u32 of[Four];
    four_of(rule.words(), at + (q * G::size + G::rank()) * Four, g.edges, of);
    mine += (u64)of[0] + of[1] + of[2] + of[3];
  }
  u64 all = G::sum(mine);
  if (all > 0 && held.takes(held.sum + all)) return false;
  held.sum += all;
  return true;
}

constexpr u32 FarFours = 4;  // of far_on, from where a row is so long that it hardly ever meets one that is taken

// weigh gives the number of the edge that is chosen, or None. marks are zeros in shared memory, one for each thread.
template <class G, class Rows, class Rule>
ND_FN u32 weigh(const Graph& g, Rule& rule, const Walker& w, typename Rows::Row row, u32* marks) {
  Reserve<G> held(derived_key(w.key, slot_of(w.step, MaxTries), 0));
  PreviousRow<G> previous{g};
  if constexpr (Rule::second) {
    if (w.previous != None) previous.begin(Rows::of(g, w.previous), row.degree, marks);
  }
  constexpr u32 chunk = Four * G::size, far = FarFours * chunk;
  u64 end = (u64)row.first + row.degree, careful = (u64)row.first + 2 * far;
  for (u64 at = row.first / Four * Four; at < end; at += chunk) {
    if constexpr (Rule::column && !Rule::ends && G::size > 1) {
      while (at >= careful && at + far <= end) {
        if (Rule::trusted && held.done((end - at) * Rule::most)) return held.held;
        if (!far_on<FarFours>(g, rule, at, held)) careful = at + far;
        else at += far;
      }
      if (at >= end) break;
    }
    bool whole = Rule::trusted && at >= row.first && at + chunk <= end;  // the text of users' hooks is not doubled
    Stretch<Rule> own;
    u32 near = 0, biases[1][Four];
    if (whole) own.template load<true>(g, rule, w, at + G::rank() * Four, row);
    else own.template load<false>(g, rule, w, at + G::rank() * Four, row);
    if constexpr (Rule::second) near = previous.among(own.dst);
    if (whole) own.template weigh<true>(rule, w, near, biases[0]);
    else own.template weigh<false>(rule, w, near, biases[0]);
    held.template offer<1, Four>((u32)(at - row.first), biases);
    if (Rule::trusted && G::size >= WarpSize && at + chunk < end && held.done((end - at - chunk) * Rule::most)) break;
  }
  return held.held;
}

}  // namespace nd
