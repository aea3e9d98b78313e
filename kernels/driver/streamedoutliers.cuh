// The walker of driver/streamedwalk.cuh of Node2Vec whose edges back are outliers: the tries of app/outliers.cuh, one
// access to a row at a time.
#pragma once
#include "app/outliers.cuh"
#include "driver/streamedwalk.cuh"

namespace nd {

// SecondOrderOutliers is a walker. Most tries read the row of the vertex only. A try of Near first reads a candidate in
// the row of the previous vertex, and then looks it up in the row of the vertex.
template <class Propose> struct SecondOrderOutliers : Streamed {
  // The present vertex, or None; the previous one, or None; the candidate, or None; the step in the upper 24 bits and
  // the number of tries so far in the lower 8; the degrees of the present and of the previous vertex; the phase.
  using State = Octet;
  enum Phase : u32 {
    Draw,    // the try is drawn at the row of the vertex
    LookUp,  // an edge from the previous vertex to the candidate is looked up
    Fetch,   // a try of Near reads its candidate
    Place    // and looks it up at the row of the vertex
  };
  u32 previous, candidate, step, tries, degree, from, phase;

  ND_FN SecondOrderOutliers(const StreamedWalk& a, u64 place, State s)
      : Streamed(a, place, s.x),
        previous(s.y),
        candidate(s.z),
        step(s.w >> 8),
        tries(s.w & 0xff),
        degree(s.degree),
        from(s.from),
        phase(s.phase) {}
  ND_FN static u32 row_for(const StreamedWalk& a, const Slots& slots, State s) {
    if (s.phase == LookUp) return row_of_edge(a, slots, s.y, s.z);
    return s.phase == Fetch ? s.y : s.x;
  }
  ND_FN State state() const { return {vertex, previous, candidate, step << 8 | tries, degree, from, phase, 0}; }

  ND_FN void advance(u32 of) {
    u64 word = word_of(key, slot_of(step, tries));
    switch (phase) {
      case LookUp: {
        bool near = in_row(w.g, PlainRows::of(w.g, of), of == previous ? candidate : previous);
        return near == Node2VecOutliers(w).near_is_more ? accept() : refuse();
      }
      case Fetch:
        return fetch_near(word);
      default:
        return at_row(word);
    }
  }

  // fetch_near reads the candidate of a try of Near. Edges back and parallel edges of the previous vertex are rejected.
  ND_FN void fetch_near(u64 word) {
    const u32* row = w.g.indices + PlainRows::of(w.g, previous).first;
    u32 j = (u32)below(mix(word ^ Gamma), (u64)from).index;
    candidate = fetch(row + j);
    if (candidate == previous || (j > 0 && fetch(row + j - 1) == candidate)) return refuse();
    phase = Place;
  }

  // at_row makes a try at the row of the vertex, or the second half of a try of Near.
  ND_FN void at_row(u64 word) {
    const Node2VecOutliers app(w);
    auto row = PlainRows::of(w.g, vertex);
    degree = row.degree;
    if (previous == None || degree == 0) return take(Propose::among(w.g, row, word));
    Reach reach = Reach::of(w.g, vertex);
    auto slots = app.slots_of(degree, from, reach);
    Below pick = below(word, slots.all);
    PickedEdge e;
    if (pick.index < degree) {
      e = Propose::at(w.g, row, {(u32)pick.index, pick.fraction}, word);
      if (slots.near > 0 || e.vertex == None || e.vertex == previous || e.fraction <= app.least) return take(e);
      if (e.fraction > app.most) return refuse();
      record_edge(step, e.position);  // if the candidate is refused, a later one overwrites it
      candidate = e.vertex;
      phase = LookUp;
      return;
    }
    u64 slot = pick.index - degree, scale = 1, factor = slots.back_factor;
    u32 to = previous;
    if (slot < slots.near) {
      if (phase == Draw) {
        phase = Fetch;
        return;
      }
      to = candidate;
      scale = from;
      factor = app.a.short_near;
    } else {
      slot -= slots.near;
      if (back_is_certain()) {
        if (outlier_within(slot, pick.fraction, reach.share(1), factor)) return take({previous, 0, NoEdge});
        return refuse();
      }
    }
    if (app.template leads<Propose::weighted>(row, reach, to, slot, pick.fraction, scale, factor, e)) take(e);
    else refuse();
  }

  // back_is_certain returns whether there is one edge back, without weights, and its position is not wanted.
  ND_FN bool back_is_certain() const { return !Propose::weighted && w.g.mirrored && !w.g.reach && !a.w.t.edges; }

  // take makes the step along an edge of the row of the vertex, or ends the walk.
  ND_FN void take(const PickedEdge& e) {
    if (e.vertex == None) return end();
    record_edge(step, e.position);
    candidate = e.vertex;
    accept();
  }
  ND_FN void accept() {
    record_vertex(step, candidate);
    previous = vertex;
    from = degree;
    vertex = candidate;
    next();
    tries = 0;
    if (++step == a.w.t.end) end();
  }
  // refuse continues with the next try. After the last one the host makes the sample.
  ND_FN void refuse() {
    next();
    if (++tries < Node2Vec::tries(0)) return;
    list_row(a.w.t, (u32)place);
    end();
  }
  ND_FN void next() {
    candidate = None;
    phase = Draw;
  }
};

}  // namespace nd
