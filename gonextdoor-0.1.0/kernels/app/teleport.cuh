// The steps of first-order walks: along the picked edge, or to another vertex. The twins of app.DeepWalk, and of
// app.Jump and app.Restart. Caller: driver/walk.cuh.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// Straight follows the picked edge.
struct Straight {
  static constexpr bool rooted = false;  // steps do not depend on the root
  ND_FN Straight(const Walk&, u32) {}
  template <class Move> ND_FN PickedEdge step(const Walk& a, u64 key, u64 s, Move& move) {
    return move.pick(a.g, word_of(key, slot_of(s, 0)));
  }
};

// Teleport follows the picked edge, but with a probability, and always at sinks, it moves to the root or to a vertex
// that is chosen uniformly at random.
struct Teleport {
  static constexpr bool rooted = true;
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
