// Walks in the order of their vertices, for many walkers whose traces nobody wants. Walkers lie by the partition of the
// vertex that they are at, so that its rows stay in the first-level cache while its walkers step, its edges in the second,
// and its visits are counted in shared memory. A step reads each walker once and writes it once, 16 bytes in order, where
// walkers as they come cost a random access or two.
//
// How many will be in each partition is known when all have stepped, and where they go is wanted before. So a partition
// has room for an eighth more than are in it now, which is enough once a walk has mixed. Where it is not, the step's result
// is thrown away: partitioned_recount counts, partitioned_exact makes room, and partitioned_again steps again. Those three are launched
// behind every step and end at once where nothing overflowed; the host need not look. Which of a partition's walkers comes
// first may differ from run to run; nothing depends on it, since a walker's words hang under its row.
#pragma once
#include "core/group.cuh"
#include "driver/rows.cuh"
#include "selector/pickededge.cuh"

namespace nd {

constexpr u32 MostPartitions = 256;  // at most
constexpr u32 SizeStride = 8;        // elements between two sizes: a sector each, since all blocks add to them
constexpr u32 PartitionedThreads = 1024;    // of a block
constexpr u32 WalkersPerThread = 4;          // walkers of a thread
constexpr u32 WalkerTileSize = PartitionedThreads * WalkersPerThread;
constexpr u32 PartitionSlack = WalkerTileSize;  // walkers that a partition has room for beside an eighth

// A walker is the vertex that it is at and the row that it is of.
ND_FN u64 walker_of(u32 vertex, u32 row) { return (u64)row << 32 | vertex; }
ND_FN u32 vertex_of(u64 walker) { return (u32)walker; }
ND_FN u32 row_of(u64 walker) { return (u32)(walker >> 32); }

// block_sum is the sum of x over the block's threads up to this one. sums has an element for each warp.
ND_FN u32 block_sum(u32 x, u32* sums) {
  u32 warp = thread_index() / WarpSize, sum = (u32)Warp::scan(x);
  if (lane_index() == WarpSize - 1) sums[warp] = sum;
  sync_block();
  for (u32 w = 0; w < warp; w++) sum += sums[w];
  return sum;
}

// allocate_partitions gives the partitions room, one block: by what they have now, or exactly what was counted for them.
ND_FN void allocate_partitions(const PartitionedWalk& a, bool exact) {
  ND_SHARED(u32, sums, PartitionedThreads / WarpSize);
  u32 k = thread_index(), size = 0, room = 0;
  if (k < MostPartitions) {
    size = exact ? a.recounted[k * SizeStride] : a.sizes[k * SizeStride];
    room = exact ? size : size + size / 8 + PartitionSlack;
  }
  u32 first = block_sum(room, sums) - room;
  if (k <= MostPartitions) a.to_firsts[k] = first;
  if (k >= MostPartitions) return;
  a.to_sizes[k * SizeStride] = 0;
  a.recounted[k * SizeStride] = 0;
}

// prepare_step is launched before each step: the tiles of the walkers as they lie, and room for the next.
ND_FN void prepare_step(const PartitionedWalk& a) {
  ND_SHARED(u32, sums, PartitionedThreads / WarpSize);
  u32 k = thread_index(), tiles = k < MostPartitions ? (a.sizes[k * SizeStride] + WalkerTileSize - 1) / WalkerTileSize : 0;
  u32 before = block_sum(tiles, sums) - tiles;
  if (k <= MostPartitions) a.tiles[k] = before;
  if (k == 0) *a.overflow = 0;
  allocate_partitions(a, false);
}

ND_FN void allocate_exactly(const PartitionedWalk& a) {
  if (read_shared_by_all(a.overflow)) allocate_partitions(a, true);
}

// WalkerTile is a tile: walkers of one partition.
struct WalkerTile { u32 partition, begin, count; };

// tile_of gives tile number tile, an empty one behind the last. Blocks run in their order, so that all of them work on
// neighbouring partitions at any time: what these read fits the second-level cache.
ND_FN WalkerTile tile_of(const PartitionedWalk& a, u32 tile) {
  u32 low = 0, high = MostPartitions;  // tiles[low] <= tile < tiles[high]
  if (tile >= fetch(a.tiles + high)) return {0, 0, 0};
  while (high - low > 1) {
    u32 middle = (low + high) / 2;
    if (fetch(a.tiles + middle) <= tile) low = middle;
    else high = middle;
  }
  u32 at = (tile - fetch(a.tiles + low)) * WalkerTileSize, size = fetch(a.sizes + low * SizeStride);
  return {low, fetch(a.firsts + low) + at, size - at < WalkerTileSize ? size - at : WalkerTileSize};
}

// Where a crowd's visits are counted.
enum class Visits { None, Shared, Memory };

// VisitCounter counts the visits of a tile: in shared memory, 16 bits each, where a partition's vertices fit in it. It keeps hubs
// from holding up all others, and a vertex that many are at costs one access to memory.
template <Visits visits> struct VisitCounter {
  const PartitionedWalk& a;
  Quad* own;  // 16-bit counts; dynamic shared memory

  ND_FN void begin() {
    if constexpr (visits == Visits::Shared)
      for (u32 k = thread_index(); k < ((1u << a.shift) + 7) / 8; k += block_size()) own[k] = {0, 0, 0, 0};
  }
  ND_FN void add(u32 v) {
    if constexpr (visits == Visits::Memory) add_atomic(a.counts + v, (u64)1);
    if constexpr (visits == Visits::Shared) {
      u32 k = v & ((1u << a.shift) - 1);
      add_atomic((u32*)own + k / 2, 1u << k % 2 * 16);
    }
  }
  ND_FN void end(u32 partition) {
    if constexpr (visits == Visits::Shared) {
      u64* counts = a.counts + ((u64)partition << a.shift);
      const u16* each = (const u16*)own;
      for (u32 k = thread_index(); k < 1u << a.shift; k += block_size())  // neighbours together: one access for a sector
        if (u32 n = each[k]) add_atomic(counts + k, (u64)n);
    }
  }
};

// Bins are where a tile's walkers go: first in shared memory, those of one partition side by side, and then to the
// partition's next places.
struct Bins {
  u32* sizes;    // of the tile
  u32* firsts;   // in the tile
  u32* offsets;  // from a place in the tile to that in the result
  u32* sums;

  ND_FN void begin() {
    for (u32 k = thread_index(); k < MostPartitions; k += block_size()) sizes[k] = 0;
  }
  // claim is for when all have their rank among those of their bin.
  ND_FN void claim(const PartitionedWalk& a) {
    u32 k = thread_index(), size = k < MostPartitions ? sizes[k] : 0, first = block_sum(size, sums) - size;
    if (k >= MostPartitions) return;
    u32 taken = size ? add_atomic(a.to_sizes + k * SizeStride, size) : 0, room = first_of(a, k + 1) - first_of(a, k);
    if (taken + size > room) {
      *a.overflow = 1;
      taken = None;  // nothing of it is written
    }
    firsts[k] = first;
    offsets[k] = taken == None ? None : first_of(a, k) + taken - first;
  }
  // What another kernel has written before this one.
  ND_FN static u32 first_of(const PartitionedWalk& a, u32 k) { return fetch(a.to_firsts + k); }
};

// scatter moves a thread's walkers to their partitions; v is None where there is none, and rank theirs among the tile's of
// one partition. staged has room for a tile.
ND_FN void scatter(const PartitionedWalk& a, const Bins& bins, const u32* v, const u32* row, const u32* rank, u32 count, u64* staged) {
#pragma unroll
  for (u32 k = 0; k < WalkersPerThread; k++)
    if (v[k] != None) staged[bins.firsts[v[k] >> a.shift] + rank[k]] = walker_of(v[k], row[k]);
  sync_block();
  for (u32 i = thread_index(); i < count; i += block_size()) {
    u64 w = staged[i];
    u32 offset = bins.offsets[vertex_of(w) >> a.shift];
    if (offset != None) a.to_walkers[offset + i] = w;
  }
}

// alive_of gives how many of the tile's walkers are somewhere, once they were claimed for.
ND_FN u32 alive_of(const Bins& bins) { return bins.firsts[MostPartitions - 1] + bins.sizes[MostPartitions - 1]; }

#define ND_BINS(name)                                 \
  ND_SHARED(u32, name##_sizes, MostPartitions);      \
  ND_SHARED(u32, name##_firsts, MostPartitions);     \
  ND_SHARED(u32, name##_offsets, MostPartitions);    \
  ND_SHARED(u32, name##_sums, PartitionedThreads / WarpSize); \
  Bins name{name##_sizes, name##_firsts, name##_offsets, name##_sums}

// count_roots counts the rows' roots for the first layout.
ND_FN void count_roots(const PartitionedWalk& a) {
  ND_SHARED(u32, sizes, MostPartitions);
  for (u32 k = thread_index(); k < MostPartitions; k += block_size()) sizes[k] = 0;
  sync_block();
  for (u64 i = thread_of_grid(); i < a.walkers; i += threads_of_grid()) add_atomic(sizes + (root_of(a.b, i) >> a.shift), 1u);
  sync_block();
  for (u32 k = thread_index(); k < MostPartitions; k += block_size())
    if (sizes[k]) add_atomic(a.recounted + k * SizeStride, sizes[k]);
  if (thread_of_grid() == 0) *a.overflow = 1;
}

// place_walkers puts the rows' walkers on their roots, a tile a block.
ND_FN void place_walkers(const PartitionedWalk& a) {
  ND_BINS(bins);
  ND_DYNAMIC_SHARED(u64, staged);
  u64 begin = (u64)block_index() * WalkerTileSize;
  u32 v[WalkersPerThread], row[WalkersPerThread], rank[WalkersPerThread];
  bins.begin();
  sync_block();
#pragma unroll
  for (u32 k = 0; k < WalkersPerThread; k++) {
    u64 i = begin + k * PartitionedThreads + thread_index();
    v[k] = i < a.walkers ? root_of(a.b, i) : None;
    row[k] = (u32)i;
    if (v[k] != None) rank[k] = add_atomic(bins.sizes + (v[k] >> a.shift), 1u);
  }
  sync_block();
  bins.claim(a);
  sync_block();
  scatter(a, bins, v, row, rank, alive_of(bins), staged);
}

// next_of gives where a walker's step leads. One who ends tells where.
template <class Move> ND_FN u32 next_of(const PartitionedWalk& a, u32 v, u32 row) {
  Move move;
  move.set_vertex(a.g, v);
  u32 to = move.pick(a.g, word_of(sample_key(a.b, row), slot_of(a.step, 0))).vertex;
  if (to == None && a.ends) a.ends[row] = v;
  return to;
}

// step_tile has the walkers of a span take a step.
template <class Move, Visits visits> ND_FN void step_tile(const PartitionedWalk& a, const WalkerTile& span, const Bins& bins, Quad* own) {
  VisitCounter<visits> tally{a, own};
  tally.begin();
  Bins all = bins;
  all.begin();
  u32 v[WalkersPerThread], row[WalkersPerThread], rank[WalkersPerThread];
#pragma unroll
  for (u32 k = 0; k < WalkersPerThread; k++) {
    u32 i = k * PartitionedThreads + thread_index();
    u64 w = i < span.count ? read_once(a.walkers_at + span.begin + i) : None;
    v[k] = vertex_of(w);
    row[k] = row_of(w);
  }
  sync_block();
#pragma unroll
  for (u32 k = 0; k < WalkersPerThread; k++) {
    if (v[k] == None) continue;
    tally.add(v[k]);
    v[k] = next_of<Move>(a, v[k], row[k]);
  }
#pragma unroll
  for (u32 k = 0; k < WalkersPerThread; k++)
    if (v[k] != None) rank[k] = add_atomic(bins.sizes + (v[k] >> a.shift), 1u);
  sync_block();
  all.claim(a);
  tally.end(span.partition);
  sync_block();
  scatter(a, bins, v, row, rank, alive_of(bins), (u64*)own);
}

// step_partitions is a step, a tile a block.
template <class Move, Visits visits> ND_FN void step_partitions(const PartitionedWalk& a) {
  ND_BINS(bins);
  ND_DYNAMIC_SHARED(Quad, own);
  WalkerTile span = tile_of(a, block_index());
  if (span.count > 0) step_tile<Move, visits>(a, span, bins, own);
}

// repeat_step is the step again, without its visits, where there was no room.
template <class Move> ND_FN void repeat_step(const PartitionedWalk& a) {
  ND_BINS(bins);
  ND_DYNAMIC_SHARED(Quad, own);
  if (!read_shared_by_all(a.overflow)) return;
  for (u32 tile = block_index(); tile < fetch(a.tiles + MostPartitions); tile += grid_size()) {
    step_tile<Move, Visits::None>(a, tile_of(a, tile), bins, own);
    sync_block();
  }
}

// recount_partitions counts where all will be, where there was no room.
template <class Move> ND_FN void recount_partitions(const PartitionedWalk& a) {
  ND_SHARED(u32, sizes, MostPartitions);
  if (!read_shared_by_all(a.overflow)) return;
  for (u32 k = thread_index(); k < MostPartitions; k += block_size()) sizes[k] = 0;
  sync_block();
  for (u32 tile = block_index(); tile < fetch(a.tiles + MostPartitions); tile += grid_size()) {
    WalkerTile span = tile_of(a, tile);
    for (u32 i = thread_index(); i < span.count; i += block_size()) {
      u64 w = read_once(a.walkers_at + span.begin + i);
      u32 to = next_of<Move>(a, vertex_of(w), row_of(w));
      if (to != None) add_atomic(sizes + (to >> a.shift), 1u);
    }
  }
  sync_block();
  for (u32 k = thread_index(); k < MostPartitions; k += block_size())
    if (sizes[k]) add_atomic(a.recounted + k * SizeStride, sizes[k]);
}

// count_last_visits counts the visits of walkers that step no more.
template <Visits visits> ND_FN void count_last_visits(const PartitionedWalk& a) {
  ND_DYNAMIC_SHARED(Quad, own);
  WalkerTile span = tile_of(a, block_index());
  if (span.count == 0) return;
  VisitCounter<visits> tally{a, own};
  tally.begin();
  sync_block();
  for (u32 i = thread_index(); i < span.count; i += block_size()) tally.add(vertex_of(read_once(a.walkers_at + span.begin + i)));
  sync_block();
  tally.end(span.partition);
}

// write_ends tells the rows of those who go on where they are, a tile a block.
ND_FN void write_ends(const PartitionedWalk& a) {
  WalkerTile span = tile_of(a, block_index());
  for (u32 i = thread_index(); i < span.count; i += block_size()) {
    u64 w = read_once(a.walkers_at + span.begin + i);
    a.ends[row_of(w)] = vertex_of(w);
  }
}

}  // namespace nd
