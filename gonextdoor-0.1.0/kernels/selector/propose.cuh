// Propose draws one of n candidates uniformly at random, with a level below `bound`. The candidate is accepted if its
// bias exceeds the level. The twin of selector.Propose.
#pragma once
#include "core/draw.cuh"

namespace nd {

// Proposed is the number of the candidate, and the level that its bias must exceed.
struct Proposed {
  u32 index;
  u64 level;
};

// propose derives both from one word: the level from the low half of word*n, which is independent of the index.
ND_FN Proposed propose(u64 word, u32 n, u64 bound) {
  return {(u32)high_product(word, n), high_product(word * n, bound)};
}

// WeightBound is the bound of biases that are weights, app.WeightBound: the level is then a fraction of 32 bits.
constexpr u64 WeightBound = 1ull << 32;

// propose_weight is propose with WeightBound, with fewer multiplications.
ND_FN Proposed propose_weight(u64 word, u32 n) {
  Below32 b = below(word, n);
  return {b.index, b.fraction};
}

// tries returns the number of proposals among d candidates before all are weighed: app.Tries. It grows with d, since
// weighing costs O(d).
constexpr u32 LeastTries = 4, TriesShare = 16;
ND_FN u32 tries(u32 d) {
  u32 t = LeastTries + d / TriesShare;
  return t < MaxTries ? t : MaxTries;
}

}  // namespace nd
