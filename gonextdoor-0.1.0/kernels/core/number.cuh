// The random numbers of ids that many choices share: the twin of rng.Stream.Number. docs/reproducibility.md specifies
// them.
#pragma once
#include "core/draw.cuh"

namespace nd {

// high_of returns the high half of number_of, a bijection of the ids.
ND_FN u32 high_of(u64 stream, u32 id) {
  u32 x = id * ((u32)(stream >> 32) | 1) + (u32)stream;
  x = (x ^ x >> 17) * 0xED5AD4BBu;
  x = (x ^ x >> 11) * 0xAC4C1B51u;
  x = (x ^ x >> 15) * 0x31848BABu;
  return x ^ x >> 14;
}
// number_of returns the random number of an id in a stream.
ND_FN u64 number_of(u64 stream, u32 id) { return (u64)high_of(stream, id) << 32 | (u32)key_of(stream, id); }

}  // namespace nd
