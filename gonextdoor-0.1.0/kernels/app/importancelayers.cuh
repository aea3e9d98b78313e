// Layers of vertices that are drawn by importance, and the links between consecutive layers with their values: the
// twins of FastGCN and LADIES. D is the number of edges of a vertex plus 1, for the loop that normalisation adds.
//
// A sample's set is empty between the phases. The arrays of the workspace are used as follows:
//
//             candidates and draws            links
//   slots     of candidates or draws          of the layer's vertices
//   before    LADIES: the candidates
//   drawn     LADIES: their importances       per source its first link
//   picks     shares of rows; sums of biases
//   attached  the draws                       the next place of the same vertex
//   trees                                     the last place of the same vertex so far
#pragma once
#include "driver/layered.cuh"
#include "driver/rowedges.cuh"
#include "selector/scanwithout.cuh"
#include "selector/successive.cuh"

namespace nd {

// Normalization is the twin of index.Normalization: by the sums of rows, or symmetric.
struct Normalization {
  bool by_row;

  ND_FN f64 source(u64 d) const { return by_row ? 1.0 / (f64)d : 1.0 / square_root((f64)d); }
  ND_FN f64 target(u64 d) const { return by_row ? 1.0 : 1.0 / square_root((f64)d); }
  ND_FN u32 unit(u64 rows, u64 sum) const { return leading_zeros(by_row ? rows : sum) - 1; }
  ND_FN u64 share(u64 d, u32 unit) const {
    u64 share = (1ull << unit) / d;
    return by_row ? share / d : share;
  }
  ND_FN u64 column(u64 sum, u64 d) const {
    if (!by_row) sum /= d;
    return sum > 1 ? sum : 1;
  }
};

// Entry is an entry of the adjacency matrix with loops: the loop of a vertex, or one of its edges.
struct Entry {
  u32 place;       // of the vertex v whose row it is in
  u32 v, u;        // row and column
  u64 position;    // of the edge; NoEdge: the loop
  RowOf<u64> row;  // the edges of v
};

template <class G, class Rows> struct ImportanceLayers {
  ND_FN static Normalization norm(const Sample<G>& s) { return {s.a.by_row != 0}; }
  ND_FN static u64 size_of_row(const Sample<G>& s, u32 v) { return degree_of<Rows>(s.a.g, v) + 1ull; }

  // add_vertices sets the parts of n further vertices that do not depend on them, and ends their step.
  ND_FN static void add_vertices(Sample<G>& s, u32 n) {
    for (u32 i = s.count + G::rank(); i < s.count + n; i += G::size) {
      s.positions[i] = NoEdge;
      s.parents[i] = -1;
    }
    s.count += n;
    s.end_step();
    G::sync();
  }

  // add_layer adds n vertices as a layer, which are in `vertices` after those of the sample. importance(j) is that of
  // vertex j, of `total`. The factors of the values of links are as in app.Factor.
  template <class Importance> ND_FN static void add_layer(Sample<G>& s, u32 n, u64 total, Importance importance) {
    for (u32 j = G::rank(); j < n; j += G::size) {
      u32 at = s.count + j;
      f64 factor = (f64)total / (f64)importance(j) / (f64)n;
      s.a.factors[s.first + at] = norm(s).target(size_of_row(s, s.vertices[at])) * factor;
    }
    add_vertices(s, n);
  }

  // each_entry calls visit(has, entry) for the entries of the rows of the places from ... end-1, in order: the loop of
  // a vertex, then its edges. Ranks without an entry have has = false. All ranks call it.
  template <class Visit> ND_FN static void each_entry(const Sample<G>& s, u32 from, u32 end, Visit visit) {
    const Graph& g = s.a.g;
    auto entries_of = [&](u32 i) -> RowOf<u64> {
      auto row = Rows::of(g, s.vertices[from + i]);
      return {(u64)row.first - 1, row.degree + 1};  // the element before the row is the loop
    };
    each_element<G>(end - from, entries_of, [&](bool has, u32 i, u64 position) {
      Entry e{from + i, 0, 0, position, {0, 0}};
      if (has) {
        e.v = s.vertices[e.place];
        auto row = Rows::of(g, e.v);
        e.row = {row.first, row.degree};
        bool loop = position == e.row.first - 1;
        e.u = loop ? e.v : fetch(g.indices + position);
        if (loop) e.position = NoEdge;
      }
      visit(has, e);
    });
  }

  // enter_layer makes the set of the layer at the places from ... end-1, whose records have the first place of each
  // vertex. It is in a part of the table that is small enough for the caches.
  ND_FN static VertexSet<G> enter_layer(const Sample<G>& s, u32 from, u32 end) {
    u64 mask = 1;
    while (mask < 4 * (u64)(end - from)) mask = 2 * mask + 1;
    VertexSet<G> set{s.set.table, mask < s.set.mask ? mask : s.set.mask};
    for (u32 i = from + G::rank(); i < end; i += G::size) s.slots[i] = set.insert(s.vertices[i], i);
    G::sync();
    if (s.a.replace) {
      if constexpr (!is_grid<G>) {
        list_places<G>(s, set, from, end);
      } else {
        if (block_index() == 0) list_places<LayeredBlock>(s, set, from, end);
        G::sync();
      }
    }
    return set;
  }

  // list_places lists the places of each vertex of a layer: `attached` has the next place of the same vertex, or None.
  // All ranks of H, a part of G, call it.
  template <class H> ND_FN static void list_places(const Sample<G>& s, const VertexSet<G>& set, u32 from, u32 end) {
    ND_SHARED(u32, heads_of_block, LayeredThreads);
    u32 *heads = heads_of_block + thread_index() / H::size * H::size, *next = s.a.attached + s.first;
    u32* last = s.a.trees + s.first;
    for (u32 first = from; first < end; first += H::size) {
      // 1. The first place of each vertex.
      u32 i = first + H::rank(), head = i < end ? set.number(s.slots[i]) : None;
      H::sync();  // all ranks have read the array
      heads[H::rank()] = head;
      H::sync();
      // 2. The next place is among these places, or the first of a later group of places.
      u32 below = H::rank(), above = H::rank() + 1;
      if (i < end) {
        while (below > 0 && heads[below - 1] != head) below--;
        while (above < H::size && heads[above] != head) above++;
        next[i] = above < H::size ? first + above : None;
        if (below == 0 && head < first) next[last[head]] = i;
      }
      H::sync();  // all ranks have read `last`
      if (i < end && above == H::size) last[head] = i;
    }
    H::sync();
  }

  // next_place returns the next place of the vertex at a place of a layer, or None.
  ND_FN static u32 next_place(const Sample<G>& s, u32 place) {
    return s.a.replace ? s.a.attached[s.first + place] : None;
  }

  // each_link calls visit(entry, target) for the entries of the rows of all layers but the last. target is the first
  // place of the entry's column in the next layer, or None.
  template <class Visit> ND_FN static void each_link(const Sample<G>& s, Visit visit) {
    for (u32 level = 1; level < s.end_count; level++) {
      u32 from = level > 1 ? s.ends[level - 2] : 0, middle = s.ends[level - 1], end = s.ends[level];
      VertexSet<G> layer = enter_layer(s, middle, end);
      each_entry(s, from, middle, [&](bool has, const Entry& e) { visit(has, e, has ? layer.place(e.u) : None); });
      G::sync();  // all ranks have read the set
      layer.clear(s.slots + middle, end - middle);
      G::sync();
    }
  }

  ND_FN static u64 links(const Sample<G>& s) {
    u64 links = 0;
    each_link(s, [&](bool, const Entry&, u32 target) {
      for (; target != None; target = next_place(s, target)) links++;
    });
    return G::sum(links);
  }

  ND_FN static void write_links(const Sample<G>& s, const StagedSample& to) {
    u64 links = 0, *begins = s.a.drawn + s.first;
    each_link(s, [&](bool has, const Entry& e, u32 target) {
      u64 count = 0;
      for (u32 t = target; t != None; t = next_place(s, t)) count++;
      u64 upto = G::scan(count), at = links + upto - count;
      if (has && e.position == NoEdge) begins[e.place] = at;
      if (target != None) {
        f64 value = norm(s).source(e.row.degree + 1ull);
        for (u32 t = target; t != None; t = next_place(s, t), at++) {
          to.sources()[at] = (i32)e.place;
          to.targets()[at] = (i32)t;
          to.link_positions()[at] = e.position;
          to.link_values()[at] = value * s.a.factors[s.first + t];
        }
      }
      links += G::from(upto, G::size - 1);
    });
    if (s.a.normalize && s.end_count > 1) normalize(begins, (u32)s.ends[s.end_count - 2], links, to.link_values());
  }

  // normalize divides the values of the links of each source by their sum, which is added up in order.
  ND_FN static void normalize(const u64* begins, u32 sources, u64 links, f64* values) {
    for (u32 source = G::rank(); source < sources; source += G::size) {
      u64 end = source + 1 < sources ? begins[source + 1] : links;
      f64 sum = 0;
      for (u64 i = begins[source]; i < end; i++) sum += values[i];
      for (u64 i = begins[source]; i < end; i++) values[i] /= sum;
    }
  }
};

// FastGCN draws the layers from the whole graph. The graph's alias table and biases are those of the vertices.
template <class G, class Rows> struct FastGCN : ImportanceLayers<G, Rows> {
  using Layers = ImportanceLayers<G, Rows>;

  ND_FN static RowOf<u32> all_vertices(const Sample<G>& s) { return {0, (u32)s.a.g.vertices}; }

  // draw_distinct draws k of more vertices without replacement, as selector.Successive does, and returns their number.
  ND_FN static u32 draw_distinct(Sample<G>& s, u64 key, u64 k) {
    const Layered& a = s.a;
    u32 first = s.count;
    u64 attempts = AttemptsPerPick * k;
    // 1. Attempts, G::size together. Those after the last that is wanted are not made.
    for (u64 attempt = 0; attempt < attempts && s.count - first < k && !s.full; attempt += G::size) {
      u64 i = attempt + G::rank();
      bool has = i < attempts, fresh;
      s.visit(has, has ? alias_draw(a.g, all_vertices(s), word_of(key, i)).place : 0, fresh);
    }
    u32 got = s.count - first < k ? s.count - first : (u32)k;
    // 2. Draws among the remaining vertices.
    s.full = s.full || (got < k && sum_tree_words(a.g.vertices) > a.capacity);
    if (got < k && !s.full) {
      auto bias = [&](u32 u) -> u64 { return s.set.place(u) == None ? fetch(a.g.biases + u) : 0; };
      u32* picks = a.attached + s.first;
      u32 more = scan_without<G>(key, attempts, (u32)k - got, (u32)a.g.vertices, a.picks + s.first, bias, picks);
      for (u32 j = G::rank(); j < more; j += G::size) s.vertices[first + got + j] = picks[j];
      got += more;
    }
    G::sync();
    if (s.slot_count > first) s.set.clear(s.slots + first, s.slot_count - first);
    s.count = first;
    s.slot_count = 0;
    G::sync();
    return got;
  }

  ND_FN static void grow(Sample<G>& s) {
    const Layered& a = s.a;
    add_roots(s);
    for (u64 l = 0; l < a.layers; l++) {
      u64 key = derived_key(s.key, l, 0), size = fetch(a.sizes + l);
      bool distinct = !a.replace && size < a.g.vertices;
      u32 n = (u32)(a.replace || distinct ? size : a.g.vertices);
      s.full = s.count + (u64)n > a.capacity;
      if (s.full) return;
      if (distinct) {
        n = draw_distinct(s, key, size);
      } else {
        for (u32 j = G::rank(); j < n; j += G::size)
          s.vertices[s.count + j] = a.replace ? alias_draw(a.g, all_vertices(s), word_of(key, j)).place : j;
        G::sync();
      }
      if (s.full) return;
      const u32* layer = s.vertices + s.count;
      Layers::add_layer(s, n, a.total, [&](u32 j) { return (u64)fetch(a.g.biases + layer[j]); });
    }
  }
};

// LADIES draws a layer from the vertices of the layer before and their neighbours.
template <class G, class Rows> struct LADIES : ImportanceLayers<G, Rows> {
  using Layers = ImportanceLayers<G, Rows>;

  // equal_edges returns the number of edges to u from a position of a row on, in O(log of it). The first leads to u.
  ND_FN static u64 equal_edges(const Graph& g, u32 u, u64 position, u64 end) {
    u64 last = position, step = 1;
    for (; last + step < end && fetch(g.indices + last + step) == u; step *= 2) last += step;
    for (; step > 0; step /= 2)
      if (last + step < end && fetch(g.indices + last + step) == u) last += step;
    return last - position + 1;
  }

  // entry_square returns the square of the multiplicity of an entry's column in its row: the loop counts 1, and the
  // first of the edges to the column the rest. It returns 0 for the other edges.
  ND_FN static u64 entry_square(const Graph& g, const Entry& e) {
    if (e.position == NoEdge) return 1;
    if (e.position > e.row.first && fetch(g.indices + e.position - 1) == e.u) return 0;
    u64 edges = equal_edges(g, e.u, e.position, e.row.first + e.row.degree);
    return edges * edges + (e.u == e.v ? 2 * edges : 0);
  }

  // gather collects the candidates of the next layer, in the order of first appearance in the rows of the places from
  // ... count-1, with their importances. It returns their number.
  ND_FN static u32 gather(Sample<G>& s, u32 from) {
    const Layered& a = s.a;
    Normalization norm = Layers::norm(s);
    u64 *importances = a.drawn + s.first, *shares = a.picks + s.first, sum = 0;
    // 1. The shares of the rows, in a unit in which all sums fit 64 bits.
    for (u32 i = from + G::rank(); i < s.count; i += G::size) sum += Layers::size_of_row(s, s.vertices[i]);
    u32 unit = norm.unit(s.count - from, G::sum(sum));
    for (u32 i = from + G::rank(); i < s.count; i += G::size)
      shares[i] = norm.share(Layers::size_of_row(s, s.vertices[i]), unit);
    G::sync();
    // 2. Add up the rows.
    Sample<G> candidates = s;
    candidates.vertices = a.before + s.first;
    candidates.count = 0;
    Layers::each_entry(s, from, s.count, [&](bool has, const Entry& e) {
      if (candidates.full) return;
      u64 square = has ? entry_square(a.g, e) : 0, part = square > 0 ? square * shares[e.place] : 0;
      bool fresh;
      u32 at = candidates.visit(square > 0, e.u, fresh);
      if (fresh) importances[at] = part;
      G::sync();  // the first share is written before others are added
      if (!fresh && at != None) add_atomic(importances + at, part);
    });
    G::sync();
    // 3. Convert the sums to importances, and clear the set.
    u32 n = candidates.count;
    s.full = candidates.full;
    for (u32 i = G::rank(); i < n; i += G::size)
      importances[i] = norm.column(importances[i], Layers::size_of_row(s, candidates.vertices[i]));
    s.set.clear(s.slots, n);
    G::sync();
    return n;
  }

  // choose draws a layer of n candidates.
  ND_FN static void choose(Sample<G>& s, u64 key, u64 size, u32 n) {
    const Layered& a = s.a;
    const u32* candidates = a.before + s.first;
    u32* picks = a.attached + s.first;
    u64 *importances = a.drawn + s.first, *sums = a.picks + s.first, total = 0;
    auto importance = [&](u32 i) { return importances[i]; };
    bool all = !a.replace && n <= size;
    // 1. Is there memory?
    u64 k = all ? n : size;
    s.full = s.count + k > a.capacity || (!all && sum_tree_words(n) > a.capacity);
    if (s.full) return;
    // 2. Draw.
    for (u32 i = G::rank(); i < n; i += G::size) total += importances[i];
    total = G::sum(total);
    if (all) {
      for (u32 j = G::rank(); j < n; j += G::size) picks[j] = j;
      G::sync();
    } else if (a.replace) {
      prefix_sums<G>(sums, n, importance);
      scan_picks<G>(key, 0, (u32)k, sums, n, picks);
    } else {
      scan_without<G>(key, 0, (u32)k, n, sums, importance, picks);
    }
    // 3. Add the layer.
    for (u32 j = G::rank(); j < k; j += G::size) s.vertices[s.count + j] = candidates[picks[j]];
    Layers::add_layer(s, (u32)k, total, [&](u32 j) { return importances[picks[j]]; });
  }

  ND_FN static void grow(Sample<G>& s) {
    add_roots(s);
    u32 from = 0;  // the first place of the layer before
    for (u64 l = 0; l < s.a.layers; l++) {
      u32 n = gather(s, from);
      if (s.full) return;
      from = s.count;
      choose(s, derived_key(s.key, l, 0), fetch(s.a.sizes + l), n);
      if (s.full) return;
    }
  }
};

}  // namespace nd
