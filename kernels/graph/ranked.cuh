// Vertices by rank, those with the most edges first. A walk is where the edges are, so the records of the first ranks stay
// in the second-level cache even where a table of all vertices has many times its size; and what a walk reads elsewhere
// names its vertices by rank. Only for graphs of less than 2^32 edges and degrees below 2^24.
#pragma once
#include "graph/packed.cuh"
#include "graph/wide.cuh"

namespace nd {

// RankedRow is a vertex and its row among the rows in the order of the ranks.
struct RankedRow {
  u32 vertex;
  RowOf<u32> row;

  // of reads a quarter of a sector: the rows of four ranks as in Graph::packed, then their vertices.
  ND_FN static RankedRow of(const Graph& g, u32 rank) {
    const Quad* at = g.ranked + (u64)(rank / PackedVertices) * 2;
    u32 k = rank % PackedVertices;
    Quad rows = fetch(at), vertices = fetch(at + 1);
    return {k < 2 ? (k ? vertices.y : vertices.x) : (k == 2 ? vertices.z : vertices.w), PackedRows::in(rows, k)};
  }
};

// ranked_slot is the alias slot at a position among the rows in the order of the ranks. Its end points are ranks.
ND_FN AliasSlot ranked_slot(const Graph& g, u32 position) {
  Quad q = fetch_far(g.ranked_alias + position);
  return {q.x, q.y, q.z, q.w};
}

// build_ranked makes records begin ... end-1 in quads and the ranks of their vertices in words, from the vertices by rank
// in positions and where each record's first row begins in offsets.
ND_FN void build_ranked(const Build& a) {
  for (u64 i = a.begin + thread_of_grid(); i < a.end; i += threads_of_grid()) {
    u32 v[PackedVertices], degrees[PackedVertices];
    for (u32 k = 0; k < PackedVertices; k++) {
      u64 rank = i * PackedVertices + k;
      v[k] = None;
      degrees[k] = 0;
      if (rank >= a.g.vertices) continue;
      v[k] = fetch(a.positions + rank);
      degrees[k] = PlainRows::of(a.g, v[k]).degree;
      a.words[v[k]] = (u32)rank;
    }
    a.quads[2 * i] = PackedRows::pack((u32)fetch(a.offsets + i), degrees);
    a.quads[2 * i + 1] = {v[0], v[1], v[2], v[3]};
  }
}

// build_ranked_alias lays the alias slots of vertices begin ... end-1 by rank into quads, a warp a row.
ND_FN void build_ranked_alias(const Build& a) {
  for (u64 v = a.begin + thread_of_grid() / WarpSize; v < a.end; v += threads_of_grid() / WarpSize) {
    auto row = PlainRows::of(a.g, (u32)v);
    u32 first = RankedRow::of(a.g, fetch(a.g.ranks + v)).row.first;
    for (u32 i = lane_index(); i < row.degree; i += WarpSize) {
      auto slot = AliasSlot::at(a.g, row.first + i);
      u32 rank = slot.vertex == None ? None : fetch(a.g.ranks + slot.vertex);
      u32 other = slot.other == None ? None : fetch(a.g.ranks + slot.other);
      a.quads[first + i] = {rank, other, slot.threshold, slot.place};
    }
  }
}

}  // namespace nd
