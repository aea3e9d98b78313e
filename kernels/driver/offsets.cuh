// Where samples of different length begin: the running sum of their lengths, in three launches.
#pragma once
#include "driver/rows.cuh"

namespace nd {

constexpr u32 OffsetsThreads = 256;
constexpr u32 OffsetsEach = 8;  // rows of a thread
constexpr u64 OffsetsBlock = OffsetsThreads * OffsetsEach;

// block_scan gives the sum of x over the block's threads before this one, and the sum of all.
struct Scanned { i64 before, all; };
ND_FN Scanned block_scan(i64 x, i64* warps) {
  i64 sum = x;
  for (u32 d = 1; d < WarpSize; d *= 2) {
    i64 y = shuffle(~0u, sum, lane_index() >= d ? lane_index() - d : lane_index());
    if (lane_index() >= d) sum += y;
  }
  u32 warp = thread_index() / WarpSize, count = block_size() / WarpSize;
  if (lane_index() == WarpSize - 1) warps[warp] = sum;
  sync_block();
  i64 before = 0, all = 0;
  for (u32 w = 0; w < count; ++w) {
    if (w < warp) before += warps[w];
    all += warps[w];
  }
  sync_block();
  return {before + sum - x, all};
}

// offsets_sums gives each block's sum, and where a sample lies among its block's.
ND_FN void offsets_sums(const Legs& a) {
  ND_SHARED(i64, warps, OffsetsThreads / WarpSize);
  u64 first = block_index() * OffsetsBlock + thread_index() * OffsetsEach;
  i64 of[OffsetsEach], sum = 0;
  for (u32 k = 0; k < OffsetsEach; ++k) {
    of[k] = sum;
    if (first + k < a.b.rows) sum += a.lengths[first + k] + a.b.width;
  }
  Scanned s = block_scan(sum, warps);
  for (u32 k = 0; k < OffsetsEach; ++k)
    if (first + k < a.b.rows) a.offsets[first + k] = s.before + of[k];
  if (thread_index() == 0) a.sums[block_index()] = s.all;
}

// offsets_blocks turns the blocks' sums into where they begin, by one block of threads.
ND_FN void offsets_blocks(const Legs& a) {
  ND_SHARED(i64, warps, OffsetsThreads / WarpSize);
  u64 blocks = (a.b.rows + OffsetsBlock - 1) / OffsetsBlock;
  i64 total = 0;
  for (u64 first = 0; first < blocks; first += OffsetsThreads) {
    u64 i = first + thread_index();
    Scanned s = block_scan(i < blocks ? a.sums[i] : 0, warps);
    if (i < blocks) a.sums[i] = total + s.before;
    total += s.all;
  }
  if (thread_index() == 0) a.sums[blocks] = a.offsets[a.b.rows] = total;
}

// offsets_add has the samples begin behind those of the blocks before.
ND_FN void offsets_add(const Legs& a) {
  for (u64 i = thread_of_grid(); i < a.b.rows; i += threads_of_grid()) a.offsets[i] += a.sums[i / OffsetsBlock];
}

}  // namespace nd
