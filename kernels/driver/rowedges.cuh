// The edges of the rows of several vertices, in order, divided evenly among the ranks of a group, whatever the lengths
// of the rows.
#pragma once
#include "driver/layered.cuh"
#include "graph/packed.cuh"

namespace nd {

// each_element calls visit(has, list, element) for the elements of `count` lists, list after list, G::size at a time.
// lists(i) returns the begin and the length of list i, as RowOf<u64>. Ranks without an element have has = false. All
// ranks call it, and visit may contain barriers of the group. LayeredThreads threads per block.
template <class G, class Lists, class Visit> ND_FN void each_element(u32 count, Lists lists, Visit visit) {
  ND_SHARED(u64, ends_of_block, LayeredThreads);
  ND_SHARED(u64, begins_of_block, LayeredThreads);
  u32 group = thread_index() / G::size * G::size;
  u64 *ends = ends_of_block + group, *begins = begins_of_block + group;
  for (u32 first = 0; first < count; first += G::size) {
    // 1. One list per rank: its end among the elements of all, and where element 0 of all would be.
    u32 i = first + G::rank();
    RowOf<u64> list{0, 0};
    if (i < count) list = lists(i);
    u64 upto = G::scan(list.degree);
    G::sync();  // all ranks have read the arrays
    ends[G::rank()] = upto;
    begins[G::rank()] = list.first - (upto - list.degree);
    G::sync();
    // 2. One element per rank: the first list that ends after it.
    u64 all = ends[G::size - 1];
    for (u64 at = G::rank(); at - G::rank() < all; at += G::size) {
      u32 low = 0;
      for (u32 high = G::size - 1; low < high;) {
        u32 middle = (low + high) / 2;
        if (ends[middle] > at) high = middle;
        else low = middle + 1;
      }
      bool has = at < all;
      visit(has, first + low, has ? begins[low] + at : 0);
    }
  }
}

// InducedLinks are the edges between the vertices of a sample, in the order of their sources' places and of the edges
// of each row. A vertex that occurs at several places has its links at the first. Every vertex must be in the sample's
// set.
template <class G, class Rows> struct InducedLinks {
  // each calls visit(has, source, target, position) for all edges of the rows of the sample. has is set if the edge is
  // a link.
  template <class Visit> ND_FN static void each(const Sample<G>& s, Visit visit) {
    const Graph& g = s.a.g;
    auto row_of = [&](u32 place) -> RowOf<u64> {
      u32 v = s.vertices[place];
      if (s.set.place(v) != place) return {0, 0};
      auto row = Rows::of(g, v);
      return {row.first, row.degree};
    };
    each_element<G>(s.count, row_of, [&](bool has, u32 source, u64 position) {
      u32 target = has ? s.set.place(fetch(g.indices + position)) : None;
      visit(target != None, source, target, position);
    });
  }

  ND_FN static u64 count(const Sample<G>& s) {
    u64 links = 0;
    each(s, [&](bool has, u32, u32, u64) { links += has; });
    return G::sum(links);
  }

  ND_FN static void write(const Sample<G>& s, const StagedSample& to) {
    u64 links = 0;
    each(s, [&](bool has, u32 source, u32 target, u64 position) {
      u64 upto = G::scan(has), at = links + upto - 1;
      if (has) {
        to.sources()[at] = (i32)source;
        to.targets()[at] = (i32)target;
        to.link_positions()[at] = position;
      }
      links += G::from(upto, G::size - 1);
    });
  }
};

}  // namespace nd
