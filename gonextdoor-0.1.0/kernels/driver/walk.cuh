// Walks of fixed length whose choices depend on the present vertex alone. A thread takes all steps of a row: threads of
// a warp write adjacent columns of the trace, so each step of a warp is one coalesced store. Threads never communicate.
#pragma once
#include "driver/rows.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// walk takes the steps by App::step, which picks edges by Move. A launch that does not begin at step 0 reads the
// present vertices from the trace. Kernels: walk, teleport, metropolis, labelled.
template <class Move, class App> ND_FN void walk(const Walk& a) {
  const Trace& t = a.t;
  for (u64 row = a.b.from + thread_of_grid(); row < a.b.rows; row += threads_of_grid()) {
    // 1. Restore the walker: its vertex and the next places of the trace.
    u32 root = root_of(a.b, row), v = root;
    u32* out = t.vertices + t.begin * t.stride + row;
    i64* edges = t.edges + t.begin * t.stride + row;
    if (t.begin == 0) write_once(out, root);
    else v = read_once(out);
    u64 key = sample_key(a.b, row);
    App app(a, root);
    Move move;
    move.set_vertex(a.g, v);
    // 2. Take the steps.
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
