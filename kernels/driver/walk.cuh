// Walks of one length whose choices depend on the present vertex alone: a thread takes all steps of a row.
#pragma once
#include "driver/rows.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// walk has App take the steps by way of Move. A launch that does not begin at step 0 finds the vertices in the trace.
template <class Move, class App> ND_FN void walk(const Walk& a) {
  const Trace& t = a.t;
  for (u64 row = a.b.from + thread_of_grid(); row < a.b.rows; row += threads_of_grid()) {
    u32 root = root_of(a.b, row), v = root;
    u32* out = t.vertices + t.begin * t.stride + row;
    i64* edges = t.edges + t.begin * t.stride + row;
    if (t.begin == 0) write_once(out, root);
    else v = read_once(out);
    u64 key = sample_key(a.b, row);
    App app(a, root);
    Move move;
    move.set_vertex(a.g, v);
    for (u64 s = t.begin; s < t.end; ++s) {
      PickedEdge e = app.step(a, key, s, move);
      out += t.stride;
      write_once(out, e.vertex);
      if (t.edges) {
        write_once(edges, edge_id(a.g, e.position));
        edges += t.stride;
      }
    }
  }
}

}  // namespace nd
