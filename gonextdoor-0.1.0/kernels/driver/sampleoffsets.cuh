// Offsets of samples of different lengths: exclusive prefix sums of their numbers of vertices, in three launches:
//
//   1. sum_lengths  A warp per part of OffsetRows rows, a block per SumsParts parts: the prefix sums of the parts
//                   within the block, and the sum of the block (its top).
//   2. sum_tops     One block: the prefix sums of the tops, followed by the total, which the host reads.
//   3. The compacting kernel (driver/stepchunks.cuh, driver/interleaved.cuh) sums the rows within a part itself.
//
// Lengths are read twice and offsets written once.
#pragma once
#include "core/group.cuh"
#include "driver/rows.cuh"

namespace nd {

// Sizes: rows of a part, parts of a block of sum_lengths, threads of the one block of sum_tops, and tops of each
// thread.
constexpr u32 OffsetRows = 256;
constexpr u32 SumsParts = 8;
constexpr u32 TopsThreads = 1024;
constexpr u32 TopsEach = 8;

// parts_of returns the number of parts.
ND_FN u64 parts_of(const StepChunks& a) { return (a.b.rows + OffsetRows - 1) / OffsetRows; }
// tops_of returns the address of the tops, which follow the sums of the parts.
ND_FN i64* tops_of(const StepChunks& a) { return a.sums + parts_of(a); }
// tops_count returns the number of tops; the total is the element after them.
ND_FN u64 tops_count(const StepChunks& a) { return (parts_of(a) + SumsParts - 1) / SumsParts; }
// part_begins returns the offset of the first row of a part, after both launches.
ND_FN i64 part_begins(const StepChunks& a, u64 part) { return a.sums[part] + tops_of(a)[part / SumsParts]; }

// length_of returns the number of vertices of a row, roots included; 0 past the last row.
ND_FN i64 length_of(const StepChunks& a, u64 row) { return row < a.b.rows ? (i64)(a.lengths[row] + a.b.width) : 0; }

// sum_lengths writes the exclusive sums of a block's parts, and its top: kernel stepchunks_sums, with SumsParts warps
// per block.
ND_FN void sum_lengths(const StepChunks& a) {
  ND_SHARED(i64, sums, SumsParts);
  // 1. Each warp sums the lengths of its part.
  u64 part = (u64)block_index() * SumsParts + thread_index() / WarpSize;
  u64 sum = 0;
  for (u32 k = lane_index(); k < OffsetRows; k += WarpSize) sum += (u64)length_of(a, part * OffsetRows + k);
  sum = Warp::sum(sum);
  if (lane_index() == 0) sums[thread_index() / WarpSize] = (i64)sum;
  sync_block();
  // 2. Thread 0 writes the exclusive sums: there are only eight.
  if (thread_index() != 0) return;
  i64 at = 0;
  for (u32 k = 0; k < SumsParts; ++k) {
    if (part + k < parts_of(a)) a.sums[part + k] = at;
    at += sums[k];
  }
  tops_of(a)[block_index()] = at;
}

// block_before returns the sum of x over the block's earlier threads; `all` receives the sum over the block. warps is
// shared memory with an element per warp, free again afterwards. All threads of the block call it; it has two barriers.
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

// sum_tops replaces the tops by their exclusive prefix sums and appends the total: kernel stepchunks_tops, one block.
// An iteration handles TopsEach tops per thread, so that 2^24 rows take one. A warp has adjacent tops, a lane every
// 32nd.
ND_FN void sum_tops(const StepChunks& a) {
  ND_SHARED(i64, warps, TopsThreads / WarpSize);
  i64* tops = tops_of(a);
  u64 count = tops_count(a), at = thread_index() / WarpSize * WarpSize * TopsEach + lane_index();
  i64 total = 0, all;
  for (u64 first = 0; first < count; first += TopsThreads * TopsEach, at += TopsThreads * TopsEach) {
    // 1. Read the tops of the warp, and compute their prefix sums.
    i64 x[TopsEach], sum = 0;
    for (u32 k = 0; k < TopsEach; ++k) x[k] = at + k * WarpSize < count ? tops[at + k * WarpSize] : 0;
    for (u32 k = 0; k < TopsEach; ++k) {
      i64 upto = (i64)Warp::scan((u64)x[k]);
      x[k] = sum + upto - x[k];
      sum += Warp::from(upto, WarpSize - 1);
    }
    // 2. Add the sums of the earlier warps and iterations. The last lane passes the sum of its warp.
    i64 own = lane_index() == WarpSize - 1 ? sum : 0, before = total + block_before(own, warps, all);
    for (u32 k = 0; k < TopsEach; ++k)
      if (at + k * WarpSize < count) tops[at + k * WarpSize] = before + x[k];
    total += all;
  }
  if (thread_index() == 0) tops[count] = total;
}

}  // namespace nd
