// Walks of pools of vertices on a graph that does not fit in GPU memory, see driver/streamedwalk.cuh: those of
// driver/frontier.cuh. The degrees of all vertices are in GPU memory, so that the vertex that moves next is known
// without reading rows. The walker waits for the part of that vertex.
//
// As there, Walk::pool holds the vertices of a row, Walk::pool_previous their degrees, both consecutive.
#pragma once
#include "driver/streamedwalk.cuh"
#include "selector/scan.cuh"

namespace nd {

// pool_choice returns the number of the pool vertex that a step moves, or None if all are sinks. All ranks of G call
// it.
template <class G> ND_FN u32 pool_choice(const StreamedWalk& a, u64 place, u64 key, u32 step) {
  const u32* degrees = a.w.pool_previous + place * a.w.b.width;
  return scan<G>(word_of(key, slot_of(step, PoolTry)), (u32)a.w.b.width, [&](u32 k) { return (u64)degrees[k]; });
}

// StreamedPool is a walker. A lane chooses among few vertices, a warp among more.
struct StreamedPool : Streamed {
  // The vertex that moves next, or None if the walk has ended; its number in the pool; no meaning; the step.
  using State = Quad;
  static constexpr bool scans = true;
  static constexpr u32 LanePool = 16;
  u32 at, step;

  ND_FN StreamedPool(const StreamedWalk& a, u64 place, State s) : Streamed(a, place, s.x), at(s.y), step(s.w) {}
  ND_FN static u32 row_for(const StreamedWalk&, const Slots&, State s) { return s.x; }
  ND_FN State state() const { return {vertex, at, None, step}; }

  ND_FN void advance(u32) {
    const Trace& t = a.w.t;
    u64 width = a.w.b.width, slot = place * width + at;
    auto row = PlainRows::of(w.g, vertex);
    u64 position = row.first + below(word_of(key, slot_of(step, 0)), row.degree).index;
    vertex = fetch_far(w.g.indices + position);
    a.w.pool[slot] = vertex;
    a.w.pool_previous[slot] = fetch_far(a.w.g.biased + vertex);
    count_visit(a, vertex);
    if (t.vertices) write_once(t.vertices + (width + step) * pitch + column, vertex);
    record_edge(step, position);
    if (++step == t.end) return end();
    if (width > LanePool) waits = true;
    else choose<Lane>();
  }
  ND_FN void by_warp() { choose<Warp>(); }
  template <class G> ND_FN void choose() {
    at = pool_choice<G>(a, place, key, step);
    if (at == None) end();
    else vertex = a.w.pool[place * a.w.b.width + at];
  }
};

// enter_pools is the kernel streamed_pools, a warp per row: it fills the pools with the roots.
ND_FN void enter_pools(const StreamedWalk& a) {
  ND_SLOTS(slots, a);
  const Trace& t = a.w.t;
  const Batch& b = a.w.b;
  slots.begin();
  sync_block();
  for (u64 i = b.from + thread_of_grid() / WarpSize; i < b.rows; i += threads_of_grid() / WarpSize) {
    u32 *pool = a.w.pool + i * b.width, *degrees = a.w.pool_previous + i * b.width;
    for (u32 k = lane_index(); k < b.width; k += WarpSize) {
      u32 v = root_of(b, i, k);
      pool[k] = v;
      degrees[k] = fetch_far(a.w.g.biased + v);
      count_visit(a, v);
      if (t.vertices) write_once(t.vertices + k * t.stride + i, v);
    }
    Warp::sync();
    u32 at = t.begin < t.end ? pool_choice<Warp>(a, i, sample_key(b, i), 0) : None;
    if (lane_index() > 0) continue;
    u32 v = at == None ? None : pool[at];
    if (v != None) slots.wait(slots.part_of(v));
    else if (a.last) a.last[i] = pool[0];
    ((Quad*)a.states)[i] = {v, at, None, 0};
  }
  sync_block();
  slots.end();
}

}  // namespace nd
