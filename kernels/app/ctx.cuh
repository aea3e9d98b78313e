// Ctx is the context of a user's hook: the graph, the sample, random words, parameters, and the semantics of operators.
// It is the twin of app.Ctx, and of the code that the compiler of hooks emits for CPUs
// (python/gonextdoor/udf/reads.py). python/gonextdoor/udf/cuda.py writes hooks as C++ text that calls its members.
#pragma once
#include "app/integers.cuh"
#include "app/user.cuh"
#include "core/draw.cuh"
#include "graph/edgeset.cuh"

namespace nd {

// The kinds of faults of hooks: hook.Kind.
namespace kind {
constexpr u32 OutOfArray = 1, NoVertex = 2, NoEdge = 3, Negative = 4, TooLarge = 5, DividedByZero = 6, Overflow = 7,
              Failed = 8, NotAVertex = 9, AboveBound = 10, NotFinite = 11, Endless = 12, NotANeighbor = 13,
              NeverEnds = 14, BadFanout = 15, NegativeRoot = 16, Nothing = 256;
}

constexpr i64 Null = -1;
constexpr u32 MostRounds = 1 << 20;  // the largest number of loop iterations in one call of a hook
constexpr i64 MostPicks = 1 << 20;   // the largest fan-out that a hook may return

ND_FN i64 vertex_or_null(u32 v) { return v == None ? Null : (i64)v; }

// Ctx belongs to one thread, for one call of a hook or several calls of one choice. Rows is the layout of rows:
// PackedRows or PlainRows. It refers to the graph and the user's data, which outlive it.
// Without kinds, `wrong` is only whether there is a fault.
template <class Rows, bool kinds = true> struct Ctx {
  const Graph& g;
  const User& user;
  u64 sample;  // the sample's id
  i64 step;
  u32 transit, prev;    // None: there is none
  u64 prev_edge;        // the edge that led to transit; NoEdge: none
  u32 slot;             // the number of the pick among those of the transit
  u64 key, words;       // the key of the choice's words, and the slot of the hook's word 0
  const u32* vertices;  // the sample so far, roots first: vertex i is at i * stride
  u64 stride;
  u32 roots;        // number of roots
  u32 across;       // vertices per step
  const i32* ends;  // if steps differ in size, the end of each step among the vertices, that of the roots first; or 0
  u32 wrong = kind::Nothing;  // the lowest kind of the faults so far, which the driver reports
  u64 here = NoEdge;          // an edge whose weight is known, since the driver prefetches the weights of a row
  f64 here_weight = 0;

  // fault records a fault. Hooks continue after it with a harmless value, so no branch is needed at each operator.
  ND_FN void fault(u32 what) { wrong = !kinds ? 0 : what < wrong ? what : wrong; }

  // ---- the graph

  ND_FN bool is_vertex(i64 v) { return (u64)v < g.vertices; }
  ND_FN bool is_edge(i64 e) { return (u64)e < g.edges; }
  ND_FN bool vertex(i64 v) {
    if (is_vertex(v)) return true;
    fault(kind::NoVertex);
    return false;
  }
  ND_FN bool edge_there(i64 e) {
    if (is_edge(e)) return true;
    fault(kind::NoEdge);
    return false;
  }

  // The functions whose names end in _of do not check their argument, which came from the graph.
  ND_FN i64 degree_of(i64 v) { return (i64)Rows::of(g, (u32)v).degree; }
  ND_FN i64 degree(i64 v) { return vertex(v) ? degree_of(v) : 0; }
  ND_FN i64 edge(i64 v, i64 i) {
    if (!vertex(v)) return -1;
    auto row = Rows::of(g, (u32)v);
    if ((u64)i < row.degree) return (i64)row.first + i;
    fault(kind::NoEdge);
    return -1;
  }
  ND_FN i64 neighbor(i64 v, i64 i) {
    i64 e = edge(v, i);
    return e < 0 ? 0 : (i64)fetch_far(g.indices + e);
  }
  ND_FN bool has_edge(i64 u, i64 v) {
    if (is_vertex(u) && is_vertex(v)) return nd::has_edge<Rows>(g, (u32)u, (u32)v);
    fault(kind::NoVertex);
    return false;
  }
  // leads returns whether the previous vertex has an edge to the candidate. Drivers may know the answer, so they pass
  // it as near(); see driver/walker.cuh.
  template <class Near> ND_FN bool leads(Near near) {
    if (prev != None) return near();
    fault(kind::NoVertex);
    return false;
  }
  ND_FN f64 weight_of(i64 e) {
    if ((u64)e == here) return here_weight;
    return g.weights ? fetch_far(g.weights + e) : 1.0;
  }
  ND_FN f64 weight(i64 e) { return edge_there(e) ? weight_of(e) : 0.0; }
  ND_FN i64 label_of(i64 e) { return g.labels ? (i64)fetch_far(g.labels + e) : 0; }
  ND_FN i64 label(i64 e) { return edge_there(e) ? label_of(e) : 0; }
  ND_FN i64 time_of(i64 e) { return (i64)fetch_far((const u64*)g.times + e); }
  ND_FN i64 time(i64 e) { return edge_there(e) ? time_of(e) : 0; }
  ND_FN i64 edge_id_of(i64 e) {
    if (!g.ids) return e;
    return g.id_size == 8 ? (i64)fetch_far(g.ids + e) : (i64)fetch_far((const u32*)g.ids + e);
  }
  ND_FN i64 edge_id(i64 e) { return edge_there(e) ? edge_id_of(e) : 0; }
  ND_FN f64 max_weight_of(i64 v) { return g.largest ? fetch(g.largest + v) : 1.0; }
  ND_FN f64 max_weight(i64 v) { return vertex(v) ? max_weight_of(v) : 0.0; }
  ND_FN f64 prefix_weight(i64 v, i64 i) {
    if (!vertex(v)) return 0;
    auto row = Rows::of(g, (u32)v);
    if ((u64)i > row.degree) {
      fault(kind::NoEdge);
      return 0;
    }
    if (!g.prefix) return (f64)i;
    return i == 0 ? 0.0 : fetch(g.prefix + ((i64)row.first + i - 1));
  }

  // ---- the sample. The thread itself has written its vertices, so they are read without the read-only cache

  // end_of returns the end of a level among the vertices. Level 0 is the roots; levels below 0 are empty.
  ND_FN i64 end_of(i64 level) {
    if (level < 0) return 0;
    return ends ? (i64)ends[level] : (i64)roots + level * across;
  }
  // has_level returns whether the i-th last step exists.
  ND_FN bool has_level(i64 i) { return (u64)minus(step + 1, i) <= (u64)step; }
  ND_FN i64 size() { return end_of(step) - (i64)roots; }
  ND_FN i64 count(i64 i) {
    i64 level = minus(step + 1, i);
    return has_level(i) ? end_of(level) - end_of(level - 1) : 0;
  }
  ND_FN i64 previous(i64 i, i64 place) {
    i64 level = minus(step + 1, i);
    if ((u64)place < (u64)count(i)) return at(end_of(level - 1) + place);
    fault(kind::OutOfArray);
    return 0;
  }
  ND_FN i64 root(i64 i) {
    if ((u64)i < roots) return at(i);
    fault(kind::OutOfArray);
    return 0;
  }
  ND_FN i64 at(i64 place) { return vertex_or_null(vertices[(u64)place * stride]); }

  // ---- random words

  ND_FN i64 word(i64 i) { return (i64)word_of(key, words + ((u64)i & (UserWords - 1))); }
  ND_FN i64 chance(i64 i) { return (i64)((u64)word(i) >> 32); }
  ND_FN i64 below(i64 i, i64 n) { return (i64)high_product((u64)word(i), (u64)n); }

  // ---- the user's parameters and arrays

  ND_FN i64 parameter(u32 place) { return (i64)user.params[place]; }
  ND_FN f64 real_parameter(u32 place) { return float_of_bits(user.params[place]); }
  ND_FN i64 length(u32 place) { return (i64)user.arrays[place].length; }
  template <class T> ND_FN T element(u32 place, i64 index) {
    if ((u64)index < user.arrays[place].length) return fetch((const T*)user.arrays[place].address + index);
    fault(kind::OutOfArray);
    return 0;
  }

  // ---- operators that can fail

  ND_FN f64 divided(f64 a, f64 b) {
    if (b != 0) return a / b;
    fault(kind::DividedByZero);
    return 0;
  }
  ND_FN i64 floor_divided(i64 a, i64 b) {
    if (b != 0) return quotient(a, b);
    fault(kind::DividedByZero);
    return 0;
  }
  ND_FN i64 modulo(i64 a, i64 b) {
    if (b != 0) return remainder(a, b);
    fault(kind::DividedByZero);
    return 0;
  }
  ND_FN i64 whole(f64 x) {
    if (x >= -0x1p63 && x < 0x1p63) return (i64)x;
    fault(kind::Overflow);
    return 0;
  }

  ND_FN f64 root_of(f64 x) {
    if (!(x < 0)) return square_root(x);
    fault(kind::NegativeRoot);
    return 0;
  }

  // endless counts an iteration of a hook's loops, and returns whether there are too many.
  ND_FN bool endless(u32& rounds) {
    if (++rounds <= MostRounds) return false;
    fault(kind::Endless);
    return true;
  }

  // ---- conversion of the value that a hook returns to the 32 bits that drivers use

  ND_FN u32 as_bias(i64 x) {
    if ((u64)x < 1ull << 32) return (u32)x;
    fault(x < 0 ? kind::Negative : kind::TooLarge);
    return 0;
  }
  ND_FN u32 as_bias(bool x) { return x; }
  // as_bias of a float is in units of 2^-16, rounded down; a positive value never becomes 0.
  ND_FN u32 as_bias(f64 x) {
    u32 units;
    bool fits = in_units(x, units);
    if (!fits) fault(x < 0 ? kind::Negative : x != x ? kind::NotFinite : kind::TooLarge);
    if (kinds && !fits) return 0;
    return units == 0 && x > 0 ? 1 : units;
  }
  template <bool strict> ND_FN u32 as_vertex(i64 v) {
    if (v == Null) return None;
    if (!is_vertex(v)) {
      fault(kind::NotAVertex);
      return None;
    }
    if (strict && transit < g.vertices && !nd::has_edge<Rows>(g, transit, (u32)v)) {
      fault(kind::NotANeighbor);
      return None;
    }
    return (u32)v;
  }
  ND_FN u32 as_count(i64 x) {
    if ((u64)x <= (u64)MostPicks) return (u32)x;
    fault(kind::BadFanout);
    return 0;
  }
};

// NoHooks is an app without hooks, and the base of the generated structs: these replace the functions of the hooks that
// the user wrote, and set their has_... constants.
struct NoHooks {
  static constexpr bool has_edge_bias = false, has_bound = false, has_next = false, has_vertex_bias = false,
                        has_update = false, has_stop = false, has_sample_size = false;
  static constexpr bool second = false;  // edge_bias calls near()
  template <class C, class Near> ND_FN static u32 edge_bias(C&, u64, u32, Near) { return 0; }
  template <class C> ND_FN static u32 bound(C&) { return 0; }
  template <class C> ND_FN static u32 next(C&) { return None; }
  template <class C> ND_FN static u32 vertex_bias(C&, u32) { return 0; }
  template <class C> ND_FN static u32 update(C&, u64, u32 dst) { return dst; }
  template <class C> ND_FN static bool stop(C&) { return false; }
  template <class C> ND_FN static u32 sample_size(C&) { return 0; }
};

}  // namespace nd
