// Launches that make single choices of several edges by the selectors that groups share, so that a test holds them
// against package selector.
#pragma once
#include "core/args.cuh"
#include "graph/row.cuh"
#include "selector/permute.cuh"
#include "selector/successive.cuh"
#include "selector/uniform.cuh"

namespace nd {

constexpr u32 ChoicesThreads = 128;

// choose_one makes choice i by a group. Where a selector goes by numbers alone, a choice's vertex is how many candidates
// it has.
template <class G> ND_FN u32 choose_one(const Choices& a, u64 key, u32 k, u32 vertex, u32* picks, u32* ends) {
  switch (a.selector) {
    case 0: return permute<G>(key, k, vertex, picks);
    case 1:
      if (G::size > 1 || k > 16 || vertex <= k) return permute<G>(key, k, vertex, picks);
      return k > 8 ? permute_short<16>(key, k, vertex, picks) : permute_short<8>(key, k, vertex, picks);
    case 2: return uniform_picks<G>(key, k, vertex, picks);
    case 3: return successive<G>(a.g, PlainRows::of(a.g, vertex), key, k, picks, ends);
    default: return alias_picks<G>(a.g, PlainRows::of(a.g, vertex), key, k, picks, ends);
  }
}

template <class G> ND_FN void choices(const Choices& a) {
  for (u64 i = thread_of_grid() / G::size; i < a.count; i += threads_of_grid() / G::size) {
    u32 got = choose_one<G>(a, a.keys[i], a.takes[i], a.vertices[i], a.picks + i * a.room, a.ends + i * a.room);
    if (G::rank() == 0) a.got[i] = got;
  }
}

}  // namespace nd
