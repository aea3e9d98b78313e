// Unweighted metapath walks: each step takes an edge with the label that the path has for the step. The twin of
// app.MetaPath.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// Path steps along the labels of a path, which repeats.
struct Path {
  static constexpr bool rooted = false;
  u32 at;  // the index in the path of the next step's label

  ND_FN Path(const Walk& a, u32) : at((u32)(a.t.begin % a.path_length)) {}
  template <class Move> ND_FN PickedEdge step(const Walk& a, u64 key, u64 s, Move& move) {
    if (move.vertex == None) return {None, 0, NoEdge};  // most walks end early: the rest of their rows must be cheap
    i32 label = a.path ? fetch(a.path + at) : (i32)(a.short_path >> 8 * at & 0xff);
    if (++at == a.path_length) at = 0;
    if (a.threshold > 0 && s > 0 && word_of(key, slot_of(s, HookTry)) >> 32 < a.threshold) move.set_vertex(a.g, None);
    PickedEdge e = move.pick(a.g, word_of(key, slot_of(s, 0)), label);
    if (a.t.edges && e.vertex != None) e.position = move.position(a.g, e.position);
    return e;
  }
};

}  // namespace nd
