// The choice of the edges of a tile, a thread per edge, with the tile's nodes and draws in shared memory. The phases,
// in the order in which driver/expand.cuh calls them:
//
//   1. gather        Read the nodes of the tile, their candidates and keys. Prefix sums assign each edge a thread.
//   2. draw_all      Draw every edge independently. Mark the nodes that have two equal draws, or too few edges with a
//                    positive bias.
//   3. draw_again    Choose again, in order, for the marked nodes only: a lane per node if few edges are drawn, else a
//                    warp. A hub whose row would have to be scanned is pushed to the queue, for a whole block.
//
// All threads of the block call each phase, which ends with a block barrier.
//
// The phases are templates of a Choice, the rule by which a node chooses: RowChoice (driver/rowchoice.cuh), RangeChoice
// (driver/rangechoice.cuh) or LaborChoice (driver/laborchoice.cuh). A kernel is compiled for one Choice, so that rules
// which need more registers do not slow down the others. The members of a Choice:
//
//   candidates        the candidates of a vertex in a tree, and how many of them it takes; `at` is the index of its
//   node key               the key of a node's choice, for the other members is_drawn          whether the draws of a
//   step are stored in shared memory, since they depend on one another bounds_tiles      whether the number of draws
//   per tile is limited, to TilePicks takes_all         whether a node of a drawn step takes all its candidates,
//   without draws draw              draw j of k of a node: a number, or None if the draw is rejected (may_reject)
//   in_order          the number of the j-th edge that a node takes if it does not draw
//   position_of       the position of the edge with a number
//   again             makes a choice in order, by a group of threads, and returns the number of picks
//   Few               the group that makes small weighted choices again
//   queues_choices    whether again may leave a choice incomplete, to be completed by finish or by complete
//   has_long_draws    whether steps may store draws in device memory; see driver/longchoice.cuh
//   selects_ahead     whether all choices of a step are made before it is expanded; see driver/laborselect.cuh
//   inserts           whether sources are inserted as soon as their edges are chosen; see driver/hostends.cuh
#pragma once
#include "driver/hopfrontier.cuh"
#include "driver/queue.cuh"
#include "driver/rangechoice.cuh"
#include "driver/rowchoice.cuh"

namespace nd {

// Expansion is a tile of frontier nodes in shared memory, with the draws of its edges: 45 KiB per block. The owner of
// an edge is the node that takes it, counted within the tile.
struct Expansion {
  u32* offsets;  // nodes+1: exclusive sums of the edges that the nodes take
  u64* rows;     // per node: the first position of its row
  u64* keys;     // per node: the key of its choice
  u32* counts;   // per node: the number of its candidates
  u32* degrees;  // per node: the length of its row
  u32* trees;    // per node: the tree that it belongs to
  u32* picks;    // per edge, if the draws of a node must be distinct: the number of its candidate
  u16* owners;   // per edge, if the draws of a node must be distinct: its owner
  u32* again;    // a bit per node: its choice must be made again
  u32* left;     // a bit per node: it was pushed to the queue
  u64* edges;    // one number: the edges of the tile

  // shared returns the expansion of the block. All calls return the same memory.
  ND_FN static Expansion shared() {
    ND_SHARED(u32, offsets, NeighborThreads + 1);
    ND_SHARED(u64, rows, NeighborThreads);
    ND_SHARED(u64, keys, NeighborThreads);
    ND_SHARED(u32, numbers, 3 * NeighborThreads);
    ND_SHARED(u32, picks, TilePicks);
    ND_SHARED(u16, owners, TilePicks);
    ND_SHARED(u32, bits, 2 * Team::warps);
    ND_SHARED(u64, edges, 1);
    return {offsets,
            rows,
            keys,
            numbers,
            numbers + Team::size,
            numbers + 2 * Team::size,
            picks,
            owners,
            bits,
            bits + Team::warps,
            edges};
  }
  // in returns whether a node's bit is set in again or left.
  ND_FN static bool in(const u32* bits, u32 node) { return bits[node / WarpSize] >> node % WarpSize & 1; }
  // of returns the candidates of a node of the tile.
  ND_FN Candidates of(u32 node) const {
    return {{rows[node], degrees[node]}, counts[node], offsets[node + 1] - offsets[node]};
  }
};

// gather reads the tile of `nodes` nodes that begins at local id `first` of the batch, a thread per node, and returns
// the number of its edges to all threads.
template <class Choice>
ND_FN u64 gather(const NeighborSampler& a, const Step& step, const Expansion& x, u32 batch, u32 first, u32 nodes) {
  u32 i = thread_index();
  Candidates c{};
  if (i < nodes) {
    u64 at = node_at(a, step.destination, batch, first + i);
    u32 v = a.nodes[at], tree = a.trees ? a.trees[at] : batch;
    c = Choice::candidates(a, step, v, tree, at);
    x.rows[i] = c.row.first;
    x.degrees[i] = c.row.degree;
    x.counts[i] = c.count;
    x.trees[i] = tree;
    x.keys[i] = Choice::key(a, step, batch, tree, v, at);
  }
  u64 upto = Team::scan(c.takes);
  if (i < nodes) x.offsets[i] = (u32)upto - c.takes;
  if (i == nodes - 1) {
    x.offsets[nodes] = (u32)upto;
    *x.edges = upto;
  }
  if (i < Team::warps) x.again[i] = x.left[i] = 0;
  sync_block();
  return *x.edges;
}

// draw_all draws the edges of a tile, a thread per edge, and sets the bits `again` of the nodes whose draws are not a
// valid choice. Step 2 is quadratic in the fan-out per node, but threads compare in parallel, and picks are in shared
// memory.
template <class Choice> ND_FN void draw_all(const Step& step, const Expansion& x, u32 nodes, u32 edges) {
  u32 k = (u32)step.fanout;
  // 1. Draw each edge. A node that takes all its candidates needs no draws.
  for (u32 e = thread_index(); e < edges; e += Team::size) {
    u32 node = part_of(x.offsets, nodes, e), j = e - x.offsets[node];
    Candidates c = x.of(node);
    x.owners[e] = (u16)node;
    x.picks[e] = Choice::takes_all(step, c) ? Choice::in_order(step, c, x.keys[node], j)
                                            : Choice::draw(step, c, x.keys[node], j, k);
  }
  sync_block();
  // 2. Compare each draw with the earlier ones of its node.
  for (u32 e = thread_index(); e < edges; e += Team::size) {
    u32 node = x.owners[e], first = x.offsets[node], pick = x.picks[e];
    if (Choice::takes_all(step, x.of(node))) continue;
    bool same = x.offsets[node + 1] - first < k;  // fewer than k edges are biased: the row is scanned
    if constexpr (Choice::may_reject) same |= pick == None;
    if (!Choice::may_reject || !step.replace) same = repeats(x.picks, first, e, pick, same);
    if (same) or_atomic(x.again + node / WarpSize, 1u << node % WarpSize);
  }
  sync_block();
}

// HubTask is work at a hub that any block may do later: the choice of a node, or a piece of a row of which all edges
// are taken. The workers of the queue are blocks.
struct alignas(8) HubTask {
  u32 batch, node;  // node is a local id
  u32 place;        // the place of the node's first edge
  u32 first;        // the first edge of the piece within the row
};
using HubQueue = Queue<HubTask>;
constexpr u32 HubSlot = 3;  // words
static_assert(HubSlot == 1 + HubQueue::words, "a slot has a sequence number and a task");

ND_FN HubQueue hub_queue(const NeighborSampler& a) { return {a.queue, a.queue_slots - 1}; }

// clear_hubs zeroes the queue before its first use. All threads of the grid call it; a grid barrier must follow.
ND_FN void clear_hubs(const NeighborSampler& a) {
  for (u64 i = thread_of_grid(); a.queue && i < HubQueue::size(a.queue_slots); i += threads_of_grid()) a.queue[i] = 0;
}

// choose_marked chooses again for the marked nodes of a tile, a group G per node, and pushes hubs to the queue if the
// step uses it. task is the task of the tile's first node. It is not inlined, since the rest of the kernel needs fewer
// registers.
template <class Choice, class G>
ND_COLD void choose_marked(const NeighborSampler& a, const Step& step, u32 nodes, HubTask task) {
  constexpr u32 each = WarpSize / G::size;  // rows of a warp at a time
  Expansion x = Expansion::shared();
  for (u32 from = thread_index() / WarpSize * each; from < nodes; from += Team::warps * each) {
    // 1. Choose.
    u32 node = from + lane_index() / G::size, got = 0, takes = 0;
    if (node < nodes && Expansion::in(x.again, node)) {
      takes = x.of(node).takes;
      got = Choice::template again<G>(a, step, x.of(node), x.keys[node], x.picks + x.offsets[node]);
    }
    if constexpr (Choice::queues_choices) {
      if (!step.hubs) continue;
      // 2. Push the hubs whose choice is incomplete. If the queue is full, complete the choice here.
      HubTask t{task.batch, task.node + node, task.place + (takes ? x.offsets[node] : 0), 0};
      bool pushed = hub_queue(a).push(got < takes && G::rank() == 0, t);
      pushed = G::from((u32)pushed, 0);
      if (pushed && G::rank() == 0) or_atomic(x.left + node / WarpSize, 1u << node % WarpSize);
      if (got < takes && !pushed)
        Choice::template finish<G>(step, x.of(node), x.keys[node], got, x.picks + x.offsets[node]);
    }
  }
}

// draw_again chooses again for the nodes that draw_all has marked: a warp per node if more than ShortPicks edges are
// drawn, else a smaller group. task is the task of the tile's first node.
template <class Choice>
ND_FN void draw_again(const NeighborSampler& a, const Step& step, const Expansion& x, u32 nodes, HubTask task) {
  u32 k = (u32)step.fanout, node = thread_index();
  if (k > ShortPicks) choose_marked<Choice, Warp>(a, step, nodes, task);
  else if (step.weighted) choose_marked<Choice, typename Choice::Few>(a, step, nodes, task);
  else if (node < nodes && Expansion::in(x.again, node)) settle_short(k, x.counts[node], x.picks + x.offsets[node]);
  sync_block();
}

}  // namespace nd
