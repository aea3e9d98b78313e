// Slim end points: 25 bits per edge, five in 16 bytes. That is a fifth less memory than indices, so more of it stays in
// the L2 cache. Only for graphs of at most 2^25 vertices.
#pragma once
#include "graph/build.cuh"

namespace nd {

constexpr u32 SlimEdges = 5;
constexpr u32 SlimBits = 25;

// slim_end returns the end point of the edge at a position, by one load of 16 bytes.
ND_FN u32 slim_end(const Graph& g, u32 position) {
  u32 record = position / SlimEdges, bit = (position - record * SlimEdges) * SlimBits, word = bit / 32;
  Quad q = fetch_far(g.slim + record);
  u32 low = word == 0 ? q.x : word == 1 ? q.y : word == 2 ? q.z : q.w;
  u32 high = word == 0 ? q.y : word == 1 ? q.z : q.w;  // for word 3 arbitrary: no bit of it is used
  return (u32)(((u64)high << 32 | low) >> bit % 32) & ((1u << SlimBits) - 1);
}

// build_slim writes records begin ... end-1 to quads, a thread per record.
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
