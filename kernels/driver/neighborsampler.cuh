// The neighbour sampler: all hops of several mini-batches in one cooperative launch. A step is one relation in one hop:
//
//   1. expand        (driver/expand.cuh) chooses the edges of the frontier. Prefix sums of the edges that its nodes
//                    take give every edge a place; the edge's source enters the table of nodes under the least place
//                    that leads to it
//   2. number_fresh  an edge is fresh if it is the first to lead to its source: if the table holds the edge's own
//                    place. Prefix sums of the fresh edges number the new nodes in the order of their first appearance
//
// A grid barrier follows each. Prefix sums use decoupled look-back (driver/tiles.cuh). If a block has several tiles, a
// counting pass and another grid barrier come first, since blocks would otherwise wait for each other at every tile. A
// second kernel, compact (driver/compact.cuh), copies the result to the arena in the caller's layout.
//
// A launch that finds too little room in some array reports that (report_fault) and ends; the host makes room and
// repeats.
#pragma once
#include "driver/expand.cuh"

namespace nd {

// know records, for the launch and the host, the number of nodes of a list after a number of steps.
ND_FN void know(const NeighborSampler& a, u64 steps, u64 list, u32 count) {
  u64 at = steps * a.types * a.batches + list;
  a.known[at] = count;
  a.report[ReportHead + at] = count;
}

// enter_seeds enters the seed nodes into the table, numbered by their places, a thread per seed. A seed that is no
// vertex or occurs twice in its tree is a fault.
ND_FN void enter_seeds(const NeighborSampler& a) {
  NodeTable table{a, 0};
  u64 lists = a.types * a.batches, count = a.seed_at[lists];
  for (u64 l = thread_of_grid(); l < lists; l += threads_of_grid())
    know(a, 0, l % a.types * a.batches + l / a.types, (u32)(a.seed_at[l + 1] - a.seed_at[l]));
  for (u64 i = thread_of_grid(); i < count; i += threads_of_grid()) {
    u64 low = 0;
    for (u64 high = lists; high - low > 1;) {
      u64 middle = (low + high) / 2;
      if (a.seed_at[middle] <= i) low = middle;
      else high = middle;
    }
    u64 batch = low / a.types, type = low % a.types, number = i - a.seed_at[low];
    u32 v = a.seeds[i], tree = (u32)(a.disjoint ? i : batch);
    if (v >= a.vertices[type] || !table.enter((u32)batch, table.key(tree, (u32)type, v), (u32)number).first) {
      report_fault(a, 0, FaultSeeds, i);
      continue;
    }
    u64 at = (type * a.batches + batch) * a.node_capacity + number;
    a.nodes[at] = v;
    if (a.trees) a.trees[at] = tree;
  }
}

// Found is an edge of a tile, and the table's record of its source.
struct Found {
  u32 edge, slot;
  NodeTable::Record record;
  bool fresh;
};

// look reads the record of the thread's edge of a tile, and tells whether the edge is fresh. Sources that have their
// number already are never fresh, so other threads may number nodes at the same time.
ND_FN Found look(const NeighborSampler& a, const Tiles::Tile& tile, const u32* edge_at) {
  Found f{edge_at[tile.batch] + tile.number * Team::size + thread_index(), 0, {}, false};
  if (f.edge < edge_at[tile.batch + 1]) {
    f.slot = a.slots[f.edge];
    f.record = NodeTable{a, 0}.at(f.slot);
  }
  f.fresh = f.record.number == (Place | f.edge);
  return f;
}

// recall is look after count_fresh: its bits tell which edges are fresh, and only their records are read.
ND_FN Found recall(const NeighborSampler& a, const Tiles::Tile& tile, u32 t, const u32* edge_at) {
  Found f{edge_at[tile.batch] + tile.number * Team::size + thread_index(), 0, {}, false};
  f.fresh = a.fresh[t * Team::warps + thread_index() / WarpSize] >> lane_index() & 1;
  if (f.fresh) {
    f.slot = a.slots[f.edge];
    f.record = NodeTable{a, 0}.at(f.slot);
  }
  return f;
}

// count_fresh is the counting pass if a block has several tiles: it publishes the number of fresh edges of each tile,
// and keeps a bit per edge for recall. A grid barrier follows.
ND_FN void count_fresh(const NeighborSampler& a, const Tiles& tiles, const u32* edge_at, u32 phase) {
  for (u32 t = block_index(); t < tiles.count; t += grid_size()) {
    bool fresh = look(a, tiles.of(t), edge_at).fresh;
    u32 word = ballot(~0u, fresh);
    if (lane_index() == 0) a.fresh[t * Team::warps + thread_index() / WarpSize] = word;
    u64 sum = Team::sum(fresh);
    if (thread_index() == 0) publish(a.sums, t, phase, sum);
  }
}

// number_fresh numbers the sources of fresh edges, a thread per edge, and records the new length of each list. phase is
// that of the sums; counted: count_fresh has run.
ND_FN void number_fresh(const NeighborSampler& a, const Step& step, u32 s, const Tiles& tiles, const u32* edge_at, u32 phase, bool counted) {
  u64 lists = a.types * a.batches;
  const u32* before = a.known + s * lists;
  PrefixSum sums{a.sums, phase};
  for (u32 t = block_index(); t < tiles.count; t += grid_size()) {
    auto tile = tiles.of(t);
    u64 list = step.source * a.batches + tile.batch;
    Found f = counted ? recall(a, tile, t, edge_at) : look(a, tile, edge_at);
    bool last = thread_index() == Team::size - 1;
    u64 upto = Team::scan(f.fresh);
    if (last && !counted) publish(a.sums, t, phase, upto);
    upto += before[list] + sums.of(tiles, t, tile.batch);
    if (last && t + 1 == tiles.first[tile.batch + 1]) know(a, s + 1, list, (u32)upto);
    if (!f.fresh) continue;
    if (upto > a.node_capacity) {
      report_fault(a, phase, FaultNodes, upto);
      continue;
    }
    u64 at = list * a.node_capacity + upto - 1;
    a.nodes[at] = (u32)f.record.key;
    if (a.trees) a.trees[at] = (u32)((f.record.key >> 32) / a.types);
    NodeTable{a, phase}.at(f.slot).number = (u32)upto - 1;
  }
  for (u64 l = thread_of_grid(); l < lists; l += threads_of_grid()) {  // lists without a tile keep their length
    u64 batch = l % a.batches;
    if (l / a.batches != step.source || tiles.first[batch] == tiles.first[batch + 1]) know(a, s + 1, l, before[l]);
  }
}

// read_step copies step s to shared memory. It begins with a block barrier; the step may be read after the next one.
ND_FN void read_step(const NeighborSampler& a, u32 s, Step* to) {
  sync_block();
  if (s == a.step_count) return;
  for (u32 i = thread_index(); i < sizeof(Step) / 8; i += Team::size) ((u64*)to)[i] = ((const u64*)(a.steps + s))[i];
}

// clear resets the table, the queue and the published sums of an earlier launch; a grid barrier follows.
ND_FN void clear(const NeighborSampler& a) {
  NodeTable{a, 0}.clear();
  clear_hubs(a);
  for (u64 i = thread_of_grid(); i < a.sum_capacity; i += threads_of_grid()) a.sums[i] = 0;
}

// draw_neighbors samples all batches of a launch: kernel neighborsampler_draw. The launch is cooperative, of blocks of
// NeighborThreads threads.
ND_FN void draw_neighbors(const NeighborSampler& a) {
  ND_SHARED(u32, frontier_first, MostBatches + 1);
  ND_SHARED(u32, tile_first, MostBatches + 1);
  ND_SHARED(Step, shared, 1);
  Expansion x = Expansion::shared();
  // 1. Reset, and enter the seeds.
  clear(a);
  read_step(a, 0, shared);
  sync_grid(a.arrived);
  enter_seeds(a);
  sync_grid(a.arrived);
  if (failed(a, 0)) return;
  HopFrontier frontier{0, 0, 0, frontier_first};
  for (u32 s = 0; s < a.step_count; s++) {
    // 2. Lay out the step's frontier.
    const Step& step = *shared;
    u32 phase = 2 * s + 1;
    frontier.begin(a, step);
    if (frontier.offset((u32)a.batches) > a.offset_capacity) {
      if (thread_of_grid() == 0) report_fault(a, phase, FaultOffsets, frontier.offset((u32)a.batches));
      return;
    }
    u32 each = frontier.each(step);
    Tiles tiles = tiles_of(tile_first, (u32)a.batches, each, [&](u32 b) { return frontier.of(b); });
    if (tiles.count == 0 && thread_of_grid() == 0) frontier.note_end(a, s, phase, tiles, frontier.edges);
    if (step.hubs && thread_of_grid() == 0) hub_queue(a).arm(grid_size());
    // 3. Choose the edges and enter their sources.
    bool counted = tiles.count > grid_size();
    if (counted) count_frontier(a, step, frontier, tiles, each, phase);
    if (counted || step.hubs) sync_grid(a.arrived);
    if (differ(step) && !step.hubs) expand<Usual>(a, step, s, frontier, tiles, each, phase, counted, x);
    else expand_other(a, step, s, frontier, tiles, each, phase, counted);
    sync_grid(a.arrived);
    if (failed(a, phase)) return;
    // 4. Number the new nodes.
    const u32* edge_at = a.edge_at + s * (a.batches + 1);
    Tiles of_edges = tiles_of(tile_first, (u32)a.batches, Team::size, [&](u32 b) { return edge_at[b + 1] - edge_at[b]; });
    counted = of_edges.count > grid_size();
    if (counted) {
      count_fresh(a, of_edges, edge_at, phase + 1);
      sync_grid(a.arrived);
    }
    number_fresh(a, step, s, of_edges, edge_at, phase + 1, counted);
    read_step(a, s + 1, shared);
    sync_grid(a.arrived);
    if (failed(a, phase + 1)) return;
    frontier.end(a, s);
  }
}

}  // namespace nd
