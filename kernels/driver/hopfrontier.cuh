// The frontier of a step of the neighbour sampler: the destination nodes that the step expands, the number of edges
// that each takes, and the counts that steps leave for later steps and the host.
#pragma once
#include "driver/candidates.cuh"
#include "driver/nodes.cuh"
#include "driver/tiles.cuh"

namespace nd {

constexpr u32 TilePicks = 4096;  // the largest number of draws per tile without replacement: they are in shared memory
constexpr u32 AllNodes = 64;     // the largest number of nodes per tile if nodes take all their edges

// HopFrontier is the frontier of the present step, and the ends of the arrays that the earlier steps have filled. All
// threads of the grid have equal copies; `first` is in the shared memory of each block.
struct HopFrontier {
  u64 edges, offsets;  // the places at which this step's edges and offsets begin
  u32 count;           // frontier nodes of all batches
  u32* first;          // batches+1: exclusive sums of the batches' frontier nodes

  // begin computes the frontier of a step. All threads of the block call it, after the grid barrier of the previous
  // step.
  ND_FN void begin(const NeighborSampler& a, const Step& step) {
    u64 lists = a.types * a.batches;
    const u32* known = a.known + step.hop_begin * lists + step.destination * a.batches;
    count = exclusive_sums(first, (u32)a.batches, [&](u32 b) { return known[b] - first_node(a, step, b); });
  }
  // first_node returns the local id of a batch's first frontier node. The frontier ends with the nodes that are known
  // before the hop.
  ND_FN static u32 first_node(const NeighborSampler& a, const Step& step, u32 batch) {
    return step.frontier_begin == NoEdge
               ? 0
               : a.known[(step.frontier_begin * a.types + step.destination) * a.batches + batch];
  }
  // count_of returns the number of a batch's frontier nodes.
  ND_FN u32 count_of(u32 batch) const { return first[batch + 1] - first[batch]; }
  // offset returns the index of a batch's first offset: a batch has an offset per node, and one more.
  ND_FN u64 offset(u32 batch) const { return offsets + first[batch] + batch; }

  // record_begin records the place at which the edges of a batch begin, also for the batches directly before it that
  // have no tile. t is the batch's first tile; batch may be one past the last. One thread of the grid calls it per
  // batch.
  ND_FN void record_begin(const NeighborSampler& a, u32 s, const Tiles& tiles, u32 batch, u32 t, u32 place) const {
    a.edge_at[s * (a.batches + 1) + batch] = place;
    for (; batch > 0 && tiles.first[batch - 1] == t; batch--) {
      a.edge_at[s * (a.batches + 1) + batch - 1] = place;
      a.offsets[offset(batch - 1)] = 0;
    }
  }

  // record_end records the ends of the step's edges and offsets, and reports a fault if the edges do not fit. One
  // thread of the grid calls it.
  ND_FN void record_end(const NeighborSampler& a, u32 s, u32 phase, const Tiles& tiles, u64 place) const {
    record_begin(a, s, tiles, (u32)a.batches, tiles.count, (u32)place);
    a.frontier_at[s] = (u32)offsets;
    a.frontier_at[s + 1] = (u32)offset((u32)a.batches);
    if (place >= Place || place > a.edge_capacity) report_fault(a, phase, FaultEdges, place);
  }
  // end advances edges and offsets past the step, once all blocks have finished it.
  ND_FN void end(const NeighborSampler& a, u32 s) {
    edges = a.edge_at[s * (a.batches + 1) + a.batches];
    offsets += count + a.batches;
  }

  // tile_size returns the number of nodes per tile. Tiles are as small as possible without more rounds of the grid: all
  // blocks then have equally many tiles. gonextdoor/engine/gpu/internal/neighbor/launch.go bounds the number of tiles
  // by it.
  template <class Choice> ND_FN u32 tile_size(const Step& step) const {
    u32 most = step.fanout == NoEdge ? AllNodes : Team::size;
    if (Choice::bounds_tiles(step) && step.fanout * most > TilePicks)
      most = step.fanout < TilePicks ? (u32)(TilePicks / step.fanout) : 1;
    if (step.fanout == NoEdge) most = AllNodes;
    u32 rounds = (count + grid_size() * most - 1) / (grid_size() * most), all = rounds * grid_size();
    return all ? (count + all - 1) / all : 1;
  }
};

// node_at returns the index in `nodes` of the node with local id i of a type and a batch.
ND_FN u64 node_at(const NeighborSampler& a, u64 type, u32 batch, u32 i) {
  return (type * a.batches + batch) * a.node_capacity + i;
}

// count_frontier publishes the number of edges that each tile takes. It runs before expand if blocks have several
// tiles: a block that published while it expands would wait at each tile for all other blocks.
template <class Choice>
ND_FN void count_frontier(const NeighborSampler& a, const Step& step, const HopFrontier& frontier, const Tiles& tiles,
                          u32 each, u32 phase) {
  for (u32 t = block_index(); t < tiles.count; t += grid_size()) {
    auto tile = tiles.of(t);
    u32 i = tile.number * each + thread_index();
    u64 takes = 0;
    if (thread_index() < each && i < frontier.count_of(tile.batch)) {
      u64 at = node_at(a, step.destination, tile.batch, HopFrontier::first_node(a, step, tile.batch) + i);
      u32 v = a.nodes[at], tree = a.trees ? a.trees[at] : tile.batch;
      takes = Choice::candidates(a, step, v, tree, at).takes;
    }
    takes = Team::sum(takes);
    if (thread_index() == 0) publish(a.sums, t, phase, takes);
  }
}

}  // namespace nd
