// Sorting by a group of threads.
#pragma once
#include "core/group.cuh"

namespace nd {

// sort_keys sorts n keys in memory that only the group uses, by Batcher's merge exchange (Knuth, algorithm 5.2.2M):
// O(n log(n)^2 / G::size). All ranks call it; it leaves the group synchronised.
template <class G> ND_FN void sort_keys(u64* keys, u32 n) {
  if (n < 2) return;
  u32 top = 1u << (63 - leading_zeros((u64)n - 1));  // the largest power of two below n
  for (u32 p = top; p > 0; p /= 2) {
    for (u32 q = top, r = 0, distance = p;; q /= 2, r = p) {
      for (u32 i = G::rank(); i + distance < n; i += G::size) {
        u64 low = keys[i], high = keys[i + distance];
        if ((i & p) == r && low > high) {
          keys[i] = high;
          keys[i + distance] = low;
        }
      }
      G::sync();
      if (q == p) break;
      distance = q - p;
    }
  }
}

}  // namespace nd
