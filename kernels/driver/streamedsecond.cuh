// The walker of driver/streamedwalk.cuh of Node2Vec, one access to a row at a time.
#pragma once
#include "app/node2vec.cuh"
#include "driver/streamedwalk.cuh"

namespace nd {

// StreamedNode2Vec is a walker of Node2Vec. A candidate that neither the fraction of its word nor the previous vertex
// decides is kept in the state until the part with one of the rows that tell whether an edge from the previous vertex
// leads to it is in a slot. If every edge has its mirror, that is also the row of the candidate, which the next step
// reads.
template <class Move> struct StreamedNode2Vec : Streamed {
  // The present vertex, or None if the walk has ended; the previous vertex, or None; the candidate, or None; the step
  // in the upper 24 bits and the number of tries so far in the lower 8.
  using State = Quad;
  Node2Vec app;
  u32 previous, candidate, step, tries;

  ND_FN StreamedNode2Vec(const StreamedWalk& a, u64 place, State s)
      : Streamed(a, place, s.x), app(a.w), previous(s.y), candidate(s.z), step(s.w >> 8), tries(s.w & 0xff) {}
  ND_FN static u32 row_for(const StreamedWalk& a, const Slots& slots, State s) {
    return s.z == None ? s.x : row_of_edge(a, slots, s.y, s.z);
  }
  ND_FN State state() const { return {vertex, previous, candidate, step << 8 | tries}; }

  // advance reads one row: it looks the candidate up in it, or draws the next one. `row_for` chose the row.
  ND_FN void advance(u32 of) {
    if (candidate != None) {
      bool near = in_row(w.g, PlainRows::of(w.g, of), of == previous ? candidate : previous);
      return near == app.near_is_more ? accept() : refuse();
    }
    PickedEdge e = Move::among(w.g, PlainRows::of(w.g, vertex), word_of(key, slot_of(step, tries)));
    if (e.vertex == None) return end();
    candidate = e.vertex;
    record_edge(step, e.position);  // if the candidate is refused, a later one overwrites it
    if (previous == None) return accept();
    if (candidate == previous) return e.fraction <= app.back ? accept() : refuse();
    if (e.fraction > app.most) return refuse();
    if (e.fraction <= app.least) return accept();
  }
  ND_FN void accept() {
    record_vertex(step, candidate);
    previous = vertex;
    vertex = candidate;
    candidate = None;
    tries = 0;
    if (++step == a.w.t.end) end();
  }
  // refuse continues with the next try. After the last one the host makes the sample.
  ND_FN void refuse() {
    candidate = None;
    if (++tries < Node2Vec::tries(0)) return;
    list_row(a.w.t, (u32)place);
    end();
  }
};

}  // namespace nd
