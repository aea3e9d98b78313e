// A cache of rows that evicts by Belady's rule: the row whose next use is last.
//
// Batches are announced before they are read, at most 59 ahead, and `uses` has a bit per row and announced batch. The
// distance of a row is the number of batches until its next use, 1 to 59. It is Never and the class of the row if it
// has no announced use: rows of low classes are expected to be used sooner. It is Empty for a slot without a row. After
// a batch, the missed rows in order of their distance take the slots in opposite order of theirs, while the row that
// enters is needed sooner than the one that leaves:
//
//   entering = the missed rows, by (distance, number in the result)
//   leaving  = the slots, by (-distance, slot)
//   swaps    = the number of leading pairs with distance(entering[k]) < distance(leaving[k])
//
// The first `swaps` of both lists are matched in order of their numbers. So the cache depends on the announced ids and
// the classes alone. There are few distances, so counts by distance replace sorting. Five launches:
//
//   claim_missed   finds the first row of the result that missed a row of the array
//   count_distances  writes all distances, and counts them
//   count_swaps    counts the elements of each part that certainly swap, and those that tie with the last that does
//   list_swaps     writes both lists, in order, by prefix sums
//   swap_rows      updates the tables; the rows themselves are copied when the batch is complete
#pragma once
#include "core/group.cuh"
#include "driver/features.cuh"

namespace nd {

constexpr u32 Claim = 1u << 31;  // of a missed row that another row of the result may have missed, too
constexpr u32 Window = 60;       // bits of `uses` for batches; the others are the class
constexpr u64 Uses = ((u64)1 << Window) - 1;
constexpr u32 Never = Window, Empty = Never + 16, Distances = Empty + 1;  // 0: no candidate
constexpr u32 LookaheadThreads = 256;

// distance_of returns the distance of a row of the array after the batch.
ND_FN u32 distance_of(const Lookahead& a, u32 row) {
  u64 word = a.uses[row], uses = word & Uses;
  u32 shift = (u32)((a.batch + 1) % Window);
  if (!uses) return Never + (u32)(word >> Window);
  uses = (uses >> shift | uses << (Window - shift)) & Uses;
  return 64 - leading_zeros(uses & (~uses + 1));  // the lowest bit
}

// announce adds a batch to the uses of its rows. A thread per id.
ND_FN void announce(const Lookahead& a) {
  for (u64 i = thread_of_grid(); i < a.count; i += threads_of_grid()) {
    u64 id = id_at(a.ids, a.id_bytes, i);
    u32 bit = (u32)(a.batch % Window);
    if (id < a.rows) or_atomic((u32*)(a.uses + id) + bit / 32, 1u << bit % 32);
    else min_atomic(a.report, i);
  }
}

// forget drops all announced uses. A thread per row of the array.
ND_FN void forget(const Lookahead& a) {
  for (u64 row = thread_of_grid(); row < a.rows; row += threads_of_grid()) a.uses[row] &= ~Uses;
}

// claim_missed ends the uses by the batch, and claims the missed rows. A thread per row of the result.
ND_FN void claim_missed(const Lookahead& a) {
  for (u64 i = thread_of_grid(); i < a.count; i += threads_of_grid()) {
    u64 id = id_at(a.ids, a.id_bytes, i);
    if (id >= a.rows) continue;
    a.uses[id] &= ~((u64)1 << a.batch % Window);  // equal ids write the same
    if (a.found[i] == None) min_atomic(a.places + id, Claim + (u32)i);
  }
}

// Part is the part of a list that a block handles: slots, or rows of the result.
struct Part {
  bool result;
  u64 first, end;  // elements of the list
  u32 block;       // the number of the block among those of the list
  const u8* distances;

  ND_FN static u64 blocks(u64 elements, u64 part) { return (elements + part - 1) / part; }
  ND_FN explicit Part(const Lookahead& a) {
    u64 of_slots = blocks(a.slots, a.part);
    result = block_index() >= of_slots;
    block = result ? block_index() - (u32)of_slots : block_index();
    u64 all = result ? a.count : a.slots;
    first = block * a.part;
    end = all - first < a.part ? all : first + a.part;
    distances = a.distances + (result ? a.slots : 0);
  }
};

// count_distances writes the distances of a part and counts them: a block per part of the slots, then of the rows.
ND_FN void count_distances(const Lookahead& a) {
  ND_SHARED(u32, counts, Distances);
  if (thread_index() < Distances) counts[thread_index()] = 0;
  sync_block();
  Part p(a);
  for (u64 i = p.first + thread_index(); i < p.end; i += block_size()) {
    u32 distance = 0;
    if (!p.result) {
      u32 row = a.owners[i];
      distance = row == None ? Empty : distance_of(a, row);
    } else {
      u64 id = id_at(a.ids, a.id_bytes, i);
      if (id < a.rows && a.places[id] == Claim + (u32)i) distance = distance_of(a, (u32)id);
    }
    a.distances[(p.result ? a.slots : 0) + i] = (u8)distance;
    if (distance) add_atomic(counts + distance, 1);
  }
  sync_block();
  if (thread_index() < Distances && counts[thread_index()])
    add_atomic(a.counts + (p.result ? Distances : 0) + thread_index(), counts[thread_index()]);
}

// Cut says which elements of a list swap: those beyond a distance, and the first `ties` at it.
struct Cut {
  u32 distance, ties, swaps;
};

// cut_of returns the cut of a list. Missed rows swap from the least distance on, slots from the largest.
ND_FN Cut cut_of(const Lookahead& a, bool result) {
  const u32 *slots = a.counts, *missed = a.counts + Distances;
  // 1. Below distance t enter `below` rows and at or above it leave `above` slots: the best t has the most pairs.
  u32 swaps = 0, below = 0, above = 0;
  for (u32 d = 1; d < Distances; d++) above += slots[d];
  for (u32 t = 1; t < Distances; t++) {
    u32 pairs = below < above ? below : above;
    if (pairs > swaps) swaps = pairs;
    below += missed[t];
    above -= slots[t];
  }
  // 2. Count from the first distance on until there are as many.
  u32 before = 0;
  for (u32 k = 1; k < Distances; k++) {
    u32 d = result ? k : Distances - k, n = result ? missed[d] : slots[d];
    if (before + n >= swaps) return {d, swaps - before, swaps};
    before += n;
  }
  return {0, 0, swaps};
}

// shared_cut is cut_of for all threads of a block.
ND_FN Cut shared_cut(const Lookahead& a, bool result) {
  ND_SHARED(Cut, cut, 1);
  if (thread_index() == 0) cut[0] = cut_of(a, result);
  sync_block();
  return cut[0];
}

// certain and tied classify an element by its distance; see Cut.
ND_FN bool certain(const Cut& cut, bool result, u32 distance) {
  return distance && (result ? distance < cut.distance : distance > cut.distance);
}
ND_FN bool tied(const Cut& cut, u32 distance) { return distance && distance == cut.distance; }

// count_swaps counts the certain and the tied elements of each part.
ND_FN void count_swaps(const Lookahead& a) {
  using All = Block<LookaheadThreads>;
  Part p(a);
  Cut cut = shared_cut(a, p.result);
  u64 sum = 0;
  for (u64 i = p.first + thread_index(); i < p.end; i += LookaheadThreads) {
    u32 d = p.distances[i];
    sum += (u64)certain(cut, p.result, d) << 32 | (u64)tied(cut, d);
  }
  sum = All::sum(sum);
  if (thread_index() != 0) return;
  a.sums[2 * block_index()] = (u32)(sum >> 32);
  a.sums[2 * block_index() + 1] = (u32)sum;
}

// list_swaps writes the elements that swap, in order, and returns the claims of the others.
ND_FN void list_swaps(const Lookahead& a) {
  using All = Block<LookaheadThreads>;
  Part p(a);
  Cut cut = shared_cut(a, p.result);
  // 1. Sum up the parts before this one.
  const u32* sums = a.sums + 2 * (block_index() - p.block);
  u64 before = 0;
  for (u32 k = thread_index(); k < p.block; k += LookaheadThreads)
    before += (u64)sums[2 * k] << 32 | (u64)sums[2 * k + 1];
  before = All::sum(before);
  // 2. Place the elements of this part.
  for (u64 begin = p.first; begin < p.end; begin += LookaheadThreads) {
    u64 i = begin + thread_index();
    u32 d = i < p.end ? p.distances[i] : 0;
    bool sure = certain(cut, p.result, d), tie = tied(cut, d);
    u64 upto = All::scan((u64)sure << 32 | (u64)tie), here = before + upto - ((u64)sure << 32 | (u64)tie);
    u32 ties = (u32)here < cut.ties ? (u32)here : cut.ties, at = (u32)(here >> 32) + ties;
    bool swaps = sure || (tie && (u32)here < cut.ties);
    if (swaps) (p.result ? a.entering : a.leaving)[at] = (u32)i;
    else if (p.result && d) a.places[id_at(a.ids, a.id_bytes, i)] = None;
    before += All::from(upto, LookaheadThreads - 1);
  }
  if (block_index() == 0 && thread_index() == 0) *a.swaps = cut.swaps;
}

// swap_rows writes the new rows of the slots. A thread per pair.
ND_FN void swap_rows(const Lookahead& a) {
  for (u64 k = thread_of_grid(); k < *a.swaps; k += threads_of_grid()) {
    u32 slot = a.leaving[k], row = (u32)id_at(a.ids, a.id_bytes, a.entering[k]), old = a.owners[slot];
    if (old != None) a.places[old] = None;
    a.owners[slot] = row;
    a.places[row] = slot;
  }
}

}  // namespace nd
