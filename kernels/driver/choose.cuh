// The choice of the edges of a tile, a thread per edge, with the tile's nodes and draws in shared memory. The phases,
// in the order in which driver/expand.cuh calls them:
//
//   1. gather        Read the nodes of the tile, their candidates and keys. Prefix sums assign each edge a thread.
//   2. draw_all      Draw every edge independently. Mark the nodes that have two equal draws, or too few edges with a
//                    positive bias.
//   3. draw_again    Choose again, in order, for the marked nodes only: a lane per node if few edges are drawn, else a
//                    warp. A hub whose row would have to be scanned is pushed to the queue, for a whole block.
//
// The draws are those of selector/permute.cuh and selector/successive.cuh. All threads of the block call each phase,
// which ends with a block barrier.
#pragma once
#include "driver/hopfrontier.cuh"
#include "driver/queue.cuh"
#include "selector/permute.cuh"
#include "selector/successive.cuh"
#include "selector/uniform.cuh"

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

// is_distinct returns whether the draws of a node must be distinct edges.
ND_FN bool is_distinct(const Step& step) { return !step.replace && step.fanout != NoEdge; }

// draw returns draw j of k among a node's candidates. An unweighted draw is the number of a candidate; a weighted one
// is the place of an edge within the row, as weighted steps exclude no edges.
ND_FN u32 draw(const Step& step, const Candidates& c, u64 key, u32 j, u32 k) {
  u64 word = word_of(key, j);
  if (!step.weighted) return uniform_draw(word, step.replace ? c.count : permute_bound(k, c.count, j));
  return alias_draw(step.g, c.row, word).place;
}

// search_with_bias returns the index of the j-th positive bias, which must exist. O(degree).
ND_COLD u32 search_with_bias(const u32* biases, u32 j) {
  for (u32 i = 0;; i++)
    if (fetch(biases + i) && j-- == 0) return i;
}
// with_bias returns the number of the j-th candidate that a node takes if it takes all: the j-th with a positive bias
// if the choice is weighted.
ND_FN u32 with_bias(const Step& step, const Candidates& c, u32 j) {
  return step.weighted && c.takes < c.count ? search_with_bias(step.g.biases + c.row.first, j) : j;
}

// search_position is position_of with excluded edges, by binary search among them.
ND_COLD u64 search_position(const Step& step, Candidates c, u32 number) {
  u64 first = excluded_before(step, c.row.first), low = 0;
  for (u64 high = excluded_before(step, c.row.first + c.row.degree) - first; low < high;) {
    u64 middle = (low + high) / 2;
    if (fetch(step.excluded + first + middle) - c.row.first - middle <= number) low = middle + 1;
    else high = middle;
  }
  return c.row.first + number + low;
}
// position_of returns the position of an edge, given its number among the candidates.
ND_FN u64 position_of(const Step& step, const Candidates& c, u32 number) {
  return step.excluded_count ? search_position(step, c, number) : c.row.first + number;
}

constexpr u64 BatchesPurpose = 8;  // rng.Batches

// key_of_choice returns the key of a node's choice; see HopStream in gonextdoor/app.
ND_FN u64 key_of_choice(const NeighborSampler& a, const Step& step, u32 batch, u32 tree, u32 v) {
  u64 stream = word_of(key_of(mix(a.batch_seeds[batch] + (1 + BatchesPurpose) * Gamma), step.relation), step.hop);
  return a.trees ? derived_key(key_of(stream, tree - a.seed_node_at[batch * a.types]), 0, v) : key_of(stream, v);
}

// gather reads the tile of `nodes` nodes that begins at local id `first` of the batch, a thread per node, and returns
// the number of its edges to all threads.
ND_FN u64 gather(const NeighborSampler& a, const Step& step, const Expansion& x, u32 batch, u32 first, u32 nodes) {
  u32 i = thread_index();
  Candidates c{};
  if (i < nodes) {
    u64 at = node_at(a, step.destination, batch, first + i);
    u32 v = a.nodes[at], tree = a.trees ? a.trees[at] : batch;
    c = candidates(step, v);
    x.rows[i] = c.row.first;
    x.degrees[i] = c.row.degree;
    x.counts[i] = c.count;
    x.trees[i] = tree;
    x.keys[i] = key_of_choice(a, step, batch, tree, v);
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
ND_FN void draw_all(const Step& step, const Expansion& x, u32 nodes, u32 edges) {
  u32 k = (u32)step.fanout;
  // 1. Draw each edge. A node that takes all its candidates needs no draws.
  for (u32 e = thread_index(); e < edges; e += Team::size) {
    u32 node = part_of(x.offsets, nodes, e), j = e - x.offsets[node];
    Candidates c = x.of(node);
    x.owners[e] = (u16)node;
    x.picks[e] = c.count <= k ? with_bias(step, c, j) : draw(step, c, x.keys[node], j, k);
  }
  sync_block();
  // 2. Compare each draw with the earlier ones of its node.
  for (u32 e = thread_index(); e < edges; e += Team::size) {
    u32 node = x.owners[e], first = x.offsets[node], pick = x.picks[e];
    if (x.counts[node] <= k) continue;
    bool same = x.offsets[node + 1] - first < k;  // fewer than k edges are biased: the row is scanned
    same = repeats(x.picks, first, e, pick, same);
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

ND_FN HubQueue hub_queue(const NeighborSampler& a) { return {a.queue, a.queue_slots - 1}; }

// clear_hubs zeroes the queue before its first use. All threads of the grid call it; a grid barrier must follow.
ND_FN void clear_hubs(const NeighborSampler& a) {
  for (u64 i = thread_of_grid(); a.queue && i < HubQueue::size(a.queue_slots); i += threads_of_grid()) a.queue[i] = 0;
}

// choose_again makes the choice of a marked node in order and returns the number of picks. That is fewer than the node
// takes if a hub's row would have to be scanned for the others. All ranks of G call it with the same node.
template <class G> ND_FN u32 choose_again(const NeighborSampler& a, const Step& step, const Expansion& x, u32 node) {
  Candidates c = x.of(node);
  u32 k = (u32)step.fanout, *picks = x.picks + x.offsets[node];
  if (!step.weighted) {
    settle<G>(k, c.count, picks);
    return k;
  }
  u32 got = successive_draws<G>(step.g, c.row, x.keys[node], k, picks);
  if (got == c.takes || (step.hubs && c.count > a.hub_degree)) return got;
  return successive_rest<G>(step.g, c.row, x.keys[node], k, got, picks);
}

// choose_marked chooses again for the marked nodes of a tile, a group G per node, and pushes hubs to the queue if the
// step uses it. task is the task of the tile's first node. It is not inlined, since the rest of the kernel needs fewer
// registers.
template <class G> ND_COLD void choose_marked(const NeighborSampler& a, const Step& step, u32 nodes, HubTask task) {
  constexpr u32 each = WarpSize / G::size;  // rows of a warp at a time
  Expansion x = Expansion::shared();
  for (u32 from = thread_index() / WarpSize * each; from < nodes; from += Team::warps * each) {
    // 1. Choose.
    // 1. Choose.
    u32 node = from + lane_index() / G::size, got = 0, takes = 0;
    if (node < nodes && Expansion::in(x.again, node)) {
      takes = x.of(node).takes;
      got = choose_again<G>(a, step, x, node);
    }
    if (!step.hubs) continue;
    // 2. Push the hubs whose choice is incomplete. If the queue is full, complete the choice here.
    HubTask t{task.batch, task.node + node, task.place + (takes ? x.offsets[node] : 0), 0};
    bool pushed = hub_queue(a).push(got < takes && G::rank() == 0, t);
    pushed = G::from((u32)pushed, 0);
    if (pushed && G::rank() == 0) or_atomic(x.left + node / WarpSize, 1u << node % WarpSize);
    if (got < takes && !pushed) {
      Candidates c = x.of(node);
      successive_rest<G>(step.g, c.row, x.keys[node], (u32)step.fanout, got, x.picks + x.offsets[node]);
    }
  }
}

// draw_again chooses again for the nodes that draw_all has marked: a warp per node if more than ShortPicks edges are
// drawn, else a lane per node. task is the task of the tile's first node.
ND_FN void draw_again(const NeighborSampler& a, const Step& step, const Expansion& x, u32 nodes, HubTask task) {
  u32 k = (u32)step.fanout, node = thread_index();
  if (k > ShortPicks) choose_marked<Warp>(a, step, nodes, task);
  else if (step.weighted) choose_marked<Lane>(a, step, nodes, task);
  else if (node < nodes && Expansion::in(x.again, node)) settle_short(k, x.counts[node], x.picks + x.offsets[node]);
  sync_block();
}

}  // namespace nd
