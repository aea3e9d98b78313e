// Mini-batches: all hops of all batches in one cooperative launch. A step is one relation in one hop:
//
//   1. count_due     how many edges each node takes that is due, summed by tiles
//   2. expand        the sums give every edge its place; the edges are chosen, and their ends entered into the table, each
//                    under the least place of all that lead to it
//   3. find_fresh    an edge is fresh, the first that leads to its end, where the table has its own place
//   4. number_fresh  running sums of those give their ends the numbers that the law wants: by first appearance
//
// with the grid's barrier between. What is laid out of that for the caller, another launch lays (driver/laying.cuh), once
// the host knows how much it is.
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
  NodeTable table{a};
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
      report_fault(a, FaultSeeds, i);
      continue;
    }
    u64 at = (type * a.batches + batch) * a.node_room + number;
    a.nodes[at] = v;
    if (a.trees) a.trees[at] = tree;
  }
}

// find_fresh marks the edges that are the first to lead to their ends, and counts them.
ND_FN void find_fresh(const Neighborhood& a, const Tiles& tiles, const u32* edge_at) {
  NodeTable table{a};
  for (u32 t = block_index(); t < tiles.count; t += grid_size()) {
    auto tile = tiles.of(t);
    u32 e = edge_at[tile.batch] + tile.number * Team::size + thread_index();
    bool fresh = e < edge_at[tile.batch + 1] && table.at(a.slots[e]).number == (Place | e);
    u32 word = ballot(~0u, fresh);
    if (lane_index() == 0) a.fresh[t * Team::warps + thread_index() / WarpSize] = word;
    u64 sum = Team::sum(fresh);
    if (thread_index() == 0) a.sums[t] = (u32)sum;
  }
}

// number_fresh gives their ends numbers.
ND_FN void number_fresh(const Neighborhood& a, const Step& step, u32 s, const Tiles& tiles, const u32* edge_at) {
  NodeTable table{a};
  u64 lists = a.types * a.batches;
  const u32* before = a.known + s * lists;
  Before sums{a.sums};
  u32 warp = thread_index() / WarpSize, lane = lane_index();
  for (u32 t = block_index(); t < tiles.count; t += grid_size()) {
    auto tile = tiles.of(t);
    u64 list = step.source * a.batches + tile.batch;
    const u32* words = a.fresh + t * Team::warps;
    u32 word = words[warp], here = add_lanes(lane < warp ? count_bits(words[lane]) : 0);
    u64 number = before[list] + sums.of(tiles, t, tile.batch) + here + lanes_below(word);
    if ((word >> lane & 1) == 0) continue;
    if (number >= a.node_room) {
      report_fault(a, FaultNodes, number + 1);
      continue;
    }
    u32 e = edge_at[tile.batch] + tile.number * Team::size + thread_index();
    auto& record = table.at(a.slots[e]);
    u64 key = record.key, at = list * a.node_room + number;
    a.nodes[at] = (u32)key;
    if (a.trees) a.trees[at] = (u32)((key >> 32) / a.types);
    record.number = (u32)number;
  }
  for (u64 l = block_index(); l < lists; l += grid_size()) {  // a block the sum of a batch
    u64 batch = l % a.batches, fresh = 0;
    if (l / a.batches == step.source) fresh = sum_between(a.sums, tiles.first[batch], tiles.first[batch + 1]);
    if (thread_index() == 0) know(a, s + 1, l, before[l] + (u32)fresh);
  }
}

// fits says whether there is room for a step's edges, the same in all blocks.
ND_FN bool fits(const Neighborhood& a, const Due& due, u64 edges) {
  u64 end = due.edges + edges, offsets = due.offsets + due.count + a.batches;
  bool few = end < Place && end <= a.edge_room;
  if (few && offsets <= a.offset_room) return true;
  if (thread_of_grid() == 0) report_fault(a, few ? FaultOffsets : FaultEdges, few ? offsets : end);
  return false;
}

// read_step brings a step to shared memory, for when all have met next.
ND_FN void read_step(const Neighborhood& a, u32 s, Step* to) {
  sync_block();
  if (s == a.step_count) return;
  for (u32 i = thread_index(); i < sizeof(Step) / 8; i += Team::size) ((u64*)to)[i] = ((const u64*)(a.steps + s))[i];
}

// neighborhood samples all batches.
ND_FN void neighborhood(const Neighborhood& a) {
  ND_SHARED(u32, due_first, MostBatches + 1);
  ND_SHARED(u32, tile_first, MostBatches + 1);
  ND_SHARED(Step, shared, 1);
  Expansion x = Expansion::shared();
  NodeTable{a}.clear();
  clear_hubs(a);
  read_step(a, 0, shared);
  sync_grid(a.arrived);
  enter_seeds(a);
  sync_grid(a.arrived);
  if (failed(a)) return;
  Due due{};
  due.first = due_first;
  for (u32 s = 0; s < a.step_count; s++) {
    const Step& step = *shared;
    due.begin(a, step);
    u32 each = due.each(step);
    Tiles tiles = tiles_of(tile_first, (u32)a.batches, each, [&](u32 b) { return due.of(b); });
    count_due(a, step, due, tiles, each);
    if (step.hubs && thread_of_grid() == 0) hub_queue(a).arm(grid_size());
    sync_grid(a.arrived);
    u64 edges = sum_between(a.sums, 0, tiles.count);
    if (!fits(a, due, edges)) return;
    if (thread_of_grid() == 0) {
      due.note(a, s, tiles, (u32)a.batches, tiles.count, (u32)(due.edges + edges));
      a.due_at[s] = (u32)due.offsets, a.due_at[s + 1] = (u32)due.offset((u32)a.batches);
    }
    expand(a, step, s, due, tiles, each, x);
    sync_grid(a.arrived);
    if (failed(a)) return;
    const u32* edge_at = a.edge_at + s * (a.batches + 1);
    Tiles of_edges = tiles_of(tile_first, (u32)a.batches, Team::size, [&](u32 b) { return edge_at[b + 1] - edge_at[b]; });
    find_fresh(a, of_edges, edge_at);
    sync_grid(a.arrived);
    number_fresh(a, step, s, of_edges, edge_at);
    read_step(a, s + 1, shared);
    sync_grid(a.arrived);
    if (failed(a)) return;
    due.end(a, edges);
  }
}

}  // namespace nd
