// Walks that stop by themselves: a thread takes a row's steps until it stops, or the launch's last one. Threads whose
// walk has stopped wait for their neighbours: with so few accesses a step, handing them another row costs more.
#pragma once
#include "driver/rows.cuh"
#include "selector/taken.cuh"

namespace nd {

// stopped takes the steps of the listed rows, and lists those that go on. Number i of the list has its trace in column i.
template <class Move> ND_FN void stopped(const Walk& a) {
  const Batch& b = a.b;
  const Trace& t = a.t;
  u64 end = rows_end(b);
  for (u64 i = b.from + thread_of_grid(); i < end; i += threads_of_grid()) {
    u64 row = row_at(b, i);
    u32 v = t.begin == 0 ? root_of(b, row) : t.ends[row];
    u32* out = t.vertices + (b.width + t.begin) * t.stride + i;
    i64* edges = t.edges + t.begin * t.stride + i;
    u64 key = sample_key(b, row);
    Move move;
    move.stand(a.g, v);
    u64 s = t.begin;
    bool on = s < t.end;
    while (on) {
      Taken e = move.take(a.g, word_of(key, slot_of(s, 0)));
      if (e.vertex == None) break;
      v = e.vertex;
      write_once(out, v);
      out += t.stride;
      if (t.edges) {
        write_once(edges, edge_id(a.g, e.position));
        edges += t.stride;
      }
      on = ++s < t.end;
      if (e.fraction < a.threshold) break;
      if (!on && s != a.most) {
        t.ends[row] = v;
        goes_on(t, (u32)row);
      }
    }
    t.lengths[row] = (u32)s;
  }
}

}  // namespace nd
