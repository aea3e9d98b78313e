// The frontier of a step of a mini-batch: the destination nodes that the step expands, and the edges that each takes.
#pragma once
#include "driver/nodes.cuh"
#include "driver/tiles.cuh"
#include "graph/packed.cuh"

namespace nd {

constexpr u32 TilePicks = 4096;  // at most so many draws per tile if the draws of a node must differ: they are in shared memory
constexpr u32 AllNodes = 64;     // at most so many nodes per tile if nodes take all their edges

// Candidates are the edges of a node that may be chosen: those of its row that are not excluded.
struct Candidates {
  RowOf<u64> row;
  u32 count;  // number of candidates
  u32 takes;  // number of edges that the step takes of them
};

// left_out returns the number of excluded edges before a position, by binary search.
ND_FN u64 left_out(const Step& step, u64 position) {
  u64 low = 0;
  for (u64 high = step.excluded_count; low < high;) {
    u64 middle = (low + high) / 2;
    if (fetch(step.excluded + middle) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

// candidates returns the candidates of vertex v. It reads the row, the number of biased edges if the choice is
// weighted, and searches the excluded edges if there are any.
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

// know_edges records, for the launch and the host, at which place the edges of a batch begin in a step.
ND_FN void know_edges(const NeighborSampler& a, u64 step, u32 batch, u32 place) {
  u64 at = step * (a.batches + 1) + batch;
  a.edge_at[at] = place;
  a.report[ReportHead + (a.step_count + 1) * a.types * a.batches + at] = place;
}

// HopFrontier is the frontier of the present step, and the ends of the arrays that the steps before have filled. All
// threads of the grid hold the same numbers; `first` is in each block's shared memory.
struct HopFrontier {
  u64 edges, offsets;  // the places at which this step's edges and offsets begin
  u32 count;           // frontier nodes of all batches
  u32* first;          // batches+1: exclusive sums of the batches' frontier nodes

  // begin computes the frontier of a step. All threads of the block call it, after the grid barrier of the step before.
  ND_FN void begin(const NeighborSampler& a, const Step& step) {
    u64 lists = a.types * a.batches;
    const u32* known = a.known + step.hop_begin * lists + step.destination * a.batches;
    count = exclusive_sums(first, (u32)a.batches, [&](u32 b) { return known[b] - from(a, step, b); });
  }
  // from returns the number, within its list, of a batch's first frontier node.
  ND_FN static u32 from(const NeighborSampler& a, const Step& step, u32 batch) {
    return step.frontier_begin == NoEdge ? 0 : a.known[(step.frontier_begin * a.types + step.destination) * a.batches + batch];
  }
  // of returns the number of a batch's frontier nodes, offset the place of its first offset.
  ND_FN u32 of(u32 batch) const { return first[batch + 1] - first[batch]; }
  ND_FN u64 offset(u32 batch) const { return offsets + first[batch] + batch; }

  // note records that the edges of a batch begin at a place, and those of the batches directly before it that have no
  // tile. t is the batch's first tile; batch may be one past the last. One thread of the grid calls it per batch.
  ND_FN void note(const NeighborSampler& a, u32 s, const Tiles& tiles, u32 batch, u32 t, u32 place) const {
    know_edges(a, s, batch, place);
    for (; batch > 0 && tiles.first[batch - 1] == t; batch--) {
      know_edges(a, s, batch - 1, place);
      a.offsets[offset(batch - 1)] = 0;
    }
  }

  // note_end records where the step's edges and offsets end, and reports a fault if the edges do not fit. One thread.
  ND_FN void note_end(const NeighborSampler& a, u32 s, u32 phase, const Tiles& tiles, u64 place) const {
    note(a, s, tiles, (u32)a.batches, tiles.count, (u32)place);
    a.frontier_at[s] = (u32)offsets;
    a.frontier_at[s + 1] = (u32)offset((u32)a.batches);
    if (place >= Place || place > a.edge_capacity) report_fault(a, phase, FaultEdges, place);
  }
  // end advances edges and offsets past the step, once all blocks have finished it.
  ND_FN void end(const NeighborSampler& a, u32 s) {
    edges = a.edge_at[s * (a.batches + 1) + a.batches];
    offsets += count + a.batches;
  }

  // each returns the number of nodes per tile: the largest with which all blocks get equally many tiles.
  ND_FN u32 each(const Step& step) const {
    u32 most = step.fanout == NoEdge ? AllNodes : Team::size;
    if (!step.replace && step.fanout * most > TilePicks) most = step.fanout < TilePicks ? (u32)(TilePicks / step.fanout) : 1;
    if (step.fanout == NoEdge) most = AllNodes;
    u32 rounds = (count + grid_size() * most - 1) / (grid_size() * most), all = rounds * grid_size();
    return all ? (count + all - 1) / all : 1;
  }
};

// node_at returns the place in `nodes` of node i of the list of a type and a batch.
ND_FN u64 node_at(const NeighborSampler& a, u64 type, u32 batch, u32 i) { return (type * a.batches + batch) * a.node_capacity + i; }

// count_frontier publishes the number of edges that each tile takes. It runs before expand if a block has several
// tiles: a block that expanded one tile after the other would wait at each for all blocks to reach it. A grid barrier
// follows.
ND_FN void count_frontier(const NeighborSampler& a, const Step& step, const HopFrontier& frontier, const Tiles& tiles, u32 each, u32 phase) {
  for (u32 t = block_index(); t < tiles.count; t += grid_size()) {
    auto tile = tiles.of(t);
    u32 i = tile.number * each + thread_index();
    u64 takes = 0;
    if (thread_index() < each && i < frontier.of(tile.batch)) {
      u32 v = a.nodes[node_at(a, step.destination, tile.batch, HopFrontier::from(a, step, tile.batch) + i)];
      takes = candidates(step, v).takes;
    }
    takes = Team::sum(takes);
    if (thread_index() == 0) publish(a.sums, t, phase, takes);
  }
}

}  // namespace nd
