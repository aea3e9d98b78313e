// Multi-dimensional walks: each step moves one vertex of a pool. The twin of app.MultiDimensionalWalk. A group of lanes
// makes a sample: it selects the vertex by degree, by Scan over the pool, and then one of its neighbours.
#pragma once
#include "core/group.cuh"
#include "driver/rows.cuh"
#include "selector/scan.cuh"

namespace nd {

// frontier keeps the degree of each pool vertex beside it: Walk::pool has the vertices of a row, consecutive,
// pool_previous the degrees. If no pool vertex has an edge, nothing moves any more, so a launch need not know how the
// last one ended.
template <class G, class Rows> ND_FN void frontier(const Walk& a) {
  const Batch& b = a.b;
  const Trace& t = a.t;
  u32 width = (u32)b.width;
  for (u64 i = b.from + thread_of_grid() / G::size; i < rows_end(b); i += threads_of_grid() / G::size) {
    u32 *pool = a.pool + i * width, *degrees = a.pool_previous + i * width;
    u64 key = sample_key(b, i);
    for (u32 k = G::rank(); t.begin == 0 && k < width; k += G::size) {
      u32 v = root_of(b, i, k);
      pool[k] = v, degrees[k] = Rows::of(a.g, v).degree;
      write_once(t.vertices + k * t.stride + i, v);
    }
    for (u64 s = t.begin; s < t.end; s++) {
      G::sync();
      u32 at = scan<G>(word_of(key, slot_of(s, PoolTry)), width, [&](u32 k) { return (u64)degrees[k]; });
      u32 v = None;
      u64 position = NoEdge;
      if (at != None) {
        auto row = Rows::of(a.g, pool[at]);
        position = row.first + below(word_of(key, slot_of(s, 0)), row.degree).index;
        v = fetch_far(a.g.indices + position);
      }
      G::sync();  // all have read what is written now
      if (G::rank() != 0) continue;
      if (at != None) pool[at] = v, degrees[at] = Rows::of(a.g, v).degree;
      write_once(t.vertices + (width + s) * t.stride + i, v);
      if (t.edges) write_once(t.edges + s * t.stride + i, edge_id(a.g, position));
    }
  }
}

}  // namespace nd
