// Independent walks from several roots of one sample: one walker per root, a thread per walker. The twin of
// app.MultiIndependent, and of app.KHop with fan-outs of 1.
#pragma once
#include "driver/rows.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// multi_root takes step s of walker k with the word at slot 0 of the key derived from (s, k). A row's slots in the
// trace are all roots, then the first step of all walkers, and so on. Threads of a warp have the same k and adjacent
// rows, so their stores are coalesced.
template <class Move> ND_FN void multi_root(const Walk& a) {
  const Batch& b = a.b;
  const Trace& t = a.t;
  u64 rows = b.rows - b.from;
  for (u64 i = thread_of_grid(); i < rows * b.width; i += threads_of_grid()) {
    u64 k = i / rows, row = b.from + i % rows;
    u32* out = t.vertices + (t.begin * b.width + k) * t.stride + row;
    i64* edges = t.edges + (t.begin * b.width + k) * t.stride + row;
    // 1. Restore the walker: its vertex and the next places of the trace.
    u32 v;
    if (t.begin == 0) {
      v = root_of(b, row, k);
      write_once(out, v);
    } else {
      v = read_once(out);
    }
    u64 key = sample_key(b, row);
    Move move;
    move.set_vertex(a.g, v);
    // 2. Take the steps.
    for (u64 s = t.begin; s < t.end; ++s) {
      PickedEdge e = move.pick(a.g, word_of(derived_key(key, s, k), 0));
      out += b.width * t.stride;
      write_once(out, e.vertex);
      if (t.edges) {
        write_once(edges, edge_id(a.g, e.position));
        edges += b.width * t.stride;
      }
    }
  }
}

}  // namespace nd
