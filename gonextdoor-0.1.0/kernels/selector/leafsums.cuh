// LeafSums finds the candidates that words select in proportion to their biases, while candidates are removed: the twin
// of selector.ScanWithout, in O(n / G::size) once and O(log n) per pick.
//
// A leaf has the sum of 32, 64, 128 ... successive candidates, and a node above has the sum of WarpSize nodes. A pick
// descends to a leaf and asks for the biases there. It differs from selector/sumtree.cuh, which has faster picks, in
// three ways: biases need not be stored, so the memory is bounded for any number of candidates below 2^32; sums may
// need more than 64 bits; and all ranks may remove candidates together.
#pragma once
#include "selector/scan.cuh"

namespace nd {

constexpr u32 SumLevels = 3;
constexpr u32 MostLeaves = WarpSize * WarpSize * WarpSize;

// leaf_sum_words returns the length of the memory for a number of leaves.
ND_FN u64 leaf_sum_words(u64 leaves) { return 2 * (leaves + (leaves + WarpSize - 1) / WarpSize + WarpSize); }

template <class G> struct LeafSums {
  u64* high;   // the sums of the high halves of the biases, and then those of the low halves
  u64 leaves;  // for which there is memory, at most MostLeaves
  u64 n;
  u32 shift;              // a leaf has 1 << shift candidates
  u32 counts[SumLevels];  // of nodes, leaves first

  // of returns the sums of n candidates in memory of leaf_sum_words(leaves) elements.
  ND_FN static LeafSums of(u64* memory, u64 leaves, u64 n) {
    u32 shift = 5;
    while ((n + (1ull << shift) - 1) >> shift > leaves) shift++;
    u32 count = (u32)((n + (1ull << shift) - 1) >> shift), parents = (u32)above(count);
    return {memory, leaves, n, shift, {count, parents, (u32)above(parents)}};
  }

  // build sums up the biases. bias(i) is that of candidate i.
  template <class Bias> ND_FN void build(Bias bias) const {
    for (u32 leaf = G::rank() / WarpSize; leaf < counts[0]; leaf += G::size / WarpSize) {
      Sum sum;
      for (u64 i = ((u64)leaf << shift) + lane_index(), end = end_of(leaf); i < end; i += WarpSize) sum.add(bias(i));
      sum = sum_of<Warp>(sum);
      if (lane_index() == 0) set(0, leaf, sum);
    }
    G::sync();
    for (u32 level = 1; level < SumLevels; level++) {
      for (u32 node = G::rank(); node < counts[level]; node += G::size) {
        Sum sum;
        for (u32 child = node * WarpSize, end = child + WarpSize; child < end && child < counts[level - 1]; child++)
          sum = sum.plus(at(level - 1, child));
        set(level, node, sum);
      }
      G::sync();
    }
  }

  // find returns the candidate that a word selects, or None if no bias is left. The lanes of a warp call it. bias(i) is
  // 0 if candidate i was removed.
  template <class Bias> ND_FN u32 find(u64 word, Bias bias) const {
    Sum before;
    Target target{0, 0};
    u32 node = 0;
    for (u32 level = SumLevels; level-- > 0;) {
      u32 child = node * WarpSize + lane_index();
      Sum own;
      if (child < counts[level]) own = at(level, child);
      Sum upto = before.plus(scan_of<Warp>(own));
      if (level == SumLevels - 1) {
        Sum all = from<Warp>(upto, WarpSize - 1);
        if ((all.top() | all.bottom()) == 0) return None;
        target = Target::of(word, all);
      }
      u32 lane = Warp::first(target.below(upto));
      before = from<Warp>(upto.minus(own), lane);
      node = node * WarpSize + lane;
    }
    for (u64 first = (u64)node << shift, end = end_of(node); first < end; first += WarpSize) {
      u64 i = first + lane_index();
      Sum upto;
      if (i < end) upto.add(bias(i));
      upto = before.plus(scan_of<Warp>(upto));
      u32 lane = Warp::first(target.below(upto));
      if (lane != None) return (u32)first + lane;
      before = from<Warp>(upto, WarpSize - 1);
    }
    return None;
  }

  // draw is find for all ranks of G.
  template <class Bias> ND_FN u32 draw(u64 word, Bias bias) const {
    u32 i = None;
    if (G::rank() < WarpSize) i = find(word, bias);
    return G::size > WarpSize ? G::from(i, 0) : i;
  }

  // remove subtracts the bias of a candidate. Concurrent calls are safe; a barrier must follow before the next pick.
  ND_FN void remove(u64 i, u64 bias) const {
    u64 node = i >> shift;
    for (u32 level = 0; level < SumLevels; level++, node /= WarpSize) {
      u64* to = of_level(level) + node;
      if (bias >> 32) add_atomic(to, 0 - (bias >> 32));
      add_atomic(to + leaf_sum_words(leaves) / 2, 0 - (u64)(u32)bias);
    }
  }

 private:
  ND_FN static u64 above(u64 nodes) { return (nodes + WarpSize - 1) / WarpSize; }
  ND_FN u64 end_of(u64 leaf) const { return (leaf + 1) << shift < n ? (leaf + 1) << shift : n; }
  ND_FN u64* of_level(u32 level) const {
    return high + (level == 0 ? 0 : level == 1 ? leaves : leaves + above(leaves));
  }
  ND_FN Sum at(u32 level, u32 node) const {
    const u64* of = of_level(level) + node;
    return {read_shared_by_all(of), read_shared_by_all(of + leaf_sum_words(leaves) / 2)};
  }
  ND_FN void set(u32 level, u32 node, Sum sum) const {
    u64* to = of_level(level) + node;
    write_for_all(to, sum.high);
    write_for_all(to + leaf_sum_words(leaves) / 2, sum.low);
  }
};

}  // namespace nd
