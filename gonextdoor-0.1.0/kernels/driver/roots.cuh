// Random roots, drawn on the GPU: the twin of graph.FillRoots. A thread per vertex; each write is independent.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"

namespace nd {

// draw_roots writes vertex k of root j at j*width + k. A root is keyed by the id of its first sample.
ND_FN void draw_roots(const Draw& a) {
  for (u64 i = thread_of_grid(); i < a.count * a.width; i += threads_of_grid()) {
    u64 j = i, k = 0;
    if (a.width != 1) {  // a 64-bit division is slow
      j = i / a.width;
      k = i - j * a.width;
    }
    a.to[i] = (u32)below(word_of(key_of(a.stream, a.first + j * a.repeat), k), a.vertices).index;
  }
}

}  // namespace nd
