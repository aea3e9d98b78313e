// A step of second-order walks that several GPUs make together, see driver/exchange.cuh. As in driver/secondorder.cuh,
// rows of which all tries are rejected are listed, and a second kernel scans them. They are numbered over all homes.
// The test of an edge from the previous vertex reads the bitmap of edges first; the row it then searches may be in the
// memory of another GPU.
#pragma once
#include "driver/exchange.cuh"
#include "driver/secondorder.cuh"

namespace nd {

// previous_of returns the previous vertex of a row, or None before the first step.
ND_FN u32 previous_of(const Exchange& a, const ExchangeHome& home, u64 row) {
  return a.w.t.begin == 0 ? None : read_once(slot_at(home, a.w.t.begin - 1, row));
}

// exchange_second makes the step, or lists the row.
template <class Propose, class App> ND_FN void exchange_second(const Exchange& a) {
  using Rows = typename Propose::Rows;
  const Walk& w = a.w;
  const App app(w);
  each_owned(a, [&](const ExchangeHome& home, u64 row, u32 v) {
    u32 step = (u32)w.t.begin;
    PickedEdge e{None, 0, NoEdge};
    if (v != None) {
      u64 key = key_at(a, home, row);
      u32 previous = previous_of(a, home, row);
      typename Propose::Row of_v = Rows::of(w.g, v), from{0, 0};
      if (App::outliers && previous != None) from = Rows::of(w.g, previous);
      if (!try_step<Propose>(w, app, of_v, from, key, step, previous, v, e)) {
        if (App::LaneScan == 0 || of_v.degree > App::LaneScan) {
          list_row(w.t, (u32)(home.before + row));
          return;
        }
        e = scan_step<Lane, Propose, App>(w, key, step, previous, v);
      }
    }
    write_step(a, home, row, e);
  });
}

// exchange_second_rest makes the step of the listed rows: a warp scans the rows of its lanes one after the other.
template <class Propose, class App> ND_FN void exchange_second_rest(const Exchange& a) {
  const Walk& w = a.w;
  u64 rows = fetch(w.t.alive_count);
  for (u64 first = thread_of_grid() - lane_index(); first < rows; first += threads_of_grid()) {
    // 1. Find each lane's row.
    bool there = first + lane_index() < rows;
    ExchangeHome home{};
    u64 row = 0, key = 0;
    u32 v = None, previous = None;
    if (there) {
      u64 number = fetch(w.t.alive + first + lane_index());
      u32 at = 0;
      while (at + 1 < a.home_count && number >= a.homes[at + 1].before) at++;
      home = a.homes[at];
      row = number - home.before;
      key = key_at(a, home, row);
      v = read_once(slot_at(home, w.t.begin, row));
      previous = previous_of(a, home, row);
    }
    // 2. Scan.
    for (u32 waiting = Warp::vote(there); waiting; waiting &= waiting - 1) {
      u32 owner = lowest_bit(waiting);
      PickedEdge e = scan_step<Warp, Propose, App>(w, Warp::from(key, owner), (u32)w.t.begin,
                                                   Warp::from(previous, owner), Warp::from(v, owner));
      if (lane_index() == owner) write_step(a, home, row, e);
    }
  }
}

}  // namespace nd
