// Samples that are expanded hop by hop: the twins of app.MVS and of app.Neighbor with a frontier.
#pragma once
#include "app/uniformdraws.cuh"
#include "driver/hopexpansion.cuh"

namespace nd {

// BatchHops draws a batch of vertices without replacement, by their scores or uniformly, and expands it. The words of
// transit t of hop i are under the key that is derived from the sample's key, i+1 and t.
template <class G, class Rows> struct BatchHops {
  // draw_scored draws up to Layered::draws vertices in proportion to their scores, to the workspace's picks, and
  // returns their number.
  ND_FN static u32 draw_scored(Sample<G>& s) {
    const Layered& a = s.a;
    Graph scored = a.g;
    scored.alias = a.score_alias;
    scored.biases = a.score_biases;
    RowOf<u64> all{0, (u32)a.g.vertices};
    u64* picks = a.picks + s.first;
    u32* drawn = a.attached + s.first;
    u32 k = (u32)(a.draws < a.scored ? a.draws : a.scored), got = k;
    s.full = k > a.capacity;
    if (s.full) return 0;
    if (a.g.vertices <= a.draws) {
      got = all_with_bias<G>(scored, all, drawn);
    } else {
      LongMemory memory{drawn, nullptr, a.starts + 2 * s.first};
      got = long_successive<G>(scored, all, derived_key(s.key, 0, 0), a.draws, k, memory, leaf_sums(s), a.leaves);
    }
    for (u32 i = G::rank(); i < got; i += G::size) picks[i] = drawn[i];
    G::sync();
    return got;
  }

  ND_FN static void grow(Sample<G>& s) {
    const Layered& a = s.a;
    // 1. Draw the batch.
    u32 n = a.score_alias ? draw_scored(s) : draw_numbers(s, a.g.vertices);
    add_drawn(s, n);
    // 2. Expand it.
    u32 first = 0;
    for (u32 i = 0; i < a.hops && s.count > first && !s.full; i++) {
      u32 end = s.count;
      Hop hop{word_of(s.key, i + 1), fetch(a.fanouts + i), first, end - first, nullptr};
      if (!expand_hop<Rows>(s, hop)) return;
      first = end;
    }
  }
  ND_FN static u64 links(const Sample<G>&) { return 0; }
  ND_FN static void write_links(const Sample<G>&, const StagedSample&) {}
};

// FrontierHops expands at most Layered::frontier vertices of each step, which are drawn without replacement. The words
// of transit t of step i are under the key that is derived from the sample's key, i and t; those of the frontier are
// under that of the number of vertices of the step.
template <class G, class Rows> struct FrontierHops {
  // draw_frontier draws the frontier among n vertices to the workspace's trees, and returns its size.
  ND_FN static u32 draw_frontier(Sample<G>& s, u64 stream, u32 n) {
    const Layered& a = s.a;
    u32 k = (u32)a.frontier, *frontier = a.trees + s.first;
    if (n <= k) return n;
    long_permutation<G>({a.attached + s.first, (u32*)(a.drawn + s.first), a.starts + 2 * s.first}, key_of(stream, n), k,
                        n, [&](u32 j, u32 pick) { frontier[j] = pick; });
    return k;
  }

  ND_FN static void grow(Sample<G>& s) {
    const Layered& a = s.a;
    add_roots(s);
    u32 first = 0;
    for (u32 i = 0; i < a.hops && s.count > first && !s.full; i++) {
      u32 end = s.count, n = end - first;
      u64 stream = word_of(s.key, i);
      u32 transits = draw_frontier(s, stream, n);
      Hop hop{stream, fetch(a.fanouts + i), first, transits, transits < n ? a.trees + s.first : nullptr};
      if (!expand_hop<Rows>(s, hop)) return;
      first = end;
    }
  }
  ND_FN static u64 links(const Sample<G>&) { return 0; }
  ND_FN static void write_links(const Sample<G>&, const StagedSample&) {}
};

}  // namespace nd
