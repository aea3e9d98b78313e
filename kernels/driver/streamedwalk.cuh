// Walks on a graph that does not fit in GPU memory. The graph is cut into parts, ranges of rows, which the host copies
// to slots in GPU memory, one part after another (gonextdoor/engine/gpu/internal/parts/walk.go). A walker advances
// while the row that it reads next is in a slot. Then it waits for the part of that row. The kernels:
//
//   1. streamed_enter   Place the walkers of each row at its roots, and count the walkers of each part.
//   2. streamed_*       Advance the walkers whose row is in a slot, and count the walkers that wait for each part.
//                       Launched after each copy, while the next part is copied to another slot.
//   3. streamed_patch   Node2Vec: write the samples that the host made.
//
// A part has the arrays of a graph that its walk reads. Their addresses are shifted by the part's first row and first
// edge, so that vertices and positions are those of the complete graph, and all selectors of rows run unchanged.
//
// A block lists the walkers of a tile that can advance, in shared memory, so that all its threads have one. Reading the
// states of all walkers costs much less than a copy: the GPU reads about 70 times as many bytes per second as the link
// brings, and a state has 8 or 16 bytes.
//
// The words of a walker are keyed by its row and step. So the order of the parts, their number and the moment at which
// a walker waits do not change a sample.
//
// This file has what all walks share. The walkers are in driver/residence.cuh and driver/streamed*.cuh, a class for
// each kind of step:
//
//   State            Pair, Quad or Octet: what is kept of a walker that waits. Its first number is a vertex, or None if
//                    the walk has ended. A Pair begins as {root, the first step}, the others as {root, None, None, 0}.
//   row_for(...)     the row that the walker of a state reads next
//   advance(row)     reads that row, which is in w.g
//   scans, by_warp   whether advance may leave a row to a warp: it then sets `waits`, and all lanes call by_warp
#pragma once
#include "driver/residence.cuh"

namespace nd {

constexpr u32 MostParts = 254;  // parts of a graph; a byte with another number is an empty slot
constexpr u32 PartSlots = 8;    // slots, at most

// StreamedWalk is the parameter of the kernels of walks whose graph is copied part by part.
struct StreamedWalk {
  Walk w;  // g has no arrays, but Graph::biased: the degrees of all vertices, for walks that read those of other rows
  const u32* bounds;       // parts+1: the first row of each part, and the end of the last
  u64 parts;               // at most MostParts
  Graph slots[PartSlots];  // g with the arrays of the part in each slot
  u64 resident;  // the part in slot k in the bits from 8*k on; a number that is no part: the slot is not to be read
  void* states;  // of the walkers: Pair, or Quad of second order
  u64* waiting;  // per part the number of walkers that wait for it; zero before the launch
  u32* last;     // per row the last vertex, if there is no trace; 0: not wanted
  u64 steps;     // accesses to rows that a walker makes in a launch, at most
  u64 walkers;   // of a row; walker k of row r has state k*rows + r
  u64 words;     // the size of a state: 2 for Pair, 4 for Quad, 8 for Octet
  u64 ragged;    // 1 if samples differ in length
  u64 patches;   // samples that the host made, of the rows in t.alive
  const u32* patch_vertices;
  const i64* patch_edges;
};

constexpr u32 StreamedRows = 8;  // walkers per thread and tile
constexpr u32 StreamedThreads = 256;
constexpr u32 StreamedTile = StreamedRows * StreamedThreads;

// Octet is the state of a walker with three numbers more than a Quad.
struct alignas(16) Octet {
  u32 x, y, z, w, degree, from, phase, unused;
};

// Slots is what a block knows of the parts, in shared memory.
struct Slots {
  const StreamedWalk& a;
  u32* bounds;   // parts+1: the first row of each part
  u32* slots;    // per part its slot, or None
  u32* waiting;  // per part the walkers of the block that wait for it

  // begin reads the parts; a block barrier must follow.
  ND_FN void begin() {
    for (u32 p = thread_index(); p <= a.parts; p += block_size()) {
      bounds[p] = fetch(a.bounds + p);
      if (p == a.parts) break;
      waiting[p] = 0;
      slots[p] = None;
      for (u32 k = 0; k < PartSlots; k++)
        if ((a.resident >> 8 * k & 0xff) == p) slots[p] = k;
    }
  }
  // part_of returns the part of a row, by binary search: the last part that begins at or before v.
  ND_FN u32 part_of(u32 v) const {
    u32 low = 0, high = (u32)a.parts;  // bounds[low] <= v < bounds[high]
    while (high - low > 1) {
      u32 middle = (low + high) / 2;
      if (bounds[middle] <= v) low = middle;
      else high = middle;
    }
    return low;
  }
  ND_FN bool has(u32 part) const { return slots[part] != None; }
  // enter lets g read the rows of a part that is in a slot. Its numbers are those of all parts: as elements of the
  // parameter's array they would be kept in registers.
  ND_FN void enter(Graph& g, u32 part) const {
    const Graph& all = a.w.g;
    g = a.slots[slots[part]];
    g.vertices = all.vertices;
    g.id_size = all.id_size;
    g.label_kinds = all.label_kinds;
    g.mirrored = all.mirrored;
    g.biased = all.biased;
  }
  // wait counts a walker that waits for a part.
  ND_FN void wait(u32 part) { add_atomic(waiting + part, 1u); }
  // end adds the counts to those of the grid, after a block barrier.
  ND_FN void end() {
    for (u32 p = thread_index(); p < a.parts; p += block_size())
      if (waiting[p]) add_atomic(a.waiting + p, (u64)waiting[p]);
  }
};

// ND_SLOTS declares Slots with their shared memory.
#define ND_SLOTS(name, a)                       \
  ND_SHARED(u32, name##_bounds, MostParts + 1); \
  ND_SHARED(u32, name##_slots, MostParts);      \
  ND_SHARED(u32, name##_waiting, MostParts);    \
  Slots name { a, name##_bounds, name##_slots, name##_waiting }

// count_visit counts a visit, if visits are wanted.
ND_FN void count_visit(const StreamedWalk& a, u32 v) {
  if (a.w.counts) add_atomic(a.w.counts + v, (u64)1);
}

// row_of_edge returns a row that tells whether an edge leads from u to v: that of u or, if every edge has its mirror,
// that of v, which the next step of a walk to v reads.
ND_FN u32 row_of_edge(const StreamedWalk& a, const Slots& slots, u32 u, u32 v) {
  if (!a.w.g.mirrored || !slots.has(slots.part_of(v)) && slots.has(slots.part_of(u))) return u;
  return v;
}

// walkers_end returns the end of the walkers of a launch, which begin at Batch::from.
ND_FN u64 walkers_end(const StreamedWalk& a) { return a.w.b.rows * a.walkers; }

// enter_walkers is the kernel streamed_enter. A launch that does not begin at step 0 reads the present vertices from
// Trace::ends. A walk without steps has ended.
ND_FN void enter_walkers(const StreamedWalk& a) {
  ND_SLOTS(slots, a);
  const Trace& t = a.w.t;
  slots.begin();
  sync_block();
  for (u64 i = a.w.b.from + thread_of_grid(); i < walkers_end(a); i += threads_of_grid()) {
    u64 k = a.walkers > 1 ? i / a.w.b.rows : 0, place = i - k * a.w.b.rows, row = row_at(a.w.b, place);
    u32 v = t.begin == 0 ? root_of(a.w.b, row, k) : t.ends[row];
    if (t.begin == 0) {
      count_visit(a, v);
      if (t.vertices && !a.ragged) write_once(t.vertices + k * t.stride + place, v);
    }
    bool on = t.begin < t.end;
    if (a.ragged) t.lengths[row] = (u32)t.begin;
    else if (!on && a.last) a.last[row] = v;
    if (on) slots.wait(slots.part_of(v));
    if (!on) v = None;
    if (a.words == 8) ((Octet*)a.states)[i] = {v, None, None, 0, 0, 0, 0, 0};
    else if (a.words == 4) ((Quad*)a.states)[i] = {v, None, None, 0};
    else ((Pair*)a.states)[i] = {v, (u32)t.begin};
  }
  sync_block();
  slots.end();
}

// Streamed is the residence of a walker whose vertex has its row in a slot, in a thread's registers.
struct Streamed {
  static constexpr bool scans = false;
  const StreamedWalk& a;
  Walk w;  // with the part that the walker is in
  u64 place, row, key;
  u64 column, pitch;   // of the trace: step s is at s*pitch + column
  u32 vertex;          // None: the walk has ended
  bool waits = false;  // for a warp

  ND_FN Streamed(const StreamedWalk& a, u64 place, u32 vertex)
      : a(a),
        w(a.w),
        place(place),
        row(row_at(a.w.b, place)),
        key(sample_key(a.w.b, row)),
        column(place),
        pitch(a.w.t.stride),
        vertex(vertex) {}

  // record writes a step, which led to v along the edge at a position, or along none.
  ND_FN void record(u32 step, u32 v, u64 position) const {
    record_vertex(step, v);
    record_edge(step, position);
  }
  ND_FN void record_vertex(u32 step, u32 v) const {
    count_visit(a, v);
    if (a.w.t.vertices) write_once(a.w.t.vertices + (u64)(step + 1) * pitch + column, v);
  }
  ND_FN void record_edge(u32 step, u64 position) const {
    if (a.w.t.edges) write_once(a.w.t.edges + (u64)step * pitch + column, edge_id(w.g, position));
  }
  ND_FN bool walks() const { return true; }
  ND_FN u32 root() const { return root_of(w.b, row); }
  ND_FN void leave_to_warp() { waits = true; }
  // end ends the walk at its vertex.
  ND_FN void end() {
    if (a.last) a.last[row] = vertex;
    vertex = None;
  }
};

// StreamedFirst is the residence of a walker whose state is its vertex and its step.
struct StreamedFirst : Streamed {
  using State = Pair;
  u32 step;

  ND_FN StreamedFirst(const StreamedWalk& a, u64 place, State s) : Streamed(a, place, s.x), step(s.y) {}
  ND_FN static u32 row_for(const StreamedWalk&, const Slots&, State s) { return s.x; }
  ND_FN State state() const { return {vertex, step}; }
  ND_FN const Walk& at_step() {
    w.t.begin = step;
    return w;
  }
  ND_FN void move(const PickedEdge& e) {
    if (e.vertex == None) return end();
    record(step, vertex = e.vertex, e.position);
    if (++step == a.w.t.end) end();
  }
};

// StreamedSecond is the residence of a walker whose state has the previous vertex too.
struct StreamedSecond : Streamed {
  // The present vertex, or None; the previous one, or None; no meaning; the step.
  using State = Quad;
  u32 previous, step;

  ND_FN StreamedSecond(const StreamedWalk& a, u64 place, State s) : Streamed(a, place, s.x), previous(s.y), step(s.w) {}
  ND_FN static u32 row_for(const StreamedWalk&, const Slots&, State s) { return s.x; }
  ND_FN State state() const { return {vertex, previous, None, step}; }
  ND_FN u32 before() const { return previous; }
  ND_FN void move(const PickedEdge& e) {
    if (e.vertex == None) return end();
    record(step, e.vertex, e.position);
    previous = vertex;
    vertex = e.vertex;
    if (++step == a.w.t.end) end();
  }
};

// advance_walkers is the body of the kernels that advance walkers of a kind. A launch makes up to `steps` accesses to
// rows per walker, so that it stays short.
template <class Walker> ND_FN void advance_walkers(const StreamedWalk& a) {
  using State = typename Walker::State;
  ND_SLOTS(slots, a);
  ND_SHARED(u32, list, StreamedTile);
  ND_SHARED(u32, scans, Walker::scans ? StreamedTile : 1);
  ND_SHARED(u32, counters, 2);
  u32 *listed = counters, *scanned = counters + 1;
  State* states = (State*)a.states;
  slots.begin();
  for (u64 first = a.w.b.from + (u64)block_index() * StreamedTile; first < walkers_end(a);
       first += (u64)grid_size() * StreamedTile) {
    // 1. List the walkers that can advance, and count the others.
    if (thread_index() == 0) *listed = *scanned = 0;
    sync_block();
    for (u32 k = 0; k < StreamedRows; k++) {
      u32 number = k * StreamedThreads + thread_index();
      bool can = false;
      if (first + number < walkers_end(a)) {
        State s = states[first + number];
        if (s.x != None) {
          u32 part = slots.part_of(Walker::row_for(a, slots, s));
          can = slots.has(part);
          if (!can) slots.wait(part);
        }
      }
      u32 able = ballot(~0u, can), begin = 0;
      if (lane_index() == 0 && able) begin = add_atomic(listed, count_bits(able));
      begin = shuffle(~0u, begin, 0);
      if (can) list[begin + lanes_below(able)] = number;
    }
    sync_block();
    // 2. Advance them.
    for (u32 n = thread_index(); n < *listed; n += StreamedThreads) {
      u64 place = first + list[n];
      Walker walker(a, place, states[place]);
      u32 part = None;
      for (u64 k = 0;; k++) {
        State s = walker.state();
        if (s.x == None) break;
        u32 of = Walker::row_for(a, slots, s), next = slots.part_of(of);
        if (!slots.has(next) || k == a.steps) {
          slots.wait(next);
          break;
        }
        if (next != part) slots.enter(walker.w.g, part = next);
        walker.advance(of);
        if constexpr (Walker::scans) {
          if (walker.waits) {
            scans[add_atomic(scanned, 1u)] = list[n];
            break;
          }
        }
      }
      states[place] = walker.state();
    }
    sync_block();
    // 3. Let warps scan the rows that are left to them.
    if constexpr (Walker::scans) {
      for (u32 n = thread_index() / WarpSize; n < *scanned; n += StreamedThreads / WarpSize) {
        u64 place = first + scans[n];
        State s = states[place];
        Walker walker(a, place, s);
        slots.enter(walker.w.g, slots.part_of(Walker::row_for(a, slots, s)));
        walker.by_warp();
        Warp::sync();  // all lanes have read the state
        if (lane_index() == 0) {
          states[place] = s = walker.state();
          if (s.x != None) slots.wait(slots.part_of(Walker::row_for(a, slots, s)));
        }
      }
      sync_block();
    }
  }
  slots.end();
}

// patch_samples is the kernel streamed_patch: it writes the samples of listed rows, which the host made, to the result.
ND_FN void patch_samples(const StreamedWalk& a) {
  const Trace& t = a.w.t;
  u64 width = t.end + 1;
  for (u64 n = thread_of_grid(); n < a.patches * width; n += threads_of_grid()) {
    u64 k = n / width, s = n - k * width, place = fetch(t.alive + k);
    t.vertices[s * t.stride + place] = fetch(a.patch_vertices + n);
    if (t.edges && s > 0) t.edges[(s - 1) * t.stride + place] = fetch(a.patch_edges + k * t.end + s - 1);
  }
}

}  // namespace nd
