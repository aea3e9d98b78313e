// The choice among all edges of a row by their biases, in one pass: by a lane, a tile, a warp or a block.
//
// Rows are read four edges at a time, by each rank its own four, at places that are multiples of four: one load in place of
// four, and whole sectors. What a row's first and last four share with other rows counts as no candidate.
#pragma once
#include "driver/before.cuh"
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
template <class Rule> struct Stretch {
  u64 position;
  u32 first, end;  // of the four: those between are the row's
  u32 dst[Four];   // None: not the row's
  typename Rule::Read read[Four];

  ND_FN bool has(u32 j) const { return first <= j && j < end; }

  template <class Row> ND_FN void load(const Graph& g, Rule& rule, const Walker& w, u64 at, Row row) {
    position = at;
    u64 last = row.first + row.degree;
    first = at < row.first ? (u32)(row.first - at) : 0;
    end = at + Four <= last ? Four : at < last ? (u32)(last - at) : 0;
    for (u32 j = 0; j < Four; j++) dst[j] = None, read[j] = {};
    if (first >= end) return;
    if constexpr (Rule::ends) {
      u32 of[Four];
      four_of(g.indices, at, g.edges, of);
      for (u32 j = 0; j < Four; j++) dst[j] = has(j) ? of[j] : None;
    }
    if constexpr (Rule::column) {
      four_of(rule.words(), at, g.edges, read);
    } else {
      for (u32 j = 0; j < Four; j++)
        if (has(j)) read[j] = rule.read(w, at + j, dst[j]);
    }
  }

  // weigh gives the four biases; bit j of near says whether the vertex before has an edge to candidate j.
  ND_FN void weigh(Rule& rule, const Walker& w, u32 near, u32 (&biases)[Four]) {
    for (u32 j = 0; j < Four; j++) {
      biases[j] = has(j) ? rule.bias(w, read[j], position + j, dst[j], Known{(near >> j & 1) != 0}) : 0;
      rule.note(w, has(j));
    }
  }
};

// weigh gives the number of the edge that is chosen, or None. marks are zeros in shared memory, one for each thread.
template <class G, u32 Parts, class Rows, class Rule>
ND_FN u32 weigh(const Graph& g, Rule& rule, const Walker& w, typename Rows::Row row, u32* marks) {
  Reserve<G> held(hung(w.key, slot_of(w.step, MaxTries), 0));
  Before<G> before{};
  if constexpr (Rule::second) {
    if (w.previous != None) {
      auto its = Rows::of(g, w.previous);
      before.begin(g.indices + its.first, its.degree, row.degree, marks);
    }
  }
  constexpr u32 chunk = Parts * Four * G::size;
  u64 end = (u64)row.first + row.degree;
  for (u64 at = row.first / Four * Four; at < end; at += chunk) {
    Stretch<Rule> own[Parts];
    u32 biases[Parts][Four];
    for (u32 q = 0; q < Parts; q++) own[q].load(g, rule, w, at + (q * G::size + G::rank()) * Four, row);
    for (u32 q = 0; q < Parts; q++) {
      u32 near = 0;
      if constexpr (Rule::second) near = before.among(own[q].dst);
      own[q].weigh(rule, w, near, biases[q]);
    }
    held.template offer<Parts, Four>((u32)(at - row.first), biases);
    if (Rule::trusted && at + chunk < end && held.done((end - at - chunk) * Rule::most)) break;
  }
  return held.held;
}

}  // namespace nd
