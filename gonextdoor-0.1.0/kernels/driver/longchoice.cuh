// The long choices of mini-batches: those of nodes that draw more edges than fit the shared memory of a block. A block
// makes one at a time by selector/longpicks.cuh, and writes the numbers of the edges to NeighborSampler::positions. The
// memory of a choice is indexed by the places of its edges: `slots` has the draws, pick_table two numbers per edge. All
// threads of the block call the functions below.
#pragma once
#include "driver/choose.cuh"
#include "selector/longpicks.cuh"

namespace nd {

// long_memory returns the memory of the choice of a node.
ND_FN LongMemory long_memory(const NeighborSampler& a, u32 place) {
  return {a.slots + place, a.pick_parents + place, a.pick_table + 2 * (u64)place};
}

// long_weighted draws the edges of a weighted node, at most k.
ND_COLD void long_weighted(const NeighborSampler& a, const Step& step, const Candidates& c, u64 key, u32 place) {
  LongMemory memory = long_memory(a, place);
  u32 *picks = memory.draws, k = c.takes;
  RangeDraws draws(step, c, key);
  PickTable<Team> table{memory.table, 2 * (u64)k};
  table.clear();
  u32 got = long_draws<Team>(draws, AttemptsPerPick * step.fanout, k, table, picks);
  draws.rest<Team>(got, k, picks);
  sync_block();
  for (u32 j = thread_index(); j < k; j += Team::size) a.positions[place + j] = picks[j];
  sync_block();
}

// choose_long makes the long choices of the nodes of a tile, one after the other. task is the task of the tile's first
// node.
template <class Choice> ND_FN void choose_long(const NeighborSampler& a, const Step& step, u32 nodes, HubTask task) {
  Expansion x = Expansion::shared();
  for (u32 node = 0; node < nodes; node++) {
    Candidates c = x.of(node);
    u32 place = task.place + x.offsets[node];
    if (c.takes == 0 || Choice::takes_all(step, c)) continue;
    if (step.weighted) long_weighted(a, step, c, x.keys[node], place);
    else
      long_permutation<Team>(long_memory(a, place), x.keys[node], (u32)step.fanout, c.count,
                             [&](u32 j, u32 pick) { a.positions[place + j] = pick; });
  }
}

}  // namespace nd
