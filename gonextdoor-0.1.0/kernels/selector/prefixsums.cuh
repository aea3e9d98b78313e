// Inclusive prefix sums of biases, in memory that the caller gives, and the search for the candidate at a sum. The twin
// of selector.ScanAt. The sum of all biases must be below 2^64. All ranks of a group call the functions together, with
// the same arguments. The sums are in shared or device memory that all ranks reach.
#pragma once
#include "core/draw.cuh"
#include "core/group.cuh"

namespace nd {

// fits_warp tells whether a group is within a warp.
template <class G> constexpr bool fits_warp = false;
template <u32 N> constexpr bool fits_warp<Tile<N>> = true;

// prefix_sums writes the sums of n biases to sums[0] ... sums[n-1], and returns the last one, or 0 if there is none. It
// calls bias(i) once for each i, so biases may be in `sums` themselves. O(n / G::size).
template <class G, class Bias> ND_FN u64 prefix_sums(u64* sums, u32 n, Bias bias) {
  constexpr u32 part = fits_warp<G> ? 4 : 8;  // consecutive sums of a rank; rounds of blocks have barriers
  u64 before = 0;
  for (u64 first = 0; first < n; first += part * G::size) {
    u64 at = first + part * G::rank(), mine[part], sum = 0;
#pragma unroll
    for (u32 j = 0; j < part; j++) {
      if (at + j < n) sum += bias((u32)(at + j));
      mine[j] = sum;
    }
    u64 upto = G::scan(sum);
#pragma unroll
    for (u32 j = 0; j < part; j++)
      if (at + j < n) sums[at + j] = before + upto - sum + mine[j];
    before += G::from(upto, G::size - 1);
  }
  G::sync();
  return before;
}

// candidate_at returns the first candidate whose inclusive sum exceeds r, which is below the last sum. Each round
// divides the range into G::size + 1 parts and reads the last sum of all parts but one: a lane makes a binary search, a
// warp of 33 parts needs two rounds for 1,000 candidates and four for 10^6.
template <class G> ND_FN u32 candidate_at(const u64* sums, u32 n, u64 r) {
  u32 low = 0;
  for (u32 left = n; left > 1;) {
    u32 part = (left - 1) / (G::size + 1) + 1;
    u64 end = (u64)part * (G::rank() + 1);
    u32 at = G::first(end < left && sums[low + end - 1] > r), skipped = (at == None ? G::size : at) * part;
    if (skipped >= left) skipped = (left - 1) / part * part;  // the part that has the last candidate
    low += skipped;
    left = left - skipped < part ? left - skipped : part;
  }
  return low;
}

// scan_picks makes k picks with replacement: pick j is that of Scan for the word at slot from + j. It returns their
// number, which is 0 if no bias is positive. Each rank makes every G::size-th pick by a binary search.
template <class G> ND_FN u32 scan_picks(u64 key, u64 from, u32 k, const u64* sums, u32 n, u32* picks) {
  u64 total = n > 0 ? sums[n - 1] : 0;
  if (total == 0) return 0;
  for (u32 j = G::rank(); j < k; j += G::size)
    picks[j] = candidate_at<Lane>(sums, n, high_product(word_of(key, from + j), total));
  G::sync();
  return k;
}

}  // namespace nd
