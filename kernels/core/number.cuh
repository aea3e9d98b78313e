// The random numbers of ids that many choices share: the twin of rng.Stream.Number. docs/reproducibility.md specifies
// them.
#pragma once
#include "core/draw.cuh"

namespace nd {

// high_of returns the high half of number_of, a bijection of the ids.
ND_FN u32 high_of(u64 stream, u32 id) {
  u32 x = id ^ (u32)stream;
  x = (x ^ x >> 16) * 0x7FEB352Du;
  x = (x ^ x >> 15 ^ (u32)(stream >> 32)) * 0x846CA68Bu;
  return x ^ x >> 16;
}
// number_of returns the random number of an id in a stream.
ND_FN u64 number_of(u64 stream, u32 id) { return (u64)high_of(stream, id) << 32 | (u32)key_of(stream, id); }

}  // namespace nd
