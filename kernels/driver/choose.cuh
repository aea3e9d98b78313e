// The choice of a tile's edges: a thread for each edge, whatever its node. Draws that should differ are made side by side,
// and compared; only where two of a row are the same, its choice is made again in order: by a lane where few are drawn, by
// a warp where there are more. A hub's row that must be searched is left to whole blocks, by the queue.
#pragma once
#include "driver/hopfrontier.cuh"
#include "driver/queue.cuh"
#include "selector/successive.cuh"

namespace nd {

// Expansion is a tile of nodes in shared memory, and the draws of its edges.
struct Expansion {
  u32* offsets;  // of each node's edges within the tile's, and their end
  u64* rows;     // where its row begins
  u64* keys;     // of its choice
  u32 *counts, *degrees, *trees;
  u32* picks;    // draws that should differ
  u16* owners;   // of each of those: its node
  u32* again;    // bits of the nodes of which two draws are the same
  u32* left;     // bits of the nodes that are left to the queue
  u64* edges;    // how many all nodes take

  ND_FN static Expansion shared() {
    ND_SHARED(u32, offsets, NeighborhoodThreads + 1);
    ND_SHARED(u64, rows, NeighborhoodThreads);
    ND_SHARED(u64, keys, NeighborhoodThreads);
    ND_SHARED(u32, numbers, 3 * NeighborhoodThreads);
    ND_SHARED(u32, picks, TilePicks);
    ND_SHARED(u16, owners, TilePicks);
    ND_SHARED(u32, bits, 2 * Team::warps);
    ND_SHARED(u64, edges, 1);
    return {offsets, rows, keys, numbers, numbers + Team::size, numbers + 2 * Team::size, picks, owners, bits, bits + Team::warps, edges};
  }
  ND_FN static bool in(const u32* bits, u32 node) { return bits[node / WarpSize] >> node % WarpSize & 1; }
  ND_FN Candidates of(u32 node) const { return {{rows[node], degrees[node]}, counts[node], offsets[node + 1] - offsets[node]}; }
};

// differ says that a step's draws of one row should be different edges.
ND_FN bool differ(const Step& step) { return !step.replace && step.fanout != NoEdge; }

// draw gives draw j of k among a node's candidates, as a number within the row.
ND_FN u32 draw(const Step& step, const Candidates& c, u64 key, u32 j, u32 k) {
  u64 word = word_of(key, j);
  if (!step.weighted) return below(word, step.replace ? c.count : c.count - k + j + 1).index;
  return drawn(step.g, c.row, word).place;
}

// biased gives the number of the j-th candidate that has a bias.
ND_COLD u32 search_biased(const u32* biases, u32 j) {
  for (u32 i = 0;; i++)
    if (fetch(biases + i) && j-- == 0) return i;
}
ND_FN u32 biased(const Step& step, const Candidates& c, u32 j) {
  return step.weighted && c.takes < c.count ? search_biased(step.g.biases + c.row.first, j) : j;
}

// kept gives the position of a candidate, by its number among those that are not left out.
ND_COLD u64 search_kept(const Step& step, Candidates c, u32 number) {
  u64 first = left_out(step, c.row.first), low = 0;
  for (u64 high = left_out(step, c.row.first + c.row.degree) - first; low < high;) {
    u64 middle = (low + high) / 2;
    if (fetch(step.excluded + first + middle) - c.row.first - middle <= number) low = middle + 1;
    else high = middle;
  }
  return c.row.first + number + low;
}
ND_FN u64 kept(const Step& step, const Candidates& c, u32 number) {
  return step.excluded_count ? search_kept(step, c, number) : c.row.first + number;
}

constexpr u64 BatchesPurpose = 8;  // rng.Batches

// key_of_choice returns the key of a node's choice; see HopStream in gonextdoor/app.
ND_FN u64 key_of_choice(const Neighborhood& a, const Step& step, u32 batch, u32 tree, u32 v) {
  u64 stream = word_of(key_of(mix(a.words[batch] + (1 + BatchesPurpose) * Gamma), step.relation), step.hop);
  return a.trees ? derived_key(key_of(stream, tree - a.seed_at[batch * a.types]), 0, v) : key_of(stream, v);
}

// gather reads a tile's nodes, and gives the number of their edges.
ND_FN u64 gather(const Neighborhood& a, const Step& step, const Expansion& x, u32 batch, u32 first, u32 nodes) {
  u32 i = thread_index();
  Candidates c{};
  if (i < nodes) {
    u64 at = node_at(a, step.destination, batch, first + i);
    u32 v = a.nodes[at], tree = a.trees ? a.trees[at] : batch;
    c = candidates(step, v);
    x.rows[i] = c.row.first, x.degrees[i] = c.row.degree, x.counts[i] = c.count, x.trees[i] = tree;
    x.keys[i] = key_of_choice(a, step, batch, tree, v);
  }
  u64 upto = Team::scan(c.takes);
  if (i < nodes) x.offsets[i] = (u32)upto - c.takes;
  if (i == nodes - 1) x.offsets[nodes] = (u32)upto, *x.edges = upto;
  if (i < Team::warps) x.again[i] = x.left[i] = 0;
  sync_block();
  return *x.edges;
}

// draw_all makes the draws of a tile, and notes whose are to be made again.
ND_FN void draw_all(const Step& step, const Expansion& x, u32 nodes, u32 edges) {
  u32 k = (u32)step.fanout;
  for (u32 e = thread_index(); e < edges; e += Team::size) {
    u32 node = part_of(x.offsets, nodes, e), j = e - x.offsets[node];
    Candidates c = x.of(node);
    x.owners[e] = (u16)node;
    x.picks[e] = c.count <= k ? biased(step, c, j) : draw(step, c, x.keys[node], j, k);
  }
  sync_block();
  for (u32 e = thread_index(); e < edges; e += Team::size) {
    u32 node = x.owners[e], first = x.offsets[node], pick = x.picks[e];
    if (x.counts[node] <= k) continue;
    bool same = x.offsets[node + 1] - first < k;  // there are not k with a bias: the row is searched for what is left
    for (u32 other = first; other < e; other++) same |= x.picks[other] == pick;
    if (same) or_atomic(x.again + node / WarpSize, 1u << node % WarpSize);
  }
  sync_block();
}

// settle_few is settle for few draws, which stay in registers where there are few candidates too.
constexpr u32 FewPicks = 16, FewCandidates = 256;
ND_FN void settle_few(u32 k, u32 n, u32* picks) {
  if (n > FewCandidates) return settle<Lane>(k, n, picks);
  Bytes list;
#pragma unroll
  for (u32 i = 0; i < FewPicks; i++) {
    if (i >= k) continue;
    u32 r = picks[i], at = list.place(r, i);
    if (at == None) list.set(i, r);
    else list.insert(at, n - k + i);
  }
#pragma unroll
  for (u32 i = 0; i < FewPicks; i++)
    if (i < k) picks[i] = list.get(i);
}

// HubTask is work at a node that is left to whoever has time, a block at a time: its whole choice, or of a row of which
// all edges are taken, a piece.
struct alignas(8) HubTask {
  u32 batch, node;   // the node's number
  u32 place, first;  // of its first edge; the piece's first edge
};
using HubQueue = Queue<HubTask>;

ND_FN HubQueue hub_queue(const Neighborhood& a) { return {a.queue, a.queue_slots - 1}; }

ND_FN void clear_hubs(const Neighborhood& a) {
  for (u64 i = thread_of_grid(); a.queue && i < HubQueue::size(a.queue_slots); i += threads_of_grid()) a.queue[i] = 0;
}

// choose_again makes the choice of a row in order, and gives how many picks it has: fewer than there are where a hub's row
// would have to be searched.
template <class G> ND_FN u32 choose_again(const Neighborhood& a, const Step& step, const Expansion& x, u32 node) {
  Candidates c = x.of(node);
  u32 k = (u32)step.fanout, *picks = x.picks + x.offsets[node];
  if (!step.weighted) {
    settle<G>(k, c.count, picks);
    return k;
  }
  u32 got = successive_draws<G>(step.g, c.row, x.keys[node], k, picks, NoEnds{});
  if (got == c.takes || (step.hubs && c.count > a.hub_degree)) return got;
  return successive_rest<G>(step.g, c.row, x.keys[node], k, got, picks, NoEnds{});
}

// choose_marked does so for the tile's rows that are marked, a group G each. It is apart from the rest of the kernel, which
// needs fewer registers.
template <class G> ND_COLD void choose_marked(const Neighborhood& a, const Step& step, u32 nodes, HubTask task) {
  constexpr u32 each = WarpSize / G::size;  // rows of a warp at a time
  Expansion x = Expansion::shared();
  for (u32 from = thread_index() / WarpSize * each; from < nodes; from += Team::warps * each) {
    u32 node = from + lane_index() / G::size, got = 0, takes = 0;
    if (node < nodes && Expansion::in(x.again, node)) takes = x.of(node).takes, got = choose_again<G>(a, step, x, node);
    if (!step.hubs) continue;
    HubTask t{task.batch, task.node + node, task.place + (takes ? x.offsets[node] : 0), 0};
    bool given = hub_queue(a).push(got < takes && G::rank() == 0, t);
    given = G::from((u32)given, 0);
    if (given && G::rank() == 0) or_atomic(x.left + node / WarpSize, 1u << node % WarpSize);
    if (got < takes && !given) {
      Candidates c = x.of(node);
      successive_rest<G>(step.g, c.row, x.keys[node], (u32)step.fanout, got, x.picks + x.offsets[node], NoEnds{});
    }
  }
}

// draw_again makes the choices anew of which two draws are the same. task is that of the tile's first node.
ND_FN void draw_again(const Neighborhood& a, const Step& step, const Expansion& x, u32 nodes, HubTask task) {
  u32 k = (u32)step.fanout, node = thread_index();
  if (k > FewPicks) choose_marked<Warp>(a, step, nodes, task);
  else if (step.weighted) choose_marked<Lane>(a, step, nodes, task);
  else if (node < nodes && Expansion::in(x.again, node)) settle_few(k, x.counts[node], x.picks + x.offsets[node]);
  sync_block();
}

}  // namespace nd
