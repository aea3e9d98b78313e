// Wide records: per edge, the end point together with its row, so that a step makes one random access instead of two.
// For graphs with so many vertices that no table of rows stays in the L2 cache. Only for graphs of less than 2^32
// edges.
#pragma once
#include "graph/row.cuh"

namespace nd {

// WideEdge is an edge's 16 bytes in Graph::wide.
struct WideEdge {
  u32 vertex;      // the end point
  RowOf<u32> row;  // of the end point
  u32 id;          // of the edge, if ids have 4 bytes or are positions; 0 if they have 8 bytes
  ND_FN static WideEdge at(const Graph& g, u64 position) {
    Quad q = fetch(g.wide + position);
    return {q.x, {q.y, q.z}, q.w};
  }
};

// AliasSlot is an edge's 16 bytes in Graph::alias, as in graph.AliasSlot.
struct AliasSlot {
  u32 vertex, other;  // the end points of the edge and of its alias
  u32 threshold;      // the edge is chosen if a 32-bit fraction is below it, else the alias
  u32 place;          // the index of the alias within the row
  ND_FN static AliasSlot at(const Graph& g, u64 position) {
    Quad q = fetch_far(g.alias + position);
    return {q.x, q.y, q.z, q.w};
  }
  // near reads it through the L1 cache.
  ND_FN static AliasSlot near(const Graph& g, u64 position) {
    Quad q = fetch(g.alias + position);
    return {q.x, q.y, q.z, q.w};
  }
};

// WideSlot is an edge's 32 bytes in Graph::wide_alias: one sector. It is read in two halves through the L1 cache, so
// the second half hits the line of the first. Without the L1 cache they would be two accesses.
struct WideSlot {
  u32 threshold, vertex;
  RowOf<u32> row;
  u32 other;
  RowOf<u32> other_row;
  u32 place;
  ND_FN static WideSlot at(const Graph& g, u64 position) {
    const Quad* at = g.wide_alias + 2 * position;
    Quad a = fetch(at), b = fetch(at + 1);
    return {a.x, a.y, {a.z, a.w}, b.x, {b.y, b.z}, b.w};
  }
};

}  // namespace nd
