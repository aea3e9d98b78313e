// Walks of users' apps (compiled hooks), a thread per walker. A sample is one walker, several independent walkers (one
// per root), or a pool of which each step moves one vertex. The choice is a template parameter: by the hook next
// (ByNext), by stored biases or uniformly (ByTable), or by the hook edge_bias (ByBias), of all edges (InRow) or of
// those that may follow in time (InTime). Walks from one root by edge_bias that do not read the last edge use
// driver/computed.cuh instead, in which the lanes of a warp share the work.
//
// The hooks are a struct H of static functions, generated from the user's Python code; see NoHooks in app/ctx.cuh.
// H::has_... are constants, so code for absent hooks is not compiled. Kernels are compiled at run time
// (python/gonextdoor/udf/image.py), and a launch has one kernel.
#pragma once
#include "app/hookruntime.cuh"
#include "graph/temporalrows.cuh"
#include "selector/propose.cuh"
#include "selector/reservoir.cuh"
#include "selector/scan.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// The choices. choose picks an edge of c's transit; first is the slot of the choice's first word. If the choice is
// timed, last is HookWalker::timed, which becomes that of the picked edge.

// ByNext calls the hook next, which returns a vertex.
template <class H> struct ByNext {
  static constexpr bool timed = false;
  template <class C> ND_FN static PickedEdge choose(C& c, u64, u64&) { return {H::next(c), 0, NoEdge}; }
};

// ByTable picks by stored biases or uniformly: Move is Alias or Uniform.
template <class Move> struct ByTable {
  static constexpr bool timed = false;
  template <class C> ND_FN static PickedEdge choose(C& c, u64 first, u64&) {
    Move move;
    move.set_vertex(c.g, c.transit);
    return move.pick(c.g, word_of(c.key, first));
  }
};

// The candidates of a choice by bias: their number, and the edge of each; Far is a lone access.

// InRow are all edges of the row.
template <class Rows> struct InRow {
  static constexpr bool timed = false;
  typename Rows::Row row;
  u32 count;
  template <class C> ND_FN InRow(const C& c, u64) : row(Rows::of(c.g, c.transit)), count(row.degree) {}
  template <bool Far, class C> ND_FN PickedEdge edge(const C& c, u32 i) const {
    const u32* at = c.g.indices + row.first + i;
    return {Far ? fetch_far(at) : fetch(at), 0, row.first + i};
  }
  ND_FN void take(u64&, u32) const {}
};

// InTime are the edges that may follow the last one, in order of time: StepProgram.Follows. `last` is an index in the
// rows of graph/temporalrows.cuh.
template <class Rows> struct InTime {
  static constexpr bool timed = true;
  u64 row;    // the begin of the transit's row
  u64 first;  // candidate, in order of time
  u32 count;
  template <class C> ND_FN InTime(const C& c, u64 last) {
    auto all = Rows::of(c.g, c.transit);
    row = first = all.first;
    count = all.degree;
    if (last == NoEdge) return;
    auto next = TemporalEdge::at(c.g, last).next;
    first = next.first;
    count = next.degree;
  }
  template <bool Far, class C> ND_FN PickedEdge edge(const C& c, u32 i) const {
    return {TemporalEdge::at(c.g, first + i).vertex, 0, row + fetch_far(c.g.temporal_places + first + i)};
  }
  ND_FN void take(u64& last, u32 i) const { last = first + i; }
};

// ByBias picks by the hook edge_bias among candidates From. Cost: O(1) expected if the bound is close to the biases,
// O(candidates) otherwise.
template <class Rows, class H, class From = InRow<Rows>> struct ByBias {
  static constexpr bool timed = From::timed;
  template <class C> ND_FN static u32 weigh(C& c, u64 position, u32 dst) {
    return H::edge_bias(c, position, dst, [&] { return has_edge<Rows>(c.g, c.prev, dst); });
  }

  template <class C> ND_FN static PickedEdge choose(C& c, u64 first, u64& last) {
    From from(c, last);
    if (from.count == 0) return {None, 0, NoEdge};
    // 1. Propose candidates under the bound.
    if constexpr (H::has_bound) {
      u32 bound = H::bound(c);
      for (u32 t = 0; t < tries(from.count); t++) {
        auto p = propose(word_of(c.key, first + t), from.count, bound);
        PickedEdge e = from.template edge<true>(c, p.index);
        u32 bias = weigh(c, e.position, e.vertex);
        if (bias > bound) c.fault(kind::AboveBound);
        if (bias > bound || bias <= p.level) continue;
        from.take(last, p.index);
        return e;
      }
    }
    // 2. After all tries were rejected, or without a bound, weigh all candidates in one pass.
    Reserve<Lane> reservoir(derived_key(c.key, first + MaxTries, 0));
    for (u32 i = 0; i < from.count; i++) {
      PickedEdge e = from.template edge<false>(c, i);
      reservoir.give(i, weigh(c, e.position, e.vertex));
    }
    if (reservoir.held == None) return {None, 0, NoEdge};
    from.take(last, reservoir.held);
    return from.template edge<false>(c, reservoir.held);
  }
};

// HookWalker is one walker, or a sample that moves one vertex of its pool per step (if H has a vertex bias). Its state
// between launches is in Trace::ends and Trace::previous, one element per walker and row; pools are in Walk::pool.
template <class Rows, class H, class Choice> struct HookWalker {
  const Hooked& h;
  u64 row, column;                     // the row, and its column of the trace
  u32 walker, side;                    // its number among the sample's walkers, and how many these are
  u64 sample;                          // the sample's key
  bool on = true;                      // the walk has not ended
  u32 vertex = None, previous = None;  // unused with a pool, except that vertex is None once the walk has ended
  u64 edge = NoEdge;                   // the edge that led to vertex; unused with a pool
  u64 timed = NoEdge;                  // its index in the rows in order of time, if Choice::timed

  // slot returns the element of the trace that a step writes.
  ND_FN u64 slot(u64 step) const { return (h.w.b.width + step * side + walker) * h.w.t.stride + column; }
  // pool returns the address of pool vertex k in one of the two pool arrays, pool_edge that of its edge.
  ND_FN u32* pool(u32* of, u32 k) const { return of + (row * h.w.b.width + k); }
  ND_FN u64* pool_edge(u32 k) const { return h.pool_edges + (row * h.w.b.width + k); }

  // at returns the choice of a step: a sample with one walker keys its words by the sample, others derive a key each.
  ND_FN Place at(u64 step) const {
    if (side == 1) return {row, column, walker, step, sample, slot_of(step, HookTry)};
    return {row, column, walker, step, derived_key(sample, step, walker), HookSlot};
  }

  // begin restores the walker at the first step of the launch. At step 0 it writes the roots too, unless samples differ
  // in length: the compaction writes the roots of these.
  ND_FN void begin() {
    const Trace& t = h.w.t;
    u32* roots = t.lengths ? nullptr : t.vertices + column;
    if (t.begin > 0) {
      u64 state = walker * t.stride + row;
      vertex = t.ends[state];
      previous = t.previous[state];
      if (h.last_edges) edge = h.last_edges[state];
      on = vertex != None;
      if constexpr (Choice::timed) {
        timed = edge;
        if (on && timed != NoEdge) edge = temporal_position(h.w.g, previous, timed);
      }
    } else if constexpr (H::has_vertex_bias) {
      vertex = 0;  // any vertex: not None
      for (u32 k = 0; k < h.w.b.width; k++) {
        u32 root = root_of(h.w.b, row, k);
        *pool(h.w.pool, k) = root;
        *pool(h.w.pool_previous, k) = None;
        if (h.pool_edges) *pool_edge(k) = NoEdge;
        if (roots) write_once(roots + k * t.stride, root);
      }
    } else {
      vertex = root_of(h.w.b, row, walker);
      if (roots) write_once(roots + walker * t.stride, vertex);
    }
  }

  // save stores the state from which the next launch continues.
  ND_FN void save() {
    const Trace& t = h.w.t;
    if (!t.ends) return;
    u64 state = walker * t.stride + row;
    t.ends[state] = on ? vertex : None;
    t.previous[state] = previous;
    if (h.last_edges) h.last_edges[state] = Choice::timed ? timed : edge;
  }

  // select_pool_vertex returns the number of the pool vertex that moves, or None if no vertex bias is positive.
  template <class C> ND_FN u32 select_pool_vertex(C& c) {
    u64 word = word_of(sample, slot_of((u64)c.step, PoolTry));
    return scan<Lane>(word, (u32)h.w.b.width, [&](u32 k) { return (u64)H::vertex_bias(c, *pool(h.w.pool, k)); });
  }

  // step takes a step and returns the record of it: the vertex, and the edge that led there.
  ND_FN PickedEdge step(u64 s) {
    auto c = ctx_at<Rows>(h, at(s), vertex, previous, edge, side);
    // 1. Select the transit, if the sample has a pool.
    u32 k = 0;
    if constexpr (H::has_vertex_bias) {
      c.transit = c.prev = None;
      c.prev_edge = NoEdge;
      k = select_pool_vertex(c);
      on = k != None;
      if (on) {
        c.transit = *pool(h.w.pool, k);
        c.prev = *pool(h.w.pool_previous, k);
        if (h.pool_edges) c.prev_edge = *pool_edge(k);
      }
    }
    // 2. Stop, or choose an edge.
    PickedEdge e{None, 0, NoEdge};
    if (on && !H::stop(c)) e = Choice::choose(c, side == 1 ? slot_of(s, 0) : 0, timed);
    // 3. Let the hook update replace the vertex, or end the walk. Another vertex was not reached by an edge.
    u32 next = e.vertex;
    if (H::has_update && e.vertex != None) {
      next = H::update(c, e.position, e.vertex);
      if (next != None && next != e.vertex) e = {next, 0, NoEdge};
    }
    on = next != None;
    // 4. Advance.
    if constexpr (H::has_vertex_bias) {
      if (on) {
        *pool(h.w.pool, k) = next;
        *pool(h.w.pool_previous, k) = c.transit;
        if (h.pool_edges) *pool_edge(k) = e.position;
      }
    } else {
      previous = vertex;
      vertex = next;
      edge = e.position;
    }
    report(h, row, s, c.wrong);
    return e;
  }

  // walk takes the steps of the launch. Samples of fixed width have empty slots after their end. Samples of different
  // lengths report their length, and are listed if they have not ended.
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
    save();
    if (!t.lengths) return;
    t.lengths[row] = (u32)s;
    if (!on) return;
    if (s == h.w.most) report(h, row, s, kind::NeverEnds);
    else list_row(t, (u32)row);
  }
};

// hooked walks the rows of a launch, a thread per walker. Consecutive threads have the same walker of consecutive rows,
// so their accesses to the trace are coalesced.
template <class Rows, class H, class Choice> ND_FN void hooked(const Hooked& h) {
  const Batch& b = h.w.b;
  u64 begin = b.from, rows = rows_end(b) - begin;
  u32 side = H::has_vertex_bias ? 1 : (u32)b.width;
  for (u64 i = thread_of_grid(); i < rows * side; i += threads_of_grid()) {
    u64 column = begin + i % rows, row = row_at(b, column);
    HookWalker<Rows, H, Choice> walker{h, row, column, (u32)(i / rows), side, sample_key(b, row)};
    walker.walk();
  }
}

}  // namespace nd
