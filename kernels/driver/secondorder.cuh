// Walks of second order by rejection: a thread takes all steps of a row. Where all tries of a step are refused, which
// happens where one edge outweighs a hub's, the warp scans the row together.
#pragma once
#include "core/group.cuh"
#include "driver/rows.cuh"
#include "selector/reject.cuh"
#include "selector/scan.cuh"

namespace nd {

template <class Propose, class App> struct SecondOrderWalker {
  using Rows = typename Propose::Rows;
  const Walk& a;
  App app;
  u64 key;
  u32 vertex, previous, step;
  u32* out;    // where the next vertex is written
  i64* edges;  // and its edge

  ND_FN explicit SecondOrderWalker(const Walk& a) : a(a), app(a) {}

  // start takes up a row. A launch that does not begin at step 0 finds the vertices in the trace.
  ND_FN void start(u64 row) {
    const Trace& t = a.t;
    key = sample_key(a.b, row);
    step = (u32)t.begin, previous = None;
    out = t.vertices + t.begin * t.stride + row;
    edges = t.edges + t.begin * t.stride + row;
    if (t.begin == 0) write_once(out, vertex = root_of(a.b, row));
    else vertex = read_once(out), previous = read_once(out - t.stride);
    out += t.stride;
  }

  ND_FN void land(const Taken& e) {
    write_once(out, e.vertex);
    out += a.t.stride;
    if (a.t.edges) {
      write_once(edges, edge_id(a.g, e.position));
      edges += a.t.stride;
    }
    previous = vertex, vertex = e.vertex, step++;
  }

  // tries takes a step, unless all tries are refused.
  ND_FN bool tries() {
    Taken e{None, 0, NoEdge};
    if (vertex != None && !reject<Propose>(a.g, Rows::of(a.g, vertex), key, step, [&](const Taken& e) {
          return previous == None || app.template accepts<Rows>(a.g, previous, e.vertex, e.fraction);
        }, e)) return false;
    land(e);
    return true;
  }

  // scan_all takes the step of a walker whose tries were refused: all lanes come here with that walker's state. It is a
  // function of its own so that the steps before it need no registers for it.
  ND_COLD static Taken scan_all(const Walk& a, u64 word, u32 v, u32 before) {
    auto row = Rows::of(a.g, v);
    u32 at = scan<Warp>(word, row.degree, [&](u32 i) {
      u64 position = row.first + i, weight = 1;
      if (Propose::weighted) weight = fetch_far(a.g.biases + position);
      return weight ? weight * App::template bias<Rows>(a, before, fetch_far(a.g.indices + position)) : 0;
    });
    if (at == None) return {None, 0, NoEdge};
    return {fetch_far(a.g.indices + row.first + at), 0, row.first + at};
  }
};

// second_order takes the steps of a launch's rows. A lane whose tries were refused waits until the others of its warp have
// come to their ends, or to the same; so a step that goes on costs nothing for those that do not.
template <class Propose, class App> ND_FN void second_order(const Walk& a) {
  for (u64 first = a.b.from + thread_of_grid() - lane_index(); first < a.b.rows; first += threads_of_grid()) {
    u64 row = first + lane_index();
    u32 end = (u32)a.t.end;
    SecondOrderWalker<Propose, App> w(a);
    w.step = end;
    if (row < a.b.rows) w.start(row);
    for (;;) {
      while (w.step < end && w.tries()) {}
      u32 refused = Warp::vote(w.step < end);
      if (!refused) break;
      for (; refused; refused &= refused - 1) {
        u32 owner = lowest_bit(refused);
        u64 word = word_of(Warp::from(w.key, owner), slot_of(Warp::from(w.step, owner), MaxTries));
        Taken e = w.scan_all(a, word, Warp::from(w.vertex, owner), Warp::from(w.previous, owner));
        if (lane_index() == owner) w.land(e);
      }
    }
  }
}

}  // namespace nd
