// A step of a mini-batch: the edges of its frontier are chosen, get places in the result, and their sources are entered
// into the table of nodes. See driver/neighborsampler.cuh for where it stands in the launch.
#pragma once
#include "driver/choose.cuh"

namespace nd {

// cut pushes all pieces but the first of the tile's long rows to the queue, if all edges are taken, and returns the
// number of edges that remain for the block. It writes their exclusive sums per node to picks. task is that of the
// tile's first node. All threads of the block call it, a thread per node; it ends with a block barrier.
ND_FN u32 cut(const NeighborSampler& a, const Step& step, const Expansion& x, u32 nodes, HubTask task) {
  u32 i = thread_index(), piece = (u32)a.hub_degree, own = i < nodes ? x.offsets[i + 1] - x.offsets[i] : 0;
  task.node += i;
  task.place += i < nodes ? x.offsets[i] : 0;
  for (bool more = own > piece; Warp::vote(more);) {
    task.first = (own - 1) / piece * piece;
    more = hub_queue(a).push(more, task);
    if (more) {
      own = task.first;
      more = own > piece;
    }
  }
  u32 upto = (u32)Team::scan(own);
  if (i < nodes) x.picks[i] = upto - own;
  if (i == nodes - 1) x.picks[nodes] = upto;
  sync_block();
  return x.picks[nodes];
}

// Usual is a step whose draws must differ and that has no queue; Other is any step. What follows is compiled for each:
// the usual copy is inlined in the kernel and needs fewer registers.
struct Usual {
  ND_FN static bool drawn(const Step&) { return true; }
  ND_FN static bool hubs(const Step&) { return false; }
};
struct Other {
  ND_FN static bool drawn(const Step& step) { return differ(step); }
  ND_FN static bool hubs(const Step& step) { return step.hubs; }
};

// enter_edges writes the positions of a tile's edges, or of a piece's, and enters their sources into the table of
// nodes. A thread handles EndsAhead edges at a time, so that as many loads are in flight. task is that of the tile's
// first node.
constexpr u32 EndsAhead = 4;
template <class Kind>
ND_FN void enter_edges(const NeighborSampler& a, const Step& step, const Expansion& x, u32 phase, u32 nodes, u32 edges, HubTask task) {
  NodeTable table{a, phase};
  bool drawn = Kind::drawn(step), hubs = Kind::hubs(step);
  const u32* begins = drawn || !hubs ? x.offsets : x.picks;
  for (u32 first = thread_index(); first < edges; first += EndsAhead * Team::size) {
    u32 ends[EndsAhead];
    // 1. Read the end points, and write the positions.
#pragma unroll
    for (u32 i = 0; i < EndsAhead; i++) {
      u32 e = first + i * Team::size;
      if (e >= edges) continue;
      u32 node = drawn ? x.owners[e] : part_of(begins, nodes, e), j = e - begins[node] + task.first;
      if (hubs && drawn && Expansion::in(x.left, node)) continue;
      Candidates c = x.of(node);
      u32 number = drawn ? x.picks[e] : step.replace ? draw(step, c, x.keys[node], j, 0) : biased(step, c, j);
      u64 position = kept(step, c, number);
      u32 place = task.place + x.offsets[node] + j;
      ends[i] = fetch_far(step.g.indices + position);
      a.positions[place] = position;
      if (a.targets) a.targets[place] = task.node + node;
    }
    // 2. Enter the end points. The table keeps the least place of each new node.
#pragma unroll
    for (u32 i = 0; i < EndsAhead; i++) {
      u32 e = first + i * Team::size;
      if (e >= edges) continue;
      u32 node = drawn ? x.owners[e] : part_of(begins, nodes, e), place = task.place + x.offsets[node] + e - begins[node] + task.first;
      if (hubs && drawn && Expansion::in(x.left, node)) continue;
      a.slots[place] = table.enter(task.batch, table.key(x.trees[node], (u32)step.source, ends[i]), Place | place).slot;
    }
  }
  sync_block();
}

// do_task does a task of the queue, by a block, as a tile of one node.
ND_COLD void do_task(const NeighborSampler& a, const Step& step, u32 phase, HubTask task) {
  Expansion x = Expansion::shared();
  u32 all = (u32)gather(a, step, x, task.batch, task.node, 1), edges = all;
  if (differ(step)) {
    for (u32 e = thread_index(); e < all; e += Team::size) x.owners[e] = 0;
    successive<Team>(step.g, x.of(0).row, x.keys[0], (u32)step.fanout, x.picks);
  } else {
    edges = min_of(all - task.first, a.hub_degree);
    if (thread_index() == 0) x.picks[0] = 0;
  }
  sync_block();
  enter_edges<Other>(a, step, x, phase, 1, edges, task);
}

// expand chooses and enters the edges of the step's frontier, `each` nodes per tile. counted: count_frontier has
// published the sums already. All threads of a cooperative launch call it. Per tile:
//
//   1. gather the nodes and publish the number of their edges
//   2. choose the edges, without waiting for other blocks; if the step has a queue, after 3, since tasks name places
//   3. wait for the sums of the tiles before: they give the place of the tile's first edge
//   4. write offsets, and where a batch's edges begin
//   5. enter the edges
//
// Afterwards, blocks work on the queue until no task is left.
template <class Kind>
ND_FN void expand(const NeighborSampler& a, const Step& step, u32 s, const HopFrontier& frontier, const Tiles& tiles, u32 each, u32 phase, bool counted, const Expansion& x) {
  PrefixSum all{a.sums, phase}, within{a.sums, phase};
  for (u32 t = block_index(); t < tiles.count; t += grid_size()) {
    auto tile = tiles.of(t);
    u32 first = tile.number * each, nodes = min_of(each, frontier.of(tile.batch) - first);
    HubTask task{tile.batch, HopFrontier::from(a, step, tile.batch) + first, 0, 0};
    u64 edges = gather(a, step, x, tile.batch, task.node, nodes);
    if (!counted && thread_index() == 0) publish(a.sums, t, phase, edges);
    if (Kind::drawn(step) && !Kind::hubs(step)) {
      draw_all(step, x, nodes, (u32)edges);
      draw_again(a, step, x, nodes, task);
    }
    u64 base = frontier.edges + all.of(tiles, t, 0);
    u32 before = (u32)(a.batches == 1 ? base - frontier.edges : within.of(tiles, t, tile.batch));
    task.place = (u32)base;
    if (thread_index() == 0 && first == 0) frontier.note(a, s, tiles, tile.batch, t, task.place);
    if (thread_index() == 0 && t == tiles.count - 1) frontier.note_end(a, s, phase, tiles, base + edges);
    if (base + edges >= Place || base + edges > a.edge_capacity) continue;
    u32* offsets = a.offsets + frontier.offset(tile.batch) + first;
    if (thread_index() < nodes) offsets[thread_index()] = before + x.offsets[thread_index()];
    if (thread_index() == 0 && first + nodes == frontier.of(tile.batch)) offsets[nodes] = before + (u32)edges;
    if (Kind::drawn(step) && Kind::hubs(step)) {
      draw_all(step, x, nodes, (u32)edges);
      draw_again(a, step, x, nodes, task);
    } else if (Kind::hubs(step)) {
      edges = cut(a, step, x, nodes, task);
    }
    enter_edges<Kind>(a, step, x, phase, nodes, (u32)edges, task);
  }
  if (!Kind::hubs(step)) return;
  HubQueue queue = hub_queue(a);
  queue.template done<Team>();
  for (HubTask task; queue.template take<Team>(task); queue.template done<Team>()) do_task(a, step, phase, task);
}

ND_COLD void expand_other(const NeighborSampler& a, const Step& step, u32 s, HopFrontier frontier, Tiles tiles, u32 each, u32 phase, bool counted) {
  expand<Other>(a, step, s, frontier, tiles, each, phase, counted, Expansion::shared());
}

}  // namespace nd
