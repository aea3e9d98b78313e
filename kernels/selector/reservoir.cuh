// Reservoir selects i with probability bias(i)/sum in one pass and constant memory: the twin of selector.Reserve.
//
// It holds one candidate. Where that was taken at the sum S of all biases so far, with the word W drawn then, it gives way
// to the first candidate at whose sum T the high half of W*T is at least S. So lanes need not draw a word for each
// candidate: they add their biases up, and look closer only where the sum of a whole chunk says that one of it is taken,
// which happens about ln n times in a row of n. The words are the selector's own, by number, so a choice does not depend
// on how many lanes make it: one (for small rows), a tile, a warp, a block (for hubs).
//
// FlowWalker's two samplers (Mei et al., VLDB'24) are the same pass with a word for each candidate: in DPRS a chunk's
// prefix sums are scanned at once, which is offer; in ZPRS every lane holds a candidate of its own stretch, and the lanes
// are merged at the end. The jumps make the second one's saving of scans without giving up the order of the row.
#pragma once
#include "core/draw.cuh"
#include "core/group.cuh"

namespace nd {

template <class G> struct Reserve {
  u64 key;         // its words hang under
  u64 sum = 0;     // of all biases so far
  u64 past = 0;    // the sum at which the candidate that is held was taken
  u64 word = 0;    // drawn then
  u32 held = None; // number of the candidate
  u32 words = 0;   // drawn so far

  ND_FN explicit Reserve(u64 key) : key(key) {}

  // takes says whether a candidate with a bias is taken that brings the sum to s.
  ND_FN bool takes(u64 s) const { return high_product(word, s) >= past; }

  ND_FN void take(u32 i, u64 s) {
    held = i, past = s;
    word = word_of(key, words++);
  }

  // done says whether no later candidate can be taken, the biases of all of them being at most rest together.
  ND_FN bool done(u64 rest) const { return held != None && !takes(sum + rest); }

  // offer offers size*K candidates: rank r's are number first + j*size + r, with the bias 0 where there is none.
  template <u32 K> ND_FN void offer(u32 first, const u32 (&biases)[K]) {
    u64 mine = biases[0];
    for (u32 j = 1; j < K; j++) mine += biases[j];
    u64 all = G::sum(mine);
    if (all == 0 || !takes(sum + all)) {
      sum += all;
      return;
    }
    for (u32 j = 0; j < K; j++) look(first + j * G::size, biases[j]);
  }

 private:
  // look offers one candidate of each rank.
  ND_FN void look(u32 first, u32 bias) {
    u64 here = sum + G::scan(bias), end = here;
    if constexpr (G::size > 1) end = G::from(here, G::size - 1);
    while (end > sum && takes(end)) {
      u32 r = G::first(bias > 0 && takes(here));
      take(first + r, G::size > 1 ? G::from(here, r) : here);
      if (past == end) break;
    }
    sum = end;
  }
};

}  // namespace nd
