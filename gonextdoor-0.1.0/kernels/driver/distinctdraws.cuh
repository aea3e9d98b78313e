// Draws of edges whose ends are new in a sample: the attempts of selector.Distinct, made by a group of threads.
#pragma once
#include "driver/layered.cuh"

namespace nd {

constexpr u64 DistinctAttempts = 16;  // attempts per pick before scans: selector.AttemptsPerPick

// DrawnEdge is the edge at a position, of the vertex at a place of the sample.
struct DrawnEdge {
  u32 from;
  u64 position;
};

// reached stores the edge by which the vertex at a place was reached.
template <class G> ND_FN void reached(Sample<G>& s, u32 place, DrawnEdge by) {
  s.positions[place] = by.position;
  s.parents[place] = (i32)by.from;
}

// visit_end visits the end of an edge. Ranks with has = false visit none. It returns whether the calling rank's end is
// new. All ranks call it.
template <class G> ND_FN bool visit_end(Sample<G>& s, bool has, DrawnEdge edge) {
  bool fresh;
  u32 place = s.visit(has, has ? fetch(s.a.g.indices + edge.position) : 0, fresh);
  if (fresh) reached(s, place, edge);
  return fresh;
}

// distinct_draws draws until k ends are new, or there were DistinctAttempts * k attempts, and returns how many picks
// are missing. draw(word) is the edge that a word selects. G::size attempts are made together. If more of them than
// picks are left lead to new vertices, those after the last that is wanted are made again.
template <class G, class Draw> ND_FN u64 distinct_draws(Sample<G>& s, u64 key, u64 k, Draw draw) {
  u64 most = DistinctAttempts * k;
  for (u64 attempt = 0; attempt < most && k > 0 && !s.full;) {
    DrawnEdge edge = draw(word_of(key, attempt + G::rank()));
    bool open = attempt + G::rank() < most && s.set.place(fetch(s.a.g.indices + edge.position)) == None;
    u64 upto = G::scan(open);
    u32 left = G::first(open && upto > k);
    if (G::from(upto, G::size - 1) > 0) k -= G::sum(visit_end(s, open && upto <= k, edge));
    attempt += left == None ? G::size : left;
  }
  return k;
}

}  // namespace nd
