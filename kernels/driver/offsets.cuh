// Where samples of different length begin: sums of their lengths by LegsRows rows, a warp each; then the running sums of
// those, by one block. Within LegsRows rows whoever lays the samples adds up for itself.
#pragma once
#include "core/group.cuh"
#include "driver/rows.cuh"

namespace nd {

constexpr u32 LegsRows = 256;
constexpr u32 SumsThreads = 1024;  // of the one block
constexpr u32 SumsAhead = 16;      // loads of a thread on their way together

// length_of gives how many vertices a row has, roots included.
ND_FN i64 length_of(const Legs& a, u64 row) { return row < a.b.rows ? (i64)(a.lengths[row] + a.b.width) : 0; }

// sum_lengths adds up the lengths of each LegsRows rows.
ND_FN void sum_lengths(const Legs& a) {
  u64 part = thread_of_grid() / WarpSize, first = part * LegsRows;
  if (first >= a.b.rows) return;
  u64 sum = 0;
  for (u32 k = lane_index(); k < LegsRows; k += WarpSize) sum += (u64)length_of(a, first + k);
  sum = Warp::sum(sum);
  if (lane_index() == 0) a.sums[part] = (i64)sum;
}

// block_before gives the sum of x over the block's threads before this one; all: the sum of all.
ND_FN i64 block_before(i64 x, i64* warps, i64& all) {
  i64 sum = (i64)Warp::scan((u64)x);
  u32 warp = thread_index() / WarpSize, count = block_size() / WarpSize;
  if (lane_index() == WarpSize - 1) warps[warp] = sum;
  sync_block();
  i64 before = all = 0;
  for (u32 w = 0; w < count; ++w) {
    if (w < warp) before += warps[w];
    all += warps[w];
  }
  sync_block();
  return before + sum - x;
}

// sum_sums turns the sums into where their rows begin, and puts the total behind them. Each thread takes some in a row.
ND_FN void sum_sums(const Legs& a) {
  ND_SHARED(i64, warps, SumsThreads / WarpSize);
  u64 parts = (a.b.rows + LegsRows - 1) / LegsRows, each = (parts + SumsThreads - 1) / SumsThreads;
  u64 first = thread_index() * each, end = first + each < parts ? first + each : parts;
  i64 sum = 0, all;
  for (u64 i = first; i < end; i += SumsAhead) {
    i64 x[SumsAhead];
    for (u32 k = 0; k < SumsAhead; ++k) x[k] = i + k < end ? a.sums[i + k] : 0;
    for (u32 k = 0; k < SumsAhead; ++k) sum += x[k];
  }
  i64 at = block_before(sum, warps, all);
  for (u64 i = first; i < end; i += SumsAhead) {
    i64 x[SumsAhead];
    for (u32 k = 0; k < SumsAhead; ++k) x[k] = i + k < end ? a.sums[i + k] : 0;
    for (u32 k = 0; k < SumsAhead && i + k < end; ++k) {
      a.sums[i + k] = at;
      at += x[k];
    }
  }
  if (thread_index() == 0) a.sums[parts] = all;
}

}  // namespace nd
