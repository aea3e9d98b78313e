// Rows in order of time, as in index.TemporalRows: the edges of each row, nearest in time first. The edges that may
// follow an edge are the last ones of the row of its end point, so the record of an edge tells where they begin: a step
// makes one random access. Only for graphs of less than 2^32 edges, unless RowOf::first is not used.
//
//   temporal         per edge its TemporalEdge, 16 bytes
//   temporal_places  per edge its index in the row of the graph
//   decay            per edge the sum of the weights of its row from the edge on, as an index.DecaySum
#pragma once
#include "graph/row.cuh"

namespace nd {

// TemporalEdge is the end point of an edge, and the edges that may follow it.
struct TemporalEdge {
  u32 vertex;
  RowOf<u32> next;
  ND_FN static TemporalEdge at(const Graph& g, u64 edge) {
    Quad q = fetch(g.temporal + edge);
    return {q.x, {q.z, q.y}};
  }
};

// temporal_position returns the position in the graph of an edge of u's row.
ND_FN u64 temporal_position(const Graph& g, u32 u, u64 edge) {
  return fetch(g.indptr + u) + fetch_far(g.temporal_places + edge);
}

}  // namespace nd
