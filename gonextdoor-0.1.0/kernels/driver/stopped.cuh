// Walks that stop with a probability after each step. A thread takes a row's steps until the walk stops, a sink is
// reached, or the launch ends. Lanes whose walk has stopped idle until their warp is done: a step makes only one or two
// memory accesses, so assigning new rows to them costs more than it saves.
#pragma once
#include "driver/rows.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// stopped takes the steps of the rows at the places Batch::from ... of a list (from is a multiple of WarpSize), and
// lists the rows that a later launch continues. Its trace is interleaved: at each step the warp writes the vertices of
// the lanes that took it next to one another, and those of the next step after them, so stopped walks leave no gaps. A
// warp owns WarpSize * (end - begin) elements of the trace; driver/interleaved.cuh compacts them.
template <class Move> ND_FN void stopped(const Walk& a) {
  const Batch& b = a.b;
  const Trace& t = a.t;
  u64 end = rows_end(b);
  for (u64 i = b.from + thread_of_grid(); i - lane_index() < end; i += threads_of_grid()) {
    // 1. Restore the walker. Lanes past the last row stay in the loop, since all lanes vote.
    bool there = i < end, on = there && t.begin < t.end;
    u64 row = there ? row_at(b, i) : 0, key = sample_key(b, row), s = t.begin;
    Move move;
    u32 v = None;
    if (there) v = t.begin == 0 ? root_of(b, row) : t.ends[row];
    move.set_vertex(a.g, v);
    u64 at = (i - lane_index()) * (t.end - t.begin);  // the warp's next free element of the trace
    // 2. Take steps until no lane of the warp has taken one.
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
          list_row(t, (u32)row);
        }
      }
      at += count_bits(took);
    }
    // 3. Write the length. A row that was listed above gets its final length from a later launch.
    if (there) t.lengths[row] = (u32)s;
  }
}

}  // namespace nd
