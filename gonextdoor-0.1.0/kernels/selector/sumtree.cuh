// SumTree holds n numbers, the sum of which is below 2^64, so that a number is found by its prefix sum, and is removed,
// in O(log n). A node has 32 children. The tree stores for each child the sum of the children up to it, so a warp finds
// the child at a sum by one load and one vote, and a removal lowers at most 32 adjacent sums per level.
//
// The leaves are the first n elements of the array, then follow the levels above them. A level has an element for each
// node of the level below it; the top level has at most 32. The array is in shared or device memory that all ranks
// reach; sum_tree_words tells its length.
#pragma once
#include "core/draw.cuh"
#include "core/group.cuh"

namespace nd {

// sum_tree_words returns an upper bound of the number of elements of the array for n numbers.
ND_FN u64 sum_tree_words(u64 n) { return n + n / 31 + 7; }

// WithinWarp<G>::type is the group that searches the tree for a group G: G itself, or the first warp of a larger one.
template <class G> struct WithinWarp {
  using type = Warp;
};
template <u32 N> struct WithinWarp<Tile<N>> {
  using type = Tile<N>;
};

template <class G> struct SumTree {
  using Team = typename WithinWarp<G>::type;
  static constexpr u32 fanout = 32;

  u64* leaves;
  u32 n;
  u64* top = nullptr;  // the begin of the top level
  u32 height = 0;      // levels above the leaves
  u64 total = 0;       // of all numbers

  // length returns the number of elements of a level; level 0 has the leaves.
  ND_FN u32 length(u32 level) const { return n > 0 ? (u32)((u64)(n - 1) >> 5 * level) + 1 : 0; }

  // fill builds the tree of the numbers bias(0) ... bias(n-1), level by level. All ranks of G call it. It calls bias
  // once for each number, so the numbers may be the first elements of the array. O(n / G::size).
  template <class Bias> ND_FN void fill(Bias bias) {
    top = leaves;
    height = 0;
    fill_level(bias);
    while (length(height) > fanout) {
      top += length(height);
      height++;
      fill_level([&](u32 i) { return top[i]; });
    }
    total = n > 0 ? top[length(height) - 1] : 0;
  }

  // find returns the number at which the prefix sum exceeds r, which is below the total. All ranks of Team call it.
  ND_FN u32 find(u64 r) const {
    const u64* level = top;
    u32 node = 0;
    for (u32 l = height;; l--) {
      u32 child = child_at(level, node * fanout, length(l), r);
      node = node * fanout + child;
      if (child > 0) r -= level[node - 1];
      if (l == 0) return node;
      level -= length(l - 1);
    }
  }

  // take is find, and sets the number to 0. Ranks of a warp keep the sums that find reads, so that each is read once.
  // Rank j reads and writes the sums of the children j only, so no barrier is needed.
  ND_FN u32 take(u64 r) {
    constexpr u32 depth = 4;  // levels whose sums are in registers
    if (Team::size < fanout || height >= depth) {
      u32 i = find(r);
      remove(i);
      return i;
    }
    u64 sums[depth], x = 0, *level = top;
    u32 places[depth], node = 0;
    bool after[depth];  // the child is the one at the sum, or a later one
#pragma unroll
    for (u32 d = 0; d < depth; d++) {
      after[d] = false;
      if (d > height) continue;
      places[d] = node * fanout + Team::rank();
      bool has = places[d] < length(height - d);
      sums[d] = has ? level[places[d]] : 0;
      u32 child = Team::first(has && sums[d] > r);
      u64 before = child > 0 ? Team::from(sums[d], child - 1) : 0;
      x = Team::from(sums[d], child) - before;
      r -= before;
      after[d] = has && Team::rank() >= child;
      node = node * fanout + child;
      if (d < height) level -= length(height - d - 1);
    }
    level = top;
#pragma unroll
    for (u32 d = 0; d < depth; d++) {
      if (after[d]) level[places[d]] = sums[d] - x;
      if (d < height) level -= length(height - d - 1);
    }
    total -= x;
    return node;
  }

  // remove sets number i to 0. All ranks of Team call it.
  ND_FN void remove(u32 i) {
    u64 x = leaves[i] - (i % fanout > 0 ? leaves[i - 1] : 0);
    Team::sync();  // all ranks have read the number
    u64* level = leaves;
    for (u32 l = 0; l <= height; l++) {
      u32 at = i >> 5 * l, first = at / fanout * fanout, count = length(l);
      for (u32 j = (at - first) / Team::size * Team::size + Team::rank(); j < fanout; j += Team::size)
        if (first + j >= at && first + j < count) level[first + j] -= x;
      level += count;
    }
    total -= x;
    Team::sync();
  }

 private:
  // fill_level replaces the numbers of the top level by sums within nodes, and writes the sum of each node to the level
  // above it. A team fills several nodes at a time, so that their loads and scans overlap.
  template <class Bias> ND_FN void fill_level(Bias bias) {
    constexpr u32 together = 4;
    u32 count = length(height), nodes = length(height + 1), teams = G::size / Team::size;
    for (u32 first = G::rank() / Team::size * together; first < nodes; first += teams * together) {
      u64 before[together] = {}, sums[together];
      for (u32 j = Team::rank(); j < fanout; j += Team::size) {
#pragma unroll
        for (u32 t = 0; t < together; t++) {
          u64 i = (u64)(first + t) * fanout + j;
          sums[t] = i < count ? bias((u32)i) : 0;
        }
#pragma unroll
        for (u32 t = 0; t < together; t++) {
          u64 i = (u64)(first + t) * fanout + j;
          sums[t] = before[t] + Team::scan(sums[t]);
          if (i < count) top[i] = sums[t];
          before[t] = Team::from(sums[t], Team::size - 1);
        }
      }
      for (u32 t = 0; Team::rank() == 0 && nodes > 1 && t < together; t++)
        if (first + t < nodes) top[count + first + t] = before[t];
    }
    G::sync();
  }

  // child_at returns the first child whose sum exceeds r, of the node whose children begin at `first`.
  ND_FN u32 child_at(const u64* level, u32 first, u32 count, u64 r) const {
    for (u32 j = 0; j < fanout; j += Team::size) {
      u32 i = first + j + Team::rank(), child = Team::first(i < count && level[i] > r);
      if (child != None) return j + child;
    }
    return 0;
  }
};

}  // namespace nd
