// Compaction of sampled mini-batches into one array of 64-bit numbers, the arena, with local ids of nodes and ids of
// edges. The arrays of all batches are consecutive:
//
//   by destination   per step: offsets (frontier nodes + 1, of each batch), sources, edge ids
//   as pairs         per relation: sources, destinations, edge ids; the edges of a batch are ordered by hop
//   then             per type: the nodes; if trees are disjoint, per type: their trees
//
// gonextdoor/engine/gpu/neighborbatch.go computes the same layout. Consecutive threads write consecutive elements.
#pragma once
#include "driver/nodes.cuh"
#include "driver/tiles.cuh"
#include "graph/row.cuh"

namespace nd {

// Compaction writes the arrays of the arena in order. All threads of the grid call its methods in the same order, and
// each writes every threads_of_grid()-th element. An array that does not fit is not written.
struct Compaction {
  const NeighborSampler& a;
  u32* first;  // scratch in the block's shared memory: batches+1 elements
  u64 at = 0;  // the begin of the next array

  // edge_at returns the places at which the batches' edges begin in step s, and edges the number of edges of the step.
  ND_FN const u32* edge_at(u64 s) const { return a.edge_at + s * (a.batches + 1); }
  ND_FN u64 edges(u64 s) const { return edge_at(s)[a.batches] - edge_at(s)[0]; }

  // edge returns the local id of the source, and the id of the edge at place e.
  struct Edge {
    i64 source, id;
  };
  ND_FN Edge edge(const Graph& g, u64 e) const {
    return {NodeTable{a, 0}.at(a.slots[e]).number, (i64)id_at(g, a.positions[e])};
  }

  // by_destination writes the three arrays of step s.
  ND_FN void by_destination(u64 s) {
    const Graph& g = a.steps[s].g;
    u64 offsets = a.frontier_at[s], frontier = a.frontier_at[s + 1] - offsets, begin = edge_at(s)[0], count = edges(s);
    if (at + frontier + 2 * count > a.arena_capacity) return;
    for (u64 i = thread_of_grid(); i < frontier; i += threads_of_grid()) a.arena[at + i] = a.offsets[offsets + i];
    at += frontier;
    for (u64 i = thread_of_grid(); i < count; i += threads_of_grid()) {
      Edge e = edge(g, begin + i);
      a.arena[at + i] = e.source;
      a.arena[at + count + i] = e.id;
    }
    at += 2 * count;
  }

  // pairs_of writes the three arrays of a relation.
  ND_FN void pairs_of(u64 relation) {
    u64 all = 0;
    for (u64 s = 0; s < a.step_count; s++)
      if (a.steps[s].relation == relation) all += edges(s);
    if (at + 3 * all > a.arena_capacity) return;
    // 1. first[b] is the index of the next edge of batch b; each step advances it by its edges.
    exclusive_sums(first, (u32)a.batches, [&](u32 b) {
      u32 sum = 0;
      for (u64 s = 0; s < a.step_count; s++)
        if (a.steps[s].relation == relation) sum += edge_at(s)[b + 1] - edge_at(s)[b];
      return sum;
    });
    // 2. Write the edges of one step after the other.
    for (u64 s = 0; s < a.step_count; s++) {
      if (a.steps[s].relation != relation) continue;
      const Graph& g = a.steps[s].g;
      const u32* begin = edge_at(s);
      for (u64 i = thread_of_grid(); i < edges(s); i += threads_of_grid()) {
        u64 place = begin[0] + i;
        u32 b = part_of(begin, (u32)a.batches, (u32)place);
        i64* to = a.arena + at + first[b] + (place - begin[b]);
        Edge e = edge(g, place);
        to[0] = e.source;
        to[all] = a.targets[place];
        to[2 * all] = e.id;
      }
      sync_block();
      for (u32 b = thread_index(); b < a.batches; b += Team::size) first[b] += begin[b + 1] - begin[b];
      sync_block();
    }
    at += 3 * all;
  }

  // nodes_of writes the nodes of a type, or their trees.
  ND_FN void nodes_of(u64 type, bool trees) {
    const u32* known = a.known + (a.step_count * a.types + type) * a.batches;
    u32 all = exclusive_sums(first, (u32)a.batches, [&](u32 b) { return known[b]; });
    if (at + all > a.arena_capacity) return;
    for (u64 i = thread_of_grid(); i < all; i += threads_of_grid()) {
      u32 b = part_of(first, (u32)a.batches, (u32)i);
      u64 from = (type * a.batches + b) * a.node_capacity + i - first[b];
      a.arena[at + i] = trees ? (i64)(a.trees[from] - a.seed_node_at[b * a.types]) : (i64)a.nodes[from];
    }
    at += all;
  }
};

// compact writes the arena: kernel neighborsampler_compact, launched after neighborsampler_draw in its stream, with
// NeighborThreads threads per block. Its first thread sets ReportDone: the host polls it to read the report before the
// compaction has ended. After a fault, nothing else is written.
ND_FN void compact(const NeighborSampler& a) {
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
