// Staged samples. A complete sample is copied from its workspace to the arena, in one block whose length depends on the
// sizes of its parts. Once the sizes of all samples are known, driver/layerparts.cuh copies the parts to the result.
#pragma once
#include "core/device.cuh"

namespace nd {

// StagedSample is the layout of a block: first the 64-bit arrays, then the 32-bit ones.
struct StagedSample {
  u64* at;
  u64 vertex_count, end_count, link_count;
  u64 edges;   // 1 if the positions of edges are stored
  u64 valued;  // 1 if the values of links are stored

  ND_FN u64* positions() const { return at; }
  ND_FN u64* link_positions() const { return at + edges * vertex_count; }
  ND_FN f64* link_values() const { return (f64*)(link_positions() + link_count); }
  ND_FN u32* vertices() const { return (u32*)(link_values() + valued * link_count); }
  ND_FN i32* parents() const { return (i32*)vertices() + vertex_count; }
  ND_FN i32* ends() const { return parents() + vertex_count; }
  ND_FN i32* sources() const { return ends() + end_count; }
  ND_FN i32* targets() const { return sources() + link_count; }

  // words returns the length of the block in 64-bit words.
  ND_FN u64 words() const {
    return edges * vertex_count + (1 + valued) * link_count + (2 * vertex_count + end_count + 2 * link_count + 1) / 2;
  }
};

}  // namespace nd
