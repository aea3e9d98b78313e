// Groups of threads that make a choice together: 1, 2, 4 ... 32 lanes of a warp, or a block. A choice does not depend
// on the size of its group, since only exact reductions (integer sums, minima, votes) cross lanes. All ranks of a group
// call each function together. The members of a group G:
//
//   size, rank()   the number of threads, and the number of the calling one
//   from(x, r)     x of rank r
//   scan(x)        the inclusive prefix sum of x
//   sum(x)         the sum of x
//   first(yes)     the lowest rank with yes, or None
//   vote(yes)      bit i: rank i has yes; tiles only
//   sync()         a barrier that also orders memory accesses of the group
#pragma once
#include "core/device.cuh"

namespace nd {

// Tile is N adjacent lanes of a warp, N a power of two. Functions of Tile<1> cost nothing; others cost O(log N)
// shuffles or one vote.
template <u32 N> struct Tile {
  static constexpr u32 size = N;
  ND_FN static u32 rank() { return N == 1 ? 0 : lane_index() % N; }
  ND_FN static u32 first_lane() { return lane_index() / N * N; }
  ND_FN static u32 mask() { return N == 32 ? ~0u : ((1u << N % 32) - 1) << first_lane(); }

  ND_FN static u32 vote(bool yes) {
    if constexpr (N == 1) return yes;
    else return ballot(mask(), yes) >> first_lane() & (N == 32 ? ~0u : (1u << N % 32) - 1);
  }
  template <class T> ND_FN static T from(T x, u32 rank) {
    if constexpr (N == 1) return x;
    else return shuffle(mask(), x, first_lane() + rank);
  }
  ND_FN static u64 scan(u64 x) {
    if constexpr (N > 1) {
      for (u32 d = 1; d < N; d *= 2) {
        u64 y = from(x, rank() >= d ? rank() - d : rank());
        if (rank() >= d) x += y;
      }
    }
    return x;
  }
  ND_FN static u64 sum(u64 x) {
    if constexpr (N == WarpSize) {  // by the 32-bit reduction of the hardware, in three pieces whose sums fit
      constexpr u32 piece = 27, all = (1u << piece) - 1;
      u64 low = add_lanes((u32)x & all), middle = add_lanes((u32)(x >> piece) & all),
          high = add_lanes((u32)(x >> 2 * piece));
      return (((high << piece) + middle) << piece) + low;
    } else {
      for (u32 d = N / 2; d > 0; d /= 2) x += from(x, rank() ^ d);
      return x;
    }
  }
  ND_FN static u32 first(bool yes) {
    u32 votes = vote(yes);
    return votes ? lowest_bit(votes) : None;
  }
  ND_FN static void sync() {
    if constexpr (N > 1) sync_warp(mask());
  }
};

using Lane = Tile<1>;
using Warp = Tile<32>;

// Block is all N threads of a block, N a multiple of 32 and at most 1024. Each function but sync has two block
// barriers: all functions share an array of N/32 words in shared memory.
template <u32 N> struct Block {
  static constexpr u32 size = N;
  static constexpr u32 warps = N / WarpSize;
  ND_FN static u32 rank() { return thread_index(); }

  ND_FN static u64 scan(u64 x) {
    u64* of = cells();
    u32 warp = rank() / WarpSize;
    x = Warp::scan(x);
    if (lane_index() == WarpSize - 1) of[warp] = x;
    sync();
    for (u32 w = 0; w < warp; w++) x += of[w];
    sync();
    return x;
  }
  ND_FN static u64 sum(u64 x) {
    u64* of = cells();
    x = Warp::sum(x);
    if (lane_index() == 0) of[rank() / WarpSize] = x;
    sync();
    u64 all = 0;
    for (u32 w = 0; w < warps; w++) all += of[w];
    sync();
    return all;
  }
  template <class T> ND_FN static T from(T x, u32 giver) {
    u64* of = cells();
    if (rank() == giver) of[0] = (u64)x;
    sync();
    x = (T)of[0];
    sync();
    return x;
  }
  ND_FN static u32 first(bool yes) {
    u64* of = cells();
    u32 votes = ballot(~0u, yes);
    if (lane_index() == 0) of[rank() / WarpSize] = votes;
    sync();
    u32 least = None;
    for (u32 w = warps; w-- > 0;)
      if (of[w]) least = w * WarpSize + lowest_bit((u32)of[w]);
    sync();
    return least;
  }
  ND_FN static void sync() { sync_block(); }

 private:
  ND_FN static u64* cells() {
    ND_SHARED(u64, of, warps);
    return of;
  }
};

}  // namespace nd
