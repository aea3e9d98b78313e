// The end points of edges in 25 bits, five in 16 bytes: a fifth less memory than indices, so that more of it stays in
// the L2 cache. Only for graphs of 2^25 vertices at most.
#pragma once
#include "graph/build.cuh"

namespace nd {

constexpr u32 SlimEdges = 5;
constexpr u32 SlimBits = 25;

// slim_end gives the end point of the edge at a position.
ND_FN u32 slim_end(const Graph& g, u32 position) {
  u32 record = position / SlimEdges, bit = (position - record * SlimEdges) * SlimBits, word = bit / 32;
  Quad q = fetch_far(g.slim + record);
  u32 low = word == 0 ? q.x : word == 1 ? q.y : word == 2 ? q.z : q.w;
  u32 high = word == 0 ? q.y : word == 1 ? q.z : q.w;  // where it is none, no bit of it is wanted
  return (u32)(((u64)high << 32 | low) >> bit % 32) & ((1u << SlimBits) - 1);
}

// build_slim makes records begin ... end-1 in quads.
ND_FN void build_slim(const Build& a) {
  for (u64 i = a.begin + thread_of_grid(); i < a.end; i += threads_of_grid()) {
    u32 words[4] = {0, 0, 0, 0};
    for (u32 k = 0; k < SlimEdges; ++k) {
      u64 position = i * SlimEdges + k;
      u64 end = position < a.g.edges ? (u64)read_once(a.g.indices + position) << k * SlimBits % 32 : 0;
      words[k * SlimBits / 32] |= (u32)end;
      if (k * SlimBits / 32 < 3) words[k * SlimBits / 32 + 1] |= (u32)(end >> 32);
    }
    a.quads[i] = {words[0], words[1], words[2], words[3]};
  }
}

}  // namespace nd
