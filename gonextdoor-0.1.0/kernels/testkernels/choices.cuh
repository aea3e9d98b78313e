// Test kernels that make single choices of several edges, so that a test compares the selectors of the neighbour
// sampler with package selector. They compose the same functions as driver/choose.cuh: a draw per pick, then settle or
// settle_short if draws repeat; and successive.
#pragma once
#include "graph/row.cuh"
#include "selector/permute.cuh"
#include "selector/successive.cuh"
#include "selector/uniform.cuh"
#include "testkernels/args.cuh"

namespace nd {

constexpr u32 ChoicesThreads = 128;

// Selector is the choice that the kernels make, Choices::selector.
enum Selector : u64 { ByPermute, ByShortPermute, ByUniform, BySuccessive, ByAlias };

// permute_picks chooses k of n candidates. If brief is set, a lane alone settles up to ShortPicks draws in registers.
template <class G> ND_FN u32 permute_picks(u64 key, u32 k, u32 n, u32* picks, bool brief) {
  bool all = n <= k;
  if (all) k = n;
  for (u32 i = G::rank(); i < k; i += G::size)
    picks[i] = all ? i : uniform_draw(word_of(key, i), permute_bound(k, n, i));
  G::sync();
  if (all) return k;
  bool same = false;
  for (u32 i = G::rank(); i < k; i += G::size) same = repeats(picks, 0, i, picks[i], same);
  if (G::first(same) == None) return k;
  if (G::size == 1 && brief && k <= ShortPicks) settle_short(k, n, picks);
  else settle<G>(k, n, picks);
  return k;
}

// uniform_picks chooses k of n candidates with replacement.
template <class G> ND_FN u32 uniform_picks(u64 key, u32 k, u32 n, u32* picks) {
  for (u32 i = G::rank(); n > 0 && i < k; i += G::size) picks[i] = uniform_draw(word_of(key, i), n);
  return n > 0 ? k : 0;
}

// alias_picks chooses k edges of a row with replacement, in proportion to their biases.
template <class G, class Row> ND_FN u32 alias_picks(const Graph& g, Row row, u64 key, u32 k, u32* picks) {
  bool some = row.degree > 0;
  for (u32 i = G::rank(); some && i < k; i += G::size) {
    AliasDraw d = alias_draw(g, row, word_of(key, i));
    some = d.vertex != None;
    picks[i] = d.place;
  }
  return G::first(!some) == None ? k : 0;
}

// choose_one makes one choice by a group and returns the number of its picks.
template <class G> ND_FN u32 choose_one(const Choices& a, u64 key, u32 k, u32 vertex, u32* picks) {
  switch (a.selector) {
    case ByPermute:
      return permute_picks<G>(key, k, vertex, picks, false);
    case ByShortPermute:
      return permute_picks<G>(key, k, vertex, picks, true);
    case ByUniform:
      return uniform_picks<G>(key, k, vertex, picks);
    case BySuccessive:
      return successive<G>(a.g, PlainRows::of(a.g, vertex), key, k, picks);
    default:
      return alias_picks<G>(a.g, PlainRows::of(a.g, vertex), key, k, picks);
  }
}

// choices makes all choices of a launch, a group per choice.
template <class G> ND_FN void choices(const Choices& a) {
  for (u64 i = thread_of_grid() / G::size; i < a.count; i += threads_of_grid() / G::size) {
    u32 got = choose_one<G>(a, a.keys[i], a.takes[i], a.vertices[i], a.picks + i * a.capacity);
    if (G::rank() == 0) a.got[i] = got;
  }
}

}  // namespace nd
