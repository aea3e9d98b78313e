// Where the walks of first order lead, beside along the edge that was taken: the twins of app.DeepWalk and app.Teleport.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// Straight goes along the edge.
struct Straight {
  ND_FN Straight(const Walk&, u32) {}
  template <class Move> ND_FN PickedEdge step(const Walk& a, u64 key, u64 s, Move& move) {
    return move.pick(a.g, word_of(key, slot_of(s, 0)));
  }
};

// Teleport leaves the edge with a probability, and at sinks, for the root or for any vertex.
struct Teleport {
  u32 root;
  ND_FN Teleport(const Walk&, u32 root) : root(root) {}
  template <class Move> ND_FN PickedEdge step(const Walk& a, u64 key, u64 s, Move& move) {
    PickedEdge e = move.pick(a.g, word_of(key, slot_of(s, 0)));
    if (e.vertex != None && e.fraction >= a.threshold) return e;
    e = {root, 0, NoEdge};
    if (!a.home) e.vertex = (u32)below(word_of(key, slot_of(s, 1)), a.g.vertices).index;
    move.set_vertex(a.g, e.vertex);
    return e;
  }
};

}  // namespace nd
