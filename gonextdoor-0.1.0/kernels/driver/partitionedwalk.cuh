// Partitioned walks: for many walkers whose traces are not stored (visit counts, ends). Walkers are radix-partitioned
// by their present vertex before each step: a partition is the vertices v with the same v >> shift. While the tiles of
// a partition step, the partition's rows stay in the L1 cache, its edges in the L2 cache, and its visits are counted in
// shared memory. A step reads and writes each walker once, 16 bytes in order; in arbitrary order it would cost one or
// two random accesses of device memory instead.
//
// The walkers are initialised by partitioned_roots, partitioned_exact and partitioned_enter. The host
// (gonextdoor/engine/gpu/internal/walk/partitioned.go) then launches, per step:
//
//   1. prepare_step        One block: compute the tiles of the present walkers, and the capacity of each next
//                          partition.
//   2. step_partitions     A block per tile: each walker steps and moves to its next partition.
//   3. recount_partitions  If a partition overflowed: count the next walkers of each partition,
//      allocate_exactly    allocate partitions of exactly these sizes,
//      repeat_step         and step again, without counting the visits again. Otherwise these three return at once.
//
// Partition sizes are known only after all walkers have stepped, but the destinations are needed earlier. So a
// partition gets an eighth more capacity than it has walkers now, which suffices once a walk has mixed. The host never
// waits for the outcome. After the last step, count_last_visits and write_ends run.
//
// The host owns two arrays of walkers and exchanges them after each step. The order of walkers within a partition
// varies between runs. No result depends on it: the random words of a walker are keyed by its row.
#pragma once
#include "core/group.cuh"
#include "driver/rows.cuh"
#include "selector/pickededge.cuh"

namespace nd {

constexpr u32 MostPartitions = 256;
constexpr u32 SizeStride = 8;             // elements between two sizes: a sector each, since all blocks add to them
constexpr u32 PartitionedThreads = 1024;  // per block
constexpr u32 WalkersPerThread = 4;
constexpr u32 WalkerTileSize = PartitionedThreads * WalkersPerThread;
constexpr u32 PartitionSlack = WalkerTileSize;  // the capacity of a partition besides its size and an eighth of it

// A walker is 8 bytes: its present vertex, and the row that it belongs to.
ND_FN u64 walker_of(u32 vertex, u32 row) { return (u64)row << 32 | vertex; }
ND_FN u32 vertex_of(u64 walker) { return (u32)walker; }
ND_FN u32 row_of(u64 walker) { return (u32)(walker >> 32); }

// block_sum returns the inclusive prefix sum of x over the block's threads. sums is shared memory with an element per
// warp. All threads of the block call it, once per barrier-separated use of `sums`: its only barrier is between the
// writes and the reads.
ND_FN u32 block_sum(u32 x, u32* sums) {
  u32 warp = thread_index() / WarpSize, sum = (u32)Warp::scan(x);
  if (lane_index() == WarpSize - 1) sums[warp] = sum;
  sync_block();
  for (u32 w = 0; w < warp; w++) sum += sums[w];
  return sum;
}

// allocate_partitions assigns each partition its range in to_walkers, by its present size or exactly by the recount,
// and zeroes the counters of the next step. One block, a thread per partition.
ND_FN void allocate_partitions(const PartitionedWalk& a, bool exact) {
  ND_SHARED(u32, sums, PartitionedThreads / WarpSize);
  u32 k = thread_index(), size = 0, capacity = 0;
  if (k < MostPartitions) {
    size = exact ? a.recounted[k * SizeStride] : a.sizes[k * SizeStride];
    capacity = exact ? size : size + size / 8 + PartitionSlack;
  }
  u32 first = block_sum(capacity, sums) - capacity;
  if (k <= MostPartitions) a.to_firsts[k] = first;
  if (k >= MostPartitions) return;
  a.to_sizes[k * SizeStride] = 0;
  a.recounted[k * SizeStride] = 0;
}

// prepare_step is the kernel partitioned_place, which runs before each step as one block. It computes the tiles of the
// present walkers, and allocates the next partitions.
ND_FN void prepare_step(const PartitionedWalk& a) {
  ND_SHARED(u32, sums, PartitionedThreads / WarpSize);
  u32 k = thread_index(),
      tiles = k < MostPartitions ? (a.sizes[k * SizeStride] + WalkerTileSize - 1) / WalkerTileSize : 0;
  u32 before = block_sum(tiles, sums) - tiles;
  if (k <= MostPartitions) a.tiles[k] = before;
  if (k == 0) *a.overflow = 0;
  allocate_partitions(a, false);
}

// allocate_exactly is the kernel partitioned_exact: one block. It does nothing unless a partition overflowed.
ND_FN void allocate_exactly(const PartitionedWalk& a) {
  if (read_shared_by_all(a.overflow)) allocate_partitions(a, true);
}

// WalkerTile is up to WalkerTileSize walkers of one partition: `count` walkers, beginning at walkers_at[begin].
struct WalkerTile {
  u32 partition, begin, count;
};

// tile_of returns tile number `tile`, by binary search over the partitions, or an empty tile past the last. The
// hardware starts blocks about in the order of their numbers, so those that run together work on neighbouring
// partitions, whose edges fit the L2 cache.
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

// Visits is the place where a launch counts visits: nowhere, in shared memory, or directly in device memory.
enum class Visits { None, Shared, Memory };

// VisitCounter counts the visits of a tile: in shared memory, with 16 bits per vertex, if the vertices of a partition
// fit. Atomic additions at hubs then serialise the threads of a block only, and a vertex with many walkers costs one
// access to device memory. A tile has at most WalkerTileSize walkers, so 16 bits do not overflow.
template <Visits visits> struct VisitCounter {
  const PartitionedWalk& a;
  Quad* cells;  // 16-bit counts, in dynamic shared memory

  // begin zeroes the counts; a block barrier must follow.
  ND_FN void begin() {
    if constexpr (visits == Visits::Shared)
      for (u32 k = thread_index(); k < ((1u << a.shift) + 7) / 8; k += block_size()) cells[k] = {0, 0, 0, 0};
  }
  // add counts a visit to v.
  ND_FN void add(u32 v) {
    if constexpr (visits == Visits::Memory) add_atomic(a.counts + v, (u64)1);
    if constexpr (visits == Visits::Shared) {
      u32 k = v & ((1u << a.shift) - 1);
      add_atomic((u32*)cells + k / 2, 1u << k % 2 * 16);
    }
  }
  // end adds the counts to device memory, after a block barrier. Consecutive threads add to consecutive counts, so a
  // sector is accessed once.
  ND_FN void end(u32 partition) {
    if constexpr (visits == Visits::Shared) {
      u64* counts = a.counts + ((u64)partition << a.shift);
      const u16* each = (const u16*)cells;
      for (u32 k = thread_index(); k < 1u << a.shift; k += block_size())
        if (u32 n = each[k]) add_atomic(counts + k, (u64)n);
    }
  }
};

// Bins sorts the walkers of a tile by their next partition: in shared memory first, then into ranges that it reserves
// in the partitions. All four arrays are shared memory. The caller puts a block barrier between begin, the counting of
// sizes, claim and scatter.
struct Bins {
  u32* sizes;    // per partition the walkers of the tile
  u32* firsts;   // per partition the index of its first walker in the sorted tile
  u32* offsets;  // per partition the distance from an index in the sorted tile to that in to_walkers; None: no capacity
  u32* sums;     // scratch of block_sum

  ND_FN void begin() {
    for (u32 k = thread_index(); k < MostPartitions; k += block_size()) sizes[k] = 0;
  }
  // claim reserves a range of each partition for the walkers of the tile, a thread per partition. If the capacity of a
  // partition is exceeded, it sets overflow, and the tile writes nothing to that partition.
  ND_FN void claim(const PartitionedWalk& a) {
    u32 k = thread_index(), size = k < MostPartitions ? sizes[k] : 0, first = block_sum(size, sums) - size;
    if (k >= MostPartitions) return;
    u32 reserved = size ? add_atomic(a.to_sizes + k * SizeStride, size) : 0,
        capacity = first_of(a, k + 1) - first_of(a, k);
    if (reserved + size > capacity) {
      *a.overflow = 1;
      reserved = None;
    }
    firsts[k] = first;
    offsets[k] = reserved == None ? None : first_of(a, k) + reserved - first;
  }
  // first_of returns the begin of a partition in to_walkers, which the previous kernel has allocated.
  ND_FN static u32 first_of(const PartitionedWalk& a, u32 k) { return fetch(a.to_firsts + k); }
};

// scatter writes the walkers of a tile to their partitions. Each thread passes WalkersPerThread walkers: v is None for
// a missing walker, rank is its rank among the tile's walkers of the same partition. They are sorted in `staged`,
// shared memory for a tile, so that consecutive threads write consecutive elements. count is alive_of(bins). All
// threads of the block call it; it has one barrier.
ND_FN void scatter(const PartitionedWalk& a, const Bins& bins, const u32* v, const u32* row, const u32* rank, u32 count,
                   u64* staged) {
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

// alive_of returns the number of the tile's walkers that have not ended, after claim and a barrier.
ND_FN u32 alive_of(const Bins& bins) { return bins.firsts[MostPartitions - 1] + bins.sizes[MostPartitions - 1]; }

// ND_BINS declares Bins with their shared memory.
#define ND_BINS(name)                                         \
  ND_SHARED(u32, name##_sizes, MostPartitions);               \
  ND_SHARED(u32, name##_firsts, MostPartitions);              \
  ND_SHARED(u32, name##_offsets, MostPartitions);             \
  ND_SHARED(u32, name##_sums, PartitionedThreads / WarpSize); \
  Bins name { name##_sizes, name##_firsts, name##_offsets, name##_sums }

// count_roots is the kernel partitioned_roots: it counts the roots of each partition in recounted, and sets overflow,
// so that allocate_exactly allocates the first partitions.
ND_FN void count_roots(const PartitionedWalk& a) {
  ND_SHARED(u32, sizes, MostPartitions);
  for (u32 k = thread_index(); k < MostPartitions; k += block_size()) sizes[k] = 0;
  sync_block();
  for (u64 i = thread_of_grid(); i < a.walkers; i += threads_of_grid())
    add_atomic(sizes + (root_of(a.b, i) >> a.shift), 1u);
  sync_block();
  for (u32 k = thread_index(); k < MostPartitions; k += block_size())
    if (sizes[k]) add_atomic(a.recounted + k * SizeStride, sizes[k]);
  if (thread_of_grid() == 0) *a.overflow = 1;
}

// place_walkers is the kernel partitioned_enter: it creates the walker of each row, at its root. A block per tile of
// rows; the phases are those of step_tile without a step.
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

// next_of returns the vertex that a walker's step leads to, or None if the walk ends: it then writes the last vertex to
// PartitionedWalk::ends.
template <class Move> ND_FN u32 next_of(const PartitionedWalk& a, u32 v, u32 row) {
  Move move;
  move.set_vertex(a.g, v);
  u32 to = move.pick(a.g, word_of(sample_key(a.b, row), slot_of(a.step, 0))).vertex;
  if (to == None && a.ends) a.ends[row] = v;
  return to;
}

// step_tile takes a step of all walkers of a tile. `dynamic` is the dynamic shared memory of the block, which holds the
// visit counts until counter.end, and the sorted walkers afterwards.
template <class Move, Visits visits>
ND_FN void step_tile(const PartitionedWalk& a, const WalkerTile& span, const Bins& bins, Quad* dynamic) {
  VisitCounter<visits> counter{a, dynamic};
  counter.begin();
  Bins all = bins;
  // 1. Read the walkers.
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
  // 2. Count the visits and take the step. The loop is unrolled, so the loads of a thread are in flight together.
#pragma unroll
  for (u32 k = 0; k < WalkersPerThread; k++) {
    if (v[k] == None) continue;
    counter.add(v[k]);
    v[k] = next_of<Move>(a, v[k], row[k]);
  }
  // 3. Rank the walkers within their next partitions, reserve ranges there, and write the walkers.
#pragma unroll
  for (u32 k = 0; k < WalkersPerThread; k++)
    if (v[k] != None) rank[k] = add_atomic(bins.sizes + (v[k] >> a.shift), 1u);
  sync_block();
  all.claim(a);
  counter.end(span.partition);
  sync_block();
  scatter(a, bins, v, row, rank, alive_of(bins), (u64*)dynamic);
}

// step_partitions takes a step, a block per tile: the kernels partitioned_uniform and partitioned_alias, with a variant
// per Visits. The grid may have more blocks than there are tiles.
template <class Move, Visits visits> ND_FN void step_partitions(const PartitionedWalk& a) {
  ND_BINS(bins);
  ND_DYNAMIC_SHARED(Quad, dynamic);
  WalkerTile span = tile_of(a, block_index());
  if (span.count > 0) step_tile<Move, visits>(a, span, bins, dynamic);
}

// repeat_step takes the step again, without counting visits, if a partition overflowed: the kernels
// partitioned_uniform_again and partitioned_alias_again. The grid is small, since it seldom has work; blocks take
// several tiles.
template <class Move> ND_FN void repeat_step(const PartitionedWalk& a) {
  ND_BINS(bins);
  ND_DYNAMIC_SHARED(Quad, dynamic);
  if (!read_shared_by_all(a.overflow)) return;
  for (u32 tile = block_index(); tile < fetch(a.tiles + MostPartitions); tile += grid_size()) {
    step_tile<Move, Visits::None>(a, tile_of(a, tile), bins, dynamic);
    sync_block();
  }
}

// recount_partitions counts the walkers of each next partition if one overflowed: the kernels
// partitioned_uniform_recount and partitioned_alias_recount. Steps are pure functions of walker and step, so they can
// be computed again.
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

// count_last_visits counts the visits of the walkers after the last step, a block per tile: the kernels
// partitioned_count_shared and partitioned_count_memory.
template <Visits visits> ND_FN void count_last_visits(const PartitionedWalk& a) {
  ND_DYNAMIC_SHARED(Quad, dynamic);
  WalkerTile span = tile_of(a, block_index());
  if (span.count == 0) return;
  VisitCounter<visits> counter{a, dynamic};
  counter.begin();
  sync_block();
  for (u32 i = thread_index(); i < span.count; i += block_size())
    counter.add(vertex_of(read_once(a.walkers_at + span.begin + i)));
  sync_block();
  counter.end(span.partition);
}

// write_ends is the kernel partitioned_end: it writes the vertices of the remaining walkers to ends, a block per tile.
ND_FN void write_ends(const PartitionedWalk& a) {
  WalkerTile span = tile_of(a, block_index());
  for (u32 i = thread_index(); i < span.count; i += block_size()) {
    u64 w = read_once(a.walkers_at + span.begin + i);
    a.ends[row_of(w)] = vertex_of(w);
  }
}

}  // namespace nd
