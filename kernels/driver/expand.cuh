// The nodes that a step of a mini-batch expands, and the choice of their edges: a thread for each edge, whatever its node.
// Draws that should differ are made side by side, and compared; only where two of a row are the same, its choice is made
// again in order.
#pragma once
#include "driver/nodes.cuh"
#include "driver/tiles.cuh"
#include "graph/packed.cuh"
#include "selector/successive.cuh"

namespace nd {

constexpr u32 ReportHead = 4;    // words of the report before the numbers
constexpr u32 TilePicks = 4096;  // draws of a tile that should differ, at most
constexpr u32 AllNodes = 64;     // nodes of a tile that take all their edges, at most

// Candidates are the edges of a node that may be chosen, and how many of them are.
struct Candidates {
  RowOf<u64> row;
  u32 count, takes;
};

// left_out gives how many of the excluded edges lie before a position.
ND_FN u64 left_out(const Step& step, u64 position) {
  u64 low = 0;
  for (u64 high = step.excluded_count; low < high;) {
    u64 middle = (low + high) / 2;
    if (fetch(step.excluded + middle) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

ND_FN Candidates candidates(const Step& step, u32 v) {
  Candidates c;
  if (step.g.packed) {
    auto row = PackedRows::of(step.g, v);
    c.row = {row.first, row.degree};
  } else {
    c.row = PlainRows::of(step.g, v);
  }
  c.count = c.row.degree;
  if (step.excluded_count) c.count -= (u32)(left_out(step, c.row.first + c.row.degree) - left_out(step, c.row.first));
  u32 some = step.weighted ? fetch(step.g.biased + v) : c.count;
  if (some == 0) c.takes = 0;
  else if (step.replace) c.takes = (u32)step.fanout;
  else c.takes = step.fanout < some ? (u32)step.fanout : some;
  return c;
}

// know_edges writes where the edges of a batch begin.
ND_FN void know_edges(const Neighborhood& a, u64 step, u32 batch, u32 place) {
  u64 at = step * (a.batches + 1) + batch;
  a.edge_at[at] = place;
  a.report[ReportHead + (a.step_count + 1) * a.types * a.batches + at] = place;
}

// Due is what a step expands, beside what the steps before took of the arrays: the same in all threads.
struct Due {
  u64 edges, offsets;  // where this step's begin
  u32 count;           // due nodes of all batches
  u32* first;          // of each batch, and their number; shared

  ND_FN void begin(const Neighborhood& a, const Step& step) {
    u64 lists = a.types * a.batches;
    const u32 *known = a.known + step.hop_begin * lists + step.destination * a.batches;
    count = running(first, (u32)a.batches, [&](u32 b) { return known[b] - from(a, step, b); });
  }
  ND_FN static u32 from(const Neighborhood& a, const Step& step, u32 batch) {
    return step.due_begin == NoEdge ? 0 : a.known[(step.due_begin * a.types + step.destination) * a.batches + batch];
  }
  ND_FN u32 of(u32 batch) const { return first[batch + 1] - first[batch]; }
  ND_FN u64 offset(u32 batch) const { return offsets + first[batch] + batch; }

  // note writes that the edges of a batch, and of those before it that have no tile, begin at a place. batch may be that
  // behind the last.
  ND_FN void note(const Neighborhood& a, u32 s, const Tiles& tiles, u32 batch, u32 t, u32 place) const {
    know_edges(a, s, batch, place);
    for (; batch > 0 && tiles.first[batch - 1] == t; batch--) {
      know_edges(a, s, batch - 1, place);
      a.offsets[offset(batch - 1)] = 0;
    }
  }

  ND_FN void end(const Neighborhood& a, u64 more) { edges += more, offsets += count + a.batches; }

  // each gives the size of tiles that has all blocks end together.
  ND_FN u32 each(const Step& step) const {
    u32 most = step.fanout == NoEdge ? AllNodes : Team::size;
    if (!step.replace && step.fanout * most > TilePicks) most = step.fanout < TilePicks ? (u32)(TilePicks / step.fanout) : 1;
    if (step.fanout == NoEdge) most = AllNodes;
    u32 rounds = (count + grid_size() * most - 1) / (grid_size() * most), all = rounds * grid_size();
    return all ? (count + all - 1) / all : 1;
  }
};

// node_at says where a list's node is.
ND_FN u64 node_at(const Neighborhood& a, u64 type, u32 batch, u32 i) { return (type * a.batches + batch) * a.node_room + i; }

// count_due sums up what the nodes of each tile take.
ND_FN void count_due(const Neighborhood& a, const Step& step, const Due& due, const Tiles& tiles, u32 each) {
  for (u32 t = block_index(); t < tiles.count; t += grid_size()) {
    auto tile = tiles.of(t);
    u32 i = tile.number * each + thread_index();
    u64 takes = 0;
    if (thread_index() < each && i < due.of(tile.batch)) {
      u32 v = a.nodes[node_at(a, step.destination, tile.batch, Due::from(a, step, tile.batch) + i)];
      takes = candidates(step, v).takes;
    }
    u64 sum = Team::sum(takes);
    if (thread_index() == 0) a.sums[t] = sum < Place ? (u32)sum : Place;  // that is too many
  }
}

// Expansion is a tile of nodes in shared memory, and the draws of its edges.
struct Expansion {
  u32* offsets;  // of each node's edges within the tile's, and their end
  u64* rows;     // where its row begins
  u64* keys;     // of its choice
  u32 *counts, *degrees, *trees;
  u32* picks;    // draws that should differ
  u16* owners;   // of each of those: its node
  u32* again;    // bits of the nodes of which two draws are the same

  ND_FN static Expansion shared() {
    ND_SHARED(u32, offsets, NeighborhoodThreads + 1);
    ND_SHARED(u64, rows, NeighborhoodThreads);
    ND_SHARED(u64, keys, NeighborhoodThreads);
    ND_SHARED(u32, numbers, 3 * NeighborhoodThreads);
    ND_SHARED(u32, picks, TilePicks);
    ND_SHARED(u16, owners, TilePicks);
    ND_SHARED(u32, again, NeighborhoodThreads / WarpSize);
    return {offsets, rows, keys, numbers, numbers + NeighborhoodThreads, numbers + 2 * NeighborhoodThreads, picks, owners, again};
  }
  ND_FN Candidates of(u32 node) const { return {{rows[node], degrees[node]}, counts[node], offsets[node + 1] - offsets[node]}; }
  // owner gives the node of the first so many that takes edge e.
  ND_FN u32 owner(u32 nodes, u32 e) const {
    u32 low = 0;
    for (u32 high = nodes; high - low > 1;) {
      u32 middle = (low + high) / 2;
      if (offsets[middle] <= e) low = middle;
      else high = middle;
    }
    return low;
  }
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

// gather reads a tile's nodes, and gives the number of their edges.
ND_FN u32 gather(const Neighborhood& a, const Step& step, const Expansion& x, u32 batch, u32 first, u32 nodes) {
  u32 i = thread_index();
  Candidates c{};
  if (i < nodes) {
    u64 at = node_at(a, step.destination, batch, first + i);
    u32 v = a.nodes[at], tree = a.trees ? a.trees[at] : batch;
    c = candidates(step, v);
    u64 stream = word_of(key_of(mix(a.words[batch] + Gamma), step.relation), step.hop);
    x.rows[i] = c.row.first, x.degrees[i] = c.row.degree, x.counts[i] = c.count, x.trees[i] = tree;
    x.keys[i] = a.trees ? hung(key_of(stream, tree - a.seed_at[batch * a.types]), 0, v) : key_of(stream, v);
  }
  u32 upto = (u32)Team::scan(c.takes);
  if (i < nodes) x.offsets[i] = upto - c.takes;
  if (i == nodes - 1) x.offsets[nodes] = upto;
  if (i < Team::warps) x.again[i] = 0;
  sync_block();
  return x.offsets[nodes];
}

// draw_all makes the draws of a tile, and notes whose are to be made again.
ND_FN void draw_all(const Step& step, const Expansion& x, u32 nodes, u32 edges) {
  u32 k = (u32)step.fanout;
  for (u32 e = thread_index(); e < edges; e += Team::size) {
    u32 node = x.owner(nodes, e), j = e - x.offsets[node];
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

// settle_few is settle for few draws among few candidates, which stay in registers.
constexpr u32 FewPicks = 16, FewCandidates = 256;
ND_FN void settle_few(u32 k, u32 n, u32* picks) {
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

// draw_again makes the choice of a row by itself, in order.
ND_FN void draw_again(const Step& step, const Expansion& x, u32 node) {
  Candidates c = x.of(node);
  u32 k = (u32)step.fanout, *picks = x.picks + x.offsets[node];
  if (step.weighted) successive<Lane>(step.g, c.row, x.keys[node], k, picks, NoEnds{});
  else if (k <= FewPicks && c.count <= FewCandidates) settle_few(k, c.count, picks);
  else settle<Lane>(k, c.count, picks);
}

// enter_edges gives a tile's edges their ends: the edge number e of the tile has the place base + e. A thread asks for
// several ends at once.
constexpr u32 EndsAhead = 4;
ND_FN void enter_edges(const Neighborhood& a, const Step& step, const Expansion& x, u32 batch, u32 nodes, u32 edges, u32 base, u32 from) {
  NodeTable table{a};
  for (u32 first = thread_index(); first < edges; first += EndsAhead * Team::size) {
    u32 ends[EndsAhead], trees[EndsAhead];
#pragma unroll
    for (u32 i = 0; i < EndsAhead; i++) {
      u32 e = first + i * Team::size;
      if (e >= edges) continue;
      u32 node = differ(step) ? x.owners[e] : x.owner(nodes, e), j = e - x.offsets[node];
      Candidates c = x.of(node);
      u32 number = differ(step) ? x.picks[e] : step.replace ? draw(step, c, x.keys[node], j, 0) : biased(step, c, j);
      u64 position = kept(step, c, number);
      ends[i] = fetch_far(step.g.indices + position), trees[i] = x.trees[node];
      a.positions[base + e] = position;
      if (a.targets) a.targets[base + e] = from + node;
    }
#pragma unroll
    for (u32 i = 0; i < EndsAhead; i++) {
      u32 e = first + i * Team::size;
      if (e < edges) a.slots[base + e] = table.enter(batch, table.key(trees[i], (u32)step.source, ends[i]), Place | (base + e)).slot;
    }
  }
}

// expand chooses the edges of all nodes that are due.
ND_FN void expand(const Neighborhood& a, const Step& step, u32 s, const Due& due, const Tiles& tiles, u32 each, const Expansion& x) {
  Before all{a.sums}, within{a.sums};
  for (u32 t = block_index(); t < tiles.count; t += grid_size()) {
    auto tile = tiles.of(t);
    u32 first = tile.number * each, nodes = min_of(each, due.of(tile.batch) - first);
    u32 base = (u32)(due.edges + all.of(tiles, t, 0));
    u32 before = a.batches == 1 ? base - (u32)due.edges : (u32)within.of(tiles, t, tile.batch);
    if (first == 0 && thread_index() == 0) due.note(a, s, tiles, tile.batch, t, base);
    u32 from = Due::from(a, step, tile.batch) + first, edges = gather(a, step, x, tile.batch, from, nodes);
    u32* offsets = a.offsets + due.offset(tile.batch) + first;
    if (thread_index() < nodes) offsets[thread_index()] = before + x.offsets[thread_index()];
    if (thread_index() == 0 && first + nodes == due.of(tile.batch)) offsets[nodes] = before + edges;
    if (differ(step)) {
      draw_all(step, x, nodes, edges);
      if (thread_index() < nodes && x.again[thread_index() / WarpSize] >> lane_index() & 1) draw_again(step, x, thread_index());
      sync_block();
    }
    enter_edges(a, step, x, tile.batch, nodes, edges, base, from);
    sync_block();
  }
}

}  // namespace nd
