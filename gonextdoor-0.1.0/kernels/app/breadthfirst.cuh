// Breadth-first samples of distinct vertices: the twins of Snowball and ForestFire. Each transit of a level visits all
// its neighbours, or some new ones that selector.Distinct chooses. The words of transit t of a step are under the key
// that is derived from the sample's key, the step and t.
//
// The choice of a transit depends on those before it: their ends are not new any more. A group expands several transits
// of a level together, as if no two of them chose the same end, and rejects the first choice for which this is wrong,
// with all later ones. That transit is then expanded alone.
#pragma once
#include "driver/distinctdraws.cuh"
#include "driver/rowedges.cuh"
#include "selector/scan.cuh"

namespace nd {

template <class G, class Rows> struct BreadthFirst {
  // visit_all lets the vertices at the places at ... end-1 visit all their neighbours.
  ND_FN static void visit_all(Sample<G>& s, u32 at, u32 end) {
    auto row_of = [&](u32 i) -> RowOf<u64> {
      auto row = Rows::of(s.a.g, s.vertices[at + i]);
      return {row.first, row.degree};
    };
    each_element<G>(end - at, row_of, [&](bool has, u32 i, u64 position) {
      if (!s.full) visit_end(s, has, DrawnEdge{at + i, position});
    });
  }

  // new_neighbors returns how many new neighbours a transit visits at most. For fires it is the number of successive
  // words below the threshold.
  ND_FN static u64 new_neighbors(const Layered& a, u64 key, u64 degree) {
    if (!a.burns) return a.fanout;
    if (a.threshold >> 32) return degree;
    for (u64 first = 0; first < degree; first += G::size) {
      u32 r = G::first(word_of(key, HookSlot + first + G::rank()) >> 32 >= a.threshold);
      if (r != None) return first + r < degree ? first + r : degree;
    }
    return degree;
  }

  // visit_some lets the vertex at a place visit k of its neighbours that are new, or all if it has no more edges.
  ND_FN static void visit_some(Sample<G>& s, u64 key, u64 k, u32 place) {
    auto row = Rows::of(s.a.g, s.vertices[place]);
    if (row.degree <= k) return visit_all(s, place, place + 1);
    // 1. Attempts.
    u64 attempt = DistinctAttempts * k;
    k = distinct_draws(s, key, k,
                       [&](u64 word) { return DrawnEdge{place, row.first + below(word, (u64)row.degree).index}; });
    // 2. Scans over the edges whose end is new.
    for (; k > 0 && !s.full; attempt++, k--) {
      u32 pick = scan<G>(word_of(key, attempt), row.degree,
                         [&](u32 i) -> u64 { return s.set.place(fetch(s.a.g.indices + row.first + i)) == None; });
      if (pick == None) return;
      visit_end(s, G::rank() == 0, DrawnEdge{place, row.first + pick});
    }
  }

  // transit_key returns the key of the transit at a place of a level, which begins at place `first`.
  ND_FN static u64 transit_key(const Sample<G>& s, u64 step, u32 first, u32 place) {
    return derived_key(s.key, step, place - first);
  }

  // Picks are the choice of a transit that `lanes` lanes make together: lane i has pick i.
  struct Picks {
    bool has;       // whether the lane has a pick
    u32 vertex;     // its end
    u64 position;   // its edge
    bool whole;     // whether the transit visits all its neighbours
    bool complete;  // whether these are all picks; equal in all lanes of the transit
  };

  // pick chooses the edges of a transit as if no other transit of the round had an end in common with it. Lanes of a
  // warp with `there` have the same row and key within a transit. It makes DistinctAttempts*k attempts at most, and no
  // scans. All lanes of a warp call it.
  ND_FN static Picks pick(const Sample<G>& s, bool there, RowOf<u64> row, u64 key) {
    const Layered& a = s.a;
    u32 lanes = (u32)a.lanes, lane = lane_index() % lanes, begin = lane_index() - lane, picks = 0;
    u32 mask = lanes == WarpSize ? ~0u : (1u << lanes) - 1;
    u64 k = a.fanout;
    Picks mine{false, 0, 0, false, k <= lanes};
    // 1. The number of new neighbours. A fire that does not end within the lanes may go on.
    if (a.burns) {
      u32 ends = Warp::vote(word_of(key, HookSlot + lane) >> 32 >= a.threshold) >> begin & mask;
      k = ends ? lowest_bit(ends) : lanes;
      mine.complete = ends || row.degree <= lanes;
    }
    mine.whole = row.degree <= k;
    u64 most = mine.whole ? row.degree : DistinctAttempts * k;
    if (mine.whole) k = row.degree;
    for (u64 first = 0;; first += lanes) {
      // 2. Each lane makes an attempt, or has an edge of a row that is visited completely.
      u64 attempt = first + lane;
      bool open = there && mine.complete && picks < k && attempt < most;
      if (!Warp::vote(open)) break;
      u64 position = mine.whole ? attempt : below(word_of(key, attempt), row.degree).index;
      position += row.first;
      u32 v = open ? fetch(a.g.indices + position) : 0;
      open = open && s.set.known_place(v) == None;
      // 3. Drop ends that the transit has already.
      u64 end = (u64)open << 32 | v, picked = (u64)mine.has << 32 | mine.vertex;
      for (u32 d = 0; d < lanes; d++) {
        u64 before = Warp::from(end, begin + (lane - d) % lanes), one = Warp::from(picked, begin + (lane - d) % lanes);
        if (end == one || (end == before && d > 0 && d <= lane)) open = false;
      }
      // 4. Hand the others to the lanes of the next picks.
      u32 votes = Warp::vote(open) >> begin & mask, giver = votes;
      for (u32 i = picks; i < lane; i++) giver &= giver - 1;
      bool takes = lane >= picks && lane < k && giver;
      u32 from = begin + (giver ? lowest_bit(giver) : 0);
      v = Warp::from(v, from);
      position = Warp::from(position, from);
      if (takes) mine = {true, v, position, mine.whole, mine.complete};
      picks += count_bits(votes);
    }
    mine.complete = mine.complete && (mine.whole || picks >= k);
    return mine;
  }

  // visit_together expands up to `together` transits of a level, from the one at place `at` on, with Layered::lanes
  // ranks each. `first` is the level's first place. It assumes that pick completes each choice, and that no end is the
  // choice of two transits. It returns the number of transits before the first for which this is wrong, and expands
  // only these.
  ND_FN static u32 visit_together(Sample<G>& s, u64 step, u32 first, u32 at, u32 together) {
    u32 lanes = (u32)s.a.lanes, place = at + G::rank() / lanes;
    bool there = G::rank() / lanes < together;
    RowOf<u64> row{0, 0};
    if (there) {
      auto found = Rows::of(s.a.g, s.vertices[place]);
      row = {found.first, found.degree};
    }
    Picks mine = pick(s, there, row, transit_key(s, step, first, place));
    G::sync();  // all ranks have read the set
    u32 slot;
    bool fresh = s.enter(mine.has, mine.vertex, slot);
    u32 wrong = G::first(there && (!mine.complete || (mine.has && !fresh && !mine.whole)));
    if (wrong == None) {
      u32 to = s.append(fresh, mine.vertex, slot);
      if (fresh) reached(s, to, DrawnEdge{place, mine.position});
      return together;
    }
    s.withdraw(fresh, slot);
    u32 right = wrong / lanes;
    if (right > 0) visit_end(s, mine.has && G::rank() / lanes < right, DrawnEdge{place, mine.position});
    return right;
  }

  // visit_alone expands the transit at a place.
  ND_FN static void visit_alone(Sample<G>& s, u64 step, u32 first, u32 place) {
    u64 key = transit_key(s, step, first, place), degree = Rows::of(s.a.g, s.vertices[place]).degree;
    u64 k = new_neighbors(s.a, key, degree);
    if (k > 0) visit_some(s, key, k, place);
  }

  // expand expands the transits at the places first ... end-1, in order. It tries fewer of them together after one
  // whose choice was wrong.
  ND_FN static void expand(Sample<G>& s, u64 step, u32 first, u32 end) {
    u32 most = s.a.lanes ? G::size / (u32)s.a.lanes : 1, together = most;
    for (u32 place = first; place < end && !s.full;) {
      u32 count = end - place < together ? end - place : together;
      u32 done = count > 1 ? visit_together(s, step, first, place, count) : 0;
      place += done;
      if (done == count) {
        together = 2 * together < most ? 2 * together : most;
        continue;
      }
      if (!s.full) visit_alone(s, step, first, place++);
      together = count == 1 && most > 1 ? 2 : done > 1 ? done : 1;
    }
  }

  ND_FN static void grow(Sample<G>& s) {
    const Layered& a = s.a;
    add_roots(s);
    enter_all(s);
    u32 at = 0;  // the first vertex of the level
    for (u64 step = 0; (a.depth == 0 || step < a.depth) && !s.full; step++) {
      u32 end = s.count;
      if (a.fanout == NoEdge) visit_all(s, at, end);
      else expand(s, step, at, end);
      if (s.full || s.count == end) return;
      s.end_step();
      at = end;
    }
  }
  ND_FN static u64 links(const Sample<G>&) { return 0; }
  ND_FN static void write_links(const Sample<G>&, const StagedSample&) {}
};

}  // namespace nd
