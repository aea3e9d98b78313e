// Compaction of interleaved traces, which driver/stopped.cuh writes: the vertices of the lanes that took a step are
// adjacent, followed by those of the next step. A warp compacts the 32 rows that one warp has walked, through its part
// of shared memory of InterleavedTile bytes, in one of two ways:
//
//   1. compact_short  If all samples of the warp fit half of the tile: read the trace in order, gather the rows in
//                     shared memory, and write them as one range.
//   2. compact_runs   Otherwise: transpose a run of steps of all rows at a time.
//
// Both read and write device memory in whole sectors, each element once. The launches are those of
// driver/stepchunks.cuh: one for the offsets, roots and first chunk, then one per later chunk.
#pragma once
#include "driver/sampleoffsets.cuh"

namespace nd {

constexpr u32 InterleavedTile = 4352;  // bytes of a warp's tile: 32 rows of 33 vertices, or of 17 edges
constexpr u32 InterleavedAhead = 8;    // loads of a lane that are in flight together
constexpr u32 InterleavedVotes = 4;    // steps of a row that are gathered together

// compact_short writes a warp's samples as one range of `total` vertices, beginning at `to`. from is the warp's part of
// the trace. Each lane has a row: its number of steps and roots, and the index `at` of the row within the range. All
// lanes of the warp call it.
template <class T, class Root>
ND_FN void compact_short(T* tile, const T* from, u32 steps, u32 roots, u32 at, u32 total, T* to, Root root) {
  // 1. Copy the trace to the second half of the tile.
  T* interleaved = tile + InterleavedTile / 2 / sizeof(T);
  u32 all = (u32)Warp::sum(steps);
  for (u32 i = lane_index(); i - lane_index() < all; i += WarpSize * InterleavedAhead) {
    T x[InterleavedAhead];
    for (u32 k = 0; k < InterleavedAhead; ++k)
      if (i + k * WarpSize < all) x[k] = read_once(from + i + k * WarpSize);
    for (u32 k = 0; k < InterleavedAhead; ++k)
      if (i + k * WarpSize < all) interleaved[i + k * WarpSize] = x[k];
  }
  sync_warp(~0u);
  // 2. Gather the row in the first half: the votes reproduce which lanes took a step.
  for (u32 k = 0; k < roots; ++k) tile[at + k] = root(k);
  for (u32 s = 0; ballot(~0u, s < steps) != 0; s += InterleavedVotes) {
    T x[InterleavedVotes];
    for (u32 k = 0; k < InterleavedVotes; ++k) {
      u32 took = ballot(~0u, s + k < steps);
      if (s + k < steps) x[k] = interleaved[lanes_below(took)];
      interleaved += count_bits(took);
    }
    for (u32 k = 0; k < InterleavedVotes; ++k)
      if (s + k < steps) tile[at + roots + s + k] = x[k];
  }
  sync_warp(~0u);
  // 3. Write the range.
  for (u32 i = lane_index(); i < total; i += WarpSize) write_once(to + i, tile[i]);
  sync_warp(~0u);
}

// compact_runs writes the steps of a warp's rows, a run of 32 vertices or 16 edges of each row at a time. Each lane has
// a row: its number of steps in the chunk, and the index in `to` of the first one. All lanes of the warp call it.
template <class T> ND_FN void compact_runs(T* tile, const T* from, u32 steps, i64 place, T* to) {
  constexpr u32 run = sizeof(T) == 4 ? 32 : 16;
  for (u32 base = 0; ballot(~0u, base < steps) != 0; base += run) {
    // 1. Read the run into a tile of run+1 elements per row; the odd pitch avoids bank conflicts.
    for (u32 first = 0; first < run; first += InterleavedAhead) {
      T x[InterleavedAhead];
      for (u32 k = 0; k < InterleavedAhead; ++k) {
        u32 took = ballot(~0u, base + first + k < steps);
        if (base + first + k < steps) x[k] = read_once(from + lanes_below(took));
        from += count_bits(took);
      }
      for (u32 k = 0; k < InterleavedAhead; ++k)
        if (base + first + k < steps) tile[lane_index() * (run + 1) + first + k] = x[k];
    }
    sync_warp(~0u);
    // 2. Write it row by row.
    for (u32 r = lane_index() / run; r < WarpSize; r += WarpSize / run) {
      u32 k = lane_index() % run, of = shuffle(~0u, steps, r);
      i64 at = shuffle(~0u, place, r);
      if (base + k < of) write_once(to + at + base + k, tile[r * (run + 1) + k]);
    }
    sync_warp(~0u);
  }
}

// RowSpan is a lane's row in the result.
struct RowSpan {
  i64 begin;         // of the sample
  i64 head;          // the begin of the warp's first sample
  i64 total;         // the number of vertices of the warp's samples
  u32 roots, steps;  // of the sample; steps in the chunk
};

// steps_in returns the number of steps of a row that are in the chunk.
ND_FN u32 steps_in(const StepChunks& a, u64 row) {
  u64 end = a.lengths[row] < a.end ? a.lengths[row] : a.end;
  return end > a.begin ? (u32)(end - a.begin) : 0;
}

// compact_rows writes the roots and the steps of the first chunk of a warp's samples. All lanes of the warp call it.
template <class T, class Root> ND_FN void compact_rows(Quad* tile, const T* from, const RowSpan& s, T* to, Root root) {
  if (s.total * (i64)sizeof(T) <= (i64)InterleavedTile / 2) {
    compact_short((T*)tile, from, s.steps, s.roots, (u32)(s.begin - s.head), (u32)s.total, to + s.head, root);
    return;
  }
  for (u32 k = 0; k < s.roots; ++k) to[s.begin + k] = root(k);
  compact_runs((T*)tile, from, s.steps, s.begin + s.roots, to);
}

// compact_interleaved writes offsets, roots and the first chunk: kernel interleaved_first, a block per OffsetRows rows,
// a thread per row. The host guesses the capacity of the result. A block whose samples exceed it writes offsets only,
// and the host launches the kernel again with enough capacity.
ND_FN void compact_interleaved(const StepChunks& a) {
  ND_SHARED(Quad, tiles, InterleavedTile / sizeof(Quad) * (OffsetRows / WarpSize));
  Quad* tile = tiles + thread_index() / WarpSize * (InterleavedTile / sizeof(Quad));
  // 1. Offsets: the begin of the block's part plus a prefix sum within the block.
  u64 row = (u64)block_index() * OffsetRows + thread_index();
  i64 first = part_begins(a, block_index()), all, length = length_of(a, row);
  i64 begin = first + block_before(length, (i64*)tiles, all);
  if (row < a.b.rows) a.offsets[row] = begin;
  if (row == a.b.rows - 1) a.offsets[a.b.rows] = begin + length;
  if (first + all > (i64)a.capacity) return;
  RowSpan s{begin, shuffle(~0u, begin, 0), shuffle(~0u, begin + length, WarpSize - 1), 0, 0};
  s.total -= s.head;
  if (row < a.b.rows) {
    s.roots = (u32)a.b.width;
    s.steps = steps_in(a, row);
  }
  // 2. Vertices, then edges. Roots have no edge.
  u64 from = (row - lane_index()) * (a.end - a.begin);
  compact_rows(tile, a.vertices + from, s, a.to_vertices, [&](u32 k) { return root_of(a.b, row, k); });
  if (a.to_edges) compact_rows(tile, a.edges + from, s, a.to_edges, [](u32) { return (i64)-1; });
}

// compact_interleaved_more writes a later chunk, of listed rows: kernel interleaved_more, a thread per row.
ND_FN void compact_interleaved_more(const StepChunks& a) {
  ND_SHARED(Quad, tiles, InterleavedTile / sizeof(Quad) * (OffsetRows / WarpSize));
  Quad* tile = tiles + thread_index() / WarpSize * (InterleavedTile / sizeof(Quad));
  u64 i = (u64)block_index() * OffsetRows + thread_index(), from = (i - lane_index()) * (a.end - a.begin);
  u32 steps = 0;
  i64 place = 0;
  if (i < a.b.rows) {
    u64 row = row_at(a.b, i);
    steps = steps_in(a, row);
    place = a.offsets[row] + (i64)(a.b.width + a.begin);
  }
  compact_runs((u32*)tile, a.vertices + from, steps, place, a.to_vertices);
  if (a.to_edges) compact_runs((i64*)tile, a.edges + from, steps, place, a.to_edges);
}

}  // namespace nd
