// Walks along edges in order of time. A thread takes all steps of a row, as in driver/walk.cuh, but its state is the
// last edge: the edges that may follow depend on its time, which the vertex does not tell.
#pragma once
#include "driver/rows.cuh"
#include "selector/timebias.cuh"

namespace nd {

// temporal_walk takes steps by choices of Bias. A launch that does not begin at step 0 reads the last edge of each row
// from last_edges, which the launch before it wrote.
template <class Bias> ND_FN void temporal_walk(const Walk& a) {
  const Trace& t = a.t;
  for (u64 row = a.b.from + thread_of_grid(); row < a.b.rows; row += threads_of_grid()) {
    // 1. Restore the walker: its vertex and the edges that may follow.
    u32* out = t.vertices + t.begin * t.stride + row;
    i64* edges = t.edges + t.begin * t.stride + row;
    u32 v, last = None;
    RowOf<u32> next{0, 0};
    if (t.begin == 0) {
      v = root_of(a.b, row);
      write_once(out, v);
      auto all = PlainRows::of(a.g, v);
      next = {(u32)all.first, all.degree};
    } else {
      v = read_once(out);
      last = a.last_edges[row];
      if (last != None) next = TemporalEdge::at(a.g, last).next;
    }
    u64 key = sample_key(a.b, row);
    // 2. Take the steps. A walk has ended when no edge may follow.
    for (u64 s = t.begin; s < t.end; ++s) {
      i64 id = -1;
      if (next.degree > 0) {
        last = next.first + Bias::among(a.g, next, word_of(key, slot_of(s, 0)));
        if (t.edges) id = edge_id(a.g, temporal_position(a.g, v, last));
        TemporalEdge e = TemporalEdge::at(a.g, last);
        v = e.vertex;
        next = e.next;
      } else {
        v = last = None;
      }
      out += t.stride;
      write_once(out, v);
      if (t.edges) {
        write_once(edges, id);
        edges += t.stride;
      }
    }
    // 3. Leave the last edge to the next launch.
    a.last_edges[row] = last;
  }
}

}  // namespace nd
