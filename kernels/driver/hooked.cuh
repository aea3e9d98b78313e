// Walks with users' hooks, a thread for each walker: choices by the hook next, by stored biases or equal ones, or by a
// computed bias, from one root, from several side by side, or from a pool. Computed choices from one root have a faster
// driver, in which lanes help each other: driver/computed.cuh.
#pragma once
#include "app/hookruntime.cuh"
#include "selector/propose.cuh"
#include "selector/reservoir.cuh"
#include "selector/scan.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// The choices. Each takes an edge from c's transit; first is the slot of the choice's first word.

template <class H> struct ByNext {
  template <class C> ND_FN static PickedEdge choose(C& c, u64) { return {H::next(c), 0, NoEdge}; }
};

// By stored biases, or equal ones: selector/alias.cuh, selector/uniform.cuh.
template <class Move> struct ByTable {
  template <class C> ND_FN static PickedEdge choose(C& c, u64 first) {
    Move move;
    move.set_vertex(c.g, c.transit);
    return move.pick(c.g, word_of(c.key, first));
  }
};

// By EdgeBias: tries under the bound, then all candidates in one pass.
template <class Rows, class H> struct ByBias {
  template <class C> ND_FN static u32 weigh(C& c, u64 position, u32 dst) {
    return H::edge_bias(c, position, dst, [&] { return has_edge<Rows>(c.g, c.prev, dst); });
  }

  template <class C> ND_FN static PickedEdge choose(C& c, u64 first) {
    auto row = Rows::of(c.g, c.transit);
    if (row.degree == 0) return {None, 0, NoEdge};
    if constexpr (H::has_bound) {
      u32 bound = H::bound(c);
      for (u32 t = 0; t < tries(row.degree); t++) {
        auto p = propose(word_of(c.key, first + t), row.degree, bound);
        u64 position = row.first + p.index;
        u32 dst = fetch_far(c.g.indices + position), bias = weigh(c, position, dst);
        if (bias > bound) c.fault(kind::AboveBound);
        else if (bias > p.level) return {dst, 0, position};
      }
    }
    Reserve<Lane> held(derived_key(c.key, first + MaxTries, 0));
    for (u32 i = 0; i < row.degree; i++) {
      held.give(i, weigh(c, row.first + i, fetch(c.g.indices + row.first + i)));
    }
    if (held.held == None) return {None, 0, NoEdge};
    u64 position = row.first + held.held;
    return {fetch(c.g.indices + position), 0, position};
  }
};

// A walker, or a sample that moves one vertex of its pool at each step.
template <class Rows, class H, class Choice> struct Hooking {
  const Hooked& h;
  u64 row, column;
  u32 walker, side;
  u64 sample;  // its key
  bool on = true;
  u32 vertex = None, previous = None;  // without a pool

  ND_FN u64 slot(u64 step) const { return (h.w.b.width + step * side + walker) * h.w.t.stride + column; }
  ND_FN u32* pool(u32* of, u32 k) const { return of + (row * h.w.b.width + k); }

  ND_FN Place at(u64 step) const {
    if (side == 1) return {row, column, walker, step, sample, slot_of(step, HookTry)};
    return {row, column, walker, step, derived_key(sample, step, walker), HookSlot};
  }

  // begin puts the walker where it stands as the launch begins.
  ND_FN void begin() {
    const Trace& t = h.w.t;
    u32* roots = t.lengths ? nullptr : t.vertices + column;
    if (t.begin > 0) {
      u64 state = walker * t.stride + row;
      vertex = t.ends[state], previous = t.previous[state];
      on = vertex != None;
    } else if constexpr (H::has_vertex_bias) {
      vertex = 0;  // it goes on
      for (u32 k = 0; k < h.w.b.width; k++) {
        u32 root = root_of(h.w.b, row, k);
        *pool(h.w.pool, k) = root, *pool(h.w.pool_previous, k) = None;
        if (roots) write_once(roots + k * t.stride, root);
      }
    } else {
      vertex = root_of(h.w.b, row, walker);
      if (roots) write_once(roots + walker * t.stride, vertex);
    }
  }

  // leave keeps what the next launch begins with.
  ND_FN void leave() {
    const Trace& t = h.w.t;
    if (!t.ends) return;
    u64 state = walker * t.stride + row;
    t.ends[state] = on ? vertex : None, t.previous[state] = previous;
  }

  // drawn gives the number of the pool's vertex that moves, or None.
  template <class C> ND_FN u32 drawn(C& c) {
    u64 word = word_of(sample, slot_of((u64)c.step, PoolTry));
    return scan<Lane>(word, (u32)h.w.b.width, [&](u32 k) { return (u64)H::vertex_bias(c, *pool(h.w.pool, k)); });
  }

  // step takes a step, and gives what is recorded: the vertex, and the edge that led there.
  ND_FN PickedEdge step(u64 s) {
    auto c = ctx_at<Rows>(h, at(s), vertex, previous, side);
    u32 k = 0;
    if constexpr (H::has_vertex_bias) {
      c.transit = c.prev = None;
      k = drawn(c);
      on = k != None;
      if (on) c.transit = *pool(h.w.pool, k), c.prev = *pool(h.w.pool_previous, k);
    }
    PickedEdge e{None, 0, NoEdge};
    if (on && !H::stop(c)) e = Choice::choose(c, side == 1 ? slot_of(s, 0) : 0);
    u32 next = e.vertex;
    if (H::has_update && e.vertex != None) {
      next = H::update(c, e.position, e.vertex);
      if (next != None && next != e.vertex) e = {next, 0, NoEdge};
    }
    on = next != None;
    if constexpr (H::has_vertex_bias) {
      if (on) *pool(h.w.pool, k) = next, *pool(h.w.pool_previous, k) = c.transit;
    } else {
      previous = vertex, vertex = next;
    }
    report(h, row, s, c.wrong);
    return e;
  }

  // walk takes the launch's steps. Samples of one width have empty slots where they have ended.
  ND_FN void walk() {
    const Trace& t = h.w.t;
    begin();
    u64 s = t.begin;
    for (; s < t.end; s++) {
      if (!on && t.lengths) break;
      PickedEdge e{None, 0, NoEdge};
      if (on) e = step(s);
      if (e.vertex == None && t.lengths) break;
      write_once(t.vertices + slot(s), e.vertex);
      if (t.edges) write_once(t.edges + (s * side + walker) * t.stride + column, edge_id(h.w.g, e.position));
    }
    leave();
    if (!t.lengths) return;
    t.lengths[row] = (u32)s;
    if (!on) return;
    if (s == h.w.most) report(h, row, s, kind::NeverEnds);
    else goes_on(t, (u32)row);
  }
};

template <class Rows, class H, class Choice> ND_FN void hooked(const Hooked& h) {
  const Batch& b = h.w.b;
  u64 begin = b.from, rows = rows_end(b) - begin;
  u32 side = H::has_vertex_bias ? 1 : (u32)b.width;
  for (u64 i = thread_of_grid(); i < rows * side; i += threads_of_grid()) {
    u64 column = begin + i % rows, row = row_at(b, column);
    Hooking<Rows, H, Choice> walker{h, row, column, (u32)(i / rows), side, sample_key(b, row)};
    walker.walk();
  }
}

}  // namespace nd
