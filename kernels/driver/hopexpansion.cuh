// Hops with fan-outs: each of several transits of a sample takes a number of its edges, and the end points are appended
// in the order of the transits. The number of edges that a transit takes follows from its degree, so their places are
// known before they are chosen. The phases for as many transits as the group has ranks:
//
//   1. gather  A rank per transit reads its row. Prefix sums give the places of its edges.
//   2. choose  Choices whose picks depend on one another: a rank per transit for short ones, a warp for longer ones,
//              and the group for those above MostPicks.
//   3. write   A rank per edge. Other picks are made here.
#pragma once
#include "driver/layered.cuh"
#include "graph/packed.cuh"
#include "selector/longpicks.cuh"

namespace nd {

constexpr u32 MostPicks = 4096;  // of a warp, which compares each pick with the others

// Hop describes a hop. Transit i is at place first + list[i], or first + i without a list.
struct Hop {
  u64 stream;  // the key of a transit is that of its number in this stream
  u64 fanout;  // NoEdge: all edges
  u32 first, count;
  const u32* list;
};

template <class G, class Rows> struct HopExpansion {
  Sample<G>& s;
  const Hop& hop;
  // Per transit in hand, in shared memory:
  u32* ends;    // of its edges, counted from the first of all
  u64* firsts;  // the position of its first edge
  u64* keys;
  u32* degrees;
  u32* places;
  u32* chosen;  // 1 if its picks depend on one another

  ND_FN static HopExpansion of(Sample<G>& s, const Hop& hop) {
    ND_SHARED(u64, longs, 2 * LayeredThreads);
    ND_SHARED(u32, words, 4 * LayeredThreads);
    u32 own = thread_index() / G::size * G::size;
    return {s,
            hop,
            words + own,
            longs + own,
            longs + LayeredThreads + own,
            words + LayeredThreads + own,
            words + 2 * LayeredThreads + own,
            words + 3 * LayeredThreads + own};
  }

  // expand appends the edges of all transits, unless the workspace is too small. It leaves the group synchronised.
  ND_FN void expand() const {
    for (u32 at = 0; at < hop.count && !s.full; at += G::size) {
      u32 transits = hop.count - at < G::size ? hop.count - at : G::size;
      u64 all = gather(at, transits);
      s.full = s.count + all > s.a.capacity;
      if (s.full) return;
      if (!s.a.replace) choose(transits);
      write(transits, (u32)all);
      s.count += (u32)all;
      G::sync();
    }
  }

 private:
  ND_FN u32* numbers() const { return s.a.before + s.first; }
  ND_FN u32 begin_of(u32 i) const { return i > 0 ? ends[i - 1] : 0; }
  ND_FN RowOf<u64> row(u32 i) const { return {firsts[i], degrees[i]}; }

  // gather reads transits, and returns the number of their edges.
  ND_FN u64 gather(u32 at, u32 transits) const {
    const Layered& a = s.a;
    u32 i = G::rank(), t = 0;
    RowOf<u64> own{0, 0};
    u64 takes = 0, biased = 0;
    if (i < transits) {
      t = hop.list ? hop.list[at + i] : at + i;
      u32 v = s.vertices[hop.first + t];
      auto found = Rows::of(a.g, v);
      own = {found.first, found.degree};
      biased = a.weighted && own.degree > 0 ? fetch(a.g.biased + v) : own.degree;  // a missed row has no edges
      takes = hop.fanout == NoEdge || (!a.replace && biased < hop.fanout) ? biased : hop.fanout;
      if (biased == 0) takes = 0;
    }
    u64 upto = G::scan(takes);
    if (i < transits) {
      ends[i] = (u32)upto;
      firsts[i] = own.first;
      keys[i] = key_of(hop.stream, t);
      degrees[i] = own.degree;
      places[i] = hop.first + t;
      chosen[i] = takes < own.degree;
    }
    u64 all = G::from(upto, G::size - 1);
    G::sync();
    return all;
  }

  // choose makes the choices of several picks that depend on one another.
  ND_FN void choose(u32 transits) const {
    const Layered& a = s.a;
    // 1. Short choices.
    u32 own = G::rank(), k = (u32)hop.fanout;
    bool short_choices = !a.weighted && hop.fanout <= ShortPicks;
    if (short_choices && own < transits && chosen[own])
      permute_few<ShortPicks>(keys[own], k, degrees[own], numbers() + begin_of(own));
    // 2. Longer ones.
    for (u32 i = G::rank() / WarpSize; !short_choices && i < transits; i += G::size / WarpSize) {
      u32* picks = numbers() + begin_of(i);
      if (!chosen[i] || ends[i] - begin_of(i) > MostPicks) continue;
      if (a.weighted) successive<Warp>(a.g, row(i), keys[i], k, picks);
      else permute<Warp>(keys[i], k, degrees[i], picks);
    }
    G::sync();
    // 3. Long ones.
    for (u32 i = 0; hop.fanout > MostPicks && i < transits; i++)
      if (chosen[i] && ends[i] - begin_of(i) > MostPicks) choose_long(i);
  }
  ND_FN void choose_long(u32 i) const {
    const Layered& a = s.a;
    LongMemory memory{a.attached + s.first, (u32*)(a.drawn + s.first), a.starts + 2 * s.first};
    u32 *picks = numbers() + begin_of(i), takes = ends[i] - begin_of(i);
    if (!a.weighted) {
      long_permutation<G>(memory, keys[i], takes, degrees[i], [&](u32 j, u32 pick) { picks[j] = pick; });
      return;
    }
    if (degrees[i] <= hop.fanout) {
      all_with_bias<G>(a.g, row(i), picks);
      return;
    }
    long_successive<G>(a.g, row(i), keys[i], hop.fanout, takes, memory, leaf_sums(s), a.leaves);
    for (u32 j = G::rank(); j < takes; j += G::size) picks[j] = memory.draws[j];
    G::sync();
  }

  // number_of returns the number within the row of edge j of transit i.
  ND_FN u32 number_of(u32 i, u32 j) const {
    const Layered& a = s.a;
    if (!a.replace) return chosen[i] ? numbers()[begin_of(i) + j] : j;
    if (a.weighted) return alias_draw(a.g, row(i), word_of(keys[i], j)).place;
    return below(word_of(keys[i], j), degrees[i]).index;
  }
  ND_FN void write(u32 transits, u32 all) const {
    for (u32 e = G::rank(); e < all; e += G::size) {
      u32 i = 0;
      for (u32 high = transits - 1; i < high;) {
        u32 middle = (i + high) / 2;
        if (ends[middle] > e) high = middle;
        else i = middle + 1;
      }
      u64 position = firsts[i] + number_of(i, e - begin_of(i));
      s.vertices[s.count + e] = fetch(s.a.g.indices + position);
      s.positions[s.count + e] = position;
      s.parents[s.count + e] = (i32)places[i];
    }
  }
};

// expand_hop appends the edges of a hop, and ends the step. It returns whether there are any.
template <class Rows, class G> ND_FN bool expand_hop(Sample<G>& s, const Hop& hop) {
  u32 before = s.count;
  HopExpansion<G, Rows>::of(s, hop).expand();
  if (s.full || s.count == before) return false;
  s.end_step();
  return true;
}

}  // namespace nd
