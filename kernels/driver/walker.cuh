// The walker of driver/computed.cuh, and the interface of bias rules: the structs that compute biases. The rules of the
// built-in walks are in app/computedbias.cuh, that of users' hooks in app/hookruntime.cuh.
#pragma once
#include "core/args.cuh"
#include "core/group.cuh"
#include "graph/edgeset.cuh"
#include "selector/propose.cuh"

namespace nd {

// Walker is the state of one walk, in a lane's registers.
struct Walker {
  u64 key;    // of the sample
  u32 row;    // of the launch; None: the lane has no walker
  u32 place;  // the row's column of the trace
  u32 step;   // the number of the step to be taken
  u32 vertex, previous;

  ND_FN bool there() const { return row != None; }
  // of returns the walker of a rank to all ranks of G, which all call it. It costs seven shuffles.
  template <class G> ND_FN Walker of(u32 rank) const {
    return {G::from(key, rank),  G::from(row, rank),    G::from(place, rank),
            G::from(step, rank), G::from(vertex, rank), G::from(previous, rank)};
  }
};

// Candidate is a proposed edge. Its end point is read on first use: many rejections need only the weight.
struct Candidate {
  const Graph& g;
  u64 position;
  u32 known = None;
  ND_FN u32 vertex() {
    if (known == None) known = fetch_far(g.indices + position);
    return known;
  }
};

// LookUp and Known are what rules call as near(): whether the previous vertex has an edge to the candidate. LookUp
// searches when it is called; Known holds an answer that was computed for a chunk of the row at once.
template <class Rows> struct LookUp {
  u32 previous;
  Candidate& candidate;
  ND_FN bool operator()() const {
    return previous != None && has_edge<Rows>(candidate.g, previous, candidate.vertex());
  }
};
struct Known {
  bool near;
  ND_FN bool operator()() const { return near; }
};

// A bias rule determines the choices of a walk. It is a template parameter of the driver, and each lane has an
// instance, which may have state. Its members:
//
//   bounded, second, ends, groups, lockstep, trusted, most   constants; see Trusted below
//   stops(w)                            whether the walk ends before its present step
//   update(w, position, dst)            the vertex to continue from, which is also recorded. None ends the walk; dst is
//                                       then recorded
//   cut(w)                              called for a walk that has not ended after the largest number of steps
//
// If bounded, candidates are proposed before all are weighed:
//
//   tries(w, d)                         the number of proposals among d candidates
//   propose(w, word, d)                 one of d candidates, and the level that its bias must exceed
//   accepts(w, candidate, level, near)  whether its bias exceeds the level
//
// All candidates of a row are weighed in two stages, so that many loads are in flight before the first bias is needed:
//
//   column, Read                        whether a bias needs one element of an array by edge position, and its type
//   words()                             that array, if column
//   read(w, position, dst)              else: reads what the bias needs
//   bias(w, read, position, dst, near)  the bias; near() returns whether the previous vertex has an edge to dst
//
// Rules of users' hooks record faults. Lanes evaluate candidates ahead of the definition, whose faults must not count:
//
//   note(counts)                        called after accepts and bias: whether the definition evaluates the candidate
//   settle(w)                           called after some notes: reports the faults that count for walker w
//   weigh(w, read, position, dst, faulty)
//                                       bias of a rule that is not second: sets faulty in place of recording a fault
//
// Trusted is the base of rules that cannot fault. They do not stop and do not replace vertices, unless they override
// the functions.
struct Trusted {
  static constexpr bool bounded = true;     // biases have a bound: candidates are proposed before all are weighed
  static constexpr bool second = false;     // biases depend on near()
  static constexpr bool ends = true;        // biases depend on the end point of the candidate
  static constexpr bool groups = true;      // rows are weighed by the group that fits their length, not by warps only
  static constexpr bool lockstep = false;   // the walkers of a warp take each step together
  static constexpr bool trusted = true;     // evaluating a candidate that the definition does not evaluate is harmless
  static constexpr u64 most = WeightBound;  // the largest possible bias
  ND_FN u32 tries(const Walker&, u32 d) const { return nd::tries(d); }
  ND_FN bool stops(const Walker&) const { return false; }
  ND_FN u32 update(const Walker&, u64, u32 dst) const { return dst; }
  ND_FN void cut(const Walker&) const {}
  ND_FN void note(bool) const {}
  ND_FN void settle(const Walker&) const {}
};

}  // namespace nd
