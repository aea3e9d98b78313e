// Node2Vec with outliers, several tries of a step at a time.
#pragma once
#include "app/outliers.cuh"
#include "graph/wide.cuh"

namespace nd {

// Node2VecAhead makes the tries of Node2VecOutliers, for walks that do not record edges, if the slots of a step are
// fewer than 2^32. Without weights, every edge must have its mirror and no parallel edge: then most tries are certain
// before memory is read, those of Back and those of the row that need no lookup. The other tries read a candidate and
// the filter of edges; these reads of `Ahead` tries are in flight together. With weights, tries of Back search the row.
template <u32 Ahead> struct Node2VecAhead : Node2VecOutliers {
  static_assert(MaxTries % Ahead == 0, "the tries of a step are made in groups");
  static constexpr u32 Group = Ahead;

  ND_FN explicit Node2VecAhead(const Walk& a) : Node2VecOutliers(a) {}

  // Regions are the slots of a step: the row from 0, Near from the degree of the row, Back from `back` to `end`. Sizes
  // have 32 fraction bits; without weights, places below them are accepted.
  struct Regions {
    u32 back, end;
    u64 near_size, back_size;

    // These are of a step without weights.
    ND_FN Regions(const Walk& a, u32 degree, u32 from) : near_size(0) {
      if (from < degree) near_size = from * a.short_near;
      u32 near = rounded_up(near_size);
      back_size = near > 0 ? a.short_back : a.outlier_back;
      back = degree + near;
      end = back + rounded_up(back_size);
    }

    // These are of a step with weights, whose row has the largest share `most`.
    ND_FN Regions(const Walk& a, u32 degree, u32 from, u64 most) : near_size(0) {
      u64 share = most * from;
      u32 near = 0;
      if (high_product(most, from) == 0 && share < (u64)degree << 32) near = (u32)outlier_slots(share, a.short_near);
      back_size = near > 0 ? a.short_back : a.outlier_back;
      back = degree + near;
      end = back + (u32)outlier_slots(most, back_size);
    }

    ND_FN static u32 rounded_up(u64 size) { return (u32)(size >> 32) + ((u32)size != 0); }
  };

  // Step is what the tries of a step depend on. Row is a row of Propose.
  template <class Row> struct Step {
    Row row, from;  // the rows of the vertex and of the previous vertex
    u32 vertex, previous;
    Reach reach;  // of the vertex; without weights, every share is 1
    u64 key;
  };

  // Tries are adjacent tries of a step. Bit k of a mask is for try k.
  struct Tries {
    u32 end[Ahead];  // the end points of the proposed edges
    u32 accepted;    // tries that are accepted
    u32 lookups;     // tries that depend on an edge to their end point
    u32 near;        // those of them that are of Near
    u32 back;        // tries that depend on the share of an edge back

    // at returns the end point of try k. It has no index that depends on k, so the end points stay in registers.
    ND_FN u32 at(u32 k) const {
      u32 v = end[0];
#pragma unroll
      for (u32 i = 1; i < Ahead; i++) v = k == i ? end[i] : v;
      return v;
    }
  };

  // attempt makes a group of tries, the first with the word of a term. It stores the end point of the first accepted
  // edge in e and returns true, or returns false if all tries were rejected. There is a previous vertex, and the row
  // has edges.
  template <class Propose, class Row> ND_FN bool attempt(const Step<Row>& s, u64 term, PickedEdge& e) const {
    using Rows = typename Propose::Rows;
    Regions regions = regions_of<Propose::weighted>(s);
    Tries tries = propose<Propose>(s, regions, term);
    u32 found = filter(tries, s.previous, s.vertex);
    // Without an edge, a try of Near is rejected, and one of the row accepted if such edges have the larger bias.
    u32 left = tries.accepted | tries.back | found | (near_is_more ? 0 : tries.lookups);
    for (; left; left &= left - 1) {
      u32 k = lowest_bit(left), bit = 1u << k, to = tries.at(k);
      bool near = tries.near & bit;
      e = {to, 0, 0};
      if (tries.accepted & bit) return true;
      if constexpr (Propose::weighted) {
        if (settle<Rows>(s, regions, term + k * Gamma, to, found & bit, near || tries.back & bit, e)) return true;
      } else {
        bool has = found & bit;
        if (has) has = search_edge<Rows>(a.g, near ? s.vertex : s.previous, near ? s.row : s.from, to);
        if (has == near_is_more) return true;
      }
    }
    return false;
  }

  template <bool weighted, class Row> ND_FN Regions regions_of(const Step<Row>& s) const {
    if constexpr (weighted) return Regions(a, s.row.degree, s.from.degree, s.reach.most());
    else return Regions(a, s.row.degree, s.from.degree);
  }

  // propose makes tries, up to the first that is accepted without a lookup.
  template <class Propose, class Row> ND_FN Tries propose(const Step<Row>& s, const Regions& r, u64 term) const {
    Tries t;
    AliasSlot slots[Ahead];
    u32 fractions[Ahead], in_row = 0, d = s.row.degree;
    t.accepted = t.lookups = t.near = t.back = 0;
#pragma unroll
    for (u32 k = 0; k < Ahead; k++) {
      u32 bit = 1u << k;
      t.end[k] = s.previous;
      if (t.accepted) continue;
      u64 word = mix(s.key ^ (term + k * Gamma));
      Below32 pick = below(word, r.end);
      if (pick.index >= r.back) {
        if (Propose::weighted) t.back |= bit;
        else if (place(pick, r.back) < r.back_size) t.accepted |= bit;
      } else if (pick.index < d) {
        bool sure = r.back > d || (Propose::weighted ? second(word) : pick.fraction) <= least;
        (sure ? t.accepted : t.lookups) |= bit;
        if constexpr (Propose::weighted) {
          slots[k] = AliasSlot::at(a.g, s.row.first + pick.index);
          fractions[k] = pick.fraction;
          in_row |= bit;
        } else {
          t.end[k] = fetch_far(a.g.indices + s.row.first + pick.index);
        }
      } else if (Propose::weighted || place(pick, d) < r.near_size) {
        t.lookups |= bit;
        t.near |= bit;
        t.end[k] = fetch_far(a.g.indices + s.from.first + below(mix(word ^ Gamma), s.from.degree).index);
      }
    }
    if constexpr (Propose::weighted) {
#pragma unroll
      for (u32 k = 0; k < Ahead; k++) {
        if (!(in_row >> k & 1)) continue;
        t.end[k] = fractions[k] < slots[k].threshold ? slots[k].vertex : slots[k].other;
        if (t.end[k] == None) t.accepted |= 1u << k;  // no edge of the row has a bias
      }
    }
    return t;
  }

  // place returns the place of a slot in the region that begins at slot `first`, with 32 fraction bits.
  ND_FN static u64 place(Below32 pick, u32 first) { return (u64)(pick.index - first) << 32 | pick.fraction; }

  // filter returns the lookups whose edge may exist. It accepts edges back of the row, and rejects those of Near.
  ND_FN u32 filter(Tries& t, u32 previous, u32 vertex) const {
    u32 words[Ahead], bits[Ahead], maybe = 0;
#pragma unroll
    for (u32 k = 0; k < Ahead; k++) {
      u32 bit = 1u << k;
      bool near = t.near & bit;
      if ((t.lookups & bit) && t.end[k] == previous) {
        t.lookups &= ~bit;
        if (!near) t.accepted |= bit;
      }
      if ((t.lookups & bit) && a.g.bloom) {
        BloomPlace at = bloom_place(a.g, near ? vertex : previous, t.end[k]);
        bits[k] = at.bits;
        words[k] = fetch_far(a.g.bloom + at.word);
      }
    }
#pragma unroll
    for (u32 k = 0; k < Ahead; k++) {
      if (t.lookups >> k & 1 && (!a.g.bloom || (words[k] & bits[k]) == bits[k])) maybe |= 1u << k;
    }
    return maybe;
  }

  // settle decides a try with weights. found is set if the edge that it depends on may exist; by_share if it is a try
  // of Near or Back, which depends on the share of an edge of the row. All lanes search a row in the same loop.
  template <class Rows, class Row>
  ND_FN bool settle(const Step<Row>& s, const Regions& r, u64 term, u32 to, bool found, bool by_share,
                    PickedEdge& e) const {
    const Graph& g = a.g;
    Row row = by_share ? s.row : s.from;
    u32 v = to;
    if (!by_share && found && g.mirrored) {  // an edge to the previous vertex from a shorter row is as good
      Row other = Rows::of(g, to);
      if (other.degree < row.degree) {
        row = other;
        v = s.previous;
      }
    }
    u32 i = 0;
    if (by_share || found) i = lower_bound(g, row, v);
    if (!by_share) return (found && i < row.degree && fetch(g.indices + row.first + i) == v) == near_is_more;
    u64 word = mix(s.key ^ term);
    Below32 pick = below(word, r.end);
    u64 scale = 1, factor = r.back_size;
    u32 first = r.back;
    if (pick.index < r.back) {
      u32 j = below(mix(word ^ Gamma), s.from.degree).index;
      if (j > 0 && fetch(g.indices + s.from.first + j - 1) == to) return false;  // a parallel edge
      scale = s.from.degree;
      factor = a.short_near;
      first = s.row.degree;
    }
    return leads_from<true>(i, row, s.reach, to, pick.index - first, pick.fraction, scale, factor, e);
  }
};

}  // namespace nd
