// Node2Vec whose factor of edges back exceeds the others: tries propose these edges apart. The twin of
// selector.Outliers and app.Place.
#pragma once
#include "app/node2vec.cuh"
#include "core/draw.cuh"
#include "graph/edgeset.cuh"
#include "graph/reach.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// outlier_slots returns share * factor, both with 32 fraction bits, rounded up to an integer.
ND_FN u64 outlier_slots(u64 share, u64 factor) { return high_product(share, factor) + (share * factor != 0); }

// lower_bound returns the number of the first edge of a row that leads to v or beyond, by the search of in_row.
template <class Row> ND_FN u32 lower_bound(const Graph& g, Row row, u32 v) {
  const u32* first = g.indices + row.first;
  // Invariant: edges before low lead below v, edges from high on to v or beyond. least <= v <= beyond.
  u32 low = 0, high = row.degree;
  u32 least = 0, beyond = (u32)g.vertices;
  for (u32 guess = 0; low < high; guess++) {
    u32 middle = low + (high - low) / 2;
    if (guess < Guesses && high - low > FewPlaces) {
      middle = low + (u32)((f32)(high - low) * rough_quotient((f32)(v - least), (f32)(beyond - least)));
      if (middle >= high) middle = high - 1;
    }
    u32 at = fetch(first + middle);
    if (at < v) {
      low = middle + 1;
      least = at;
    } else {
      high = middle;
      beyond = at;
    }
  }
  return low;
}

// outlier_within returns whether a place in a region, a slot and its fraction, is below share * factor.
ND_FN bool outlier_within(u64 slot, u32 fraction, u64 share, u64 factor) {
  u64 whole = high_product(share, factor), rest = share * factor >> 32;
  return slot < whole || (slot == whole && fraction < rest);
}

// Node2VecOutliers draws a slot of three regions: the edges of the row, neighbours of the previous vertex (Near), and
// the previous vertex (Back).
struct Node2VecOutliers : Node2Vec {
  static constexpr bool outliers = true;
  const Walk& a;

  ND_FN explicit Node2VecOutliers(const Walk& a) : Node2Vec(a.try_near, a.try_away), a(a) {}

  // Slots are the slots of a step: those of the row, then those of Near, then those of Back.
  struct Slots {
    u64 near, all, back_factor;
  };

  // slots_of returns those among `degree` edges, if the previous vertex has `from` edges.
  ND_FN Slots slots_of(u32 degree, u32 from, Reach reach) const {
    u64 d = degree, most = reach.most(), share = most * from, near = 0, back_factor = a.outlier_back;
    if (high_product(most, from) == 0 && share < d << 32) near = outlier_slots(share, a.short_near);
    if (near > 0) back_factor = a.short_back;
    return {near, d + near + outlier_slots(most, back_factor), back_factor};
  }

  // choose makes the tries of a step from a vertex with a row; from is that of the previous vertex. It stores the first
  // accepted edge in e and returns true, or returns false if all tries were rejected. Without a previous vertex, the
  // first try is accepted. An empty row counts as accepted: e is then no edge.
  template <class Propose, class Row = typename Propose::Row>
  ND_FN bool choose(Row row, Row from, u64 key, u64 step, u32 previous, u32 vertex, PickedEdge& e) const {
    using Rows = typename Propose::Rows;
    const Graph& g = a.g;
    if (previous == None || row.degree == 0) {
      e = Propose::among(g, row, word_of(key, slot_of(step, 0)));
      return true;
    }
    // 1. The regions.
    Reach reach = Reach::of(g, vertex);
    auto [near, slots, back_factor] = slots_of(row.degree, from.degree, reach);
    u64 d = row.degree;
    // 2. The tries.
    u64 term = (slot_of(step, 0) + 1) * Gamma;
    for (u32 t = 0; t < MaxTries; t++, term += Gamma) {
      u64 word = mix(key ^ term);
      Below pick = below(word, slots);
      if (pick.index < d) {
        e = Propose::at(g, row, {(u32)pick.index, pick.fraction}, word);
        if (e.vertex == None || near > 0 || accepts<Rows>(g, previous, e.vertex, e.fraction)) return true;
        continue;
      }
      u32 to = previous;
      u64 slot = pick.index - d, scale = 1, factor = back_factor;
      if (slot < near) {
        u32 j = (u32)below(mix(word ^ Gamma), (u64)from.degree).index;
        to = fetch(g.indices + from.first + j);
        // Edges back and parallel edges of the previous vertex are rejected.
        if (to == previous || (j > 0 && fetch(g.indices + from.first + j - 1) == to)) continue;
        if (!may_have_edge(g, vertex, to)) continue;
        scale = from.degree;
        factor = a.short_near;
      } else {
        slot -= near;
      }
      if (leads<Propose::weighted>(row, reach, to, slot, pick.fraction, scale, factor, e)) return true;
    }
    return false;
  }

  // leads stores the edge to a vertex that a place selects in e, and returns whether there is one: the first whose
  // share, added to those before it and times scale*factor, exceeds the place.
  template <bool weighted, class Row>
  ND_FN bool leads(Row row, Reach reach, u32 to, u64 slot, u32 fraction, u64 scale, u64 factor, PickedEdge& e) const {
    return leads_from<weighted>(lower_bound(a.g, row, to), row, reach, to, slot, fraction, scale, factor, e);
  }

  // leads_from is leads if edge i is the first of the row that leads to the vertex or beyond.
  template <bool weighted, class Row>
  ND_FN bool leads_from(u32 i, Row row, Reach reach, u32 to, u64 slot, u32 fraction, u64 scale, u64 factor,
                        PickedEdge& e) const {
    u64 sum = 0;
    for (; i < row.degree && fetch(a.g.indices + row.first + i) == to; i++) {
      u64 bias = 1;
      if constexpr (weighted) bias = fetch_far(a.g.biases + row.first + i);
      sum += reach.share(bias);
      if (outlier_within(slot, fraction, sum * scale, factor)) {
        e = {to, 0, (u64)row.first + i};
        return true;
      }
    }
    return false;
  }
};

}  // namespace nd
