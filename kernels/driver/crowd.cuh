// Walks in the order of their vertices, for many walkers whose traces nobody wants. Before each step the walkers are
// split by the high bits of the vertex where they are, so that one partition's rows stay in the first-level cache while
// its walkers step, its edges in the second, and its visits are counted in shared memory. A step then moves 28 bytes
// through memory in order, where walkers as they come cost a random access or two.
//
// A step is three launches: place_crowd says where each partition will begin, split_crowd moves the walkers there,
// step_crowd has them step in place and counts where they will be. Which of a partition's walkers comes first may differ
// from run to run; nothing depends on it, since a walker's words hang under its row.
#pragma once
#include "core/group.cuh"
#include "driver/rows.cuh"
#include "selector/taken.cuh"

namespace nd {

constexpr u32 CrowdPartitions = 256;  // at most
constexpr u32 CrowdEnded = 256;       // the partition of walkers that are nowhere
constexpr u32 CrowdBins = 257;
constexpr u32 CrowdStride = 8;        // elements between two sizes: a sector each, since all blocks add to them
constexpr u32 CrowdThreads = 512;     // of a block that splits
constexpr u32 CrowdEach = 16;         // walkers of a thread that splits
constexpr u32 CrowdTile = CrowdThreads * CrowdEach;

ND_FN u32 crowd_bin(const Crowd& a, u32 v) { return v == None ? CrowdEnded : v >> a.shift; }

// clear_bins and add_bins frame what a block counts for the next split.
ND_FN void clear_bins(u32* bins) {
  for (u32 k = thread_index(); k < CrowdBins; k += block_size()) bins[k] = 0;
}
ND_FN void add_bins(const Crowd& a, const u32* bins) {
  for (u32 k = thread_index(); k < CrowdBins; k += block_size())
    if (bins[k]) add_atomic(a.sizes + k * CrowdStride, bins[k]);
}

// block_sum is the sum of x over the block's threads up to this one. sums has an element for each warp.
ND_FN u32 block_sum(u32 x, u32* sums) {
  u32 warp = thread_index() / WarpSize, sum = (u32)Warp::scan(x);
  if (lane_index() == WarpSize - 1) sums[warp] = sum;
  sync_block();
  for (u32 w = 0; w < warp; w++) sum += sums[w];
  return sum;
}

// begin_crowd puts the rows' walkers on their roots.
ND_FN void begin_crowd(const Crowd& a) {
  ND_SHARED(u32, bins, CrowdBins);
  clear_bins(bins);
  sync_block();
  for (u64 i = thread_of_grid(); i < a.walkers; i += threads_of_grid()) {
    u32 v = root_of(a.b, i);
    write_once(a.vertices + i, v);
    write_once(a.rows + i, (u32)i);
    add_atomic(bins + crowd_bin(a, v), 1u);
  }
  sync_block();
  add_bins(a, bins);
}

// place_crowd is one block of CrowdThreads: sizes become firsts, cursors and tiles, and are zero again, but for that of
// walkers who step no more.
ND_FN void place_crowd(const Crowd& a) {
  ND_SHARED(u32, sums, 2 * CrowdThreads / WarpSize);
  u32 k = thread_index(), size = k < CrowdBins ? a.sizes[k * CrowdStride] : 0, tiles = (u32)((size + a.tile - 1) / a.tile);
  u32 first = block_sum(size, sums) - size, before = block_sum(tiles, sums + CrowdThreads / WarpSize) - tiles;
  if (k > CrowdBins) return;
  a.firsts[k] = first;
  a.tiles[k] = before;
  if (k == CrowdBins) return;
  a.cursors[k * CrowdStride] = first;
  if (k != CrowdEnded) a.sizes[k * CrowdStride] = 0;
}

// split_crowd moves a tile of walkers, a block a tile. It orders them in shared memory first, so that those of one
// partition are written side by side.
ND_FN void split_crowd(const Crowd& a) {
  ND_SHARED(u32, sizes, CrowdBins);
  ND_SHARED(u32, firsts, CrowdBins);  // within the tile
  ND_SHARED(u32, offsets, CrowdBins);  // from a place in the tile to that in the result
  ND_SHARED(u32, sums, CrowdThreads / WarpSize);
  ND_DYNAMIC_SHARED(u32, staged);  // vertices, then rows
  u32 t = thread_index();
  u64 begin = (u64)block_index() * CrowdTile;
  u32 count = (u32)(a.walkers - begin < CrowdTile ? a.walkers - begin : CrowdTile);
  u32 v[CrowdEach], row[CrowdEach], rank[CrowdEach];
#pragma unroll
  for (u32 k = 0; k < CrowdEach; k++) {
    u32 i = k * CrowdThreads + t;
    v[k] = i < count ? read_once(a.vertices + begin + i) : 0;
    row[k] = i < count ? read_once(a.rows + begin + i) : 0;
  }
  clear_bins(sizes);
  sync_block();
#pragma unroll
  for (u32 k = 0; k < CrowdEach; k++)
    if (k * CrowdThreads + t < count) rank[k] = add_atomic(sizes + crowd_bin(a, v[k]), 1u);
  sync_block();
  u32 size = t < CrowdBins ? sizes[t] : 0, sum = block_sum(size, sums);
  if (t < CrowdBins) {
    firsts[t] = sum - size;
    offsets[t] = (size ? add_atomic(a.cursors + t * CrowdStride, size) : 0) - (sum - size);
  }
  sync_block();
#pragma unroll
  for (u32 k = 0; k < CrowdEach; k++) {
    if (k * CrowdThreads + t >= count) continue;
    u32 place = firsts[crowd_bin(a, v[k])] + rank[k];
    staged[place] = v[k];
    staged[CrowdTile + place] = row[k];
  }
  sync_block();
  for (u32 i = t; i < count; i += CrowdThreads) {
    u32 vertex = staged[i], to = offsets[crowd_bin(a, vertex)] + i;
    a.to_vertices[to] = vertex;
    a.to_rows[to] = staged[CrowdTile + i];
  }
}

// Where a crowd's visits are counted.
enum class Visits { None, Shared, Memory };

// Tally counts the visits of a tile: in shared memory, 16 bits each, where a partition's vertices fit in it. It keeps hubs
// from holding up all others, and a vertex that many are at costs one access to memory.
template <Visits visits> struct Tally {
  const Crowd& a;
  Quad* own;  // 16-bit counts; dynamic shared memory

  ND_FN u32 quads() const { return (u32)((1u << a.shift) + 7) / 8; }
  ND_FN void begin() {
    if constexpr (visits == Visits::Shared) {
      for (u32 k = thread_index(); k < quads(); k += block_size()) own[k] = {0, 0, 0, 0};
    }
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

// Span is a block's part of a partition's walkers.
struct Span { u32 partition; u64 begin, end; };

// span_of gives the span of the block, an empty one behind the last. Blocks run in their order, so that all of them work
// on neighbouring partitions at any time: what these read fits the second-level cache.
ND_FN Span span_of(const Crowd& a) {
  ND_SHARED(u32, found, 1);
  if (thread_index() == 0) found[0] = CrowdEnded;
  sync_block();
  for (u32 k = thread_index(); k < CrowdEnded; k += block_size())
    if (fetch(a.tiles + k) <= block_index() && block_index() < fetch(a.tiles + k + 1)) found[0] = k;
  sync_block();
  u32 k = found[0];
  if (k == CrowdEnded) return {k, 0, 0};
  u64 begin = fetch(a.firsts + k) + (block_index() - fetch(a.tiles + k)) * a.tile, end = fetch(a.firsts + k + 1);
  return {k, begin, begin + a.tile < end ? begin + a.tile : end};
}

// step_crowd has the walkers of a span take a step in place.
template <class Move, Visits visits> ND_FN void step_crowd(const Crowd& a) {
  constexpr u32 Each = 4;
  ND_SHARED(u32, bins, CrowdBins);
  ND_DYNAMIC_SHARED(Quad, own);
  Span span = span_of(a);
  if (span.begin == span.end) return;
  Tally<visits> tally{a, own};
  clear_bins(bins);
  tally.begin();
  sync_block();
  for (u64 at = span.begin + thread_index(); at < span.end; at += Each * block_size()) {
    u32 v[Each], row[Each];
#pragma unroll
    for (u32 k = 0; k < Each; k++) {
      u64 i = at + k * block_size();
      v[k] = i < span.end ? read_once(a.vertices + i) : None;
      row[k] = i < span.end ? read_once(a.rows + i) : 0;
    }
#pragma unroll
    for (u32 k = 0; k < Each; k++) {
      if (v[k] == None) continue;
      tally.add(v[k]);
      Move move;
      move.stand(a.g, v[k]);
      u32 to = move.take(a.g, word_of(sample_key(a.b, row[k]), slot_of(a.step, 0))).vertex;
      if (to == None && a.ends) a.ends[row[k]] = v[k];
      v[k] = to;
    }
#pragma unroll
    for (u32 k = 0; k < Each; k++) {
      u64 i = at + k * block_size();
      if (i >= span.end) continue;
      write_once(a.vertices + i, v[k]);
      add_atomic(bins + crowd_bin(a, v[k]), 1u);
    }
  }
  sync_block();
  add_bins(a, bins);
  tally.end(span.partition);
}

// count_crowd counts the visits of walkers that step no more.
template <Visits visits> ND_FN void count_crowd(const Crowd& a) {
  ND_DYNAMIC_SHARED(Quad, own);
  Span span = span_of(a);
  if (span.begin == span.end) return;
  Tally<visits> tally{a, own};
  tally.begin();
  sync_block();
  for (u64 i = span.begin + thread_index(); i < span.end; i += block_size()) tally.add(read_once(a.vertices + i));
  sync_block();
  tally.end(span.partition);
}

// end_crowd tells each row where it ended, but for those who ended before.
ND_FN void end_crowd(const Crowd& a) {
  for (u64 i = thread_of_grid(); i < a.walkers; i += threads_of_grid()) {
    u32 v = read_once(a.vertices + i);
    if (v != None) a.ends[read_once(a.rows + i)] = v;
  }
}

}  // namespace nd
