// Samples that draw vertices by one of four methods, with all edges between them: the twin of GraphSAINT.
#pragma once
#include "app/uniformdraws.cuh"
#include "selector/scan.cuh"

namespace nd {

// SaintMethod is Layered::method.
enum SaintMethod : u64 { SaintNode, SaintEdge, SaintWalk, SaintMultidimensional };

// search_sums returns the first i with sums[i+1] > r. r is below the last of the n+1 sums. The twin of Cumulative.Find.
ND_FN u64 search_sums(const u64* sums, u64 n, u64 r) {
  u64 low = 0;
  for (u64 high = n - 1; low < high;) {
    u64 middle = (low + high) / 2;
    if (fetch(sums + middle + 1) > r) high = middle;
    else low = middle + 1;
  }
  return low;
}

template <class G, class Rows> struct InducedDraws {
  // draw_edge finds the edge with a number among the biases of all edges, and its source. If rows are gathered, it
  // finds the row first, by the sums of the biases up to each row; a gathered row has the sums up to its edges.
  ND_FN static u64 draw_edge(const Layered& a, u64 number, u32& source) {
    u64 at = search_sums(a.sums, a.sum_count, number);
    if constexpr (gathers<Rows>) {
      source = (u32)at;
      auto row = Rows::of(a.g, source);
      return row.degree > 0 ? row.first + search_sums(a.edge_sums + row.first - 1, row.degree, number) : 0;
    } else {
      source = source_of(a.g, at);
      return at;
    }
  }

  // search draws vertices, or edges whose ends are the vertices, in proportion to their biases. Two ranks share the
  // draw of an edge: the even one visits its source, the odd one its end point.
  ND_FN static void search(Sample<G>& s, u64 key) {
    const Layered& a = s.a;
    u64 total = fetch(a.sums + a.sum_count), ranks = a.method == SaintEdge ? 2 : 1;
    for (u64 first = 0; first < a.draws && total > 0 && !s.full; first += G::size / ranks) {
      u64 i = first + G::rank() / ranks;
      bool has = i < a.draws, is_target = ranks == 2 && G::rank() % 2, fresh;
      u64 number = has ? high_product(word_of(key, i), total) : 0, at = 0;
      u32 source = 0;
      if (has && ranks == 2) at = draw_edge(a, number, source);
      else if (has) source = (u32)search_sums(a.sums, a.sum_count, number);
      u32 place = s.visit(has, is_target && has ? fetch(a.g.indices + at) : source, fresh);
      if (!fresh) continue;
      s.positions[place] = is_target ? at : NoEdge;
      s.parents[place] = is_target ? (i32)s.set.place(source) : -1;
    }
  }

  // draw_roots draws Layered::roots vertices, with replacement, to every `apart`-th element of an array.
  ND_FN static void draw_roots(const Layered& a, u64 key, u32* to, u64* positions, u64 apart) {
    for (u64 i = G::rank(); i < a.roots; i += G::size) {
      to[i * apart] = (u32)below(word_of(key, i), a.g.vertices).index;
      positions[i * apart] = NoEdge;
    }
  }

  // walk makes all walks, a rank per walk, and visits their vertices, walk after walk. Slot i of walk t is element
  // t*(length+1) + i of the arrays.
  ND_FN static void walk(Sample<G>& s, u64 key) {
    const Layered& a = s.a;
    u64 slots = a.length + 1, all = a.roots * slots;
    s.full = all > a.capacity;
    if (s.full) return;
    u32* vertices = a.before + s.first;
    u64* positions = a.drawn + s.first;
    draw_roots(a, key, vertices, positions, slots);
    for (u64 t = G::rank(); t < a.roots; t += G::size) {
      u32 v = vertices[t * slots];
      for (u64 step = 1; step < slots; step++) {
        u64 position = NoEdge;
        if (v != None) {
          auto row = Rows::of(a.g, v);
          v = None;
          if (row.degree > 0) {
            position = row.first + below(word_of(derived_key(s.key, step, t), 0), (u64)row.degree).index;
            v = fetch_far(a.g.indices + position);
          }
        }
        vertices[t * slots + step] = v;
        positions[t * slots + step] = position;
      }
    }
    G::sync();
    for (u64 first = 0; first < all && !s.full; first += G::size) {
      u64 i = first + G::rank();
      u32 v = i < all ? vertices[i] : None;
      bool fresh;
      u32 place = s.visit(v != None, v, fresh);
      if (!fresh) continue;
      s.positions[place] = positions[i];
      s.parents[place] = i % slots ? (i32)s.set.place(vertices[i - 1]) : -1;
    }
  }

  // replace makes the multi-dimensional walk: each step visits a vertex of the frontier, drawn by degree, and replaces
  // it with one of its neighbours. A step costs O(roots / G::size). If the row of that vertex is not there, the sample
  // asks for those of all vertices of the frontier, since most are drawn soon, and ends.
  ND_FN static void replace(Sample<G>& s, u64 key) {
    const Layered& a = s.a;
    u32 roots = (u32)a.roots;
    s.full = roots > a.capacity;
    if (s.full) return;
    u32 *vertices = a.before + s.first, *degrees = a.trees + s.first;
    i32* parents = (i32*)a.attached + s.first;
    u64* positions = a.drawn + s.first;
    // 1. Draw the first frontier, and visit it.
    draw_roots(a, key, vertices, positions, 1);
    for (u32 first = 0; first < roots && !s.full; first += G::size) {
      u32 i = first + G::rank();
      bool fresh;
      if (i < roots) {
        parents[i] = -1;
        degrees[i] = degree_of<Rows>(a.g, vertices[i]);
      }
      u32 place = s.visit(i < roots, i < roots ? vertices[i] : 0, fresh);
      if (!fresh) continue;
      s.positions[place] = NoEdge;
      s.parents[place] = -1;
    }
    G::sync();
    // 2. Take the steps. Word 1 of a step selects the vertex, word 0 its neighbour.
    for (u64 step = 1; step <= a.draws - a.roots && !s.full; step++) {
      u64 words = derived_key(s.key, step, 0);
      u32 at = scan<G>(word_of(words, 1), roots, [&](u32 i) { return (u64)degrees[i]; });
      if (at == None) return;
      bool fresh;
      u32 v = vertices[at], place = s.visit(G::rank() == 0, v, fresh);
      if (fresh) {
        s.positions[place] = positions[at];
        s.parents[place] = parents[at];
      }
      u32 missing = 0;
      if (G::rank() == 0 && !s.full) {
        auto row = Rows::of(a.g, v);
        missing = gathers<Rows> && row.degree == 0;
        if (!missing) {
          positions[at] = row.first + below(word_of(words, 0), (u64)row.degree).index;
          vertices[at] = fetch(a.g.indices + positions[at]);
          parents[at] = (i32)place;
          degrees[at] = degree_of<Rows>(a.g, vertices[at]);
        }
      }
      G::sync();
      if constexpr (gathers<Rows>) {
        if (G::from(missing, 0)) return ask(a, vertices, degrees);
      }
    }
  }

  // ask asks for the rows of the vertices of a frontier that are not there.
  ND_FN static void ask(const Layered& a, const u32* vertices, const u32* degrees) {
    if (!a.ahead) return;
    for (u32 i = G::rank(); i < a.roots; i += G::size)
      if (degrees[i] > 0) Rows::of(a.g, vertices[i]);
  }

  ND_FN static void grow(Sample<G>& s) {
    u64 key = derived_key(s.key, 0, 0);
    if (s.a.method == SaintNode || s.a.method == SaintEdge) search(s, key);
    else if (s.a.g.vertices == 0) {
    } else if (s.a.method == SaintWalk) walk(s, key);
    else replace(s, key);
    s.end_only_step();
  }
  ND_FN static u64 links(Sample<G>& s) { return InducedLinks<G, Rows>::count(s); }
  ND_FN static void write_links(Sample<G>& s, const StagedSample& to) { InducedLinks<G, Rows>::write(s, to); }
};

}  // namespace nd
