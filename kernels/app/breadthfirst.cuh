// Breadth-first samples of distinct vertices: the twins of Snowball and ForestFire. Each transit of a level visits all
// its neighbours, or some new ones that selector.Distinct chooses. The words of transit t of a step are under the key
// that is derived from the sample's key, the step and t.
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

  ND_FN static void grow(Sample<G>& s) {
    const Layered& a = s.a;
    add_roots(s);
    enter_all(s);
    u32 at = 0;  // the first vertex of the level
    for (u64 step = 0; (a.depth == 0 || step < a.depth) && !s.full; step++) {
      u32 end = s.count;
      if (a.fanout == NoEdge) visit_all(s, at, end);
      for (u32 place = at; a.fanout != NoEdge && place < end && !s.full; place++) {
        u64 key = derived_key(s.key, step, place - at), degree = Rows::of(a.g, s.vertices[place]).degree;
        u64 k = new_neighbors(a, key, degree);
        if (k > 0) visit_some(s, key, k, place);
      }
      if (s.full || s.count == end) return;
      s.end_step();
      at = end;
    }
  }
  ND_FN static u64 links(const Sample<G>&) { return 0; }
  ND_FN static void write_links(const Sample<G>&, const StagedSample&) {}
};

}  // namespace nd
