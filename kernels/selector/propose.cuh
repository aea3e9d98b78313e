// Propose gives one of n candidates, all alike, and a level below bound: it is accepted where its bias exceeds the
// level. The twin of selector.Propose.
#pragma once
#include "core/draw.cuh"

namespace nd {

struct Proposed { u32 index; u64 level; };
ND_FN Proposed propose(u64 word, u32 n, u64 bound) {
  return {(u32)high_product(word, n), high_product(word * n, bound)};
}

// The bound of biases that come of weights, app.WeightBound: the level is a fraction of 32 bits.
constexpr u64 WeightBound = 1ull << 32;
ND_FN Proposed propose_weight(u64 word, u32 n) {
  Below32 b = below(word, n);
  return {b.index, b.fraction};
}

// tries gives how often a choice among d candidates is proposed before all are weighed: app.Tries.
constexpr u32 LeastTries = 4, TriesShare = 16;
ND_FN u32 tries(u32 d) {
  u32 t = LeastTries + d / TriesShare;
  return t < MaxTries ? t : MaxTries;
}

}  // namespace nd
