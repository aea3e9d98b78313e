// The neighbour sampler: all hops of several mini-batches in one cooperative launch. A step is one relation in one hop.
// It has two phases:
//
//   1. expand        (driver/expand.cuh) Choose the edges of the frontier. Prefix sums of the numbers of edges that its
//                    nodes take give each edge a place. The sources are inserted into the id map with their places.
//   2. number_fresh  Number the new nodes. An edge is fresh if it is the first that leads to its source: the id map has
//                    the edge's place. Prefix sums of the fresh edges give the local ids, by first appearance.
//
// By LABOR, the choices are made before, in a phase that reads the rows (driver/laborselect.cuh).
//
// A grid barrier follows each phase. Prefix sums use decoupled look-back (driver/tiles.cuh). If blocks have several
// tiles, a counting pass and another grid barrier come first, since blocks would otherwise wait for each other at every
// tile. A second kernel, compact (driver/compact.cuh), copies the result to the arena in the caller's layout.
//
// The host allocates all arrays. If one is too small, the launch reports that (report_fault) and ends; the host
// allocates more and repeats the launch. A launch costs O(edges chosen + nodes + table size), plus the scans of hubs.
#pragma once
#include "driver/expand.cuh"
#include "driver/laborselect.cuh"

namespace nd {

// record_nodes records, for later steps and the host, the number of nodes of a list after a number of steps.
ND_FN void record_nodes(const NeighborSampler& a, u64 steps, u64 list, u32 count) {
  u64 at = steps * a.types * a.batches + list;
  a.known[at] = count;
  a.report[ReportHead + at] = count;
}

// insert_seed_nodes inserts the seed nodes into the id map, a thread per seed node. Their local ids follow their order.
// A seed node that is no vertex, or that occurs twice in its tree, is a fault.
ND_FN void insert_seed_nodes(const NeighborSampler& a) {
  NodeTable table{a, 0};
  u64 lists = a.types * a.batches, count = a.seed_node_at[lists];
  for (u64 l = thread_of_grid(); l < lists; l += threads_of_grid())
    record_nodes(a, 0, l % a.types * a.batches + l / a.types, (u32)(a.seed_node_at[l + 1] - a.seed_node_at[l]));
  for (u64 i = thread_of_grid(); i < count; i += threads_of_grid()) {
    u64 low = 0;  // the list that contains seed node i, by binary search
    for (u64 high = lists; high - low > 1;) {
      u64 middle = (low + high) / 2;
      if (a.seed_node_at[middle] <= i) low = middle;
      else high = middle;
    }
    u64 batch = low / a.types, type = low % a.types, number = i - a.seed_node_at[low];
    u32 v = a.seed_nodes[i], tree = (u32)(a.disjoint ? i : batch);
    if (v >= a.vertices[type] || !table.insert((u32)batch, table.key(tree, (u32)type, v), (u32)number).first) {
      report_fault(a, 0, FaultSeeds, i);
      continue;
    }
    u64 at = (type * a.batches + batch) * a.node_capacity + number;
    a.nodes[at] = v;
    if (a.trees) a.trees[at] = tree;
  }
}

// EdgeTile is the edges of a tile, up to MostEdges per thread. A warp has consecutive edges, in rows of WarpSize; the
// loads of all rows are in flight together.
struct EdgeTile {
  static constexpr u32 MostEdges = 8;
  u32 slot[MostEdges];    // of the edge's source in the id map; None: no edge, or one whose record is not read
  u32 vertex[MostEdges];  // the source
  u32 fresh[MostEdges];   // a bit per lane: the edge is the first that leads to its source

  // read reads the edges, `each` per thread. Other threads may number nodes at the same time: they replace the places
  // of their own fresh edges only, so whether an edge is fresh does not change. If `marked` is not 0, it has the tile's
  // words of count_fresh, and only the records of fresh edges are read.
  ND_FN void read(const NeighborSampler& a, const Tiles::Tile& tile, const u32* edge_at, u32 each, const u32* marked) {
    u32 warp = thread_index() / WarpSize, end = edge_at[tile.batch + 1],
        first = edge_at[tile.batch] + (tile.number * Team::size + warp * WarpSize) * each + lane_index();
    u32 number[MostEdges];
#pragma unroll
    for (u32 j = 0; j < MostEdges; j++) {
      u32 edge = first + j * WarpSize;
      bool has = j < each && edge < end;
      fresh[j] = has && marked ? marked[warp * each + j] : 0;
      slot[j] = has && (!marked || is_fresh(j)) ? a.slots[edge] : None;
    }
#pragma unroll
    for (u32 j = 0; j < MostEdges; j++) {
      NodeTable::Record r{};
      if (slot[j] != None) r = NodeTable{a, 0}.at(slot[j]);
      vertex[j] = (u32)r.key;
      number[j] = r.number;
    }
#pragma unroll
    for (u32 j = 0; j < MostEdges; j++)
      fresh[j] = ballot(~0u, slot[j] != None && (marked || number[j] == (Place | (first + j * WarpSize))));
  }
  ND_FN bool is_fresh(u32 j) const { return fresh[j] >> lane_index() & 1; }
  // count returns the number of fresh edges of the warp.
  ND_FN u32 count() const {
    u32 n = 0;
#pragma unroll
    for (u32 j = 0; j < MostEdges; j++) n += count_bits(fresh[j]);
    return n;
  }
};

// edges_per_thread returns the number of edges per thread of a tile: the least power of two for which each block has
// one tile of a step with `edges` edges, up to EdgeTile::MostEdges. gonextdoor/engine/gpu/neighborlaunch.go bounds the
// number of tiles by one edge per thread.
ND_FN u32 edges_per_thread(u32 edges) {
  u32 each = 1;
  while (each < EdgeTile::MostEdges && edges > (u64)grid_size() * Team::size * each) each *= 2;
  return each;
}

// count_fresh is the counting pass if blocks have several tiles: it publishes the number of fresh edges of each tile,
// and stores a bit per edge for number_fresh. A grid barrier must follow.
ND_FN void count_fresh(const NeighborSampler& a, const Tiles& tiles, const u32* edge_at, u32 each, u32 phase) {
  for (u32 t = block_index(); t < tiles.count; t += grid_size()) {
    EdgeTile e;
    e.read(a, tiles.of(t), edge_at, each, nullptr);
    u32* words = a.fresh + ((u64)t * Team::warps + thread_index() / WarpSize) * each;
#pragma unroll
    for (u32 j = 0; j < EdgeTile::MostEdges; j++)
      if (j < each && lane_index() == 0) words[j] = e.fresh[j];
    u64 sum = Team::sum(lane_index() == 0 ? e.count() : 0);
    if (thread_index() == 0) publish(a.sums, t, phase, sum);
  }
}

// number_fresh assigns local ids to the sources of fresh edges, `each` edges per thread, and records the new length of
// each list. phase is the phase of the sums, and counted whether count_fresh has run.
ND_FN void number_fresh(const NeighborSampler& a, const Step& step, u32 s, const Tiles& tiles, const u32* edge_at,
                        u32 each, u32 phase, bool counted) {
  u64 lists = a.types * a.batches;
  const u32* before = a.known + s * lists;
  PrefixSum sums{a.sums, phase};
  for (u32 t = block_index(); t < tiles.count; t += grid_size()) {
    // 1. Count the fresh edges of the tile up to those of the thread's warp.
    auto tile = tiles.of(t);
    u64 list = step.source * a.batches + tile.batch;
    EdgeTile e;
    e.read(a, tile, edge_at, each, counted ? a.fresh + (u64)t * Team::warps * each : nullptr);
    bool last = thread_index() == Team::size - 1;
    u32 mine = e.count();
    u64 upto = Team::scan(lane_index() == 0 ? mine : 0);
    if (last && !counted) publish(a.sums, t, phase, upto);
    // 2. Add the fresh edges of earlier tiles, and the nodes that were known before the step.
    upto += before[list] + sums.of(tiles, t, tile.batch);
    if (last && t + 1 == tiles.first[tile.batch + 1]) record_nodes(a, s + 1, list, (u32)upto);
    if (upto > a.node_capacity) {
      report_fault(a, phase, FaultNodes, upto);
      continue;
    }
    // 3. Append the nodes to their list, and replace their places in the id map by the local ids.
    u32 id = (u32)upto - mine;
#pragma unroll
    for (u32 j = 0; j < EdgeTile::MostEdges; j++) {
      u32 number = id + lanes_below(e.fresh[j]);
      id += count_bits(e.fresh[j]);
      if (!e.is_fresh(j)) continue;
      u64 at = list * a.node_capacity + number;
      NodeTable::Record& record = NodeTable{a, phase}.at(e.slot[j]);
      a.nodes[at] = e.vertex[j];
      if (a.trees) a.trees[at] = (u32)((record.key >> 32) / a.types);
      record.number = number;
    }
  }
  for (u64 l = thread_of_grid(); l < lists; l += threads_of_grid()) {  // lists without a tile keep their length
    u64 batch = l % a.batches;
    if (l / a.batches != step.source || tiles.first[batch] == tiles.first[batch + 1])
      record_nodes(a, s + 1, l, before[l]);
  }
}

// read_step copies step s to shared memory, unless s is past the last step. It begins with a block barrier; the copy is
// complete after the next one.
ND_FN void read_step(const NeighborSampler& a, u32 s, Step* to) {
  sync_block();
  if (s == a.step_count) return;
  for (u32 i = thread_index(); i < sizeof(Step) / 8; i += Team::size) ((u64*)to)[i] = ((const u64*)(a.steps + s))[i];
}

// clear resets the id map, the queue and the published sums. A grid barrier must follow.
ND_FN void clear(const NeighborSampler& a) {
  NodeTable{a, 0}.clear();
  clear_hubs(a);
  for (u64 i = thread_of_grid(); i < a.sum_capacity; i += threads_of_grid()) a.sums[i] = 0;
}

// draw_neighbors samples all batches of a launch by one Choice: kernels neighborsampler_draw, neighborranges_draw and
// neighborlabor_draw, cooperative launches with NeighborThreads threads per block. Step s uses phase 2s+1 for the sums
// of the frontier, and 2s+2 for those of its edges; phase 0 is the insertion of the seed nodes.
template <class Choice> ND_FN void draw_neighbors(const NeighborSampler& a) {
  ND_SHARED(u32, frontier_first, MostBatches + 1);
  ND_SHARED(u32, tile_first, MostBatches + 1);
  ND_SHARED(Step, shared, 1);
  Expansion x = Expansion::shared();
  // 1. Reset, and insert the seed nodes.
  clear(a);
  if constexpr (Choice::selects_ahead) clear_labor(a);
  read_step(a, 0, shared);
  sync_grid(a.arrived);
  insert_seed_nodes(a);
  sync_grid(a.arrived);
  if (failed(a, 0)) return;
  HopFrontier frontier{0, 0, 0, frontier_first};
  for (u32 s = 0; s < a.step_count; s++) {
    // 2. Divide the frontier of the step into tiles.
    const Step& step = *shared;
    u32 phase = 2 * s + 1;
    frontier.begin(a, step);
    if (frontier.offset((u32)a.batches) > a.offset_capacity) {
      if (thread_of_grid() == 0) report_fault(a, phase, FaultOffsets, frontier.offset((u32)a.batches));
      return;
    }
    if constexpr (Choice::selects_ahead)
      if (!select_edges(a, step, frontier, phase)) return;
    u32 each = frontier.tile_size<Choice>(step);
    Tiles tiles = tiles_of(tile_first, (u32)a.batches, each, [&](u32 b) { return frontier.count_of(b); });
    if (tiles.count == 0 && thread_of_grid() == 0) frontier.record_end(a, s, phase, tiles, frontier.edges);
    if (step.hubs && thread_of_grid() == 0) hub_queue(a).arm(grid_size());
    // 3. Choose the edges and insert their sources.
    bool counted = tiles.count > grid_size();
    if (counted) count_frontier<Choice>(a, step, frontier, tiles, each, phase);
    if (counted || step.hubs) sync_grid(a.arrived);
    if (Choice::is_drawn(step) && !step.hubs)
      expand<Choice, DrawnStep<Choice>>(a, step, s, frontier, tiles, each, phase, counted, x);
    else expand_any<Choice>(a, step, s, frontier, tiles, each, phase, counted);
    sync_grid(a.arrived);
    if (failed(a, phase)) return;
    // 4. Number the new nodes.
    const u32* edge_at = a.edge_at + s * (a.batches + 1);
    each = edges_per_thread(edge_at[a.batches] - edge_at[0]);
    Tiles of_edges =
        tiles_of(tile_first, (u32)a.batches, Team::size * each, [&](u32 b) { return edge_at[b + 1] - edge_at[b]; });
    counted = of_edges.count > grid_size();
    if (counted) {
      count_fresh(a, of_edges, edge_at, each, phase + 1);
      sync_grid(a.arrived);
    }
    number_fresh(a, step, s, of_edges, edge_at, each, phase + 1, counted);
    read_step(a, s + 1, shared);
    sync_grid(a.arrived);
    if (failed(a, phase + 1)) return;
    frontier.end(a, s);
  }
}

}  // namespace nd
