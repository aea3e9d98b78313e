// The search for the edges to a vertex in several rows, whose edges are in order of their ends.
#pragma once
#include "core/args.cuh"
#include "core/group.cuh"
#include "graph/row.cuh"

namespace nd {

// each_edge_to calls visit(t, i) for the edges i of row t that lead to v, for rows 0 ... count-1, by any ranks.
// row_at(t) returns the position of the first edge, and the number of edges, in order of their ends. A rank searches
// `together` rows at a time, so that their loads are in flight at the same time.
template <class G, u32 together, class RowAt, class Visit>
ND_FN void each_edge_to(const Graph& g, u32 count, u32 v, RowAt row_at, Visit visit) {
  for (u64 from = G::rank(); from < count; from += together * G::size) {
    u64 first[together];
    u32 degree[together], low[together], left[together], longest = 0;
#pragma unroll
    for (u32 r = 0; r < together; r++) {
      u64 t = from + r * G::size;
      RowOf<u64> row{0, 0};
      if (t < count) row = row_at((u32)t);
      first[r] = row.first;
      left[r] = degree[r] = row.degree;
      low[r] = 0;
      longest = longest > left[r] ? longest : left[r];
    }
    for (; longest > 0; longest /= 2) {  // all searches make a step
#pragma unroll
      for (u32 r = 0; r < together; r++) {
        u32 half = left[r] / 2;
        bool after = left[r] > 0 && fetch(g.indices + first[r] + low[r] + half) < v;
        low[r] += after ? half + 1 : 0;
        left[r] = after ? left[r] - half - 1 : half;
      }
    }
#pragma unroll
    for (u32 r = 0; r < together; r++)
      for (u32 i = low[r]; i < degree[r] && fetch(g.indices + first[r] + i) == v; i++)
        visit((u32)(from + r * G::size), i);
  }
}

}  // namespace nd
