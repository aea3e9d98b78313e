// The walkers of driver/streamedwalk.cuh whose choices depend on the present vertex alone: those of driver/walk.cuh,
// driver/stopped.cuh and driver/multiroot.cuh.
#pragma once
#include "app/metropolis.cuh"
#include "driver/streamedwalk.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// StreamedFirst is a walker whose state is its vertex and its step.
struct StreamedFirst : Streamed {
  using State = Pair;
  u32 step;

  ND_FN StreamedFirst(const StreamedWalk& a, u64 place, State s) : Streamed(a, place, s.x), step(s.y) {}
  ND_FN static u32 row_for(const StreamedWalk&, const Residence&, State s) { return s.x; }
  ND_FN State state() const { return {vertex, step}; }

  // move makes a step to v.
  ND_FN void move(u32 v, u64 position) {
    record(step, v, position);
    vertex = v;
    if (++step == a.w.t.end) end();
  }
};

// FirstOrder steps by App::step, which picks edges by Move.
template <class Move, class App> struct FirstOrder : StreamedFirst {
  using StreamedFirst::StreamedFirst;

  ND_FN void advance(u32) {
    w.t.begin = step;  // for Path
    App app(w, App::rooted ? root_of(w.b, row) : 0);
    Move move;
    move.set_vertex(w.g, vertex);
    PickedEdge e = app.step(w, key, step, move);
    if (e.vertex == None) end();
    else StreamedFirst::move(e.vertex, e.position);
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
    PickedEdge e = move.pick(w.g, word_of(derived_key(key, step, k), 0));
    if (e.vertex == None) end();
    else StreamedFirst::move(e.vertex, e.position);
  }
};

// StreamedMetropolis is a walker of Metropolis. The degrees of all vertices are in GPU memory, so that a proposal needs
// no second part.
struct StreamedMetropolis : StreamedFirst {
  using StreamedFirst::StreamedFirst;

  ND_FN void advance(u32) {
    auto row = PlainRows::of(w.g, vertex);
    if (row.degree == 0) return end();
    PickedEdge e = Metropolis::propose(w.g, row, key, step);
    if (!Metropolis::accepts(key, step, row.degree, fetch_far(a.degrees + e.vertex))) e = Metropolis::stay(vertex, e);
    move(e.vertex, e.position);
  }
};

}  // namespace nd
