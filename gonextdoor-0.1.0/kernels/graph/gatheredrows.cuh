// Gathered rows: those rows of a graph that the host has copied to GPU memory, if the graph is larger. A row is copied
// when a kernel has read it in vain. Such a read is recorded, and returns an empty row; what a thread has made of it is
// discarded. The degrees of all vertices are known.
//
// Positions of edges are those in the arrays of the rows that were gathered. Element 0 of these arrays belongs to no
// row, so that a thread that continues with empty rows reads memory that exists, and a vertex that exists.
//
// A sample that draws single edges reads pages instead: PageEdges consecutive edges of the graph, whatever their rows.
// A page is copied like a row, and its number takes the place of the vertex. So the row of a hub is not copied for one
// edge.
#pragma once
#include "graph/row.cuh"

namespace nd {

struct GatheredRows {
  using Row = RowOf<u64>;
  ND_FN static Row of(const Graph& g, u32 v) {
    u64 record = fetch(g.gathered + v);
    if ((u32)record != None) return {(u32)record, (u32)(record >> 32)};
    or_atomic(g.wanted + v / 32, 1u << v % 32);
    g.missed[thread_of_grid()] = 1;
    return {0, 0};
  }
};

// gathers is set for rows that may be missing.
template <class Rows> constexpr bool gathers = false;
template <> constexpr bool gathers<GatheredRows> = true;

template <> ND_FN u32 degree_of<GatheredRows>(const Graph& g, u32 v) { return (u32)(fetch(g.gathered + v) >> 32); }

// PageEdges is the number of edges of a page. gonextdoor/engine/gpu/internal/parts/gatherspec.go has the same number.
constexpr u64 PageEdges = 64;

// edge_at returns the position at which kernels find an edge that is not read by its row: that of the gathered arrays
// if pages are gathered.
template <class Rows> ND_FN u64 edge_at(const Graph& g, u64 position) {
  if constexpr (gathers<Rows>) {
    auto page = Rows::of(g, (u32)(position / PageEdges));
    return page.degree > 0 ? page.first + position % PageEdges : 0;
  } else {
    return position;
  }
}

// missed_rows returns whether a rank of a group has read a row that is not there since the last call. All ranks call
// it.
template <class G> ND_FN bool missed_rows(const Graph& g) {
  if (!g.missed) return false;
  bool own = g.missed[thread_of_grid()];
  g.missed[thread_of_grid()] = 0;
  return G::sum(own) > 0;
}

// gathered_id returns the id of an edge that was gathered, and the position of any other graph.
ND_FN u64 gathered_id(const Graph& g, u64 position) {
  return g.gathered && position != NoEdge ? id_at(g, position) : position;
}

// enter_rows records where `count` rows begin that have been copied.
ND_FN void enter_rows(const Gathered& a) {
  for (u64 i = thread_of_grid(); i < a.count; i += threads_of_grid()) {
    u64 row = fetch(a.rows + i), *record = a.records + (row >> 32);
    *record = *record >> 32 << 32 | (u32)row;
  }
}

}  // namespace nd
