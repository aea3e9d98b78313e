// The choice of a tile's edges, a thread per edge, with the tile's nodes and draws in shared memory. The phases, in the
// order in which driver/expand.cuh calls them:
//
//   1. gather        read the nodes of the tile, their candidates and keys; prefix sums give each edge a thread
//   2. draw_all      draw every edge by itself; mark the nodes of which two draws are equal, or too few edges are
//                    biased
//   3. draw_again    choose again, in order, for the marked nodes only: a lane per node if few edges are drawn, else a
//                    warp. A hub's row that would have to be searched is pushed to the queue, for a whole block
//
// The draws and their settling are those of selector/permute.cuh and selector/successive.cuh. All phases are called by
// all threads of a block and end with a block barrier.
#pragma once
#include "driver/hopfrontier.cuh"
#include "driver/queue.cuh"
#include "selector/permute.cuh"
#include "selector/successive.cuh"
#include "selector/uniform.cuh"

namespace nd {

// Expansion is a tile of frontier nodes in shared memory, with the draws of its edges. 45 KiB per block.
struct Expansion {
  u32* offsets;  // nodes+1: exclusive sums of the edges that the nodes take
  u64* rows;     // of each node: the first position of its row
  u64* keys;     // of each node: the key of its choice
  u32* counts;   // of each node: its candidates
  u32* degrees;  // of each node
  u32* trees;    // of each node: the tree that it belongs to
  u32* picks;    // of each edge, if the draws of a node must differ: the number of its candidate
  u16* owners;   // of each of those edges: its node
  u32* again;    // a bit per node: its choice must be made again
  u32* left;     // a bit per node: it was pushed to the queue
  u64* edges;    // the number of the tile's edges

  // shared returns the block's one expansion.
  ND_FN static Expansion shared() {
    ND_SHARED(u32, offsets, NeighborThreads + 1);
    ND_SHARED(u64, rows, NeighborThreads);
    ND_SHARED(u64, keys, NeighborThreads);
    ND_SHARED(u32, numbers, 3 * NeighborThreads);
    ND_SHARED(u32, picks, TilePicks);
    ND_SHARED(u16, owners, TilePicks);
    ND_SHARED(u32, bits, 2 * Team::warps);
    ND_SHARED(u64, edges, 1);
    return {offsets, rows, keys, numbers, numbers + Team::size, numbers + 2 * Team::size, picks, owners, bits, bits + Team::warps, edges};
  }
  // in tells whether a node's bit is set in again or left.
  ND_FN static bool in(const u32* bits, u32 node) { return bits[node / WarpSize] >> node % WarpSize & 1; }
  // of returns the candidates of a node of the tile.
  ND_FN Candidates of(u32 node) const { return {{rows[node], degrees[node]}, counts[node], offsets[node + 1] - offsets[node]}; }
};

// differ tells whether the draws of one node must be different edges.
ND_FN bool differ(const Step& step) { return !step.replace && step.fanout != NoEdge; }

// draw returns draw j of k among a node's candidates, as a number within the row.
ND_FN u32 draw(const Step& step, const Candidates& c, u64 key, u32 j, u32 k) {
  u64 word = word_of(key, j);
  if (!step.weighted) return uniform_draw(word, step.replace ? c.count : permute_bound(k, c.count, j));
  return alias_draw(step.g, c.row, word).place;
}

// search_biased returns the place of the j-th positive bias. There is one.
ND_COLD u32 search_biased(const u32* biases, u32 j) {
  for (u32 i = 0;; i++)
    if (fetch(biases + i) && j-- == 0) return i;
}
// biased returns the number of the j-th candidate that a node takes if it takes all: those with a positive bias, if the
// choice is weighted.
ND_FN u32 biased(const Step& step, const Candidates& c, u32 j) {
  return step.weighted && c.takes < c.count ? search_biased(step.g.biases + c.row.first, j) : j;
}

// search_kept is kept with excluded edges, by binary search among them.
ND_COLD u64 search_kept(const Step& step, Candidates c, u32 number) {
  u64 first = left_out(step, c.row.first), low = 0;
  for (u64 high = left_out(step, c.row.first + c.row.degree) - first; low < high;) {
    u64 middle = (low + high) / 2;
    if (fetch(step.excluded + first + middle) - c.row.first - middle <= number) low = middle + 1;
    else high = middle;
  }
  return c.row.first + number + low;
}
// kept returns the position of a candidate, given its number among those that are not excluded.
ND_FN u64 kept(const Step& step, const Candidates& c, u32 number) {
  return step.excluded_count ? search_kept(step, c, number) : c.row.first + number;
}

constexpr u64 BatchesPurpose = 8;  // rng.Batches

// key_of_choice returns the key of a node's choice; see HopStream in gonextdoor/app.
ND_FN u64 key_of_choice(const NeighborSampler& a, const Step& step, u32 batch, u32 tree, u32 v) {
  u64 stream = word_of(key_of(mix(a.words[batch] + (1 + BatchesPurpose) * Gamma), step.relation), step.hop);
  return a.trees ? derived_key(key_of(stream, tree - a.seed_at[batch * a.types]), 0, v) : key_of(stream, v);
}

// gather reads the tile of `nodes` nodes that begins at number `first` of the batch's list, a thread per node, and
// returns the number of its edges to all threads.
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

// draw_all draws the edges of a tile, a thread per edge, and sets the bits `again` of the nodes whose choice is not
// valid.
ND_FN void draw_all(const Step& step, const Expansion& x, u32 nodes, u32 edges) {
  u32 k = (u32)step.fanout;
  // 1. Draw each edge. A node that takes all its candidates needs no draws.
  for (u32 e = thread_index(); e < edges; e += Team::size) {
    u32 node = part_of(x.offsets, nodes, e), j = e - x.offsets[node];
    Candidates c = x.of(node);
    x.owners[e] = (u16)node;
    x.picks[e] = c.count <= k ? biased(step, c, j) : draw(step, c, x.keys[node], j, k);
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

// HubTask is work at a hub that any block may do later: a node's whole choice, or a piece of a row of which all edges
// are taken. The queue's workers are blocks.
struct alignas(8) HubTask {
  u32 batch, node;   // the node's number within its list
  u32 place;         // the place of the node's first edge
  u32 first;         // the first edge of the piece within the row
};
using HubQueue = Queue<HubTask>;

ND_FN HubQueue hub_queue(const NeighborSampler& a) { return {a.queue, a.queue_slots - 1}; }

// clear_hubs zeroes the queue, as it must be before its first use; a grid barrier follows.
ND_FN void clear_hubs(const NeighborSampler& a) {
  for (u64 i = thread_of_grid(); a.queue && i < HubQueue::size(a.queue_slots); i += threads_of_grid()) a.queue[i] = 0;
}

// choose_again makes the choice of a marked node in order and returns its number of picks: fewer than the node takes if
// a hub's row would have to be scanned for the others. All ranks of G call it with one node.
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
// step has one. task is that of the tile's first node. It is not inlined: the rest of the kernel needs fewer registers.
template <class G> ND_COLD void choose_marked(const NeighborSampler& a, const Step& step, u32 nodes, HubTask task) {
  constexpr u32 each = WarpSize / G::size;  // rows of a warp at a time
  Expansion x = Expansion::shared();
  for (u32 from = thread_index() / WarpSize * each; from < nodes; from += Team::warps * each) {
    u32 node = from + lane_index() / G::size, got = 0, takes = 0;
    if (node < nodes && Expansion::in(x.again, node)) {
      takes = x.of(node).takes;
      got = choose_again<G>(a, step, x, node);
    }
    if (!step.hubs) continue;
    HubTask t{task.batch, task.node + node, task.place + (takes ? x.offsets[node] : 0), 0};
    bool given = hub_queue(a).push(got < takes && G::rank() == 0, t);
    given = G::from((u32)given, 0);
    if (given && G::rank() == 0) or_atomic(x.left + node / WarpSize, 1u << node % WarpSize);
    if (got < takes && !given) {  // the queue was full
      Candidates c = x.of(node);
      successive_rest<G>(step.g, c.row, x.keys[node], (u32)step.fanout, got, x.picks + x.offsets[node]);
    }
  }
}

// draw_again chooses again for the nodes that draw_all has marked. task is that of the tile's first node.
ND_FN void draw_again(const NeighborSampler& a, const Step& step, const Expansion& x, u32 nodes, HubTask task) {
  u32 k = (u32)step.fanout, node = thread_index();
  if (k > ShortPicks) choose_marked<Warp>(a, step, nodes, task);
  else if (step.weighted) choose_marked<Lane>(a, step, nodes, task);
  else if (node < nodes && Expansion::in(x.again, node)) settle_short(k, x.counts[node], x.picks + x.offsets[node]);
  sync_block();
}

}  // namespace nd
