// Walks of second order by rejection: a thread takes all steps of a row. Where all tries of a step are refused, which
// happens where one edge outweighs a hub's, the warp scans the row together.
#pragma once
#include "core/group.cuh"
#include "driver/rows.cuh"
#include "selector/reject.cuh"
#include "selector/scan.cuh"

namespace nd {

template <class Propose, class App> struct SecondWalker {
  using Rows = typename Propose::Rows;
  const Walk& a;
  App app;
  u64 key = 0;
  u32 vertex = None, previous = None;

  ND_FN explicit SecondWalker(const Walk& a) : a(a), app(a) {}

  // scan_all chooses for a walker whose tries were refused: all lanes come here with that walker's state.
  ND_COLD Taken scan_all(u64 word, u32 v, u32 before) const {
    auto row = Rows::of(a.g, v);
    u32 at = scan<Warp>(word, row.degree, [&](u32 i) {
      u64 position = row.first + i, weight = 1;
      if (Propose::weighted) weight = fetch_far(a.g.biases + position);
      return weight ? weight * App::template bias<Rows>(a, before, fetch_far(a.g.indices + position)) : 0;
    });
    if (at == None) return {None, 0, NoEdge};
    return {fetch_far(a.g.indices + row.first + at), 0, row.first + at};
  }

  // step takes one step of each lane's walker.
  ND_FN Taken step(u64 s) {
    Taken e{None, 0, NoEdge};
    bool refused = false;
    if (vertex != None) {
      refused = !reject<Propose>(a.g, Rows::of(a.g, vertex), key, s, [&](const Taken& e) {
        return previous == None || app.template accepts<Rows>(a.g, previous, e.vertex, e.fraction);
      }, e);
    }
    for (u32 left = Warp::vote(refused); left; left &= left - 1) {
      u32 owner = lowest_bit(left);
      u64 word = word_of(Warp::from(key, owner), slot_of(s, MaxTries));
      Taken found = scan_all(word, Warp::from(vertex, owner), Warp::from(previous, owner));
      if (lane_index() == owner) e = found;
    }
    previous = vertex, vertex = e.vertex;
    return e;
  }
};

// second_order takes the steps of a launch's rows. A launch that does not begin at step 0 finds the vertices in the trace. All
// lanes of a warp walk on together, those without a row too.
template <class Propose, class App> ND_FN void second_order(const Walk& a) {
  const Trace& t = a.t;
  for (u64 first = a.b.from + thread_of_grid() - lane_index(); first < a.b.rows; first += threads_of_grid()) {
    u64 row = first + lane_index();
    bool there = row < a.b.rows;
    SecondWalker<Propose, App> walker(a);
    u32* out = t.vertices + t.begin * t.stride + row;
    i64* edges = t.edges + t.begin * t.stride + row;
    if (there) {
      walker.key = sample_key(a.b, row);
      if (t.begin == 0) write_once(out, walker.vertex = root_of(a.b, row));
      else walker.vertex = read_once(out), walker.previous = read_once(out - t.stride);
    }
    for (u64 s = t.begin; s < t.end; ++s) {
      Taken e = walker.step(s);
      out += t.stride;
      if (there) write_once(out, e.vertex);
      if (t.edges && there) {
        write_once(edges, edge_id(a.g, e.position));
        edges += t.stride;
      }
    }
  }
}

}  // namespace nd
