// Samples that draw vertices, edges or clusters of the whole graph uniformly at random: the twins of RandomNode,
// RandomEdge and ClusterGCN. Draw i takes the word at slot i of draw_key, like app.DrawKey.
#pragma once
#include "driver/inducedlinks.cuh"
#include "graph/gatheredrows.cuh"
#include "selector/permutelist.cuh"

namespace nd {

// draw_numbers writes Layered::draws numbers below n to the workspace's picks, and returns how many there are. Without
// replacement there are at most n, in the order of Permute. It sets full if the workspace is too small. It leaves the
// group synchronised.
template <class G> ND_FN u32 draw_numbers(Sample<G>& s, u64 n) {
  const Layered& a = s.a;
  u64 key = derived_key(s.key, 0, 0), *picks = a.picks + s.first;
  u64 k = n == 0 || (!a.replace && n < a.draws) ? n : a.draws;
  if (k > a.capacity) {
    s.full = true;
    return 0;
  }
  if (!a.replace && k < n) {
    PermuteList<G> list{
        n,       (u32)k,      a.drawn + s.first, picks, a.attached + s.first, a.before + s.first, a.trees + s.first,
        s.slots, s.set.table, s.set.mask};
    list.choose(key);
    return (u32)k;
  }
  for (u64 i = G::rank(); i < k; i += G::size) picks[i] = a.replace ? below(word_of(key, i), n).index : i;
  G::sync();
  return (u32)k;
}

// add_drawn begins a sample with the first n of the workspace's picks, as its only step. It leaves the group
// synchronised.
template <class G> ND_FN void add_drawn(Sample<G>& s, u32 n) {
  const u64* picks = s.a.picks + s.first;
  for (u32 i = G::rank(); i < n; i += G::size) {
    s.vertices[i] = (u32)picks[i];
    s.positions[i] = NoEdge;
    s.parents[i] = -1;
  }
  s.count = n;
  s.end_only_step();
  G::sync();
}

// RandomNodes draws vertices.
template <class G, class Rows> struct RandomNodes {
  ND_FN static void grow(Sample<G>& s) {
    add_drawn(s, draw_numbers(s, s.a.g.vertices));
    if (s.a.induced) enter_all(s);
  }
  ND_FN static u64 links(Sample<G>& s) { return s.a.induced ? InducedLinks<G, Rows>::count(s) : 0; }
  ND_FN static void write_links(Sample<G>& s, const StagedSample& to) {
    if (s.a.induced) InducedLinks<G, Rows>::write(s, to);
  }
};

// source_of returns the vertex whose row has a position, by binary search.
ND_FN u32 source_of(const Graph& g, u64 position) {
  u64 low = 0;
  for (u64 high = g.vertices - 1; low < high;) {
    u64 middle = (low + high) / 2;
    if (fetch(g.indptr + middle + 1) > position) high = middle;
    else low = middle + 1;
  }
  return (u32)low;
}

// RandomEdges draws edges. The vertices are their ends, source first, and the links are the edges. Gathered rows are
// pages; the begins of the rows of all vertices are there.
template <class G, class Rows> struct RandomEdges {
  ND_FN static void grow(Sample<G>& s) {
    const Graph& g = s.a.g;
    u32 n = draw_numbers(s, g.edges);
    u64* picks = s.a.picks + s.first;
    u32 *sources = s.a.before + s.first, *targets = s.a.attached + s.first;
    for (u32 first = 0; first < n && !s.full; first += G::size / 2) {
      // Two ranks per edge: the even one visits the source, the odd one the end point.
      u32 i = first + G::rank() / 2;
      bool has = i < n, is_target = G::rank() % 2, fresh;
      u64 position = has ? picks[i] : 0, at = has && is_target ? edge_at<Rows>(g, position) : 0;
      u32 source = has ? source_of(g, position) : 0;
      u32 place = s.visit(has, is_target && has ? fetch(g.indices + at) : source, fresh);
      if (s.full || !has) continue;
      if (fresh) {
        s.positions[place] = is_target ? at : NoEdge;
        s.parents[place] = is_target ? (i32)s.set.place(source) : -1;
      }
      (is_target ? targets : sources)[i] = place;
      if (gathers<Rows> && is_target) picks[i] = at;
    }
    s.end_only_step();
  }
  ND_FN static u64 links(Sample<G>& s) {
    u64 n = s.a.g.edges;
    return n == 0 || (!s.a.replace && n < s.a.draws) ? n : s.a.draws;
  }
  ND_FN static void write_links(Sample<G>& s, const StagedSample& to) {
    const u64* picks = s.a.picks + s.first;
    const u32 *sources = s.a.before + s.first, *targets = s.a.attached + s.first;
    for (u64 i = G::rank(); i < to.link_count; i += G::size) {
      to.sources()[i] = (i32)sources[i];
      to.targets()[i] = (i32)targets[i];
      to.link_positions()[i] = picks[i];
    }
  }
};

// Clusters draws lists of vertices, and takes all of each. No vertex is in two lists.
template <class G, class Rows> struct Clusters {
  ND_FN static void grow(Sample<G>& s) {
    const Layered& a = s.a;
    u32 n = draw_numbers(s, a.lists);
    const u64* picks = a.picks + s.first;
    auto list_of = [&](u32 i) -> RowOf<u64> {
      u64 list = picks[i];
      u32 first = list > 0 ? fetch(a.list_ends + list - 1) : 0;
      return {first, fetch(a.list_ends + list) - first};
    };
    // 1. Does the sample fit?
    u64 all = 0;
    for (u32 i = G::rank(); i < n; i += G::size) all += list_of(i).degree;
    all = G::sum(all);
    s.full = s.full || all > a.capacity;
    if (s.full) return;
    // 2. Copy the lists.
    u32 at = 0;
    each_element<G>(n, list_of, [&](bool has, u32, u64 member) {
      if (has) {
        u32 i = at + G::rank();
        s.vertices[i] = fetch(a.list_members + member);
        s.positions[i] = NoEdge;
        s.parents[i] = -1;
      }
      at += (u32)G::sum(has);
    });
    s.count = (u32)all;
    s.end_only_step();
    G::sync();
    enter_all(s);
  }
  ND_FN static u64 links(Sample<G>& s) { return InducedLinks<G, Rows>::count(s); }
  ND_FN static void write_links(Sample<G>& s, const StagedSample& to) { InducedLinks<G, Rows>::write(s, to); }
};

}  // namespace nd
