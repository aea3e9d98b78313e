// Permute takes k of n candidates without replacement, all ordered choices alike: Floyd's algorithm P. The twin of
// selector.Permute. A choice of n <= k takes all in their order.
//
// All words of a choice are drawn at once. Afterwards the draws that were taken before are settled one after the other:
// each has its own last candidate put right before the one that it met. Among many candidates there are hardly any, and
// how many lanes make the choice changes nothing.
//
// All ranks of a group come together, with the same arguments. picks is memory that all of them see, with room for
// min(k, n) numbers.
#pragma once
#include "core/draw.cuh"
#include "core/group.cuh"

namespace nd {

// permuted is draw i of the choice.
ND_FN u32 permuted(u64 key, u32 k, u32 n, u32 i) { return below(word_of(key, i), n - k + i + 1).index; }

// place_among gives the place of x among the first count picks, or None: the ranks look at them side by side.
template <class G, class Picks> ND_FN u32 place_among(Picks picks, u32 count, u32 x) {
  for (u32 first = 0; first < count; first += G::size) {
    u32 j = first + G::rank(), r = G::first(j < count && picks[j] == x);
    if (r != None) return first + r;
  }
  return None;
}

// insert puts x in place at of the first count picks, and those from there on one further.
template <class G, class Picks> ND_FN void insert(Picks picks, u32 at, u32 count, u32 x) {
  if constexpr (G::size == 1) {
    for (u32 j = count; j > at; j--) picks[j] = picks[j - 1];
  } else {
    for (u32 end = count; end > at;) {  // from the last on, so many at once
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

// met says whether draw i may have been taken before: by an earlier draw, or as the last candidate of one.
template <class Picks> ND_FN bool met(Picks picks, u32 k, u32 n, u32 i) {
  u32 r = picks[i];
  if (r >= n - k && r - (n - k) < i) return true;
  for (u32 j = 0; j < i; j++)
    if (picks[j] == r) return true;
  return false;
}

// settle makes draws picks: those that were taken before, in their order.
template <class G, class Picks> ND_FN void settle(u32 k, u32 n, Picks picks) {
  if constexpr (G::size == 1) {
    u64 seen = 0;  // the picks' last six bits: most draws need no closer look
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
      // Draws that come later are still as drawn, and of those before one knows what they were drawn as or are: what is
      // put in is some draw's last candidate.
      u32 left = i < k && met(picks, k, n, i);
      G::sync();
      for (u32 r; (r = G::first(left)) != None;) {
        u32 x = picks[first + r], at = place_among<G>(picks, first + r, x);
        if (at != None) insert<G>(picks, at, first + r, n - k + first + r);
        if (r == G::rank()) left = false;
      }
    }
  }
}

// permute gives the number of picks.
template <class G, class Picks> ND_FN u32 permute(u64 key, u32 k, u32 n, Picks picks) {
  bool all = n <= k;
  if (all) k = n;
  for (u32 i = G::rank(); i < k; i += G::size) picks[i] = all ? i : permuted(key, k, n, i);
  G::sync();
  if (!all) settle<G>(k, n, picks);
  return k;
}

// Bytes is a list of up to 16 numbers below 256 in registers.
struct Bytes {
  u64 of[2] = {0, 0};

  ND_FN static u64 below_byte(u32 at) { return at < 8 ? (1ull << 8 * at) - 1 : ~0ull; }
  ND_FN void set(u32 at, u32 x) { of[at / 8] |= (u64)x << at % 8 * 8; }
  ND_FN u32 get(u32 at) const { return (u32)(of[at / 8] >> at % 8 * 8) & 255; }

  // place gives the place of x among the first count, or None.
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

// permute_short is a lane's choice of at most K, K <= 16, that are less than n. The draws stay in registers, and so do the
// picks among few candidates, where draws meet.
template <u32 K, class Picks> ND_FN u32 permute_short(u64 key, u32 k, u32 n, Picks picks) {
  constexpr u32 few = 256;
  u32 r[K];
  bool settled = true;
#pragma unroll
  for (u32 i = 0; i < K; i++) {
    r[i] = None - i;
    if (i < k) r[i] = permuted(key, k, n, i);
#pragma unroll
    for (u32 j = 0; j < i; j++) settled = settled && r[j] != r[i];
  }
  if (!settled && n <= few) {
    Bytes list;
#pragma unroll
    for (u32 i = 0; i < K; i++) {
      if (i >= k) continue;
      u32 at = list.place(r[i], i);
      if (at == None) list.set(i, r[i]);
      else list.insert(at, n - k + i);
    }
#pragma unroll
    for (u32 i = 0; i < K; i++) r[i] = list.get(i);
    settled = true;
  }
#pragma unroll
  for (u32 i = 0; i < K; i++)
    if (i < k) picks[i] = r[i];
  if (!settled) settle<Lane>(k, n, picks);
  return k;
}

}  // namespace nd
