// Tiles: pieces of the elements (nodes or edges) of several batches, each the work of a block, and prefix sums over
// them.
//
// A tile belongs to one batch. Block b takes the tiles b, b + grid, b + 2*grid ... in ascending order. Prefix sums use
// decoupled look-back (Merrill and Garland, 2016), without its aggregation of earlier prefixes:
//
//   1. publish      the block writes the sum of its tile, tagged with the phase of the launch, to sums[tile]
//   2. PrefixSum    the block waits for the sums of all tiles since its previous one, and adds them up
//
// A block publishes before it waits, and in a cooperative launch all blocks run at once, so every wait ends.
#pragma once
#include "core/args.cuh"
#include "core/group.cuh"

namespace nd {

constexpr u32 Place =
    1u << 31;  // the flag of an edge's place, see driver/nodes.cuh; a launch has fewer edges than that
constexpr u32 NeighborThreads = 512;
constexpr u32 MostBatches = 512;
using Team = Block<NeighborThreads>;

ND_FN u32 min_of(u64 a, u64 b) { return (u32)(a < b ? a : b); }

// part_of returns the part that contains element i, by binary search. Part p begins at element first[p]; first is
// ascending, and first[0] <= i.
ND_FN u32 part_of(const u32* first, u32 parts, u32 i) {
  u32 low = 0;
  for (u32 high = parts; high - low > 1;) {
    u32 middle = (low + high) / 2;
    if (first[middle] <= i) low = middle;
    else high = middle;
  }
  return low;
}

// Tiles maps tile numbers to batches. Every block computes its own copy; first is in the block's shared memory and
// stays valid until exclusive_sums writes it again.
struct Tiles {
  const u32* first;  // batches+1: the first tile of each batch, and the number of tiles
  u32 batches, count;

  struct Tile {
    u32 batch, number;
  };  // number counts within the batch
  ND_FN Tile of(u32 t) const {
    u32 batch = part_of(first, batches, t);
    return {batch, t - first[batch]};
  }
};

// exclusive_sums writes the exclusive prefix sums of size(b) over the batches to first[0 ... batches], and returns the
// total. All threads of the block call it with the same `first` in shared memory. It begins and ends with a block
// barrier.
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

// tiles_of divides each batch's size(b) elements into tiles of at most `each`. It has the barriers of exclusive_sums.
template <class Size> ND_FN Tiles tiles_of(u32* first, u32 batches, u32 each, Size size) {
  return {first, batches, exclusive_sums(first, batches, [&](u32 b) { return (size(b) + each - 1) / each; })};
}

// publish writes the sum of tile t in a phase of the launch by one 64-bit store, with the phase in the upper half:
// readers ignore sums of earlier phases, so the array need not be cleared between phases. One thread calls it. Sums are
// limited to Place; larger sums do not fit anyway.
ND_FN void publish(u64* sums, u32 t, u32 phase, u64 sum) {
  write_for_all(sums + t, (u64)phase << 32 | (sum < Place ? sum : Place));
}

// sum_between waits until the tiles from ... to-1 have published in this phase, and returns their sum to all threads of
// the block, which all call it. Each thread polls every Team::size-th tile.
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

// PrefixSum returns the sum over the tiles of the same batch before a tile. A block calls it for its tiles in ascending
// order. It keeps the sum up to the previous tile, so a block reads each published sum once.
struct PrefixSum {
  const u64* sums;
  u32 phase;
  u32 batch = None;
  u32 at = 0;  // the end of the tiles that are in sum
  u64 sum = 0;

  // of returns the sum before tile t, counted from the first tile of its_batch. All threads of the block call it.
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
