// PermuteList is Permute for any number of picks: the twin of selector.Permute, in O(k / G::size) plus O(1) per repeat.
//
// Draw i is a number from 0 to n-k+i. Floyd's algorithm P appends it, or inserts the top of the range right before it
// if it was picked already. Then the top is attached to the pick with that number. Picks that were appended, with all
// that is attached to them directly or indirectly, are trees. In the result the trees are in the order of their roots,
// and the root is the last of its tree:
//
//   1. enter the draws in a hash table, which finds the first draw of each number
//   2. find for each draw the pick that it is attached to, by any threads
//   3. link the picks of each tree; one thread does that, for the attached picks only
//   4. a prefix sum of the sizes of the trees gives their places; a thread per tree follows the links
#pragma once
#include "core/draw.cuh"
#include "core/group.cuh"

namespace nd {

template <class G> struct PermuteList {
  u64 n;
  u32 k;          // less than n
  u64* drawn;     // k elements, like all arrays but the table
  u64* picks;     // the result
  u32* attached;  // the pick that each is attached to, or None
  u32* before;    // the pick of the tree right before it, or None
  u32* trees;     // at a root the size of its tree, at other picks their root
  u32* list;
  u64* table;  // free records, more than k of them: the least index of the draws of a number
  u64 mask;

  ND_FN u32 enter(u32 i) const {
    for (u64 slot = (drawn[i] * Gamma >> 32) & mask;; slot = (slot + 1) & mask) {
      u64 there = swap_atomic(table + slot, ~0ull, (u64)i);
      if (there != ~0ull && drawn[there] != drawn[i]) continue;
      if (there != ~0ull) min_atomic(table + slot, (u64)i);
      return (u32)slot;
    }
  }
  // first_draw returns the first draw of the number of draw i.
  ND_FN u32 first_draw(u32 i) const { return (u32)read_shared_by_all(table + list[i]); }

  // top_of returns the draw whose top has the number of draw i, if that is an earlier one, else None.
  ND_FN u32 top_of(u32 i) const {
    u64 r = drawn[i], least = n - k;
    return r >= least && r - least < i ? (u32)(r - least) : None;
  }
  // repeats returns whether the number of draw i was picked before, so that its top is picked.
  ND_FN bool repeats(u32 i) const {
    for (; i != None; i = top_of(i))
      if (first_draw(i) < i) return true;
    return false;
  }
  // pick_before returns the earlier pick with the number of draw i, or None.
  ND_FN u32 pick_before(u32 i) const {
    u32 top = top_of(i), drawn_at = first_draw(i);
    if (top != None && repeats(top)) return top;
    return drawn_at < i ? drawn_at : None;
  }
  ND_FN u64 number(u32 i) const { return attached[i] == None ? drawn[i] : n - k + i; }

  // link links the attached picks, in the order of their draws. One thread.
  ND_FN void link(u32 count) const {
    for (u32 j = 0; j < count; j++) {
      u32 i = list[j], to = attached[i], root = attached[to] == None ? to : trees[to];
      before[i] = before[to];
      before[to] = i;
      trees[i] = root;
      trees[root]++;
    }
  }

  // choose makes the choice. It leaves the table free and the group synchronised.
  ND_FN void choose(u64 key) const {
    // 1. Draw.
    for (u32 i = G::rank(); i < k; i += G::size) drawn[i] = below(word_of(key, i), n - k + i + 1).index;
    G::sync();
    for (u32 i = G::rank(); i < k; i += G::size) list[i] = enter(i);
    G::sync();
    // 2. Find the repeats.
    for (u32 i = G::rank(); i < k; i += G::size) {
      attached[i] = pick_before(i);
      before[i] = None;
      trees[i] = 1;
    }
    G::sync();
    for (u32 i = G::rank(); i < k; i += G::size) write_for_all(table + list[i], ~0ull);
    G::sync();
    u32 count = 0;
    for (u32 first = 0; first < k; first += G::size) {
      u32 i = first + G::rank();
      bool yes = i < k && attached[i] != None;
      u32 upto = (u32)G::scan(yes);
      if (yes) list[count + upto - 1] = i;
      count += G::from(upto, G::size - 1);
    }
    G::sync();
    // 3. Link the trees.
    if (count > 0 && G::rank() == 0) link(count);
    G::sync();
    // 4. Write the trees.
    u64 at = 0;
    for (u32 first = 0; first < k; first += G::size) {
      u32 i = first + G::rank(), size = i < k && attached[i] == None ? trees[i] : 0;
      u64 upto = G::scan(size), to = at + upto;
      for (u32 left = size, pick = i; left > 0; left--, pick = before[pick]) picks[--to] = number(pick);
      at += G::from(upto, G::size - 1);
    }
    G::sync();
  }
};

}  // namespace nd
