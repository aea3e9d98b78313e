// Pairs of vertices without an edge. The twin of app.NegativeDraws. A thread makes a sample: it proposes pairs until
// one has no edge, and after MaxTries proposals chooses among all pairs without an edge by their exact sums. A proposal
// costs a lookup of an edge, see graph/edgeset.cuh; the exact choice O(degree + log vertices) or O(list * log degree),
// but it is rare unless almost all pairs are edges.
#pragma once
#include "driver/rows.cuh"
#include "graph/edgeset.cuh"
#include "graph/packed.cuh"

namespace nd {

// Negatives is the parameter of the kernels of pairs without an edge: app.NegativeDraws.
struct Negatives {
  Graph g;
  Batch b;
  Trace t;
  u64 pairs, loops;   // 1 or 0: whether the source is drawn; whether a vertex may be its own negative
  u64 sources, ends;  // sources are below the first, ends below the second
  const Quad* alias;  // the alias table of ends; 0: they are drawn uniformly
  const u64* sums;    // ends+1: the sums of the biases of ends; 0 without alias
  const Quad* source_alias;
  const u64* row_sums;  // sources: the sums of the masses of sources; 0: never needed
  const u32* list;      // per vertex its list of candidates; 0: list 0
  const u32* list_ends;
  const u32* list_members;  // 0: candidates are all vertices below ends
  u64 hops, each;           // of driver/negativehops.cuh: the distance, and the successive rows of a block
  u32* searches;            // a memory of HopSearch per block
};

// VertexPair is a pair of vertices.
struct VertexPair {
  u32 u, v;
};

// vertex_by returns a vertex below n, by an alias table unless it is 0.
ND_FN u32 vertex_by(u64 word, u64 n, const Quad* alias) {
  auto pick = below(word, n);
  if (!alias) return (u32)pick.index;
  Quad slot = fetch(alias + pick.index);
  return pick.fraction < slot.z ? slot.x : slot.y;
}

// candidates_of returns the range in list_members of the candidates of u.
ND_FN RowOf<u32> candidates_of(const Negatives& a, u32 u) {
  u32 list = a.list ? fetch(a.list + u) : 0;
  u32 first = list ? fetch(a.list_ends + list - 1) : 0;
  return {first, fetch(a.list_ends + list) - first};
}

// propose_pair returns the pair that a try proposes. v is None if u has no candidate.
ND_FN VertexPair propose_pair(const Negatives& a, u64 key, u64 attempt, u32 u) {
  if (a.pairs) u = vertex_by(word_of(key, slot_of(1, attempt)), a.sources, a.source_alias);
  u64 word = word_of(key, slot_of(0, attempt));
  if (!a.list_members) return {u, vertex_by(word, a.ends, a.alias)};
  auto list = candidates_of(a, u);
  if (list.degree == 0) return {u, None};
  return {u, fetch(a.list_members + list.first + below(word, list.degree).index)};
}

// no_negative returns whether a pair is an edge, or a loop that does not count.
template <class Rows> ND_FN bool no_negative(const Negatives& a, u32 u, u32 v) {
  return (u == v && !a.loops) || has_edge<Rows>(a.g, u, v);
}

// sum_below returns the sum of the biases of the vertices below v.
ND_FN u64 sum_below(const Negatives& a, u64 v) { return a.sums ? fetch(a.sums + v) : v; }

// first_above returns the index of the first of n ascending sums above r.
ND_FN u64 first_above(const u64* sums, u64 n, u64 r) {
  u64 low = 0, high = n - 1;
  while (low < high) {
    u64 middle = (low + high) / 2;
    if (fetch(sums + middle) > r) high = middle;
    else low = middle + 1;
  }
  return low;
}

// each_excluded calls f with the vertices below ends that are no negatives of u, in order, until f returns false.
template <class Rows, class F> ND_FN void each_excluded(const Negatives& a, u32 u, F f) {
  bool loop = !a.loops && u < a.ends;
  auto row = Rows::of(a.g, u);
  u32 last = None;
  for (u64 k = 0; k < row.degree; k++) {
    u32 v = fetch(a.g.indices + row.first + k);
    if (v == last || v >= a.ends) continue;
    if (loop && v >= u) {
      loop = false;
      if (v > u && !f(u)) return;
    }
    last = v;
    if (!f(v)) return;
  }
  if (loop) f(u);
}

// exact_in_list chooses among the candidates of u that have no edge, each of which is as likely. None: there is none.
template <class Rows> ND_FN u32 exact_in_list(const Negatives& a, u32 u, u64 word) {
  auto list = candidates_of(a, u);
  u64 left = 0;
  for (u32 k = 0; k < list.degree; k++) left += !no_negative<Rows>(a, u, fetch(a.list_members + list.first + k));
  u64 r = below(word, left).index;
  for (u32 k = 0; k < list.degree; k++) {
    u32 v = fetch(a.list_members + list.first + k);
    if (!no_negative<Rows>(a, u, v) && r-- == 0) return v;
  }
  return None;
}

// exact_pair chooses among all pairs without an edge.
template <class Rows> ND_COLD VertexPair exact_pair(const Negatives& a, u64 key, u32 u) {
  if (a.pairs) {
    if (!a.row_sums) return {None, None};
    u64 word = word_of(key, slot_of(1, MaxTries));
    u = (u32)first_above(a.row_sums, a.sources, below(word, fetch(a.row_sums + a.sources - 1)).index);
  }
  u64 word = word_of(key, slot_of(0, MaxTries)), left = sum_below(a, a.ends);
  if (a.list_members) return {u, exact_in_list<Rows>(a, u, word)};
  // 1. The sum of the biases of the negatives of u.
  each_excluded<Rows>(a, u, [&](u64 v) {
    left -= sum_below(a, v + 1) - sum_below(a, v);
    return true;
  });
  if (left == 0) return {u, None};
  // 2. r becomes the sum of all biases before the place of v.
  u64 r = below(word, left).index;
  each_excluded<Rows>(a, u, [&](u64 v) {
    if (r < sum_below(a, v)) return false;
    r += sum_below(a, v + 1) - sum_below(a, v);
    return true;
  });
  return {u, a.sums ? (u32)first_above(a.sums + 1, a.ends, r) : (u32)r};
}

// negatives makes the samples of a launch.
template <class Rows> ND_FN void negatives(const Negatives& a) {
  const Trace& t = a.t;
  for (u64 i = a.b.from + thread_of_grid(); i < a.b.rows; i += threads_of_grid()) {
    u64 key = sample_key(a.b, i);
    u32 root = a.pairs ? None : root_of(a.b, i);
    VertexPair pair{None, None};
    u32 attempt = 0;
    for (; attempt < MaxTries; attempt++) {
      pair = propose_pair(a, key, attempt, root);
      if (pair.v != None && !no_negative<Rows>(a, pair.u, pair.v)) break;
    }
    if (attempt == MaxTries) pair = exact_pair<Rows>(a, key, root);
    write_once(t.vertices + i, pair.u);
    write_once(t.vertices + t.stride + i, pair.v);
    if (t.edges) {
      write_once(t.edges + i, (i64)-1);
      if (a.pairs) write_once(t.edges + t.stride + i, (i64)-1);
    }
  }
}

}  // namespace nd
