// The elements of several batches cut into tiles, a block's work each, and prefix sums over the tiles.
//
// A tile belongs to one batch. Block b takes the tiles b, b + grid, b + 2*grid ... in order. Prefix sums use decoupled
// look-back (Merrill and Garland, 2016), without its aggregation of earlier prefixes:
//
//   1. publish      the block writes its tile's sum, tagged with the launch's phase, to sums[tile]
//   2. PrefixSum    the block waits for the sums of all tiles since its previous one and adds them up
//
// A block publishes before it waits, and a cooperative launch runs all blocks at once, so no wait is endless.
#pragma once
#include "core/args.cuh"
#include "core/group.cuh"

namespace nd {

constexpr u32 Place = 1u << 31;  // the flag of an edge's place, see driver/nodes.cuh: a launch has fewer edges
constexpr u32 NeighborThreads = 512;
constexpr u32 MostBatches = 512;
using Team = Block<NeighborThreads>;

ND_FN u32 min_of(u64 a, u64 b) { return (u32)(a < b ? a : b); }

// part_of returns the part that holds element i, by binary search. Part p begins at first[p], and first[0] <= i.
ND_FN u32 part_of(const u32* first, u32 parts, u32 i) {
  u32 low = 0;
  for (u32 high = parts; high - low > 1;) {
    u32 middle = (low + high) / 2;
    if (first[middle] <= i) low = middle;
    else high = middle;
  }
  return low;
}

// Tiles maps tile numbers to batches. Every block computes it for itself; first is in the block's shared memory.
struct Tiles {
  const u32* first;  // batches+1: the first tile of each batch, and the number of tiles
  u32 batches, count;

  struct Tile { u32 batch, number; };  // number counts within the batch
  ND_FN Tile of(u32 t) const {
    u32 batch = part_of(first, batches, t);
    return {batch, t - first[batch]};
  }
};

// exclusive_sums writes the exclusive prefix sums of size(b) over the batches to first[0 ... batches], and returns the
// total. All threads of the block call it with one `first` in shared memory; it begins and ends with a block barrier.
template <class Size> ND_FN u32 exclusive_sums(u32* first, u32 batches, Size size) {
  u32 all = 0;
  sync_block();
  if (batches == 1) {
    all = size(0);
    if (thread_index() == 0) {
      first[0] = 0;
      first[1] = all;
    }
  } else {
    for (u32 from = 0; from < batches; from += Team::size) {
      u32 b = from + thread_index();
      u32 n = b < batches ? size(b) : 0;
      u32 upto = (u32)Team::scan(n);
      if (b < batches) first[b] = all + upto - n;
      all += Team::from(upto, Team::size - 1);
    }
    if (thread_index() == 0) first[batches] = all;
  }
  sync_block();
  return all;
}

// tiles_of cuts each batch's size(b) elements into tiles of at most `each`. Barriers as exclusive_sums.
template <class Size> ND_FN Tiles tiles_of(u32* first, u32 batches, u32 each, Size size) {
  return {first, batches, exclusive_sums(first, batches, [&](u32 b) { return (size(b) + each - 1) / each; })};
}

// publish writes the sum of tile t for a phase of the launch, in one 64-bit store: the phase in the upper half, so that
// sums of earlier phases are not mistaken for it. One thread calls it. Sums from Place on are cut: the edges that they
// count do not fit anyway.
ND_FN void publish(u64* sums, u32 t, u32 phase, u64 sum) {
  write_for_all(sums + t, (u64)phase << 32 | (sum < Place ? sum : Place));
}

// sum_between waits until the tiles from ... to-1 have published in this phase, and returns their sum to all threads of
// the block. Each thread polls every Team::size-th tile.
ND_FN u64 sum_between(const u64* sums, u32 phase, u32 from, u32 to) {
  u64 sum = 0;
  for (u32 i = from + thread_index(); i < to; i += Team::size) {
    u64 x;
    do {
      x = read_shared_by_all(sums + i);
    } while (x >> 32 != phase);
    sum += (u32)x;
  }
  return Team::sum(sum);
}

// PrefixSum returns, for one tile of a block after the other in ascending order, the sum over the tiles before it of
// the same batch. It keeps the sum up to its previous tile, so each published sum is read once per block.
struct PrefixSum {
  const u64* sums;
  u32 phase;
  u32 batch = None;
  u32 at = 0;  // the tile up to which sum goes
  u64 sum = 0;

  // of returns the sum before tile t, counted from the first tile of its_batch; all threads of the block call it.
  ND_FN u64 of(const Tiles& tiles, u32 t, u32 its_batch) {
    if (its_batch != batch) {
      batch = its_batch;
      at = tiles.first[batch];
      sum = 0;
    }
    sum += sum_between(sums, phase, at, t);
    at = t;
    return sum;
  }
};

}  // namespace nd
