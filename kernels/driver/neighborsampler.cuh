// The neighbour sampler: all hops of several mini-batches in one cooperative launch. A step is one relation in one hop.
// It has two phases:
//
//   1. expand        (driver/expand.cuh) Choose the edges of the frontier. Prefix sums of the numbers of edges that its
//                    nodes take give each edge a place. The sources are inserted into the id map with their places.
//   2. number_fresh  Number the new nodes. An edge is fresh if it is the first that leads to its source. The id map has
//                    a bit per fresh edge. Prefix sums of these bits give the local ids, by first appearance.
//
// By LABOR, the choices are made before, in a phase that reads the rows (driver/laborselect.cuh).
//
// A grid barrier follows each phase but the last. Prefix sums use decoupled look-back (driver/tiles.cuh). If blocks
// have several tiles, each publishes the sums of all of its tiles first, since blocks would otherwise wait for each
// other at every tile. A second kernel, compact (driver/compact.cuh), copies the result to the arena in the caller's
// layout.
//
// The host allocates all arrays. If one is too small, the launch reports that (report_fault) and ends; the host
// allocates more and repeats the launch. A launch costs O(edges chosen + nodes + table size), plus the scans of hubs.
#pragma once
#include "driver/expand.cuh"
#include "driver/laborselect.cuh"

namespace nd {

// record_nodes records the number of nodes of a list after a number of steps, for later steps; after the last step,
// also for the host.
ND_FN void record_nodes(const NeighborSampler& a, u64 steps, u64 list, u32 count) {
  u64 at = steps * a.types * a.batches + list;
  a.known[at] = count;
  if (steps == a.step_count) a.report[ReportHead + at] = count;
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
    if (v >= a.vertices[type] || !table.insert_seed((u32)batch, table.key(tree, (u32)type, v), (u32)number).first) {
      report_fault(a, 0, FaultSeeds, i);
      continue;
    }
    u64 at = (type * a.batches + batch) * a.node_capacity + number;
    a.nodes[at] = v;
    if (a.trees) a.trees[at] = tree;
  }
}

// EdgeTile is the edges first ... end-1, a tile of number_fresh. A thread has the bits of WarpSize of them.
struct EdgeTile {
  static constexpr u32 most = WarpSize * Team::size;  // edges
  u32 first, end;

  ND_FN static EdgeTile of(const Tiles::Tile& tile, const u32* edge_at, u32 each) {
    u32 first = edge_at[tile.batch] + tile.number * each;
    return {first, min_of((u64)first + each, edge_at[tile.batch + 1])};
  }
  // size returns the number of edges per tile of a step with that many edges: each block has one tile, if possible. It
  // is a multiple of Team::size; gonextdoor/engine/gpu/internal/neighbor/launch.go bounds the number of tiles by that.
  ND_FN static u32 size(u32 edges) {
    u32 each = (edges / grid_size() / Team::size + 1) * Team::size;
    return each < most ? each : most;
  }
  // words returns the number of words of bits.
  ND_FN u32 words() const { return (end - first + WarpSize - 1) / WarpSize; }
  // fresh returns the bits of the thread's edges: bit i is set if edge i is the first that leads to its source.
  ND_FN u32 fresh(const NeighborSampler& a) const {
    if (thread_index() >= words()) return 0;
    u32 at = first + thread_index() * WarpSize, shift = at % WarpSize, left = end - at;
    const u32* word = a.fresh + at / WarpSize;
    u32 bits = (u32)(((u64)word[1] << 32 | word[0]) >> shift);
    return left < WarpSize ? bits & ((1u << left) - 1) : bits;
  }
};

// count_fresh is the counting pass if blocks have several tiles: it publishes the number of fresh edges of each tile.
ND_FN void count_fresh(const NeighborSampler& a, const Tiles& tiles, const u32* edge_at, u32 each, u32 phase) {
  for (u32 t = block_index(); t < tiles.count; t += grid_size()) {
    u64 sum = Team::sum(count_bits(EdgeTile::of(tiles.of(t), edge_at, each).fresh(a)));
    if (thread_index() == 0) publish(a.sums, t, phase, sum);
  }
}

constexpr u32 WordsAhead = 4;  // words of bits that a warp reads together: loads in flight

// append_fresh appends the sources of a tile's fresh edges to a list, a warp per word of bits, and replaces their
// places in the id map by local ids. ids has the local id of the first fresh edge of each word. Lanes without a fresh
// edge read a slot as well, so that no load is under a condition; see insert_edges.
ND_FN void append_fresh(const NeighborSampler& a, const EdgeTile& tile, u64 list, const u32* bits, const u32* ids,
                        u32 phase) {
  NodeTable table{a, phase};
  for (u32 from = thread_index() / WarpSize; from < tile.words(); from += WordsAhead * Team::warps) {
    u32 slots[WordsAhead], marks[WordsAhead];
    u64 keys[WordsAhead];
#pragma unroll
    for (u32 i = 0; i < WordsAhead; i++) {
      u32 w = from + i * Team::warps;
      marks[i] = w < tile.words() ? bits[w] : 0;
      slots[i] = a.slots[min_of(tile.first + w * WarpSize + lane_index(), tile.end - 1)];
    }
#pragma unroll
    for (u32 i = 0; i < WordsAhead; i++) {
      if (!(marks[i] >> lane_index() & 1)) slots[i] = 0;
      keys[i] = table.key_at(slots[i]);
    }
#pragma unroll
    for (u32 i = 0; i < WordsAhead; i++) {
      if (!(marks[i] >> lane_index() & 1)) continue;
      u32 id = ids[from + i * Team::warps] + lanes_below(marks[i]);
      if (id >= a.node_capacity) {
        report_fault(a, phase, FaultNodes, (u64)id + 1);
        continue;
      }
      u64 at = list * a.node_capacity + id;
      a.nodes[at] = (u32)keys[i];
      if (a.trees) a.trees[at] = (u32)(keys[i] >> 32) / (u32)a.types;
      *table.number_at(slots[i]) = id;
    }
  }
}

// number_fresh assigns local ids to the sources of fresh edges, in the order of the edges, and records the new length
// of each list. phase is the phase of the sums, and counted whether count_fresh has run.
ND_FN void number_fresh(const NeighborSampler& a, const Step& step, u32 s, const Tiles& tiles, const u32* edge_at,
                        u32 each, u32 phase, bool counted, const Expansion& x) {
  u64 lists = a.types * a.batches;
  const u32* before = a.known + s * lists;
  PrefixSum sums{a.sums, phase};
  u32 *bits = x.picks, *ids = x.picks + Team::size;
  for (u32 t = block_index(); t < tiles.count; t += grid_size()) {
    // 1. Count the fresh edges of the tile up to those of the thread.
    auto tile = tiles.of(t);
    u64 list = step.source * a.batches + tile.batch;
    EdgeTile edges = EdgeTile::of(tile, edge_at, each);
    u32 mine = edges.fresh(a);
    bool last = thread_index() == Team::size - 1;
    u64 upto = Team::scan(count_bits(mine));
    if (last && !counted) publish(a.sums, t, phase, upto);
    // 2. Add the fresh edges of earlier tiles, and the nodes that were known before the step.
    upto += before[list] + sums.of(tiles, t, tile.batch);
    if (last && t + 1 == tiles.first[tile.batch + 1]) record_nodes(a, s + 1, list, (u32)upto);
    bits[thread_index()] = mine;
    ids[thread_index()] = (u32)upto - count_bits(mine);
    bool reports = t + 1 == tiles.count && s + 1 == a.step_count && reports_early(a);
    if (reports) report_counts(a, s + 1, thread_index(), Team::size);
    sync_block();
    if (reports && last && upto <= a.node_capacity) report_done(a);
    // 3. Append the nodes.
    append_fresh(a, edges, list, bits, ids, phase);
    sync_block();
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

// clear resets the id map, the queue, the published sums and the status, and copies the parameters from host memory. A
// grid barrier must follow. The first word of each thread is on its way while the id map is cleared. A copy that the
// host submits would delay the launch by several microseconds.
ND_FN void clear(const NeighborSampler& a) {
  u64 at = thread_of_grid(), *to = (u64*)a.steps, word = at < a.given_words ? a.given[at] : 0;
  NodeTable{a, 0}.clear();
  clear_hubs(a);
  for (u64 i = thread_of_grid(); i < a.sum_capacity; i += threads_of_grid()) a.sums[i] = 0;
  if (at == 0) *a.status = 0;
  if (at < a.given_words) to[at] = word;
  for (at += threads_of_grid(); at < a.given_words; at += threads_of_grid()) to[at] = a.given[at];
}

// The phases of the sums: step s uses phase 2s+1 for the sums of the frontier, and 2s+2 for those of its edges; phase 0
// is the insertion of the seed nodes. Selection by LABOR reports faults of phase 2s, since fast blocks may report
// faults of phase 2s+1 while slow ones still ask whether it failed.

// expand_step chooses the edges of step s. It returns false after a fault, to all threads, and ends with a grid barrier
// otherwise. tile_first is for its own use.
template <class Choice>
ND_FN bool expand_step(const NeighborSampler& a, const Step& step, u32 s, HopFrontier& frontier, u32* tile_first,
                       const Expansion& x) {
  // 1. Divide the frontier of the step into tiles.
  u32 phase = 2 * s + 1;
  frontier.begin(a, step);
  if (frontier.offset((u32)a.batches) > a.offset_capacity) {
    if (thread_of_grid() == 0) report_fault(a, phase, FaultOffsets, frontier.offset((u32)a.batches));
    return false;
  }
  if constexpr (Choice::selects_ahead)
    if (!select_edges(a, step, frontier, phase - 1)) return false;
  u32 each = frontier.tile_size<Choice>(step);
  Tiles tiles = tiles_of(tile_first, (u32)a.batches, each, [&](u32 b) { return frontier.count_of(b); });
  if (tiles.count == 0 && thread_of_grid() == 0) frontier.record_end(a, s, phase, tiles, frontier.edges);
  if (step.hubs && thread_of_grid() == 0) hub_queue(a).arm(grid_size());
  // 2. Choose the edges and insert their sources.
  bool counted = tiles.count > grid_size();
  if (counted) count_frontier<Choice>(a, step, frontier, tiles, each, phase);
  if (step.hubs) sync_grid(a.arrived);
  bool usual = Choice::is_drawn(step) && !step.hubs && !step.excluded_count;
  if (usual && a.table_stride)
    expand<Choice, DrawnStep<Choice, true>>(a, step, s, frontier, tiles, each, phase, counted, x);
  else if (usual) expand<Choice, DrawnStep<Choice, false>>(a, step, s, frontier, tiles, each, phase, counted, x);
  else expand_any<Choice>(a, step, s, frontier, tiles, each, phase, counted);
  sync_grid(a.arrived);
  return !failed(a, phase);
}

// number_step numbers the new nodes of step s, whose sources have been inserted. tile_first is for its own use.
ND_FN void number_step(const NeighborSampler& a, const Step& step, u32 s, u32* tile_first, const Expansion& x) {
  const u32* edge_at = a.edge_at + s * (a.batches + 1);
  u32 each = EdgeTile::size(edge_at[a.batches] - edge_at[0]), phase = 2 * s + 2;
  Tiles tiles = tiles_of(tile_first, (u32)a.batches, each, [&](u32 b) { return edge_at[b + 1] - edge_at[b]; });
  bool counted = tiles.count > grid_size();
  if (counted) count_fresh(a, tiles, edge_at, each, phase);
  number_fresh(a, step, s, tiles, edge_at, each, phase, counted, x);
}

// draw_neighbors samples all batches of a launch by one Choice: kernels neighborsampler_draw, neighborranges_draw and
// neighborlabor_draw, cooperative launches with NeighborThreads threads per block.
template <class Choice> ND_FN void draw_neighbors(const NeighborSampler& a) {
  ND_SHARED(u32, frontier_first, MostBatches + 1);
  ND_SHARED(u32, tile_first, MostBatches + 1);
  ND_SHARED(Step, shared, 1);
  Expansion x = Expansion::shared();
  // 1. Reset, and insert the seed nodes.
  clear(a);
  if constexpr (Choice::selects_ahead) clear_labor(a);
  sync_grid(a.arrived);
  read_step(a, 0, shared);
  insert_seed_nodes(a);
  sync_grid(a.arrived);
  if (failed(a, 0)) return;
  HopFrontier frontier{0, 0, 0, frontier_first};
  for (u32 s = 0; s < a.step_count; s++) {
    // 2. Choose the edges and insert their sources.
    if (!expand_step<Choice>(a, *shared, s, frontier, tile_first, x)) return;
    // 3. Number the new nodes.
    if (s + 1 == a.step_count && !reports_early(a)) report_counts(a, s + 1, thread_of_grid(), threads_of_grid());
    number_step(a, *shared, s, tile_first, x);
    if (s + 1 == a.step_count) return;
    read_step(a, s + 1, shared);
    sync_grid(a.arrived);
    if (failed(a, 2 * s + 2)) return;
    frontier.end(a, s);
  }
}

}  // namespace nd
