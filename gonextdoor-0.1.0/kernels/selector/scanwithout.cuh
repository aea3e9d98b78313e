// ScanWithout draws k of n candidates without replacement, each in proportion to its bias among the remaining ones. The
// twin of selector.ScanWithoutAt, pick by pick. The sum of the biases must be below 2^64.
//
// There are two forms, which make the same picks:
//
//   RegionSearch  for few picks: C-SAW's bipartite region search (Pandey et al., SC'20), corrected. The prefix sums of
//                 the biases stay as they are. A draw is a number below the sum of the remaining biases. It is shifted
//                 by the removed regions that are before it, so it is an exact draw from the remaining ones. C-SAW
//                 shifts only draws that hit a removed region, which distorts the distribution. A pick costs a sum over
//                 the group and a search of the prefix sums.
//   SumTree       for any number of picks: the sums are lowered after each pick, in O(log n).
//
// scan_without chooses the form by k, n and the size of the group: region search is faster in warps for few of 33 to
// RegionCandidates candidates (benchmarks/gpu/csaw.py). All ranks of a group call the functions together, with the same
// arguments. picks has min(k, n) elements in memory that all ranks share. In a block, the first warp makes the picks.
#pragma once
#include "selector/prefixsums.cuh"
#include "selector/sumtree.cuh"

namespace nd {

constexpr u32 RegionCandidates = 512;  // at most, for region search

// RemovedRegions is the regions of the prefix sums that were removed, in any order. Each rank has every G::size-th
// region in registers. A region begins at the sum of the remaining biases before it.
template <class G> struct RemovedRegions {
  static constexpr u32 owned = 4;                   // regions of a rank
  static constexpr u32 capacity = owned * G::size;  // regions of a group

  u64 begins[owned] = {}, widths[owned] = {};

  // before returns the sum of the removed regions before r, a number below the sum of the remaining biases.
  ND_FN u64 before(u64 r) const {
    u64 sum = 0;
#pragma unroll
    for (u32 j = 0; j < owned; j++)
      if (begins[j] <= r) sum += widths[j];
    return G::sum(sum);
  }

  // add removes a region, after `count` others. Those after it begin earlier by its width.
  ND_FN void add(u32 count, u64 begin, u64 width) {
#pragma unroll
    for (u32 j = 0; j < owned; j++) {
      if (begins[j] > begin) begins[j] -= width;
      if (count != j * G::size + G::rank()) continue;
      begins[j] = begin;
      widths[j] = width;
    }
  }
};

// region_picks makes up to k picks by region search in prefix sums, and returns their number: less than k if no bias
// remains. k is at most RemovedRegions<G>::capacity. Pick j uses the word at slot from + j. O(k log n / log G::size).
template <class G> ND_FN u32 region_picks(u64 key, u64 from, u32 k, const u64* sums, u32 n, u32* picks) {
  RemovedRegions<G> removed;
  u64 total = n > 0 ? sums[n - 1] : 0;
  u32 got = 0;
  for (; got < k && total > 0; got++) {
    u64 r = high_product(word_of(key, from + got), total), shift = removed.before(r);
    u32 i = candidate_at<G>(sums, n, r + shift);
    u64 begin = i > 0 ? sums[i - 1] : 0, width = sums[i] - begin;
    removed.add(got, begin - shift, width);
    total -= width;
    if (G::rank() == 0) picks[got] = i;
  }
  G::sync();
  return got;
}

// tree_picks makes up to k picks by a tree, and returns their number. Tree::Team calls it.
template <class Tree> ND_FN u32 tree_picks(u64 key, u64 from, u32 k, Tree& tree, u32* picks) {
  u32 got = 0;
  for (; got < k && tree.total > 0; got++) {
    u32 i = tree.take(high_product(word_of(key, from + got), tree.total));
    if (Tree::Team::rank() == 0) picks[got] = i;
  }
  Tree::Team::sync();
  return got;
}

// by_team calls pick() in the ranks of a group that make picks, and returns its result to all.
template <class G, class Pick> ND_FN u32 by_team(Pick pick) {
  if constexpr (fits_warp<G>) {
    return pick();
  } else {
    u32 got = 0;
    if (G::rank() < WarpSize) got = pick();
    got = G::from(got, 0);
    G::sync();
    return got;
  }
}

// scan_by_tree is scan_without by a tree of sums.
template <class G, class Bias>
ND_FN u32 scan_by_tree(u64 key, u64 from, u32 k, u32 n, u64* memory, Bias bias, u32* picks) {
  SumTree<G> tree{memory, n};
  tree.fill(bias);
  return by_team<G>([&] { return tree_picks(key, from, k, tree, picks); });
}

// scan_without makes up to k picks among the candidates 0 ... n-1, and returns their number. Pick j uses the word of
// the key at slot from + j. memory has sum_tree_words(n) elements. bias(i) is called once per candidate; the biases may
// be the first n elements of the memory. O(n / G::size + k log n).
template <class G, class Bias>
ND_FN u32 scan_without(u64 key, u64 from, u32 k, u32 n, u64* memory, Bias bias, u32* picks) {
  if constexpr (fits_warp<G>) {
    if (k <= RemovedRegions<G>::capacity && n > SumTree<G>::fanout && n <= RegionCandidates && k <= n / 8) {
      prefix_sums<G>(memory, n, bias);
      return region_picks<G>(key, from, k, memory, n, picks);
    }
  }
  return scan_by_tree<G>(key, from, k, n, memory, bias, picks);
}

}  // namespace nd
