// The bias rules of the built-in walks with computed biases, for driver/computed.cuh: the twins of the functions in the
// app.StepProgram of these apps. driver/walker.cuh describes the interface.
#pragma once
#include "driver/walker.cuh"
#include "selector/propose.cuh"

namespace nd {

// ByDegree: the bias is the degree of the end point. Walk::bound is the largest degree.
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

// product returns bias * factor, rounded down, for a factor of at most 1 in units of 2^-32. A positive product never
// becomes 0. The twin of app.Product.
ND_FN u32 product(u32 bias, u64 factor) {
  u32 result = (u32)(bias * factor >> 32);  // below 2^64: bias < 2^32 and factor <= 2^32
  return bias > 0 && result == 0 ? 1 : result;
}

// SecondOrder: the bias is the weight times a factor by the previous vertex, as in app.Node2Vec.
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
  // accepts reads the end point only if the weight exceeds the level, since factors are at most 1. It looks up the edge
  // from the previous vertex only if the two factors decide differently.
  template <class Near> ND_FN bool accepts(const Walker& w, Candidate& c, u64 level, Near near) const {
    u32 weight = fetch_far(a.g.biases + c.position);
    if (weight <= level || w.previous == None) return weight > level;
    if (c.vertex() == w.previous) return product(weight, a.back) > level;
    bool yes = product(weight, a.near) > level, no = product(weight, a.away) > level;
    return yes == no || near() ? yes : no;
  }
};

}  // namespace nd
