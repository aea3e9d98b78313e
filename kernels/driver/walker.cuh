// A walker of a driver whose choices are made by biases that are computed when they come up, and what such a bias may be
// told. The bias, the bound, the end and the update are a rule: see app/computedbias.cuh for the built-in ones.
#pragma once
#include "core/args.cuh"
#include "core/group.cuh"
#include "graph/edgeset.cuh"
#include "selector/propose.cuh"

namespace nd {

struct Walker {
  u64 key;       // of the sample
  u32 row;       // of the launch; None: the lane has no walker
  u32 place;     // the row's column of the trace
  u32 step;
  u32 vertex, previous;

  ND_FN bool there() const { return row != None; }
  // of gives all lanes of a group the walker of one of them.
  template <class G> ND_FN Walker of(u32 rank) const {
    return {G::from(key, rank),  G::from(row, rank),    G::from(place, rank),
            G::from(step, rank), G::from(vertex, rank), G::from(previous, rank)};
  }
};

// Candidate is an edge that is proposed. Its end point is read when it is asked for.
struct Candidate {
  const Graph& g;
  u64 position;
  u32 known = None;
  ND_FN u32 vertex() {
    if (known == None) known = fetch_far(g.indices + position);
    return known;
  }
};

// Whether the vertex before has an edge to a candidate: asked where a bias needs to know, or known for a whole chunk of
// the row.
template <class Rows> struct Asked {
  u32 previous;
  Candidate& candidate;
  ND_FN bool operator()() const { return previous != None && has_edge<Rows>(candidate.g, previous, candidate.vertex()); }
};
struct Known {
  bool near;
  ND_FN bool operator()() const { return near; }
};

// A rule is what a walk's choices follow. Each lane has one of its own, and may keep what it likes in it:
//
//   bounded, second, trusted, ends, groups, most  as below
//   stops(w)                          whether the walk ends before its present step
//   tries(d)                          how often one of d candidates is proposed; where bounded
//   propose(w, word, d)               one of d candidates, and the level that its bias must exceed; where bounded
//   accepts(w, candidate, level, near)  whether it does; where bounded
//   column, words()                   whether what is read of a candidate is one word of a column by position, and which
//   read(w, position, dst)            else what memory has to say about it: asked for many before the first is weighed
//   bias(w, read, position, dst, near)  its bias; near() says whether the vertex before has an edge to it
//   note(counts)                      behind accepts and bias: whether the definition weighs that candidate too. Lanes try
//                                     ahead, so what went wrong counts only where it does
//   settle(w)                         now and then: the walker whose candidates were noted
//   update(w, position, dst)          the vertex to go on from, which is recorded; at None dst is, and the walk ends
//   cut(w)                            the walk has not ended after the most steps
//
// Trusted is what rules have in common whose biases cannot go wrong: nothing is noted, nothing stops or leads elsewhere.
struct Trusted {
  static constexpr bool bounded = true;   // candidates are proposed under bound before all are weighed
  static constexpr bool second = false;   // biases ask whether the vertex before has an edge to the candidate
  static constexpr bool ends = true;      // biases ask where the candidate leads
  static constexpr bool groups = true;    // rows are weighed by the group that fits their length, not by warps alone
  static constexpr bool trusted = true;   // weighing a candidate that need not be weighed does no harm
  static constexpr u64 most = WeightBound;  // no bias is above
  ND_FN u32 tries(u32 d) const { return nd::tries(d); }
  ND_FN bool stops(const Walker&) const { return false; }
  ND_FN u32 update(const Walker&, u64, u32 dst) const { return dst; }
  ND_FN void cut(const Walker&) const {}
  ND_FN void note(bool) const {}
  ND_FN void settle(const Walker&) const {}
};

}  // namespace nd
