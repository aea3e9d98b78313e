// Compaction of sampled mini-batches into one array of 64-bit numbers, the arena, with local ids of nodes and ids of
// edges. The arrays of all batches are consecutive:
//
//   by destination   per step: offsets (frontier nodes + 1, of each batch), sources, edge ids
//   as pairs         per relation: sources, destinations, edge ids; the edges of a batch are ordered by hop
//   then             per type: the nodes; if trees are disjoint, per type: their trees
//
// gonextdoor/engine/gpu/internal/neighbor/batch.go computes the same layout. Consecutive threads write consecutive
// elements.
#pragma once
#include "driver/nodes.cuh"
#include "driver/tiles.cuh"
#include "graph/row.cuh"

namespace nd {

// Compaction writes the arrays of the arena in order. All threads of the grid call its methods in the same order, and
// each writes every threads_of_grid()-th element. An array that does not fit is not written. The first element of an
// array belongs to the thread after that of the last element of the array before: the threads of small arrays wait for
// memory at the same time.
struct Compaction {
  static constexpr u32 EdgesAhead = 4;  // edges of a thread that are read together: loads in flight
  const NeighborSampler& a;
  u32* first;      // scratch in the block's shared memory: batches+1 elements
  u64 at = 0;      // the begin of the next array
  u32 writer = 0;  // the thread of its first element

  // first_of returns the first element that the calling thread writes of an array with that many elements.
  ND_FN u64 first_of(u64 count) {
    u32 threads = (u32)threads_of_grid(), own = (u32)thread_of_grid();
    own = own < writer ? own + threads - writer : own - writer;
    writer = (writer + (u32)((count + WarpSize - 1) / WarpSize % (threads / WarpSize)) * WarpSize) % threads;
    return own;
  }

  // edge_at returns the places at which the batches' edges begin in step s, and edges_of the number of edges of the
  // step.
  ND_FN const u32* edge_at(u64 s) const { return a.edge_at + s * (a.batches + 1); }
  ND_FN u64 edges_of(u64 s) const { return edge_at(s)[a.batches] - edge_at(s)[0]; }

  // edges returns the local ids of the sources, and the ids, of the edges at N places. The loads of all are in flight
  // together: none is under a condition, see insert_edges of driver/expand.cuh.
  struct Edge {
    i64 source, id;
  };
  template <u32 N> ND_FN void edges(const Graph& g, const u64 (&places)[N], Edge (&found)[N]) const {
    NodeTable table{a, 0};
    u32 slots[N];
    u64 positions[N];
#pragma unroll
    for (u32 i = 0; i < N; i++) {
      slots[i] = a.slots[places[i]];
      positions[i] = a.positions[places[i]];
    }
#pragma unroll
    for (u32 i = 0; i < N; i++) {
      bool known = slots[i] & KnownNode;
      u32 number = *table.number_at(known ? 0 : slots[i]);
      found[i] = {known ? slots[i] & ~KnownNode : number, (i64)id_at(g, positions[i])};
    }
  }

  // by_destination writes the three arrays of step s.
  ND_FN void by_destination(u64 s) {
    const Graph& g = a.steps[s].g;
    u64 offsets = a.frontier_at[s], frontier = a.frontier_at[s + 1] - offsets, begin = edge_at(s)[0],
        count = edges_of(s);
    if (at + frontier + 2 * count > a.arena_capacity) return;
    for (u64 i = first_of(frontier); i < frontier; i += threads_of_grid()) a.arena[at + i] = a.offsets[offsets + i];
    at += frontier;
    for (u64 i = first_of(count); i < count; i += EdgesAhead * threads_of_grid()) {
      u64 places[EdgesAhead];
      Edge found[EdgesAhead];
#pragma unroll
      for (u32 j = 0; j < EdgesAhead; j++)
        places[j] = begin + (i + j * threads_of_grid() < count ? i + j * threads_of_grid() : count - 1);
      edges(g, places, found);
#pragma unroll
      for (u32 j = 0; j < EdgesAhead; j++) {
        u64 to = at + i + j * threads_of_grid();
        if (to >= at + count) break;
        a.arena[to] = found[j].source;
        a.arena[count + to] = found[j].id;
      }
    }
    at += 2 * count;
  }

  // pairs_of writes the three arrays of a relation.
  ND_FN void pairs_of(u64 relation) {
    u64 all = 0;
    for (u64 s = 0; s < a.step_count; s++)
      if (a.steps[s].relation == relation) all += edges_of(s);
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
      for (u64 i = first_of(edges_of(s)); i < edges_of(s); i += threads_of_grid()) {
        u64 place = begin[0] + i;
        u32 b = part_of(begin, (u32)a.batches, (u32)place);
        i64* to = a.arena + at + first[b] + (place - begin[b]);
        u64 places[1] = {place};
        Edge found[1];
        edges(g, places, found);
        to[0] = found[0].source;
        to[all] = a.targets[place];
        to[2 * all] = found[0].id;
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
    for (u64 i = first_of(all); i < all; i += threads_of_grid()) {
      u32 b = part_of(first, (u32)a.batches, (u32)i);
      u64 from = (type * a.batches + b) * a.node_capacity + i - first[b];
      a.arena[at + i] = trees ? (i64)(a.trees[from] - a.seed_node_at[b * a.types]) : (i64)a.nodes[from];
    }
    at += all;
  }
};

// compact writes the arena: kernel neighborsampler_compact, launched after neighborsampler_draw in its stream, with
// NeighborThreads threads per block. Its first thread sets ReportDone, unless the draw has done that: the host polls it
// to read the report before the compaction has ended, and uses the report's memory for the next call. After a fault,
// nothing else is written.
ND_FN void compact(const NeighborSampler& a) {
  ND_SHARED(u32, first, MostBatches + 1);
  bool fault = failed(a, None - 1);
  if (thread_of_grid() == 0 && (fault || !reports_early(a))) report_done(a);
  if (fault) return;
  Compaction l{a, first};
  if (a.pairs)
    for (u64 r = 0; r < a.relations; r++) l.pairs_of(r);
  else
    for (u64 s = 0; s < a.step_count; s++) l.by_destination(s);
  for (u64 t = 0; t < a.types; t++) l.nodes_of(t, false);
  for (u64 t = 0; a.trees && t < a.types; t++) l.nodes_of(t, true);
}

}  // namespace nd
