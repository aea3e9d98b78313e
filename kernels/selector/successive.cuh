// Successive draws k edges of a row without replacement, each in proportion to its bias among the remaining ones. The
// twin of selector.Successive. The phases for a row of more than k edges:
//
//   1. successive_draws  Draw by the alias table, and again if an edge was drawn before, at most AttemptsPerPick*k
//                        times. O(k) expected, unless a few edges have most of the weight.
//   2. successive_rest   Scan the remaining biases for each missing pick: O(degree) each.
//
// For a row of at most k edges, the choice is all edges with a positive bias, in their order. All ranks of a group call
// these functions together, with the same arguments. picks has min(k, degree) elements, indices within the row, in
// memory that all ranks share. Callers: driver/choose.cuh (both phases, for marked nodes) and driver/expand.cuh
// (complete hubs).
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"
#include "core/group.cuh"
#include "graph/wide.cuh"
#include "selector/permute.cuh"

namespace nd {

constexpr u32 AttemptsPerPick = 16;

// AliasDraw is an edge that was drawn by a row's alias table: its index in the row, and its end point, which is None if
// no bias is positive.
struct AliasDraw {
  u32 place, vertex;
};
ND_FN AliasDraw own_or_other(Below32 b, AliasSlot slot) {
  bool own = b.fraction < slot.threshold;
  return {own ? b.index : slot.place, own ? slot.vertex : slot.other};
}
template <class Row> ND_FN AliasDraw alias_draw(const Graph& g, Row row, u64 word) {
  Below32 b = below(word, row.degree);
  return own_or_other(b, AliasSlot::at(g, row.first + b.index));
}
// near_alias_draw reads the table through the L1 cache, for several draws from one row.
template <class Row> ND_FN AliasDraw near_alias_draw(const Graph& g, Row row, u64 word) {
  Below32 b = below(word, row.degree);
  return own_or_other(b, AliasSlot::near(g, row.first + b.index));
}

// put stores a draw as pick `at`. Lists that also keep the end points of draws overload it.
template <class Picks> ND_FN void put(Picks picks, u32 at, AliasDraw d) { picks[at] = d.place; }

// AliasDraws are the draws of a choice by the alias table of a row.
template <class Row> struct AliasDraws {
  static constexpr bool may_reject = false;
  const Graph& g;
  Row row;
  u64 key;

  ND_FN bool distinct() const { return true; }
  ND_FN AliasDraw at(u64 attempt) const { return alias_draw(g, row, word_of(key, attempt)); }
};

// all_with_bias takes the edges with a positive bias, in their order, and returns their number.
template <class G, class Row, class Picks> ND_FN u32 all_with_bias(const Graph& g, Row row, Picks picks) {
  u32 got = 0;
  for (u32 first = 0; first < row.degree; first += G::size) {
    u32 i = first + G::rank();
    u64 has = i < row.degree && fetch(g.biases + row.first + i) > 0, upto = G::scan(has);
    if (has) picks[got + upto - 1] = i;
    got += (u32)(G::size == 1 ? upto : G::from(upto, G::size - 1));
  }
  G::sync();
  return got;
}

// lane_draws is successive_draws of one lane. It reads Ahead slots at a time, so that their loads are in flight
// together, even if fewer picks are missing: the last ones take many draws if few edges remain.
template <u32 Ahead, class Row, class Picks>
ND_FN u32 lane_draws(const Graph& g, Row row, u64 key, u32 k, Picks picks) {
  u32 got = 0;
  u64 seen = 0;  // a filter by the low six bits of each pick; it is exact for rows of up to 64 edges
  for (u32 attempt = 0, now; attempt < AttemptsPerPick * k && got < k; attempt += now) {
    AliasDraw d[Ahead];
    now = AttemptsPerPick * k - attempt < Ahead ? AttemptsPerPick * k - attempt : Ahead;
#pragma unroll
    for (u32 i = 0; i < Ahead; i++)
      if (i < now) d[i] = near_alias_draw(g, row, word_of(key, attempt + i));
#pragma unroll
    for (u32 i = 0; i < Ahead; i++) {
      if (i >= now || got == k) continue;
      if (d[i].vertex == None) return 0;
      u64 bit = 1ull << (d[i].place & 63);
      if ((seen & bit) && (row.degree <= 64 || place_among<Lane>(picks, got, d[i].place) != None)) continue;
      seen |= bit;
      put(picks, got, d[i]);
      got++;
    }
  }
  return got;
}

// tile_draws makes up to `attempts` draws by a tile of lanes, until there are k picks, and returns the number of picks.
// Each rank makes a draw. Of equal draws that of the lowest rank counts, as if they were made in order; if draws need
// not be distinct, all count. A draw whose place is None is rejected, if Draws::may_reject.
template <class G, class Draws, class Picks>
ND_FN u32 tile_draws(const Draws& draws, u32 attempts, u32 k, Picks picks) {
  u32 got = 0;
  for (u32 attempt = 0, now; attempt < attempts && got < k; attempt += now) {
    now = attempts - attempt < G::size ? attempts - attempt : G::size;
    bool fresh = G::rank() < now;
    AliasDraw d{None, 0};
    if (fresh) d = draws.at(attempt + G::rank());
    if constexpr (Draws::may_reject) fresh = fresh && d.place != None;
    else if (G::first(fresh && d.vertex == None) != None) return 0;
    if (draws.distinct()) {
      for (u32 j = 0; fresh && j < got; j++) fresh = picks[j] != d.place;
      for (u32 r = 0; r + 1 < now; r++) {
        u32 other = G::from(d.place, r);
        if (r < G::rank() && other == d.place) fresh = false;
      }
    }
    G::sync();  // all ranks have read the picks
    u32 taken = G::vote(fresh), at = got + count_bits(taken & ((1u << G::rank()) - 1));
    if (fresh && at < k) put(picks, at, d);
    got = got + count_bits(taken) < k ? got + count_bits(taken) : k;
    G::sync();
  }
  return got;
}

// successive_draws makes the picks by the alias table, for a row of more than k edges, and returns their number. It is
// less than k if too many attempts were needed, or if the row has too few positive biases. In a block, the first warp
// draws.
template <class G, class Row, class Picks>
ND_FN u32 successive_draws(const Graph& g, Row row, u64 key, u32 k, Picks picks) {
  if constexpr (G::size == 1) {
    return lane_draws<8>(g, row, key, k, picks);
  } else if constexpr (G::size <= WarpSize) {
    return tile_draws<G>(AliasDraws<Row>{g, row, key}, AttemptsPerPick * k, k, picks);
  } else {
    u32 got = 0;
    if (G::rank() < WarpSize) got = tile_draws<Warp>(AliasDraws<Row>{g, row, key}, AttemptsPerPick * k, k, picks);
    got = G::from(got, 0);
    G::sync();
    return got;
  }
}

// RemainingEdges is the edges of a row except the picks, and the scan for one of them.
template <class G, class Row, class Picks> struct RemainingEdges {
  static constexpr u32 part = 4;  // consecutive edges that a rank sums before a reduction

  const Graph& g;
  Row row;
  Picks picks;
  u64 sum = 0;   // of the remaining biases
  u64 seen = 0;  // a filter by the low six bits of each pick

  ND_FN void begin(u32 got) {
    for (u32 i = G::rank(); i < row.degree; i += G::size) sum += fetch(g.biases + row.first + i);
    sum = G::sum(sum);
    for (u32 j = 0; j < got; j++) drop(picks[j]);
  }
  ND_FN void drop(u32 place) {
    sum -= fetch(g.biases + row.first + place);
    seen |= 1ull << (place & 63);
  }

  ND_FN u64 bias(u32 i, u32 got) const {
    if (i >= row.degree) return 0;
    if (seen >> (i & 63) & 1)
      for (u32 j = 0; j < got; j++)
        if (picks[j] == i) return 0;
    return fetch(g.biases + row.first + i);
  }

  // find returns the edge at which the running sum of the remaining biases exceeds r.
  ND_FN u32 find(u64 r, u32 got) const {
    u64 before = 0;
    for (u32 first = 0;; first += part * G::size) {
      u64 mine = 0;
      for (u32 j = 0; j < part; j++) mine += bias(first + G::rank() * part + j, got);
      u64 upto = before + G::sum(mine);
      if (upto <= r) {
        before = upto;
        continue;
      }
      u64 here = before + G::scan(mine);
      u32 giver = G::first(here > r), at = first + G::rank() * part;
      if (G::rank() == giver)
        for (here -= mine; here <= r; at++) here += bias(at, got);
      return G::from(at - 1, giver);
    }
  }
};

// successive_rest adds the picks that are missing after the first `got`, and returns the number of all. Their words
// follow those of all attempts. It returns at once if none is missing.
template <class G, class Row, class Picks>
ND_FN u32 successive_rest(const Graph& g, Row row, u64 key, u32 k, u32 got, Picks picks) {
  if (got == k) return got;
  RemainingEdges<G, Row, Picks> edges{g, row, picks};
  edges.begin(got);
  for (u32 attempt = AttemptsPerPick * k; got < k && edges.sum > 0; attempt++) {
    u32 i = edges.find(high_product(word_of(key, attempt), edges.sum), got);
    G::sync();
    if (G::rank() == 0) picks[got] = i;
    G::sync();
    edges.drop(i);
    got++;
  }
  return got;
}

// successive makes a complete choice and returns the number of picks.
template <class G, class Row, class Picks> ND_FN u32 successive(const Graph& g, Row row, u64 key, u32 k, Picks picks) {
  if (row.degree <= k) return all_with_bias<G>(g, row, picks);
  return successive_rest<G>(g, row, key, k, successive_draws<G>(g, row, key, k, picks), picks);
}

}  // namespace nd
