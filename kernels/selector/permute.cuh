// Permute draws k of n candidates without replacement, every ordered choice with the same probability: Floyd's
// algorithm P. It is the twin of selector.Permute. If n <= k there is nothing to draw, and the caller takes all
// candidates in order.
//
// A choice has two phases, which the caller runs one after the other:
//
//   1. Draw.    picks[i] = uniform_draw(word i of the choice's key, permute_bound(k, n, i)) for all i, by any threads.
//   2. Settle.  If two draws are equal (see repeats), settle replaces each draw that equals an earlier pick by the last
//               candidate of its range, n-k+i, and inserts that before the equal pick. With many candidates this is
//               rare.
//
// The result does not depend on the number of threads. picks has k elements in memory that all ranks of the group
// share. Callers: driver/choose.cuh, for the unweighted choices of the neighbour sampler, and driver/tree.cuh.
#pragma once
#include "core/draw.cuh"
#include "core/group.cuh"

namespace nd {

// permute_bound returns the exclusive upper bound of draw i of a choice.
ND_FN u32 permute_bound(u32 k, u32 n, u32 i) { return n - k + i + 1; }

// repeats returns whether a draw equals one of the draws first ... end-1, the earlier ones of its choice, or `same` is
// set already. If no draw of a choice repeats, the draws are the picks, and settle need not be called.
template <class Picks> ND_FN bool repeats(Picks picks, u32 first, u32 end, u32 draw, bool same) {
  for (u32 j = first; j < end; j++) same |= picks[j] == draw;
  return same;
}

// place_among returns the index of x among the first `count` picks, or None. The ranks compare G::size picks at a time.
template <class G, class Picks> ND_FN u32 place_among(Picks picks, u32 count, u32 x) {
  for (u32 first = 0; first < count; first += G::size) {
    u32 j = first + G::rank(), r = G::first(j < count && picks[j] == x);
    if (r != None) return first + r;
  }
  return None;
}

// insert inserts x at index `at` of the first `count` picks, of which the later ones move up. It synchronises the
// group; all ranks call it.
template <class G, class Picks> ND_FN void insert(Picks picks, u32 at, u32 count, u32 x) {
  if constexpr (G::size == 1) {
    for (u32 j = count; j > at; j--) picks[j] = picks[j - 1];
  } else {
    for (u32 end = count; end > at;) {  // move G::size picks at a time, from the last to the first
      u32 first = end - at > G::size ? end - G::size : at, j = first + G::rank(), value = 0;
      if (j < end) value = picks[j];
      G::sync();
      if (j < end) picks[j + 1] = value;
      G::sync();
      end = first;
    }
  }
  if (G::rank() == 0) picks[at] = x;
  G::sync();
}

// may_repeat returns whether draw i may equal an earlier pick: it equals an earlier draw, or the last candidate of one.
template <class Picks> ND_FN bool may_repeat(Picks picks, u32 k, u32 n, u32 i) {
  u32 r = picks[i];
  if (r >= n - k && r - (n - k) < i) return true;
  for (u32 j = 0; j < i; j++)
    if (picks[j] == r) return true;
  return false;
}

// settle turns the draws of a choice into its picks, in place. All ranks of G call it after a barrier that follows the
// draws; it leaves the group synchronised. A lane by itself takes O(k) if nothing repeats, O(k) per repeat otherwise.
template <class G, class Picks> ND_FN void settle(u32 k, u32 n, Picks picks) {
  if constexpr (G::size == 1) {
    u64 seen = 0;  // a filter by the low six bits of each pick: most draws need no search
    for (u32 i = 0; i < k; i++) {
      u32 r = picks[i], at = seen >> (r & 63) & 1 ? place_among<G>(picks, i, r) : None;
      if (at != None) {
        r = n - k + i;
        insert<G>(picks, at, i, r);
      }
      seen |= 1ull << (r & 63);
    }
  } else {
    for (u32 first = 0; first < k; first += G::size) {
      u32 i = first + G::rank();
      // 1. Each rank marks its draw if it may repeat. Later draws are unchanged so far, and every inserted pick is the
      //    last candidate of some draw, so may_repeat finds all repeats.
      u32 marked = i < k && may_repeat(picks, k, n, i);
      G::sync();
      // 2. The group settles the marked draws in order.
      for (;;) {
        u32 r = G::first(marked);
        if (r == None) break;
        u32 x = picks[first + r], at = place_among<G>(picks, first + r, x);
        if (at != None) insert<G>(picks, at, first + r, n - k + first + r);
        if (r == G::rank()) marked = false;
      }
    }
  }
}

constexpr u32 ShortPicks = 16, ShortCandidates = 256;  // the capacity of Bytes, and the bound of its elements

// Bytes is a list of up to ShortPicks numbers below ShortCandidates, one byte each, in four registers.
struct Bytes {
  u64 of[2] = {0, 0};

  ND_FN static u64 below_byte(u32 at) { return at < 8 ? (1ull << 8 * at) - 1 : ~0ull; }
  ND_FN void set(u32 at, u32 x) { of[at / 8] |= (u64)x << at % 8 * 8; }
  ND_FN u32 get(u32 at) const { return (u32)(of[at / 8] >> at % 8 * 8) & 255; }

  // place returns the first index of x among the first `count` bytes, or None, by a zero-byte test of eight bytes at a
  // time.
  ND_FN u32 place(u32 x, u32 count) const {
    constexpr u64 ones = 0x0101010101010101, tops = 0x8080808080808080;
    u32 at = None;
    for (u32 half = 2; half-- > 0;) {
      u64 differ = of[half] ^ ones * x, zero = (differ - ones) & ~differ & tops;  // the lowest bit is right
      if (zero) {
        u32 here = 8 * half + (63 - leading_zeros(zero & (0 - zero))) / 8;
        if (here < count) at = here;
      }
    }
    return at;
  }

  // insert inserts x at index `at`; the last byte of a full list is dropped.
  ND_FN void insert(u32 at, u32 x) {
    u64 carry = of[0] >> 56;
    if (at < 8) {
      u64 under = below_byte(at);
      of[1] = of[1] << 8 | carry;
      of[0] = (of[0] & under) | (of[0] & ~under) << 8 | (u64)x << 8 * at;
    } else {
      u64 under = below_byte(at - 8);
      of[1] = (of[1] & under) | (of[1] & ~under) << 8 | (u64)x << 8 * (at - 8);
    }
  }
};

// settle_short is settle<Lane> for k <= ShortPicks draws. Among at most ShortCandidates candidates, where draws repeat
// often, it keeps the picks in registers.
template <class Picks> ND_FN void settle_short(u32 k, u32 n, Picks picks) {
  if (n > ShortCandidates) return settle<Lane>(k, n, picks);
  Bytes list;
#pragma unroll
  for (u32 i = 0; i < ShortPicks; i++) {
    if (i >= k) continue;
    u32 r = picks[i], at = list.place(r, i);
    if (at == None) list.set(i, r);
    else list.insert(at, n - k + i);
  }
#pragma unroll
  for (u32 i = 0; i < ShortPicks; i++)
    if (i < k) picks[i] = list.get(i);
}

// permute_few makes a complete choice of k <= Most of n candidates by one lane, and returns the number of picks.
// It has no branch that depends on n or the draws, so the lanes of a warp do not wait for one another.
template <u32 Most, class Picks> ND_FN u32 permute_few(u64 key, u32 k, u32 n, Picks picks) {
  u32 list[Most];
#pragma unroll
  for (u32 i = 0; i < Most; i++)
    if (i < k) list[i] = n <= k ? i : below(word_of(key, i), permute_bound(k, n, i)).index;
#pragma unroll
  for (u32 i = 1; i < Most; i++) {
    if (i >= k) continue;
    // The draw is appended. If an earlier pick equals it, the last candidate is inserted there, and the later picks
    // move up.
    u32 draw = list[i], before = draw;
    bool found = false;
#pragma unroll
    for (u32 j = 0; j < i; j++) {
      u32 pick = list[j];
      if (found) list[j] = before;
      else if (pick == draw) list[j] = n - k + i;
      found |= pick == draw;
      before = pick;
    }
    if (found) list[i] = before;
  }
#pragma unroll
  for (u32 i = 0; i < Most; i++)
    if (i < k) picks[i] = list[i];
  return n < k ? n : k;
}

// permute makes a complete choice of k of n candidates and returns the number of picks.
template <class G, class Picks> ND_FN u32 permute(u64 key, u32 k, u32 n, Picks picks) {
  if constexpr (G::size == 1) {
    if (k <= ShortPicks) return permute_few<ShortPicks>(key, k, n, picks);
    if (k <= 2 * ShortPicks) return permute_few<2 * ShortPicks>(key, k, n, picks);
  }
  bool all = n <= k;
  if (all) k = n;
  for (u32 i = G::rank(); i < k; i += G::size)
    picks[i] = all ? i : below(word_of(key, i), permute_bound(k, n, i)).index;
  G::sync();
  if (all) return k;
  settle<G>(k, n, picks);
  return k;
}

}  // namespace nd
