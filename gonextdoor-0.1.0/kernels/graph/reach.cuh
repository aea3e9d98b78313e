// Reach: how much of a row's bias its edges to one vertex can have, in shares with 32 fraction bits. The twin of
// index.Reach.
#pragma once
#include "core/args.cuh"
#include "core/device.cuh"

namespace nd {

// Reach is a vertex's 16 bytes in Graph::reach. Without the array, every share is 1.
struct Reach {
  u64 word = 1ull << 32 | 63, unit = 1ull << 32;

  ND_FN static Reach of(const Graph& g, u32 v) {
    Reach r;
    if (!g.reach) return r;
    Quad q = fetch_far(g.reach + v);
    r.word = (u64)q.y << 32 | q.x;
    r.unit = (u64)q.w << 32 | q.z;
    return r;
  }
  // most returns an upper bound of the shares of all edges of the row to one vertex.
  ND_FN u64 most() const { return word & ~63ull; }
  // share returns the share of an edge by its bias, which is 1 without weights.
  ND_FN u64 share(u64 bias) const {
    u32 z = (u32)word & 63;
    return high_product(bias, unit) << z << 1 | bias * unit >> (63 - z);
  }
};

}  // namespace nd
