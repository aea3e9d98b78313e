// The nodes that a step of a mini-batch expands, and how many edges each takes.
#pragma once
#include "driver/nodes.cuh"
#include "driver/tiles.cuh"
#include "graph/packed.cuh"

namespace nd {

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

// HopFrontier is what a step expands, beside what the steps before took of the arrays: the same in all threads.
struct HopFrontier {
  u64 edges, offsets;  // where this step's begin
  u32 count;           // due nodes of all batches
  u32* first;          // of each batch, and their number; shared

  ND_FN void begin(const Neighborhood& a, const Step& step) {
    u64 lists = a.types * a.batches;
    const u32 *known = a.known + step.hop_begin * lists + step.destination * a.batches;
    count = running(first, (u32)a.batches, [&](u32 b) { return known[b] - from(a, step, b); });
  }
  ND_FN static u32 from(const Neighborhood& a, const Step& step, u32 batch) {
    return step.frontier_begin == NoEdge ? 0 : a.known[(step.frontier_begin * a.types + step.destination) * a.batches + batch];
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

  // note_end writes where the step's edges and offsets end.
  ND_FN void note_end(const Neighborhood& a, u32 s, u32 phase, const Tiles& tiles, u64 place) const {
    note(a, s, tiles, (u32)a.batches, tiles.count, (u32)place);
    a.frontier_at[s] = (u32)offsets, a.frontier_at[s + 1] = (u32)offset((u32)a.batches);
    if (place >= Place || place > a.edge_room) report_fault(a, phase, FaultEdges, place);
  }
  // end goes behind the step.
  ND_FN void end(const Neighborhood& a, u32 s) { edges = a.edge_at[s * (a.batches + 1) + a.batches], offsets += count + a.batches; }

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

// count_frontier sums up what the nodes of each tile take, for tiles that come after others in their blocks: those could not
// wait for all before them without going in step.
ND_FN void count_frontier(const Neighborhood& a, const Step& step, const HopFrontier& due, const Tiles& tiles, u32 each, u32 phase) {
  for (u32 t = block_index(); t < tiles.count; t += grid_size()) {
    auto tile = tiles.of(t);
    u32 i = tile.number * each + thread_index();
    u64 takes = 0;
    if (thread_index() < each && i < due.of(tile.batch)) {
      u32 v = a.nodes[node_at(a, step.destination, tile.batch, HopFrontier::from(a, step, tile.batch) + i)];
      takes = candidates(step, v).takes;
    }
    takes = Team::sum(takes);
    if (thread_index() == 0) publish(a.sums, t, phase, takes);
  }
}

}  // namespace nd
