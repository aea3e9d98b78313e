// Second-order walks by rejection, in two kernels:
//
//   1. second_order       A thread takes all steps of a row. If all tries of a step are rejected, the thread stops
//                         there and lists the row. That happens if one edge outweighs all others of a hub.
//   2. second_order_rest  A warp finishes the listed rows: it scans a row with all lanes, then its lanes walk on.
//
// The split keeps the registers of the scan out of the first kernel, and a launch of the second costs little if the
// list is empty. Between the kernels, the trace holds the walk so far and Trace::lengths the step to resume at.
//
// A step costs O(1) expected per try, plus a lookup of an edge if the app asks for it; a scan costs O(degree / lanes).
//
// App is a struct of kernels/app, such as Node2Vec, with these members:
//
//   tries(degree)                           the tries of a step before the scan
//   LaneScan                                the longest row that a thread scans by itself; 0: none
//   accepts(g, previous, vertex, fraction)  whether a proposal is accepted; fraction has 32 random bits
//   bias(a, previous, vertex)               the bias of an edge in the scan, for the same distribution
//   outliers                                whether the app makes its tries itself, by the member choose
#pragma once
#include "core/group.cuh"
#include "driver/rows.cuh"
#include "selector/reject.cuh"
#include "selector/scan.cuh"

namespace nd {

// try_step makes the tries of a step from a vertex and its row; from is the row of the previous vertex, for apps with
// outliers. It stores the accepted edge in e and returns true, or returns false if all tries were rejected. An empty
// row counts as accepted: e is then no edge. Propose is the selector of proposals, Uniform or Alias.
template <class Propose, class App, class Row = typename Propose::Row>
ND_FN bool try_step(const Walk& a, const App& app, Row row, Row from, u64 key, u32 step, u32 previous, u32 vertex,
                    PickedEdge& e) {
  if constexpr (App::outliers) {
    return app.template choose<Propose>(row, from, key, step, previous, vertex, e);
  } else {
    auto accepts = [&](const PickedEdge& e) {
      return previous == None || app.template accepts<typename Propose::Rows>(a.g, previous, e.vertex, e.fraction);
    };
    return reject<Propose>(a.g, row, key, step, App::tries(row.degree), accepts, e);
  }
}

// scan_step returns the edge of a step after its tries were rejected, by a scan of the row, or no edge if no bias is
// positive. All ranks of G call it with the same walker. It reads each bias twice.
template <class G, class Propose, class App>
ND_FN PickedEdge scan_step(const Walk& a, u64 key, u32 step, u32 previous, u32 vertex) {
  using Rows = typename Propose::Rows;
  auto row = Rows::of(a.g, vertex);
  u32 at = scan<G>(word_of(key, slot_of(step, MaxTries)), row.degree, [&](u32 i) {
    u64 position = row.first + i, weight = 1;
    if (Propose::weighted) weight = fetch_far(a.g.biases + position);
    return weight ? weight * App::template bias<Rows>(a, previous, fetch_far(a.g.indices + position)) : 0;
  });
  if (at == None) return {None, 0, NoEdge};
  return {fetch_far(a.g.indices + row.first + at), 0, row.first + at};
}

// SecondOrderWalker is the state of one row, in registers.
template <class Propose, class App> struct SecondOrderWalker {
  using Rows = typename Propose::Rows;
  const Walk& a;
  u64 key;
  u32 vertex, previous;
  u32* out;  // the element of the trace that the next vertex is written to

  // The constructor restores the walker of a row before a step, from the trace. At step 0 it writes the root.
  ND_FN SecondOrderWalker(const Walk& a, u64 row, u32 step) : a(a), key(sample_key(a.b, row)), previous(None) {
    const Trace& t = a.t;
    out = t.vertices + step * t.stride + row;
    if (step == 0) {
      vertex = root_of(a.b, row);
      write_once(out, vertex);
    } else {
      vertex = read_once(out);
      previous = read_once(out - t.stride);
    }
    out += t.stride;
  }

  // advance writes the step along e and moves to its end point.
  ND_FN void advance(const PickedEdge& e) {
    const Trace& t = a.t;
    write_once(out, e.vertex);
    if (t.edges) write_once(t.edges + (out - t.vertices) - t.stride, edge_id(a.g, e.position));
    out += t.stride;
    previous = vertex;
    vertex = e.vertex;
  }

  // walk takes steps, beginning with `step`. It returns the step of which all tries were rejected, or the launch's end.
  ND_FN u32 walk(u32 step) {
    const App app(a);
    typename Propose::Row from{0, 0};  // the row of the previous vertex
    if (App::outliers && previous != None) from = Rows::of(a.g, previous);
    for (; step < a.t.end; step++) {
      PickedEdge e{None, 0, NoEdge};
      if (vertex != None) {
        auto row = Rows::of(a.g, vertex);
        bool accepted = try_step<Propose>(a, app, row, from, key, step, previous, vertex, e);
        if constexpr (App::outliers) from = row;
        if (!accepted) {
          if (App::LaneScan == 0 || row.degree > App::LaneScan) break;
          e = scanned<Lane>(step);
        }
      }
      advance(e);
    }
    return step;
  }

  // scanned returns the edge of a step whose tries were rejected, see scan_step.
  template <class G> ND_FN PickedEdge scanned(u32 step) const {
    return scan_step<G, Propose, App>(a, key, step, previous, vertex);
  }
};

// second_order takes the steps of a launch's rows. It lists the rows that it leaves unfinished in Trace::alive, and
// writes the step to resume at to Trace::lengths.
template <class Propose, class App> ND_FN void second_order(const Walk& a) {
  const Trace& t = a.t;
  for (u64 row = a.b.from + thread_of_grid(); row < a.b.rows; row += threads_of_grid()) {
    u32 step = SecondOrderWalker<Propose, App>(a, row, (u32)t.begin).walk((u32)t.begin);
    if (step < t.end) {
      t.lengths[row] = step;
      list_row(t, (u32)row);
    }
  }
}

// second_order_rest takes the remaining steps of the listed rows, a lane per row. It alternates two phases until all
// lanes have finished:
//
//   1. the warp scans the rows of all lanes that wait for a scan, one after the other, and their owners advance
//   2. each of these lanes walks on by itself until its tries are rejected again, or the launch ends
template <class Propose, class App> ND_FN void second_order_rest(const Walk& a) {
  using Walker = SecondOrderWalker<Propose, App>;
  u64 rows = rows_end(a.b);
  for (u64 first = a.b.from + thread_of_grid() - lane_index(); first < rows; first += threads_of_grid()) {
    bool there = first + lane_index() < rows;
    u32 row = there ? (u32)row_at(a.b, first + lane_index()) : 0, end = (u32)a.t.end;
    u32 step = there ? a.t.lengths[row] : end;
    for (;;) {
      u32 waiting = Warp::vote(step < end);
      if (waiting == 0) break;
      for (; waiting; waiting &= waiting - 1) {
        u32 owner = lowest_bit(waiting), of = Warp::from(step, owner);
        Walker w(a, Warp::from(row, owner), of);
        PickedEdge e = w.template scanned<Warp>(of);
        Warp::sync();  // all lanes have read the trace before the owner writes to it
        if (lane_index() == owner) w.advance(e);
      }
      if (step < end) step = Walker(a, row, step + 1).walk(step + 1);
      Warp::sync();
    }
  }
}

}  // namespace nd
