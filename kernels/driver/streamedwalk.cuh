// Walks on a graph that does not fit in GPU memory. The graph is cut into parts, ranges of rows, which the host copies
// to slots in GPU memory, one part after another (gonextdoor/engine/gpu/partstream.go). A walker advances while the row
// that it reads next is in a slot. Then it waits for the part of that row. The kernels:
//
//   1. streamed_enter   Place the walker of each row at its root, and count the walkers of each part.
//   2. streamed_*       Advance the walkers whose row is in a slot, and count the walkers that wait for each part.
//                       Launched after each copy, while the next part is copied to another slot.
//   3. streamed_patch   Second order: write the samples that the host made.
//
// A part has the same arrays as a graph. Their addresses are shifted by the part's first row and first edge, so that
// vertices and positions are those of the complete graph, and all selectors of rows run unchanged.
//
// A block lists the walkers of a tile that can advance, in shared memory, so that all its threads have one. Reading the
// states of all walkers costs much less than a copy: the GPU reads about 70 times as many bytes per second as the link
// brings, and a state has 8 or 16 bytes.
//
// The words of a walker are keyed by its row and step. So the order of the parts, their number and the moment at which
// a walker waits do not change a sample.
#pragma once
#include "app/node2vec.cuh"
#include "driver/rows.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// StreamedWalk is the parameter of all kernels here. Its twin in Go is in gonextdoor/engine/gpu/partwalk.go.
struct StreamedWalk {
  Walk w;             // g has no arrays
  const u32* bounds;  // parts+1: the first row of each part, and the end of the last
  const u64* arrays;  // per part and array its shifted address, less that of the slot
  u64 parts;          // at most MostParts
  u64 slots;          // the address of the first slot
  u64 slot_bytes;
  u64 resident;  // the part in slot k in the bits from 8*k on; a number that is no part: the slot is not to be read
  void* states;  // of the walkers: Pair, or Quad of second order
  u64* waiting;  // per part the number of walkers that wait for it; zero before the launch
  u32* last;     // per row the last vertex, if there is no trace; 0: not wanted
  u64 steps;     // accesses to rows that a walker makes in a launch, at most
  u64 second;    // 1 if choices depend on the previous vertex
  u64 ragged;    // 1 if samples differ in length
  u64 patches;   // samples that the host made, of the rows in t.alive
  const u32* patch_vertices;
  const i64* patch_edges;
};

constexpr u32 MostParts = 254;   // parts of a graph; a byte with another number is an empty slot
constexpr u32 PartSlots = 8;     // slots, at most
constexpr u32 PartArrays = 4;    // arrays of a part: indptr, indices, alias, ids
constexpr u32 StreamedRows = 8;  // walkers per thread and tile
constexpr u32 StreamedThreads = 256;
constexpr u32 StreamedTile = StreamedRows * StreamedThreads;

// Residence is what a block knows of the parts, in shared memory.
struct Residence {
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
  // enter lets g read the rows of a part that is in a slot.
  ND_FN void enter(Graph& g, u32 part) const {
    u64 slot = a.slots + slots[part] * a.slot_bytes;
    const u64* at = a.arrays + part * PartArrays;
    g.indptr = (const u64*)(slot + fetch(at));
    g.indices = (const u32*)(slot + fetch(at + 1));
    g.alias = (const Quad*)(slot + fetch(at + 2));
    if (a.w.g.id_size) g.ids = (const u64*)(slot + fetch(at + 3));
  }
  // wait counts a walker that waits for a part.
  ND_FN void wait(u32 part) { add_atomic(waiting + part, 1u); }
  // end adds the counts to those of the grid, after a block barrier.
  ND_FN void end() {
    for (u32 p = thread_index(); p < a.parts; p += block_size())
      if (waiting[p]) add_atomic(a.waiting + p, (u64)waiting[p]);
  }
};

// ND_RESIDENCE declares a Residence with its shared memory.
#define ND_RESIDENCE(name, a)                   \
  ND_SHARED(u32, name##_bounds, MostParts + 1); \
  ND_SHARED(u32, name##_slots, MostParts);      \
  ND_SHARED(u32, name##_waiting, MostParts);    \
  Residence name { a, name##_bounds, name##_slots, name##_waiting }

// count_visit counts a visit, if visits are wanted.
ND_FN void count_visit(const StreamedWalk& a, u32 v) {
  if (a.w.counts) add_atomic(a.w.counts + v, (u64)1);
}

// enter_walkers is the kernel streamed_enter. A launch that does not begin at step 0 reads the present vertices from
// Trace::ends. A walk without steps has ended.
ND_FN void enter_walkers(const StreamedWalk& a) {
  ND_RESIDENCE(residence, a);
  const Trace& t = a.w.t;
  residence.begin();
  sync_block();
  for (u64 i = a.w.b.from + thread_of_grid(); i < a.w.b.rows; i += threads_of_grid()) {
    u64 row = row_at(a.w.b, i);
    u32 v = t.begin == 0 ? root_of(a.w.b, row) : t.ends[row];
    if (t.begin == 0) {
      count_visit(a, v);
      if (t.vertices && !a.ragged) write_once(t.vertices + i, v);
    }
    bool on = t.begin < t.end;
    if (a.ragged) t.lengths[row] = (u32)t.begin;
    else if (!on && a.last) a.last[row] = v;
    if (on) residence.wait(residence.part_of(v));
    if (a.second) ((Quad*)a.states)[i] = {on ? v : None, None, None, 0};
    else ((Pair*)a.states)[i] = {on ? v : None, (u32)t.begin};
  }
  sync_block();
  residence.end();
}

// FirstOrder is a walker of a walk whose choices depend on the present vertex alone, in a thread's registers. stops: it
// ends with a probability after each step, and samples differ in length.
template <class Move, class App, bool stops> struct FirstOrder {
  using State = Pair;  // the present vertex, or None if the walk has ended, and the steps taken
  const StreamedWalk& a;
  Walk w;  // with the part that the walker is in
  u64 place, row, key;
  u32 vertex, step;

  ND_FN FirstOrder(const StreamedWalk& a, u64 place, State s)
      : a(a), w(a.w), place(place), row(row_at(a.w.b, place)), key(sample_key(a.w.b, row)), vertex(s.x), step(s.y) {}
  ND_FN static bool ended(State s) { return s.x == None; }
  // row_for returns the row that the walker of a state reads next.
  ND_FN static u32 row_for(const StreamedWalk&, const Residence&, State s) { return s.x; }
  ND_FN State state() const { return {vertex, step}; }

  // advance reads the row of the present vertex.
  ND_FN void advance() {
    const Trace& t = a.w.t;
    App app(w, App::rooted ? root_of(w.b, row) : 0);
    Move move;
    move.set_vertex(w.g, vertex);
    PickedEdge e = app.step(w, key, step, move);
    if (e.vertex == None) return end();
    vertex = e.vertex;
    step++;
    count_visit(a, vertex);
    if (t.vertices) write_once(t.vertices + step * t.stride + place, vertex);
    if (t.edges) write_once(t.edges + (step - 1) * t.stride + place, edge_id(w.g, e.position));
    if (stops && e.fraction < w.threshold) return end();
    if (step < t.end) return;
    if (stops && step != w.most && t.alive) {
      t.ends[row] = vertex;
      list_row(t, (u32)row);
    }
    end();
  }
  ND_FN void end() {
    if (stops && a.ragged) a.w.t.lengths[row] = step;
    else if (a.last) a.last[row] = vertex;
    vertex = None;
  }
};

// SecondOrder is a walker of Node2Vec. A candidate that neither the fraction of its word nor the previous vertex
// decides is kept in the state until the part with one of the rows that tell whether an edge from the previous vertex
// leads to it is in a slot. If every edge has its mirror, that is also the row of the candidate, which the next step
// reads.
template <class Move> struct SecondOrder {
  // The present vertex, or None if the walk has ended; the previous vertex, or None; the candidate, or None; the step
  // in the upper 24 bits and the number of tries so far in the lower 8.
  using State = Quad;
  const StreamedWalk& a;
  Walk w;  // with the part that the walker is in
  Node2Vec app;
  u64 place, row, key;
  u32 vertex, previous, candidate, step, tries, from;

  ND_FN SecondOrder(const StreamedWalk& a, u64 place, State s)
      : a(a),
        w(a.w),
        app(a.w),
        place(place),
        row(row_at(a.w.b, place)),
        key(sample_key(a.w.b, row)),
        vertex(s.x),
        previous(s.y),
        candidate(s.z),
        step(s.w >> 8),
        tries(s.w & 0xff),
        from(0) {}
  ND_FN static bool ended(State s) { return s.x == None; }
  ND_FN static u32 row_for(const StreamedWalk& a, const Residence& r, State s) {
    if (s.z == None) return s.x;
    if (!a.w.g.mirrored || !r.has(r.part_of(s.z)) && r.has(r.part_of(s.y))) return s.y;
    return s.z;
  }
  ND_FN State state() const { return {vertex, previous, candidate, step << 8 | tries}; }

  // advance reads one row: it looks the candidate up in it, or draws the next one. `row_for` chose the row.
  ND_FN void advance(u32 of) {
    const Trace& t = a.w.t;
    if (candidate != None) {
      bool near = in_row(w.g, PlainRows::of(w.g, of), of == previous ? candidate : previous);
      return near == app.near_is_more ? accept() : refuse();
    }
    PickedEdge e = Move::among(w.g, PlainRows::of(w.g, vertex), word_of(key, slot_of(step, tries)));
    if (e.vertex == None) return end();
    candidate = e.vertex;
    // If the candidate is refused, a later one overwrites its edge.
    if (t.edges) write_once(t.edges + (u64)step * t.stride + place, edge_id(w.g, e.position));
    if (previous == None) return accept();
    if (candidate == previous) return e.fraction <= app.back ? accept() : refuse();
    if (e.fraction > app.most) return refuse();
    if (e.fraction <= app.least) return accept();
  }
  ND_FN void accept() {
    const Trace& t = a.w.t;
    previous = vertex;
    vertex = candidate;
    candidate = None;
    tries = 0;
    step++;
    if (t.vertices) write_once(t.vertices + (u64)step * t.stride + place, vertex);
    if (step == t.end) end();
  }
  // refuse continues with the next try. After the last one the host makes the sample.
  ND_FN void refuse() {
    candidate = None;
    if (++tries < Node2Vec::tries(0)) return;
    list_row(a.w.t, (u32)place);
    end();
  }
  ND_FN void end() { vertex = None; }
};

// advance_walkers is the body of the kernels that advance walkers. Walker is FirstOrder or SecondOrder. A launch makes
// up to `steps` accesses to rows per walker, so that it stays short.
template <class Walker> ND_FN void advance_walkers(const StreamedWalk& a) {
  using State = typename Walker::State;
  ND_RESIDENCE(residence, a);
  ND_SHARED(u32, list, StreamedTile);
  ND_SHARED(u32, listed, 1);
  const State* states = (const State*)a.states;
  residence.begin();
  for (u64 first = a.w.b.from + (u64)block_index() * StreamedTile; first < a.w.b.rows;
       first += (u64)grid_size() * StreamedTile) {
    // 1. List the walkers that can advance, and count the others.
    if (thread_index() == 0) *listed = 0;
    sync_block();
    for (u32 k = 0; k < StreamedRows; k++) {
      u32 number = k * StreamedThreads + thread_index();
      bool can = false;
      if (first + number < a.w.b.rows) {
        State s = states[first + number];
        if (!Walker::ended(s)) {
          u32 part = residence.part_of(Walker::row_for(a, residence, s));
          can = residence.has(part);
          if (!can) residence.wait(part);
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
        if (Walker::ended(s)) break;
        u32 of = Walker::row_for(a, residence, s), next = residence.part_of(of);
        if (!residence.has(next) || k == a.steps) {
          residence.wait(next);
          break;
        }
        if (next != part) residence.enter(walker.w.g, part = next);
        if constexpr (sizeof(State) == sizeof(Pair)) walker.advance();
        else walker.advance(of);
      }
      ((State*)a.states)[place] = walker.state();
    }
    sync_block();
  }
  residence.end();
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
