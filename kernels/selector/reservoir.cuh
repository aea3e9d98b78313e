// Reservoir selects i with probability bias(i)/sum in one pass and constant memory: the twin of selector.Reserve.
//
// It holds one candidate. Where that was taken at the sum S of all biases so far, with the word W drawn then, it gives
// way to the first candidate at whose sum T the high half of W*T is at least S. So lanes need not draw a word for each
// candidate: they add their biases up, and look closer only where the sum of a whole chunk says that one of it is
// taken, which happens about ln n times in a row of n. The words are the selector's own, by number, so a choice does
// not depend on how many lanes make it: one (for short rows), a tile, a warp, a block (for hubs).
//
// FlowWalker's two samplers (Mei et al., VLDB'24) are the same pass with a word for each candidate: in DPRS a chunk's
// prefix sums are scanned at once, which is look; in ZPRS every lane goes along its own candidates and the lanes'
// results are merged, which is offer, where lanes only add and are asked together once a chunk. The jumps save the
// words and most of the scans, and the order of the row stays.
#pragma once
#include "core/draw.cuh"
#include "core/group.cuh"

namespace nd {

template <class G> struct Reserve {
  u64 key;          // its words hang under
  u64 sum = 0;      // of all biases so far
  u64 past = 0;     // the sum at which the candidate that is held was taken
  u64 word = 0;     // drawn then
  u32 held = None;  // number of the candidate
  u32 words = 0;    // drawn so far
  u64 ahead = 0;    // where a warp has a lane for each: the rank's own of the next words

  ND_FN explicit Reserve(u64 key) : key(key) {}

  // takes says whether a candidate with a bias is taken that brings the sum to s.
  ND_FN bool takes(u64 s) const { return high_product(word, s) >= past; }

  ND_FN void take(u32 i, u64 s) {
    held = i, past = s;
    if constexpr (G::size == 1 || G::size > WarpSize) {
      word = word_of(key, words);
    } else {
      if (words % G::size == 0) ahead = word_of(key, words + G::rank());
      word = G::from(ahead, words % G::size);
    }
    words++;
  }

  // done says whether no later candidate can be taken, the biases of all of them being at most rest together.
  ND_FN bool done(u64 rest) const { return held != None && !takes(sum + rest); }

  // offer offers parts of size*K candidates: those of rank r in part q are number first + (q*size + r)*K + j, with the
  // bias 0 where there is none.
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
    if (!takes(sum + all)) sum += all;
    else for (u32 q = 0; q < Parts; q++) look(first + q * G::size * K, biases[q], mine[q]);
  }

  // give offers one candidate to a lane by itself.
  ND_FN void give(u32 i, u32 bias) {
    sum += bias;
    if (bias > 0 && takes(sum)) take(i, sum);
  }

 private:
  // look offers a part, of whose biases the rank's own come to mine.
  template <u32 K> ND_FN void look(u32 first, const u32 (&biases)[K], u64 mine) {
    u64 here = sum + G::scan(mine), last = here;
    if constexpr (G::size > 1) last = G::from(here, G::size - 1);
    while (last > sum && takes(last)) {
      u32 r = G::first(mine > 0 && takes(here)), at = 0;
      u64 s = here - mine, taken = 0;
      for (u32 j = 0; j < K; j++) {
        s += biases[j];
        if (taken == 0 && biases[j] > 0 && takes(s)) at = j, taken = s;
      }
      if constexpr (G::size > 1) at = G::from(at, r), taken = G::from(taken, r);
      take(first + r * K + at, taken);
      if (taken == last) break;
    }
    sum = last;
  }
};

}  // namespace nd
