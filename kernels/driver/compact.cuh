// What mini-batches have sampled is laid into one array of 64-bit numbers, in local numbers of nodes and ids of edges. The
// arrays of all batches lie one behind the other in it:
//
//   by destination   for each step: offsets (due nodes + 1 of each batch), sources, ids
//   as pairs         for each relation: sources, destinations, ids; those of a batch hop behind hop
//   then             for each type: the nodes; where trees are disjoint, for each type: their trees
#pragma once
#include "driver/nodes.cuh"
#include "driver/tiles.cuh"
#include "graph/row.cuh"

namespace nd {

// Compaction is where the next array of the arena begins.
struct Compaction {
  const Neighborhood& a;
  u32* first;  // of each batch; shared
  u64 at = 0;

  ND_FN const u32* edge_at(u64 s) const { return a.edge_at + s * (a.batches + 1); }
  ND_FN u64 edges(u64 s) const { return edge_at(s)[a.batches] - edge_at(s)[0]; }

  // edge gives the source and the id of an edge.
  struct Edge { i64 source, id; };
  ND_FN Edge edge(const Graph& g, u64 e) const {
    return {NodeTable{a, 0}.at(a.slots[e]).number, (i64)id_at(g, a.positions[e])};
  }

  ND_FN void by_destination(u64 s) {
    const Graph& g = a.steps[s].g;
    u64 offsets = a.frontier_at[s], due = a.frontier_at[s + 1] - offsets, begin = edge_at(s)[0], count = edges(s);
    if (at + due + 2 * count > a.arena_room) return;
    for (u64 i = thread_of_grid(); i < due; i += threads_of_grid()) a.arena[at + i] = a.offsets[offsets + i];
    at += due;
    for (u64 i = thread_of_grid(); i < count; i += threads_of_grid()) {
      Edge e = edge(g, begin + i);
      a.arena[at + i] = e.source, a.arena[at + count + i] = e.id;
    }
    at += 2 * count;
  }

  ND_FN void pairs_of(u64 relation) {
    u64 all = 0;
    for (u64 s = 0; s < a.step_count; s++)
      if (a.steps[s].relation == relation) all += edges(s);
    if (at + 3 * all > a.arena_room) return;
    // Where each batch's part begins; step by step it is moved behind what the step has laid.
    running(first, (u32)a.batches, [&](u32 b) {
      u32 sum = 0;
      for (u64 s = 0; s < a.step_count; s++)
        if (a.steps[s].relation == relation) sum += edge_at(s)[b + 1] - edge_at(s)[b];
      return sum;
    });
    for (u64 s = 0; s < a.step_count; s++) {
      if (a.steps[s].relation != relation) continue;
      const Graph& g = a.steps[s].g;
      const u32* begin = edge_at(s);
      for (u64 i = thread_of_grid(); i < edges(s); i += threads_of_grid()) {
        u64 place = begin[0] + i;
        u32 b = part_of(begin, (u32)a.batches, (u32)place);
        i64* to = a.arena + at + first[b] + (place - begin[b]);
        Edge e = edge(g, place);
        to[0] = e.source, to[all] = a.targets[place], to[2 * all] = e.id;
      }
      sync_block();
      for (u32 b = thread_index(); b < a.batches; b += Team::size) first[b] += begin[b + 1] - begin[b];
      sync_block();
    }
    at += 3 * all;
  }

  ND_FN void nodes_of(u64 type, bool trees) {
    const u32* known = a.known + (a.step_count * a.types + type) * a.batches;
    u32 all = running(first, (u32)a.batches, [&](u32 b) { return known[b]; });
    if (at + all > a.arena_room) return;
    for (u64 i = thread_of_grid(); i < all; i += threads_of_grid()) {
      u32 b = part_of(first, (u32)a.batches, (u32)i);
      u64 from = (type * a.batches + b) * a.node_room + i - first[b];
      a.arena[at + i] = trees ? (i64)(a.trees[from] - a.seed_at[b * a.types]) : (i64)a.nodes[from];
    }
    at += all;
  }
};

// lay lays all that was sampled. What the launch before has reported is with the host by now.
ND_FN void compact(const Neighborhood& a) {
  ND_SHARED(u32, first, MostBatches + 1);
  if (thread_of_grid() == 0) write_for_all(a.report + ReportDone, 1u);
  if (failed(a, None - 1)) return;
  Compaction l{a, first};
  if (a.pairs)
    for (u64 r = 0; r < a.relations; r++) l.pairs_of(r);
  else
    for (u64 s = 0; s < a.step_count; s++) l.by_destination(s);
  for (u64 t = 0; t < a.types; t++) l.nodes_of(t, false);
  for (u64 t = 0; a.trees && t < a.types; t++) l.nodes_of(t, true);
}

}  // namespace nd
