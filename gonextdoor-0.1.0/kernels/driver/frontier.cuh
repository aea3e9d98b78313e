// Multi-dimensional walks (frontier sampling): each step moves one vertex of a pool. The twin of
// app.MultiDimensionalWalk. A group of lanes makes a sample. Per step:
//
//   1. select a pool vertex with a probability in proportion to its degree, by Scan over the pool
//   2. select one of its edges uniformly at random
//   3. replace the pool vertex by the end point, and write the step
//
// A step costs O(pool size / group size). The pool is in device memory, since its size is a parameter of the app.
#pragma once
#include "core/group.cuh"
#include "driver/rows.cuh"
#include "selector/scan.cuh"

namespace nd {

// frontier keeps the degree of each pool vertex, so that a step reads one row only: Walk::pool holds the vertices of a
// row, Walk::pool_previous their degrees, both consecutive. Both persist between launches. If no pool vertex has an
// edge, the pool never changes again, so a later launch needs no flag to tell that the walk has ended.
template <class G, class Rows> ND_FN void frontier(const Walk& a) {
  const Batch& b = a.b;
  const Trace& t = a.t;
  u32 width = (u32)b.width;
  for (u64 i = b.from + thread_of_grid() / G::size; i < rows_end(b); i += threads_of_grid() / G::size) {
    u32 *pool = a.pool + i * width, *degrees = a.pool_previous + i * width;
    u64 key = sample_key(b, i);
    // The first launch fills the pool with the roots; each rank takes every G::size-th of them.
    for (u32 k = G::rank(); t.begin == 0 && k < width; k += G::size) {
      u32 v = root_of(b, i, k);
      pool[k] = v;
      degrees[k] = Rows::of(a.g, v).degree;
      write_once(t.vertices + k * t.stride + i, v);
    }
    for (u64 s = t.begin; s < t.end; s++) {
      G::sync();  // rank 0 has written the pool
      // 1. Select a pool vertex.
      u32 at = scan<G>(word_of(key, slot_of(s, PoolTry)), width, [&](u32 k) { return (u64)degrees[k]; });
      u32 v = None;
      u64 position = NoEdge;
      // 2. Select an edge. All ranks compute the same, without communication.
      if (at != None) {
        auto row = Rows::of(a.g, pool[at]);
        position = row.first + below(word_of(key, slot_of(s, 0)), row.degree).index;
        v = fetch_far(a.g.indices + position);
      }
      G::sync();  // all ranks have read the pool
      // 3. Replace the pool vertex and write the step.
      if (G::rank() != 0) continue;
      if (at != None) {
        pool[at] = v;
        degrees[at] = Rows::of(a.g, v).degree;
      }
      write_once(t.vertices + (width + s) * t.stride + i, v);
      if (t.edges) write_once(t.edges + s * t.stride + i, edge_id(a.g, position));
    }
  }
}

}  // namespace nd
