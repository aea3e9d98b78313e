// Walks of second order by rejection, in two kernels:
//
//   1. second_order       a thread takes all steps of a row. A row with a step whose tries were all refused, which
//                         happens if one edge outweighs a hub's others, is listed. If the app scans short rows at
//                         once (LaneScan), only longer ones are listed
//   2. second_order_rest  finishes the listed rows: a warp scans a row together
//
// So the loop of tries needs no registers for the scan, and 2 costs nothing if nothing is listed.
//
// The app tells:
//
//   tries(degree)   the tries of a step before the scan
//   LaneScan        the longest row that a thread scans by itself, 0: none
//   accepts, bias   whether a proposal is accepted, and the bias that the scan gives the edge
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

  // The walker of a row before a step. Past the root it reads its vertices from the trace.
  ND_FN SecondOrderWalker(const Walk& a, u64 row, u32 step) : a(a), key(sample_key(a.b, row)), previous(None) {
    const Trace& t = a.t;
    out = t.vertices + step * t.stride + row;
    if (step == 0) write_once(out, vertex = root_of(a.b, row));
    else vertex = read_once(out), previous = read_once(out - t.stride);
    out += t.stride;
  }

  // advance writes a step and moves there.
  ND_FN void advance(const PickedEdge& e) {
    const Trace& t = a.t;
    write_once(out, e.vertex);
    if (t.edges) write_once(t.edges + (out - t.vertices) - t.stride, edge_id(a.g, e.position));
    out += t.stride;
    previous = vertex, vertex = e.vertex;
  }

  // walk takes steps from `step` on, and returns the one whose tries were all refused, or the launch's end.
  ND_FN u32 walk(u32 step) {
    const App app(a);
    for (; step < a.t.end; step++) {
      PickedEdge e{None, 0, NoEdge};
      if (vertex != None) {
        auto row = Rows::of(a.g, vertex);
        if (!reject<Propose>(a.g, row, key, step, App::tries(row.degree), [&](const PickedEdge& e) {
              return previous == None || app.template accepts<Rows>(a.g, previous, e.vertex, e.fraction);
            }, e)) {
          if (App::LaneScan == 0 || row.degree > App::LaneScan) break;
          e = scanned<Lane>(step);
        }
      }
      advance(e);
    }
    return step;
  }

  // scanned returns the edge of a step whose tries were refused, by a scan of the row; no edge if none has a bias. All
  // ranks of G call it for one walker.
  template <class G> ND_FN PickedEdge scanned(u32 step) const {
    auto row = Rows::of(a.g, vertex);
    u32 at = scan<G>(word_of(key, slot_of(step, MaxTries)), row.degree, [&](u32 i) {
      u64 position = row.first + i, weight = 1;
      if (Propose::weighted) weight = fetch_far(a.g.biases + position);
      return weight ? weight * App::template bias<Rows>(a, previous, fetch_far(a.g.indices + position)) : 0;
    });
    if (at == None) return {None, 0, NoEdge};
    return {fetch_far(a.g.indices + row.first + at), 0, row.first + at};
  }
};

// second_order takes the steps of a launch's rows. It lists the rows that it leaves, and writes their steps to lengths.
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

// second_order_rest takes the remaining steps of the listed rows. A lane whose tries are refused again waits until the
// other lanes of its warp have finished their rows, or are refused too.
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
        PickedEdge e = w.template scanned<Warp>(of);
        Warp::sync();  // before the owner writes, all have read where the walker is
        if (lane_index() == owner) w.advance(e);
      }
      if (step < end) step = Walker(a, row, step + 1).walk(step + 1);
      Warp::sync();
    }
  }
}

}  // namespace nd
