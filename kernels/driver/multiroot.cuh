// Walkers side by side, one from each root of a sample: a thread takes all steps of one of them.
#pragma once
#include "driver/rows.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// multi_root takes step s of walker k with the word at slot 0 of a key that hangs under the step. Slots: all roots, then
// all walkers' first steps, and so on.
template <class Move> ND_FN void multi_root(const Walk& a) {
  const Batch& b = a.b;
  const Trace& t = a.t;
  u64 rows = b.rows - b.from;
  for (u64 i = thread_of_grid(); i < rows * b.width; i += threads_of_grid()) {
    u64 k = i / rows, row = b.from + i % rows;
    u32* out = t.vertices + (t.begin * b.width + k) * t.stride + row;
    i64* edges = t.edges + (t.begin * b.width + k) * t.stride + row;
    u32 v;
    if (t.begin == 0) write_once(out, v = root_of(b, row, k));
    else v = read_once(out);
    u64 key = sample_key(b, row);
    Move move;
    move.set_vertex(a.g, v);
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
