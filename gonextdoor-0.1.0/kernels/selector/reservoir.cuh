// Reservoir selects candidate i with probability bias(i)/sum in one pass and constant memory. The twin of
// selector.Reserve.
//
// It holds one candidate. Let S be the sum of all biases when that candidate was taken, and W the random word drawn
// then. The next candidate to be taken is the first one for whose running sum T the high half of W*T is at least S. So
// no word is drawn per candidate: lanes sum biases, and inspect a chunk only if its total shows that one of its
// candidates is taken, about ln n times in a row of n. Words are numbered by the candidates taken so far, so a choice
// does not depend on the number of lanes that make it: one, a tile, or a warp.
//
// The two samplers of FlowWalker (Mei et al., VLDB'24) are the same pass with a word per candidate: DPRS scans the
// prefix sums of a chunk at once, as inspect does; in ZPRS each lane processes its own candidates, and the results are
// merged, as in offer. The jumps save the words and most of the scans.
#pragma once
#include "core/draw.cuh"
#include "core/group.cuh"

namespace nd {

// Reserve is the reservoir of a group G of lanes of one warp; all ranks call its methods together and hold the same
// candidate. Callers: driver/weigh.cuh, driver/shortrows.cuh, driver/hooked.cuh.
template <class G> struct Reserve {
  static_assert(G::size <= WarpSize, "a group of lanes of one warp");
  u64 key;          // of its words
  u64 sum = 0;      // of all biases so far
  u64 past = 0;     // the sum when the held candidate was taken
  u64 word = 0;     // the word drawn then
  u32 held = None;  // the held candidate
  u32 words = 0;    // the number of words drawn so far
  u64 ahead = 0;    // of the next G::size words, which the ranks compute together, that of this rank

  ND_FN explicit Reserve(u64 key) : key(key) {}

  // takes returns whether a candidate is taken that has a positive bias and increases the sum to s. It is monotonic in
  // s.
  ND_FN bool takes(u64 s) const { return high_product(word, s) >= past; }

  // take replaces the held candidate by i, with which the sum is s.
  ND_FN void take(u32 i, u64 s) {
    held = i;
    past = s;
    if constexpr (G::size == 1) {
      word = word_of(key, words);
    } else {
      if (words % G::size == 0) ahead = word_of(key, words + G::rank());
      word = G::from(ahead, words % G::size);
    }
    words++;
  }

  // done returns whether no later candidate can be taken, given that the later biases sum to at most `rest`.
  ND_FN bool done(u64 rest) const { return held != None && !takes(sum + rest); }

  // offer offers Parts parts of size*K candidates in order. Candidate j of rank r in part q has the number
  // first + (q*size + r)*K + j; missing ones have bias 0.
  template <u32 Parts, u32 K> ND_FN void offer(u32 first, const u32 (&biases)[Parts][K]) {
    if constexpr (G::size == 1) {
      for (u32 q = 0; q < Parts; q++)
        for (u32 j = 0; j < K; j++) give(first + q * K + j, biases[q][j]);
      return;
    }
    u64 mine[Parts], all = 0;
    for (u32 q = 0; q < Parts; q++) {
      mine[q] = biases[q][0];
      for (u32 j = 1; j < K; j++) mine[q] += biases[q][j];
      all += mine[q];
    }
    all = G::sum(all);
    if (all == 0) return;
    if (!takes(sum + all)) {
      sum += all;
      return;
    }
    for (u32 q = 0; q < Parts; q++) inspect(first + q * G::size * K, biases[q], mine[q]);
  }

  // give offers one candidate; for groups of one lane.
  ND_FN void give(u32 i, u32 bias) {
    sum += bias;
    if (bias > 0 && takes(sum)) take(i, sum);
  }

 private:
  // inspect offers one part, in which the biases of this rank sum to mine.
  template <u32 K> ND_FN void inspect(u32 first, const u32 (&biases)[K], u64 mine) {
    // 1. Prefix sums over the ranks: `here` is the sum at the end of this rank, `last` that at the end of the part.
    u64 here = sum + G::scan(mine), last = here;
    if constexpr (G::size > 1) last = G::from(here, G::size - 1);
    // 2. While some candidate is taken, find the first rank r with one, and its candidate.
    while (last > sum && takes(last)) {
      u32 r = G::first(mine > 0 && takes(here)), at = 0;
      u64 s = here - mine, taken = 0;
      for (u32 j = 0; j < K; j++) {
        s += biases[j];
        if (taken == 0 && biases[j] > 0 && takes(s)) {
          at = j;
          taken = s;
        }
      }
      if constexpr (G::size > 1) {
        at = G::from(at, r);
        taken = G::from(taken, r);
      }
      take(first + r * K + at, taken);
      if (taken == last) break;
    }
    sum = last;
  }
};

}  // namespace nd
