// The links of a sample from the vertices of each step to those of the next: the twin of app.Adjacency.
#pragma once
#include "driver/layered.cuh"
#include "driver/rowedges.cuh"

namespace nd {

// AdjacencyLinks are the edges from the vertices of each step to those of the next one, in the order of their sources'
// places and of the edges of each row. A vertex that a step has several times is a target at each of its places. The
// sample's set must be empty; `alike` is an array of the workspace.
template <class G, class Rows> struct AdjacencyLinks {
  // enter adds the vertices at the places first ... end-1 to the set, each with its first place. alike[p] is the next
  // place with the vertex of place p, or None.
  ND_FN static void enter(Sample<G>& s, u32* alike, u32 first, u32 end) {
    for (u32 last = end; last > first;) {  // G::size places at a time, from the last to the first
      u32 begin = last - first > G::size ? last - G::size : first, place = begin + G::rank();
      bool has = place < last;
      u32 v = has ? s.vertices[place] : None, next = has ? s.set.place(v) : None;
      for (u32 r = G::size; r-- > 1;) {
        u32 other = G::from(v, r);
        if (has && r > G::rank() && begin + r < last && other == v) next = begin + r;
      }
      G::sync();  // all ranks have read the set
      if (has) {
        alike[place] = next;
        s.slots[place - first] = s.set.insert(v, place);
      }
      G::sync();
      last = begin;
    }
    s.slot_count = end - first;
  }

  // each calls visit(first, source, position) for all edges of the rows of the sources of all steps, with the first
  // place of the end point in the next step, or None.
  template <class Visit> ND_FN static void each(Sample<G>& s, u32* alike, Visit visit) {
    const Graph& g = s.a.g;
    for (u32 level = 1; level < s.end_count; level++) {
      u32 first = level > 1 ? (u32)s.ends[level - 2] : 0, middle = (u32)s.ends[level - 1], end = (u32)s.ends[level];
      enter(s, alike, middle, end);
      auto row_of = [&](u32 i) -> RowOf<u64> {
        auto row = Rows::of(g, s.vertices[first + i]);
        return {row.first, row.degree};
      };
      each_element<G>(middle - first, row_of, [&](bool has, u32 i, u64 position) {
        visit(has ? s.set.place(fetch(g.indices + position)) : None, first + i, position);
      });
      G::sync();
      s.set.clear(s.slots, s.slot_count);
      s.slot_count = 0;
      G::sync();
    }
  }

  // targets returns how many places have the vertex of a first place.
  ND_FN static u64 targets(const u32* alike, u32 place) {
    u64 count = 0;
    for (; place != None; place = alike[place]) count++;
    return count;
  }

  ND_FN static u64 count(Sample<G>& s, u32* alike) {
    u64 links = 0;
    each(s, alike, [&](u32 place, u32, u64) { links += targets(alike, place); });
    return G::sum(links);
  }

  ND_FN static void write(Sample<G>& s, u32* alike, const StagedSample& to) {
    u64 links = 0;
    each(s, alike, [&](u32 place, u32 source, u64 position) {
      u64 mine = targets(alike, place), upto = G::scan(mine), at = links + upto - mine;
      for (; place != None; place = alike[place], at++) {
        to.sources()[at] = (i32)source;
        to.targets()[at] = (i32)place;
        to.link_positions()[at] = position;
      }
      links += G::from(upto, G::size - 1);
    });
  }
};

}  // namespace nd
