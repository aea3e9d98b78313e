// Records beside the edges that bring the next row with them, so that a step makes one random access and not two: for
// graphs whose vertices are too many for any table of rows to stay in the L2 cache. Only for graphs of less
// than 2^32 edges.
#pragma once
#include "graph/row.cuh"

namespace nd {

// WideEdge is an edge's 16 bytes in Graph::wide.
struct WideEdge {
  u32 vertex;       // the end point
  RowOf<u32> row;   // of the end point
  u32 id;           // the edge's own, where ids have 4 bytes or are positions; 0 where they have 8
  ND_FN static WideEdge at(const Graph& g, u64 position) {
    Quad q = fetch(g.wide + position);
    return {q.x, {q.y, q.z}, q.w};
  }
};

// AliasSlot is an edge's 16 bytes in Graph::alias, as graph.AliasSlot has them.
struct AliasSlot {
  u32 vertex, other;  // the end points of the edge itself and of the one that it may lead to
  u32 threshold;      // the edge itself where a fraction is below it
  u32 place;          // of the other one within the row
  ND_FN static AliasSlot at(const Graph& g, u64 position) {
    Quad q = fetch_far(g.alias + position);
    return {q.x, q.y, q.z, q.w};
  }
};

// WideSlot is an edge's 32 bytes in Graph::wide_alias: one sector. Its halves are read through the L1 cache,
// so that the second one finds there what the first one has asked for: past it they are two accesses.
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
