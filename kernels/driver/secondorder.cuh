// Walks of second order by rejection. A thread takes all steps of a row; a row with a step whose tries were all refused,
// which happens where one edge outweighs a hub's, is left to a second kernel, whose warps scan rows together. So the loop
// of tries keeps no register for that, and what never happens costs nothing.
#pragma once
#include "core/group.cuh"
#include "driver/rows.cuh"
#include "selector/reject.cuh"
#include "selector/scan.cuh"

namespace nd {

template <class Propose, class App> struct SecondOrderWalker {
  using Rows = typename Propose::Rows;
  const Walk& a;
  u64 key;
  u32 vertex, previous;
  u32* out;  // where the next vertex is written

  // The walker of a row before a step. But for the root it finds where it is in the trace.
  ND_FN SecondOrderWalker(const Walk& a, u64 row, u32 step) : a(a), key(sample_key(a.b, row)), previous(None) {
    const Trace& t = a.t;
    out = t.vertices + step * t.stride + row;
    if (step == 0) write_once(out, vertex = root_of(a.b, row));
    else vertex = read_once(out), previous = read_once(out - t.stride);
    out += t.stride;
  }

  ND_FN void advance(const PickedEdge& e) {
    const Trace& t = a.t;
    write_once(out, e.vertex);
    if (t.edges) write_once(t.edges + (out - t.vertices) - t.stride, edge_id(a.g, e.position));
    out += t.stride;
    previous = vertex, vertex = e.vertex;
  }

  // walk takes steps from one on, and gives that whose tries were all refused, or the launch's end.
  ND_FN u32 walk(u32 step) {
    const App app(a);
    for (; step < a.t.end; step++) {
      PickedEdge e{None, 0, NoEdge};
      if (vertex != None && !reject<Propose>(a.g, Rows::of(a.g, vertex), key, step, [&](const PickedEdge& e) {
            return previous == None || app.template accepts<Rows>(a.g, previous, e.vertex, e.fraction);
          }, e)) break;
      advance(e);
    }
    return step;
  }

  // scanned is the edge that a step takes whose tries were refused: all lanes come here with one walker.
  ND_FN PickedEdge scanned(u32 step) const {
    auto row = Rows::of(a.g, vertex);
    u32 at = scan<Warp>(word_of(key, slot_of(step, MaxTries)), row.degree, [&](u32 i) {
      u64 position = row.first + i, weight = 1;
      if (Propose::weighted) weight = fetch_far(a.g.biases + position);
      return weight ? weight * App::template bias<Rows>(a, previous, fetch_far(a.g.indices + position)) : 0;
    });
    if (at == None) return {None, 0, NoEdge};
    return {fetch_far(a.g.indices + row.first + at), 0, row.first + at};
  }
};

// second_order takes the steps of a launch's rows. It lists the rows that it had to leave, and puts their steps in lengths.
template <class Propose, class App> ND_FN void second_order(const Walk& a) {
  const Trace& t = a.t;
  for (u64 row = a.b.from + thread_of_grid(); row < a.b.rows; row += threads_of_grid()) {
    u32 step = SecondOrderWalker<Propose, App>(a, row, (u32)t.begin).walk((u32)t.begin);
    if (step < t.end) {
      t.lengths[row] = step;
      goes_on(t, (u32)row);
    }
  }
}

// second_order_rest takes the steps of the rows that were left. A lane whose tries were refused again waits until the
// others of its warp have come to their ends, or to the same.
template <class Propose, class App> ND_FN void second_order_rest(const Walk& a) {
  using Walker = SecondOrderWalker<Propose, App>;
  u64 rows = rows_end(a.b);
  for (u64 first = a.b.from + thread_of_grid() - lane_index(); first < rows; first += threads_of_grid()) {
    bool there = first + lane_index() < rows;
    u32 row = there ? (u32)row_at(a.b, first + lane_index()) : 0, end = (u32)a.t.end;
    u32 step = there ? a.t.lengths[row] : end;
    for (u32 refused; (refused = Warp::vote(step < end));) {
      for (; refused; refused &= refused - 1) {
        u32 owner = lowest_bit(refused), of = Warp::from(step, owner);
        Walker w(a, Warp::from(row, owner), of);
        PickedEdge e = w.scanned(of);
        Warp::sync();  // before the owner writes, all have read where the walker is
        if (lane_index() == owner) w.advance(e);
      }
      if (step < end) step = Walker(a, row, step + 1).walk(step + 1);
      Warp::sync();
    }
  }
}

}  // namespace nd
