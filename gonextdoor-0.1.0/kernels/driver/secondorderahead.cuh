// Second-order walks whose steps differ much in their number of tries. The lanes of a warp are at different steps: each
// makes a group of tries per iteration, and begins its next step as soon as one is accepted.
//
// second_order_ahead replaces the kernel second_order of driver/secondorder.cuh; second_order_rest finishes the rows
// that it lists. App is a struct such as Node2VecAhead, with these members:
//
//   Group                     the number of tries in a group
//   Step                      what the tries of a step depend on
//   attempt(step, term, e)    makes a group of tries
#pragma once
#include "driver/secondorder.cuh"

namespace nd {

// take_steps takes the steps of a walker, beginning with `step`. It returns the step of which all tries were rejected,
// or the launch's end.
template <class Propose, class App> ND_FN u32 take_steps(SecondOrderWalker<Propose, App>& w, u32 step) {
  using Rows = typename Propose::Rows;
  const Walk& a = w.a;
  const App app(a);
  typename App::template Step<typename Rows::Row> s{};
  s.key = w.key;
  if (w.previous != None) s.row = Rows::of(a.g, w.previous);
  for (u32 tries = 0; step < a.t.end;) {
    if (tries == 0) {  // the step begins
      s.from = s.row;
      s.vertex = w.vertex;
      s.previous = w.previous;
      s.row = {0, 0};
      if (w.vertex != None) {
        s.row = Rows::of(a.g, w.vertex);
        if constexpr (Propose::weighted) s.reach = Reach::of(a.g, w.vertex);
      }
    }
    PickedEdge e{None, 0, NoEdge};
    u64 term = (slot_of(step, tries) + 1) * Gamma;
    bool accepted = true;
    if (s.previous == None || s.row.degree == 0) e = Propose::among(a.g, s.row, mix(s.key ^ term));
    else accepted = app.template attempt<Propose>(s, term, e);
    if (accepted) {
      w.advance(e);
      step++;
      tries = 0;
    } else {
      tries += App::Group;
      if (tries == MaxTries) break;
    }
  }
  return step;
}

// second_order_ahead is second_order by take_steps.
template <class Propose, class App> ND_FN void second_order_ahead(const Walk& a) {
  const Trace& t = a.t;
  for (u64 row = a.b.from + thread_of_grid(); row < a.b.rows; row += threads_of_grid()) {
    SecondOrderWalker<Propose, App> w(a, row, (u32)t.begin);
    u32 step = take_steps(w, (u32)t.begin);
    if (step < t.end) {
      t.lengths[row] = step;
      list_row(t, (u32)row);
    }
  }
}

}  // namespace nd
