// Mini-batches: all hops of all batches in one cooperative launch. A step is one relation in one hop:
//
//   1. expand        running sums of what the due nodes take give every edge its place; the edges are chosen, and their ends
//                    entered into the table, each under the least place of all that lead to it
//   2. number_fresh  an edge is fresh, the first that leads to its end, where the table has its own place; running sums of
//                    those give their ends the numbers that the law wants: by first appearance
//
// with the grid's barrier between. Running sums go by what each tile publishes: where a block has one tile, it goes on as
// soon as those before have theirs; where it has more, the sums are made first, behind a barrier of their own, so that
// blocks need not go in step. What is laid out of that for the caller, another launch lays (driver/compact.cuh).
#pragma once
#include "driver/expand.cuh"

namespace nd {

// know writes how many nodes a list has behind so many steps.
ND_FN void know(const Neighborhood& a, u64 steps, u64 list, u32 count) {
  u64 at = steps * a.types * a.batches + list;
  a.known[at] = count;
  a.report[ReportHead + at] = count;
}

// enter_seeds gives the seeds their numbers.
ND_FN void enter_seeds(const Neighborhood& a) {
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
    u64 at = (type * a.batches + batch) * a.node_room + number;
    a.nodes[at] = v;
    if (a.trees) a.trees[at] = tree;
  }
}

// Found is what a thread knows of an edge of a tile.
struct Found {
  u32 edge, slot;
  NodeTable::Record record;
  bool fresh;
};

// look looks at the thread's edge of a tile. An edge is fresh, the first that leads to its end, where the table has its
// place. Ends that have a number already look like those of no fresh edge: they may be given while others look.
ND_FN Found look(const Neighborhood& a, const Tiles::Tile& tile, const u32* edge_at) {
  Found f{edge_at[tile.batch] + tile.number * Team::size + thread_index(), 0, {}, false};
  if (f.edge < edge_at[tile.batch + 1]) f.slot = a.slots[f.edge], f.record = NodeTable{a, 0}.at(f.slot);
  f.fresh = f.record.number == (Place | f.edge);
  return f;
}

// recall is look where count_fresh has looked: only fresh edges are read.
ND_FN Found recall(const Neighborhood& a, const Tiles::Tile& tile, u32 t, const u32* edge_at) {
  Found f{edge_at[tile.batch] + tile.number * Team::size + thread_index(), 0, {}, false};
  f.fresh = a.fresh[t * Team::warps + thread_index() / WarpSize] >> lane_index() & 1;
  if (f.fresh) f.slot = a.slots[f.edge], f.record = NodeTable{a, 0}.at(f.slot);
  return f;
}

// count_fresh marks and sums up the fresh edges of each tile, for tiles that come after others in their blocks.
ND_FN void count_fresh(const Neighborhood& a, const Tiles& tiles, const u32* edge_at, u32 phase) {
  for (u32 t = block_index(); t < tiles.count; t += grid_size()) {
    bool fresh = look(a, tiles.of(t), edge_at).fresh;
    u32 word = ballot(~0u, fresh);
    if (lane_index() == 0) a.fresh[t * Team::warps + thread_index() / WarpSize] = word;
    u64 sum = Team::sum(fresh);
    if (thread_index() == 0) publish(a.sums, t, phase, sum);
  }
}

// number_fresh gives numbers to the ends of fresh edges.
ND_FN void number_fresh(const Neighborhood& a, const Step& step, u32 s, const Tiles& tiles, const u32* edge_at, u32 phase, bool counted) {
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
    if (upto > a.node_room) {
      report_fault(a, phase, FaultNodes, upto);
      continue;
    }
    u64 at = list * a.node_room + upto - 1;
    a.nodes[at] = (u32)f.record.key;
    if (a.trees) a.trees[at] = (u32)((f.record.key >> 32) / a.types);
    NodeTable{a, phase}.at(f.slot).number = (u32)upto - 1;
  }
  for (u64 l = thread_of_grid(); l < lists; l += threads_of_grid()) {  // those that no tile is of
    u64 batch = l % a.batches;
    if (l / a.batches != step.source || tiles.first[batch] == tiles.first[batch + 1]) know(a, s + 1, l, before[l]);
  }
}

// read_step brings a step to shared memory, for when all have met next.
ND_FN void read_step(const Neighborhood& a, u32 s, Step* to) {
  sync_block();
  if (s == a.step_count) return;
  for (u32 i = thread_index(); i < sizeof(Step) / 8; i += Team::size) ((u64*)to)[i] = ((const u64*)(a.steps + s))[i];
}

// clear makes ready what must not hold what lay there before.
ND_FN void clear(const Neighborhood& a) {
  NodeTable{a, 0}.clear();
  clear_hubs(a);
  for (u64 i = thread_of_grid(); i < a.sum_room; i += threads_of_grid()) a.sums[i] = 0;
}

// neighborhood samples all batches.
ND_FN void neighborhood(const Neighborhood& a) {
  ND_SHARED(u32, frontier_first, MostBatches + 1);
  ND_SHARED(u32, tile_first, MostBatches + 1);
  ND_SHARED(Step, shared, 1);
  Expansion x = Expansion::shared();
  clear(a);
  read_step(a, 0, shared);
  sync_grid(a.arrived);
  enter_seeds(a);
  sync_grid(a.arrived);
  if (failed(a, 0)) return;
  HopFrontier due{0, 0, 0, frontier_first};
  for (u32 s = 0; s < a.step_count; s++) {
    const Step& step = *shared;
    u32 phase = 2 * s + 1;
    due.begin(a, step);
    if (due.offset((u32)a.batches) > a.offset_room) {
      if (thread_of_grid() == 0) report_fault(a, phase, FaultOffsets, due.offset((u32)a.batches));
      return;
    }
    u32 each = due.each(step);
    Tiles tiles = tiles_of(tile_first, (u32)a.batches, each, [&](u32 b) { return due.of(b); });
    if (tiles.count == 0 && thread_of_grid() == 0) due.note_end(a, s, phase, tiles, due.edges);
    if (step.hubs && thread_of_grid() == 0) hub_queue(a).arm(grid_size());
    bool counted = tiles.count > grid_size();
    if (counted) count_frontier(a, step, due, tiles, each, phase);
    if (counted || step.hubs) sync_grid(a.arrived);
    if (differ(step) && !step.hubs) expand<Usual>(a, step, s, due, tiles, each, phase, counted, x);
    else expand_other(a, step, s, due, tiles, each, phase, counted);
    sync_grid(a.arrived);
    if (failed(a, phase)) return;
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
    due.end(a, s);
  }
}

}  // namespace nd
