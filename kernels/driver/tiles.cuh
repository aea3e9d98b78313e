// Work of several batches in tiles of a block each. A tile is of one batch: sums over a batch's tiles give places within
// it. Blocks take tiles by turns.
#pragma once
#include "core/args.cuh"
#include "core/group.cuh"

namespace nd {

constexpr u32 Place = 1u << 31;  // edges of a launch are fewer
constexpr u32 NeighborhoodThreads = 512;
constexpr u32 MostBatches = 512;
using Team = Block<NeighborhoodThreads>;

ND_FN u32 min_of(u64 a, u64 b) { return (u32)(a < b ? a : b); }

// part_of gives the part in which element i lies, of parts that begin at first.
ND_FN u32 part_of(const u32* first, u32 parts, u32 i) {
  u32 low = 0;
  for (u32 high = parts; high - low > 1;) {
    u32 middle = (low + high) / 2;
    if (first[middle] <= i) low = middle;
    else high = middle;
  }
  return low;
}

// Tiles says which tiles are whose. All threads of a block make it together, each block for itself.
struct Tiles {
  const u32* first;  // of each batch, and their number; shared
  u32 batches, count;

  struct Tile { u32 batch, number; };  // number counts within the batch
  ND_FN Tile of(u32 t) const {
    u32 batch = part_of(first, batches, t);
    return {batch, t - first[batch]};
  }
};

// running writes the sums of size(b) over the batches before each, and behind them that of all, which it gives.
template <class Size> ND_FN u32 running(u32* first, u32 batches, Size size) {
  u32 all = 0;
  sync_block();
  if (batches == 1) {
    all = size(0);
    if (thread_index() == 0) first[0] = 0, first[1] = all;
  } else {
    for (u32 from = 0; from < batches; from += Team::size) {
      u32 b = from + thread_index(), n = b < batches ? size(b) : 0;
      u32 upto = (u32)Team::scan(n);
      if (b < batches) first[b] = all + upto - n;
      all += Team::from(upto, Team::size - 1);
    }
    if (thread_index() == 0) first[batches] = all;
  }
  sync_block();
  return all;
}

// tiles_of has tiles of so many elements at most.
template <class Size> ND_FN Tiles tiles_of(u32* first, u32 batches, u32 each, Size size) {
  return {first, batches, running(first, batches, [&](u32 b) { return (size(b) + each - 1) / each; })};
}

// publish says what the sum of a tile is, and of which phase of the launch: what lies there from other phases counts for
// nothing. One thread calls it.
ND_FN void publish(u64* sums, u32 t, u32 phase, u64 sum) {
  write_for_all(sums + t, (u64)phase << 32 | (sum < Place ? sum : Place));  // more is too much anyway
}

// sum_between waits for the sums of tiles from ... to-1, and adds them up for all threads of a block.
ND_FN u64 sum_between(const u64* sums, u32 phase, u32 from, u32 to) {
  u64 sum = 0;
  for (u32 i = from + thread_index(); i < to; i += Team::size) {
    u64 x;
    do x = read_shared_by_all(sums + i);
    while (x >> 32 != phase);
    sum += (u32)x;
  }
  return Team::sum(sum);
}

// PrefixSum gives the sums of the elements of a batch that lie before a block's tiles, one after the other in order. A block
// publishes the sum of its tile before it asks: all blocks run at once, so those before it will come.
struct PrefixSum {
  const u64* sums;
  u32 phase;
  u32 batch = None, at = 0;
  u64 sum = 0;

  ND_FN u64 of(const Tiles& tiles, u32 t, u32 its_batch) {
    if (its_batch != batch) batch = its_batch, at = tiles.first[batch], sum = 0;
    sum += sum_between(sums, phase, at, t);
    at = t;
    return sum;
  }
};

}  // namespace nd
