// A step of the neighbour sampler: the edges of the frontier are chosen and assigned places in the result, and their
// sources are inserted into the id map. driver/neighborsampler.cuh has the order of the phases of a launch.
#pragma once
#include "driver/longchoice.cuh"

namespace nd {

// split_rows splits the long rows of a tile, for steps that take all edges: it pushes all pieces but the first to the
// queue, as long as there are free slots, and returns the number of edges that remain for the block. It writes the
// exclusive sums of these per node to picks. task is the task of the tile's first node. All threads of the block call
// it, a thread per node; it ends with a block barrier.
ND_FN u32 split_rows(const NeighborSampler& a, const Step& step, const Expansion& x, u32 nodes, HubTask task) {
  u32 i = thread_index(), piece = (u32)a.hub_degree, count = i < nodes ? x.offsets[i + 1] - x.offsets[i] : 0;
  task.node += i;
  task.place += i < nodes ? x.offsets[i] : 0;
  for (bool more = count > piece; Warp::vote(more);) {
    task.first = (count - 1) / piece * piece;
    more = hub_queue(a).push(more, task);
    if (more) {
      count = task.first;
      more = count > piece;
    }
  }
  u32 upto = (u32)Team::scan(count);
  if (i < nodes) x.picks[i] = upto - count;
  if (i == nodes - 1) x.picks[nodes] = upto;
  sync_block();
  return x.picks[nodes];
}

// The kinds of steps for which the functions below are compiled: DrawnStep has stored draws, no queue and no excluded
// edges, AnyStep is any step. The first is the common case: it is inlined in the kernel for both forms of the id map,
// and needs fewer registers.
template <class Choice, bool Direct> struct DrawnStep {
  ND_FN static bool drawn(const Step&) { return true; }
  ND_FN static bool long_draws(const Step&) { return false; }
  ND_FN static bool hubs(const Step&) { return false; }
  ND_FN static bool excludes(const Step&) { return false; }
  ND_FN static bool direct(const NodeTable&) { return Direct; }
};
template <class Choice> struct AnyStep {
  ND_FN static bool drawn(const Step& step) { return Choice::is_drawn(step); }
  ND_FN static bool long_draws(const Step& step) { return Choice::has_long_draws && step.long_draws; }
  ND_FN static bool hubs(const Step& step) { return step.hubs; }
  ND_FN static bool excludes(const Step& step) { return step.excluded_count; }
  ND_FN static bool direct(const NodeTable& table) { return table.direct(); }
};

constexpr u32 EndsAhead = 4;  // edges of a thread whose end points are read together: loads in flight

// insert_edges writes the positions of the edges of a tile, or of a piece, and inserts their sources into the id map.
// If Choice does not insert, the slots of the edges get the trees of their nodes instead. task is the task of the
// tile's first node. All threads of the block call it; it ends with a block barrier.
//
// A thread without an edge reads that of another one. Loads under a condition would not be in flight together: the
// compiler stores what they return to the stack.
template <class Choice, class Kind>
ND_FN void insert_edges(const NeighborSampler& a, const Step& step, const Expansion& x, u32 phase, u32 nodes, u32 edges,
                        HubTask task) {
  NodeTable table{a, phase};
  bool drawn = Kind::drawn(step), long_draws = Kind::long_draws(step), hubs = Kind::hubs(step);
  const u32* begins = drawn || !hubs ? x.offsets : x.picks;
  for (u32 first = thread_index(); first < edges; first += EndsAhead * Team::size) {
    bool has[EndsAhead];
    u32 places[EndsAhead], nodes_of[EndsAhead], ends[EndsAhead], slots[EndsAhead];
    u64 positions[EndsAhead];
    // 1. Read the end points.
#pragma unroll
    for (u32 i = 0; i < EndsAhead; i++) {
      u32 e = min_of(first + i * Team::size, edges - 1), node = drawn ? x.owners[e] : part_of(begins, nodes, e);
      u32 j = e - begins[node] + task.first;
      Candidates c = x.of(node);
      has[i] = first + i * Team::size < edges && !(hubs && drawn && Expansion::in(x.left, node));
      nodes_of[i] = node;
      places[i] = task.place + x.offsets[node] + j;
      u32 number = 0;
      if (has[i] || !(hubs || long_draws))
        number = drawn                                       ? x.picks[e]
                 : long_draws && !Choice::takes_all(step, c) ? (u32)a.positions[places[i]]
                 : step.replace                              ? Choice::draw(step, c, x.keys[node], j, 0)
                                                             : Choice::in_order(step, c, x.keys[node], j);
      positions[i] = Kind::excludes(step) ? Choice::position_of(step, c, number) : c.row.first + number;
      if constexpr (Choice::inserts) ends[i] = fetch_far(step.g.indices + positions[i]);
    }
    // 2. Write the positions.
#pragma unroll
    for (u32 i = 0; i < EndsAhead; i++) {
      if (!has[i]) continue;
      a.positions[places[i]] = positions[i];
      if (a.targets) a.targets[places[i]] = task.node + nodes_of[i];
    }
    if constexpr (!Choice::inserts) {
#pragma unroll
      for (u32 i = 0; i < EndsAhead; i++)
        if (has[i]) a.slots[places[i]] = x.trees[nodes_of[i]];
      continue;
    }
    // 3. Insert the end points. The id map keeps the least place of each new node.
    u64 keys[EndsAhead];
#pragma unroll
    for (u32 i = 0; i < EndsAhead; i++) keys[i] = table.key(x.trees[nodes_of[i]], (u32)step.source, ends[i]);
    if (Kind::direct(table)) table.template insert<true>(task.batch, has, keys, places, slots);
    else table.template insert<false>(task.batch, has, keys, places, slots);
#pragma unroll
    for (u32 i = 0; i < EndsAhead; i++)
      if (has[i]) a.slots[places[i]] = slots[i];
  }
  sync_block();
}

// run_task runs a task of the queue by a block, as a tile of one node.
template <class Choice> ND_COLD void run_task(const NeighborSampler& a, const Step& step, u32 phase, HubTask task) {
  Expansion x = Expansion::shared();
  u32 all = (u32)gather<Choice>(a, step, x, task.batch, task.node, 1), edges = all;
  bool choice = false;  // the task is the choice of a node; otherwise a piece of a row
  if constexpr (Choice::queues_choices) choice = Choice::is_drawn(step);
  if (choice) {
    for (u32 e = thread_index(); e < all; e += Team::size) x.owners[e] = 0;
    if constexpr (Choice::queues_choices) Choice::complete(step, x.of(0), x.keys[0], x.picks);
  } else {
    edges = min_of(all - task.first, a.hub_degree);
    if (thread_index() == 0) x.picks[0] = 0;
  }
  sync_block();
  insert_edges<Choice, AnyStep<Choice>>(a, step, x, phase, 1, edges, task);
}

// expand chooses and inserts the edges of the step's frontier, `each` nodes per tile. counted is whether count_frontier
// has published the sums already. All threads of a cooperative launch call it. Per tile:
//
//   1. Gather the nodes, and publish the number of their edges.
//   2. Choose the edges, without waiting for other blocks. If the step has a queue, this happens after 4, since a task
//      contains the place of an edge.
//   3. Wait for the sums of the earlier tiles, which give the place of the tile's first edge.
//   4. Write the offsets, and the begin of the batch's edges.
//   5. Insert the edges.
//
// Afterwards, the blocks take tasks from the queue until none is left.
template <class Choice, class Kind>
ND_FN void expand(const NeighborSampler& a, const Step& step, u32 s, const HopFrontier& frontier, const Tiles& tiles,
                  u32 each, u32 phase, bool counted, const Expansion& x) {
  PrefixSum all{a.sums, phase}, within{a.sums, phase};
  for (u32 t = block_index(); t < tiles.count; t += grid_size()) {
    // 1. Gather.
    auto tile = tiles.of(t);
    u32 first = tile.number * each, nodes = min_of(each, frontier.count_of(tile.batch) - first);
    HubTask task{tile.batch, HopFrontier::first_node(a, step, tile.batch) + first, 0, 0};
    u64 edges = gather<Choice>(a, step, x, tile.batch, task.node, nodes);
    if (!counted && thread_index() == 0) publish(a.sums, t, phase, edges);
    // 2. Choose, if the step has no queue.
    if (Kind::drawn(step) && !Kind::hubs(step)) {
      draw_all<Choice>(step, x, nodes, (u32)edges);
      draw_again<Choice>(a, step, x, nodes, task);
    }
    // 3. Wait for the sums. base is the place of the tile's first edge, before counts the batch's edges that precede
    // it.
    u64 base = frontier.edges + all.of(tiles, t, 0);
    u32 before = (u32)(a.batches == 1 ? base - frontier.edges : within.of(tiles, t, tile.batch));
    task.place = (u32)base;
    if (thread_index() == 0 && first == 0) frontier.record_begin(a, s, tiles, tile.batch, t, task.place);
    if (thread_index() == 0 && t == tiles.count - 1) frontier.record_end(a, s, phase, tiles, base + edges);
    if (base + edges >= Place || base + edges > a.edge_capacity) continue;  // record_end reports the fault
    // 4. Write the offsets.
    u32* offsets = a.offsets + frontier.offset(tile.batch) + first;
    if (thread_index() < nodes) offsets[thread_index()] = before + x.offsets[thread_index()];
    if (thread_index() == 0 && first + nodes == frontier.count_of(tile.batch)) offsets[nodes] = before + (u32)edges;
    // 5. Choose, if the step has a queue, and insert.
    if (Kind::drawn(step) && Kind::hubs(step)) {
      draw_all<Choice>(step, x, nodes, (u32)edges);
      draw_again<Choice>(a, step, x, nodes, task);
    } else if (Kind::hubs(step)) {
      edges = split_rows(a, step, x, nodes, task);
    }
    if constexpr (Choice::has_long_draws)
      if (Kind::long_draws(step)) choose_long<Choice>(a, step, nodes, task);
    insert_edges<Choice, Kind>(a, step, x, phase, nodes, (u32)edges, task);
  }
  if (!Kind::hubs(step)) return;
  HubQueue queue = hub_queue(a);
  queue.template done<Team>();
  for (HubTask task; queue.template take<Team>(task); queue.template done<Team>())
    run_task<Choice>(a, step, phase, task);
}

// expand_any is expand for the steps that are not a DrawnStep. It is not inlined.
template <class Choice>
ND_COLD void expand_any(const NeighborSampler& a, const Step& step, u32 s, HopFrontier frontier, Tiles tiles, u32 each,
                        u32 phase, bool counted) {
  expand<Choice, AnyStep<Choice>>(a, step, s, frontier, tiles, each, phase, counted, Expansion::shared());
}

}  // namespace nd
