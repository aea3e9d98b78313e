// The biases of the built-in computed walks, the twins of package app's: the functions that app.StepProgram is given there. A
// rule gives the bias of a candidate (its position and end point), the level that a proposal must exceed, and says when
// a walk stops before a step; see driver/walker.cuh.
#pragma once
#include "driver/walker.cuh"
#include "selector/propose.cuh"

namespace nd {

// ByWeight: the weight.
struct ByWeight : Trusted {
  static constexpr bool ends = false;
  const Walk& a;
  ND_FN explicit ByWeight(const Walk& a) : a(a) {}
  ND_FN Proposed propose(const Walker&, u64 word, u32 d) const { return propose_weight(word, d); }
  static constexpr bool column = true;
  using Read = u32;
  ND_FN const u32* words() const { return a.g.biases; }
  template <class Near> ND_FN u32 bias(const Walker&, Read weight, u64, u32, Near) const { return weight; }
  template <class Near> ND_FN bool accepts(const Walker&, Candidate& c, u64 level, Near) const {
    return fetch_far(a.g.biases + c.position) > level;
  }
};

// Stopping: the same, and before a step a walk stops with a probability. Its fractions are used up by the tries, so that
// takes a word of its own.
struct Stopping : ByWeight {
  using ByWeight::ByWeight;
  ND_FN bool stops(const Walker& w) const {
    return w.step > 0 && word_of(w.key, slot_of(w.step, HookTry)) >> 32 < a.threshold;
  }
};

// ByDegree: the degree of the end point.
template <class Rows> struct ByDegree : Trusted {
  const Walk& a;
  ND_FN explicit ByDegree(const Walk& a) : a(a) {}
  ND_FN Proposed propose(const Walker&, u64 word, u32 d) const { return nd::propose(word, d, a.bound); }
  static constexpr bool column = false;
  using Read = u32;
  ND_FN Read read(const Walker&, u64, u32 dst) const { return Rows::of(a.g, dst).degree; }
  template <class Near> ND_FN u32 bias(const Walker&, Read degree, u64, u32, Near) const { return degree; }
  template <class Near> ND_FN bool accepts(const Walker& w, Candidate& c, u64 level, Near) const {
    return read(w, c.position, c.vertex()) > level;
  }
};

// product is the product of a weight's bias and a factor in units of 2^-32, at most 1: rounded down, but no positive one
// becomes 0. The twin of app.Product.
ND_FN u32 product(u32 bias, u64 factor) {
  u32 whole = (u32)(bias * factor >> 32);  // of a factor of 2^32 the bias itself: no carry is lost below 2^64
  return bias > 0 && whole == 0 ? 1 : whole;
}

// SecondOrder: the weight times node2vec's bias of second order.
struct SecondOrder : Trusted {
  static constexpr bool second = true;
  const Walk& a;
  ND_FN explicit SecondOrder(const Walk& a) : a(a) {}
  ND_FN Proposed propose(const Walker&, u64 word, u32 d) const { return propose_weight(word, d); }
  static constexpr bool column = true;
  using Read = u32;
  ND_FN const u32* words() const { return a.g.biases; }
  template <class Near> ND_FN u32 bias(const Walker& w, Read weight, u64, u32 dst, Near near) const {
    if (w.previous == None) return weight;
    return product(weight, dst == w.previous ? a.back : near() ? a.near : a.away);
  }
  // accepts asks where the edge leads only if the weight alone would do, and after the edge from the vertex before only
  // if that decides.
  template <class Near> ND_FN bool accepts(const Walker& w, Candidate& c, u64 level, Near near) const {
    u32 weight = fetch_far(a.g.biases + c.position);
    if (weight <= level || w.previous == None) return weight > level;
    if (c.vertex() == w.previous) return product(weight, a.back) > level;
    bool yes = product(weight, a.near) > level, no = product(weight, a.away) > level;
    return yes == no || near() ? yes : no;
  }
};

// Labelled: the weight of an edge with the label that the path has at this step, 0 of any other.
struct Labelled : Trusted {
  const Walk& a;
  ND_FN explicit Labelled(const Walk& a) : a(a) {}
  ND_FN bool stops(const Walker& w) const {
    return a.threshold > 0 && w.step > 0 && word_of(w.key, slot_of(w.step, HookTry)) >> 32 < a.threshold;
  }
  ND_FN Proposed propose(const Walker&, u64 word, u32 d) const { return propose_weight(word, d); }
  static constexpr bool column = false;
  using Read = u32;
  ND_FN Read read(const Walker& w, u64 position, u32) const {
    if (fetch_far(a.g.labels + position) != fetch(a.path + w.step % a.path_length)) return 0;
    return fetch_far(a.g.biases + position);
  }
  template <class Near> ND_FN u32 bias(const Walker&, Read weight, u64, u32, Near) const { return weight; }
  template <class Near> ND_FN bool accepts(const Walker& w, Candidate& c, u64 level, Near) const {
    return read(w, c.position, None) > level;
  }
};

}  // namespace nd
