// Gathered rows: those rows of a graph that the host has copied to GPU memory, if the graph is larger. A row is copied
// when a kernel has read it in vain. Such a read is recorded, and returns an empty row; what a thread has made of it is
// discarded. The degrees of all vertices are known.
//
// Positions of edges are those in the arrays of the rows that were gathered. Element 0 of these arrays belongs to no
// row, so that a thread that continues with empty rows reads memory that exists, and a vertex that exists.
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

template <> ND_FN u32 degree_of<GatheredRows>(const Graph& g, u32 v) { return (u32)(fetch(g.gathered + v) >> 32); }

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
