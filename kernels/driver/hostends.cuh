// Mini-batches on a graph of which the end points are in host memory, or some of them. A uniform choice depends on the
// length of a row, not on its content. So the GPU makes all choices, for which it has the begins of the rows, and the
// host reads the end points of the chosen edges.
//
// A draw has one launch more than steps. Launch s has these phases, with a grid barrier after each but the last:
//
//   1. insert_ends       Insert the sources of the edges of step s-1 into the id map. The host has written their end
//                        points. Launch 0 inserts the seed nodes.
//   2. number_step       Number the new nodes of step s-1.
//   3. expand_step       Choose the edges of step s.
//   4. report_positions  Write their positions to host memory.
//
// The arrays in device memory hold the state between launches. The result is that of driver/neighborsampler.cuh: the id
// map does not depend on the order of insertions.
#pragma once
#include "driver/neighborsampler.cuh"

namespace nd {

// HostEnds is the parameter of the kernel that draws mini-batches whose end points the host reads. Launch number `step`
// of a draw completes the step before, and chooses the edges of that step.
struct HostEnds {
  NeighborSampler n;
  u64 step;
  const u32* ends;    // per edge its end point; None: it is in device memory, at the edge's position
  u64* positions;     // host memory: per edge its position
  u64 position_size;  // 4 or 8 bytes
};

// HostEndsChoice is RowChoice for edges whose sources are inserted later.
struct HostEndsChoice : RowChoice {
  static constexpr bool inserts = false;
};

// insert_ends inserts the sources of the edges of step s, a tile of edges per block. Until then, the slot of an edge
// has the tree of its destination. A grid barrier must follow.
ND_FN void insert_ends(const HostEnds& h, const Step& step, u32 s, u32* tile_first) {
  const NeighborSampler& a = h.n;
  NodeTable table{a, 2 * s + 1};
  const u32* edge_at = a.edge_at + s * (a.batches + 1);
  u32 each = EdgeTile::size(edge_at[a.batches] - edge_at[0]);
  Tiles tiles = tiles_of(tile_first, (u32)a.batches, each, [&](u32 b) { return edge_at[b + 1] - edge_at[b]; });
  for (u32 t = block_index(); t < tiles.count; t += grid_size()) {
    auto tile = tiles.of(t);
    EdgeTile edges = EdgeTile::of(tile, edge_at, each);
    for (u32 first = edges.first + thread_index(); first < edges.end; first += EndsAhead * Team::size) {
      bool has[EndsAhead];
      u32 places[EndsAhead], trees[EndsAhead], slots[EndsAhead];
      const u32* ends[EndsAhead];
      u64 keys[EndsAhead];
      // 1. Find the end points. No load is under a condition, so that all are in flight together.
#pragma unroll
      for (u32 i = 0; i < EndsAhead; i++) {
        has[i] = first + i * Team::size < edges.end;
        places[i] = min_of(first + i * Team::size, edges.end - 1);
        u32 tree = a.slots[places[i]];  // of the last edge, another thread may have written the slot already
        trees[i] = has[i] ? tree : 0;
        u64 position = a.positions[places[i]];
        ends[i] = fetch(h.ends + places[i]) == None ? step.g.indices + position : h.ends + places[i];
      }
#pragma unroll
      for (u32 i = 0; i < EndsAhead; i++) keys[i] = table.key(trees[i], (u32)step.source, fetch_far(ends[i]));
      // 2. Insert them.
      if (table.direct()) table.template insert<true>(tile.batch, has, keys, places, slots);
      else table.template insert<false>(tile.batch, has, keys, places, slots);
#pragma unroll
      for (u32 i = 0; i < EndsAhead; i++)
        if (has[i]) a.slots[places[i]] = slots[i];
    }
  }
}

// report_positions writes the positions of the edges of step s to host memory. Consecutive threads write consecutive
// elements.
ND_FN void report_positions(const HostEnds& h, u32 s) {
  const u32* edge_at = h.n.edge_at + s * (h.n.batches + 1);
  for (u64 e = edge_at[0] + thread_of_grid(); e < edge_at[h.n.batches]; e += threads_of_grid()) {
    u64 position = h.n.positions[e];
    if (h.position_size == 4) ((u32*)h.positions)[e] = (u32)position;
    else h.positions[e] = position;
  }
}

// draw_step is one launch of a draw: kernel hostends_draw, a cooperative launch with NeighborThreads threads per block.
// The phases of the sums are those of draw_neighbors.
ND_FN void draw_step(const HostEnds& h) {
  ND_SHARED(u32, frontier_first, MostBatches + 1);
  ND_SHARED(u32, tile_first, MostBatches + 1);
  ND_SHARED(Step, shared, 1);
  const NeighborSampler& a = h.n;
  Expansion x = Expansion::shared();
  HopFrontier frontier{0, 0, 0, frontier_first};
  u32 s = (u32)h.step;
  if (s == 0) {
    clear(a);
    sync_grid(a.arrived);
    insert_seed_nodes(a);
  } else {
    read_step(a, s - 1, shared);
    sync_block();
    insert_ends(h, *shared, s - 1, tile_first);
    sync_grid(a.arrived);
    if (failed(a, 2 * s - 1)) return;
    number_step(a, *shared, s - 1, tile_first, x);
    frontier.edges = a.edge_at[(s - 1) * (a.batches + 1) + a.batches];
    frontier.offsets = a.frontier_at[s];
  }
  if (s == a.step_count) return;
  read_step(a, s, shared);
  sync_grid(a.arrived);
  if (failed(a, 2 * s)) return;
  if (expand_step<HostEndsChoice>(a, *shared, s, frontier, tile_first, x)) {
    report_counts(a, s + 1, thread_of_grid(), threads_of_grid());
    report_positions(h, s);
  }
}

}  // namespace nd
