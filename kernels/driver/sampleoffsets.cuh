// Where samples of different length begin: sums of their lengths by OffsetRows rows, a warp each, which become running sums
// in two steps. Within OffsetRows rows whoever lays the samples adds up for itself.
#pragma once
#include "core/group.cuh"
#include "driver/rows.cuh"

namespace nd {

constexpr u32 OffsetRows = 256;
constexpr u32 SumsParts = 8;      // of OffsetRows rows each: those of a block of sum_lengths
constexpr u32 TopsThreads = 1024;  // of the one block of sum_tops

ND_FN u64 parts_of(const StepChunks& a) { return (a.b.rows + OffsetRows - 1) / OffsetRows; }
// tops_of gives the sums of SumsParts parts each, which lie behind those of the parts; and behind them the total.
ND_FN i64* tops_of(const StepChunks& a) { return a.sums + parts_of(a); }
ND_FN u64 tops_count(const StepChunks& a) { return (parts_of(a) + SumsParts - 1) / SumsParts; }
// part_begins gives where a part begins in the result.
ND_FN i64 part_begins(const StepChunks& a, u64 part) { return a.sums[part] + tops_of(a)[part / SumsParts]; }

// length_of gives how many vertices a row has, roots included.
ND_FN i64 length_of(const StepChunks& a, u64 row) { return row < a.b.rows ? (i64)(a.lengths[row] + a.b.width) : 0; }

// sum_lengths gives where each part begins among its block's, and the block's sum.
ND_FN void sum_lengths(const StepChunks& a) {
  ND_SHARED(i64, sums, SumsParts);
  u64 part = (u64)block_index() * SumsParts + thread_index() / WarpSize;
  u64 sum = 0;
  for (u32 k = lane_index(); k < OffsetRows; k += WarpSize) sum += (u64)length_of(a, part * OffsetRows + k);
  sum = Warp::sum(sum);
  if (lane_index() == 0) sums[thread_index() / WarpSize] = (i64)sum;
  sync_block();
  if (thread_index() != 0) return;
  i64 at = 0;
  for (u32 k = 0; k < SumsParts; ++k) {
    if (part + k < parts_of(a)) a.sums[part + k] = at;
    at += sums[k];
  }
  tops_of(a)[block_index()] = at;
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

// sum_tops turns the blocks' sums into where they begin, and puts the total behind them.
ND_FN void sum_tops(const StepChunks& a) {
  ND_SHARED(i64, warps, TopsThreads / WarpSize);
  i64* tops = tops_of(a);
  i64 total = 0, all;
  for (u64 i = thread_index(); i - thread_index() < tops_count(a); i += TopsThreads) {
    i64 before = block_before(i < tops_count(a) ? tops[i] : 0, warps, all);
    if (i < tops_count(a)) tops[i] = total + before;
    total += all;
  }
  if (thread_index() == 0) tops[tops_count(a)] = total;
}

}  // namespace nd
