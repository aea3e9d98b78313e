// The walkers of driver/streamedwalk.cuh along edges in order of time, as in driver/temporalwalk.cuh.
#pragma once
#include "driver/streamedwalk.cuh"
#include "selector/timebias.cuh"

namespace nd {

// InOrderOfTime is a walker. The edges that may follow the last one are at the end of the row of its vertex, so their
// number is enough to find them.
template <class Bias> struct InOrderOfTime : Streamed {
  // The present vertex, or None; the number of edges that may follow, or None for all; no meaning; the step.
  using State = Quad;
  u32 count, step;

  ND_FN InOrderOfTime(const StreamedWalk& a, u64 place, State s) : Streamed(a, place, s.x), count(s.y), step(s.w) {}
  ND_FN static u32 row_for(const StreamedWalk&, const Slots&, State s) { return s.x; }
  ND_FN State state() const { return {vertex, count, None, step}; }

  ND_FN void advance(u32) {
    auto row = PlainRows::of(w.g, vertex);
    if (count == None) count = row.degree;
    if (count == 0) return end();
    RowOf<u64> next{row.first + row.degree - count, count};
    u64 edge = next.first + Bias::among(w.g, next, word_of(key, slot_of(step, 0)));
    TemporalEdge e = TemporalEdge::at(w.g, edge);
    record(step, e.vertex, a.w.t.edges ? temporal_position(w.g, vertex, edge) : NoEdge);
    vertex = e.vertex;
    count = e.next.degree;
    if (++step == a.w.t.end || count == 0) end();
  }
};

}  // namespace nd
