// A group is the 1, 2, 4 … 32 lanes, or the block, that make one choice together. A choice never depends on the group's
// size: only exact reductions (integer sums, minima, votes) cross lanes.
#pragma once
#include "core/device.cuh"

namespace nd {

// Tile is N neighbouring lanes of a warp, N a power of two; Tile<1> is a lane by itself.
template <u32 N> struct Tile {
  static constexpr u32 size = N;
  ND_FN static u32 rank() { return N == 1 ? 0 : lane_index() % N; }
  ND_FN static u32 first_lane() { return lane_index() / N * N; }
  ND_FN static u32 mask() { return N == 32 ? ~0u : ((1u << N % 32) - 1) << first_lane(); }

  ND_FN static u32 vote(bool yes) {  // bit i: rank i said yes
    if constexpr (N == 1) return yes;
    else return ballot(mask(), yes) >> first_lane() & (N == 32 ? ~0u : (1u << N % 32) - 1);
  }
  template <class T> ND_FN static T from(T x, u32 rank) {
    if constexpr (N == 1) return x;
    else return shuffle(mask(), x, first_lane() + rank);
  }
  ND_FN static u64 scan(u64 x) {  // inclusive
    if constexpr (N > 1) {
      for (u32 d = 1; d < N; d *= 2) {
        u64 y = from(x, rank() >= d ? rank() - d : rank());
        if (rank() >= d) x += y;
      }
    }
    return x;
  }
  ND_FN static u64 sum(u64 x) {
    if constexpr (N > 1) for (u32 d = N / 2; d > 0; d /= 2) x += from(x, rank() ^ d);
    return x;
  }
  ND_FN static void sync() {
    if constexpr (N > 1) sync_warp(mask());
  }
};

using Lane = Tile<1>;
using Warp = Tile<32>;

}  // namespace nd
