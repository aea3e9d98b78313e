// Walks that stop by themselves: a thread takes a row's steps until it stops, or the launch's last one. Threads whose
// walk has stopped wait for their neighbours: with so few accesses a step, handing them another row costs more.
#pragma once
#include "driver/rows.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// stopped takes the steps of the rows on places from ... of a list, from being a multiple of a warp, and lists those that
// go on. What a warp writes is woven: at each step the vertices of its lanes that took it, side by side, the next step's
// behind them; so memory sees no gaps where walks have stopped. A warp has room for all its lanes' steps.
template <class Move> ND_FN void stopped(const Walk& a) {
  const Batch& b = a.b;
  const Trace& t = a.t;
  u64 end = rows_end(b);
  for (u64 i = b.from + thread_of_grid(); i - lane_index() < end; i += threads_of_grid()) {
    bool there = i < end, on = there && t.begin < t.end;
    u64 row = there ? row_at(b, i) : 0, key = sample_key(b, row), s = t.begin;
    Move move;
    u32 v = None;
    if (there) v = t.begin == 0 ? root_of(b, row) : t.ends[row];
    move.set_vertex(a.g, v);
    u64 at = (i - lane_index()) * (t.end - t.begin);
    for (;;) {
      PickedEdge e{None, 0, NoEdge};
      if (on) e = move.pick(a.g, word_of(key, slot_of(s, 0)));
      on = e.vertex != None;
      u32 took = ballot(~0u, on);
      if (took == 0) break;
      if (on) {
        v = e.vertex;
        u64 place = at + lanes_below(took);
        write_once(t.vertices + place, v);
        if (t.edges) write_once(t.edges + place, edge_id(a.g, e.position));
        on = ++s < t.end && e.fraction >= a.threshold;
        if (s == t.end && e.fraction >= a.threshold && s != a.most) {
          t.ends[row] = v;
          goes_on(t, (u32)row);
        }
      }
      at += count_bits(took);
    }
    if (there) t.lengths[row] = (u32)s;
  }
}

}  // namespace nd
