// Non-backtracking walks: edges that lead to the previous vertex are excluded. The twin of app.NonBacktracking.
#pragma once
#include "core/args.cuh"
#include "selector/propose.cuh"

namespace nd {

// NonBacktracking accepts any candidate except the previous vertex. At a dead end all tries are rejected, and the scan
// finds no edge. Most dead ends have short rows, which a thread scans by itself.
struct NonBacktracking {
  static constexpr u32 LaneScan = 16;
  static constexpr bool outliers = false;
  ND_FN static u32 tries(u32 degree) { return nd::tries(degree); }

  ND_FN explicit NonBacktracking(const Walk&) {}

  template <class Rows> ND_FN bool accepts(const Graph&, u32 previous, u32 candidate, u32) const {
    return candidate != previous;
  }

  // bias returns the bias of an edge in the scan.
  template <class Rows> ND_FN static u64 bias(const Walk&, u32 previous, u32 candidate) {
    return candidate != previous;
  }
};

}  // namespace nd
