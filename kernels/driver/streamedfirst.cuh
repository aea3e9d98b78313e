// The walkers of driver/streamedwalk.cuh whose choices depend on the present vertex alone: those of driver/stopped.cuh
// and driver/multiroot.cuh, and the selectors of rows in parts.
#pragma once
#include "driver/streamedwalk.cuh"
#include "selector/bylabel.cuh"

namespace nd {

// KnownDegrees are the degrees of all vertices. The rows of vertices in other parts are not read.
struct KnownDegrees {
  ND_FN static RowOf<u64> of(const Graph& g, u32 v) { return {0, fetch_far(g.biased + v)}; }
};

// PlacedByLabel is a selector in rows by label that the host makes. Their places are counted from the begin of the row,
// so positions of 64 bits are possible.
template <class Select> struct PlacedByLabel : Select {
  u32 from;  // the vertex before the pick

  ND_FN void set_vertex(const Graph&, u32 v) { this->vertex = from = v; }
  ND_FN u64 position(const Graph& g, u64 place) const {
    return fetch(g.indptr + from) + fetch_far(g.label_positions + place);
  }
};

// Stopped ends with a probability after each step. If traces are stored, samples differ in length.
template <class Move> struct Stopped : StreamedFirst {
  using StreamedFirst::StreamedFirst;

  ND_FN void advance(u32) {
    const Trace& t = a.w.t;
    Move move;
    move.set_vertex(w.g, vertex);
    PickedEdge e = move.pick(w.g, word_of(key, slot_of(step, 0)));
    if (e.vertex == None) return end();
    record(step, vertex = e.vertex, e.position);
    step++;
    if (e.fraction < w.threshold) return end();
    if (step < t.end) return;
    if (step != w.most && t.alive) {
      t.ends[row] = vertex;
      list_row(t, (u32)row);
    }
    end();
  }
  ND_FN void end() {
    if (a.ragged) a.w.t.lengths[row] = step;
    Streamed::end();
  }
};

// ManyRoots is walker k of a sample of several roots, as in driver/multiroot.cuh.
template <class Move> struct ManyRoots : StreamedFirst {
  u64 k;

  ND_FN ManyRoots(const StreamedWalk& a, u64 place, State s)
      : StreamedFirst(a, place % a.w.b.rows, s), k(place / a.w.b.rows) {
    column += k * pitch;
    pitch *= a.walkers;
  }
  ND_FN void advance(u32) {
    Move move;
    move.set_vertex(w.g, vertex);
    StreamedFirst::move(move.pick(w.g, word_of(derived_key(key, step, k), 0)));
  }
};

}  // namespace nd
