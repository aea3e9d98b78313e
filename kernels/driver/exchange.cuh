// Walks that several GPUs make together, on a graph whose rows are divided among them: the GPU that has the row of the
// present vertex makes the step. So the random reads of a step are local, except for those of another row.
//
// The state of a walk is the result itself: column t is the present vertex, column t-1 the previous one. A launch makes
// one step. It reads column t of every home, in order; keeps the rows whose vertex is its own; and writes their column
// t+1. The rows of a home belong to one GPU each, so no element is written twice. There are no queues and no atomics;
// the host lets each GPU wait for the step of all others (gonextdoor/engine/gpu/internal/parts/exchange.go).
//
// A warp reads a tile of adjacent rows, eight per lane, and compacts those that it keeps in shared memory, in their
// order. So the loads of a tile are in flight together, the lanes that step are full, and the lanes of a store write
// adjacent sectors. Units of work alternate between the homes: the copies of one home, over NVLink, overlap the random
// reads of another.
//
// Bytes over NVLink per step and GPU, for n GPUs with W walkers in total, of which (n-1)/n are in other homes: 4 per
// walker are read, 8 with the previous vertex. The W/n steps write one sector of 32 bytes and its header per n rows at
// most: 12 bytes per step with 2 GPUs, 48 with 8.
#pragma once
#include "driver/residence.cuh"

namespace nd {

// ExchangeHome is the rows whose result is in the memory of one GPU. All GPUs of an exchange read and write the result.
struct ExchangeHome {
  u32* vertices;  // slot s of row r is at s*stride + r
  i64* edges;     // the edge of step s in slot s; 0: no edges
  u64 stride;
  u64 rows;
  u64 first;   // the sample id of row 0
  u64 before;  // the number of rows of all homes before
};

// Exchange is the parameter of the kernels of walks that several GPUs make together. A launch makes one step of the
// rows of all homes that are at one of its vertices.
struct Exchange {
  Walk w;  // the step is t.begin. Of b it uses the stream; of t.edges only whether it is 0; t.alive lists rejected rows
  const ExchangeHome* homes;
  u64 home_count;
  u64 home;       // the number of the home whose ended walks this GPU continues; NoEdge: none
  u64 low, high;  // this GPU makes the steps from the vertices [low, high)
  u64 tiles;      // of the largest home
};

constexpr u32 ExchangeTile = 256;                       // adjacent rows that a warp reads together
constexpr u32 ExchangeAhead = ExchangeTile / WarpSize;  // loads of a lane that are in flight together
constexpr u32 ExchangeWarps = 256 / WarpSize;           // warps per block

// slot_at returns the address of a row's slot.
ND_FN u32* slot_at(const ExchangeHome& home, u64 slot, u64 row) { return home.vertices + slot * home.stride + row; }

// Exchanged is the residence of a walker whose vertex, in column t.begin of the result, has its row on this GPU. Its
// step is written to the next column, which the GPU with the row of the next vertex reads.
struct Exchanged {
  const Exchange& a;
  const Walk& w;
  const ExchangeHome& home;
  u64 row, key, step;
  u32 vertex;

  ND_FN Exchanged(const Exchange& a, const ExchangeHome& home, u64 row, u32 vertex)
      : a(a),
        w(a.w),
        home(home),
        row(row),
        key(key_of(a.w.b.stream, home.first + row)),
        step(a.w.t.begin),
        vertex(vertex) {}
  // here returns whether this GPU makes the step from a vertex: one in its range or, for rows of its home, None.
  ND_FN static bool here(const Exchange& a, u32 home, u32 v) {
    return v - a.low < a.high - a.low || (v == None && home == a.home);
  }
  ND_FN bool walks() const { return vertex != None; }
  ND_FN const Walk& at_step() const { return w; }
  ND_FN u32 root() const { return read_once(slot_at(home, 0, row)); }
  ND_FN void move(const PickedEdge& e) const {
    write_once(slot_at(home, step + 1, row), e.vertex);
    if (home.edges) write_once(home.edges + step * home.stride + row, edge_id(w.g, e.position));
  }
};

// ExchangedSecond is the residence of walks of second order. Rows that are left to warps are listed, numbered over all
// homes. The test of an edge from the previous vertex reads the bitmap of edges first; the row that it then searches
// may be in the memory of another GPU.
struct ExchangedSecond : Exchanged {
  using Exchanged::Exchanged;
  ND_FN u32 before() const { return step == 0 ? None : read_once(slot_at(home, step - 1, row)); }
  ND_FN void leave_to_warp() const { list_row(w.t, (u32)(home.before + row)); }
};

// exchange_step makes the steps of the walkers that are here, a lane per walker.
template <class Walker> ND_FN void exchange_step(const Exchange& a) {
  ND_SHARED(u32, all_vertices, ExchangeTile * ExchangeWarps);
  ND_SHARED(u8, all_places, ExchangeTile * ExchangeWarps);
  u32 warp = thread_index() / WarpSize * ExchangeTile, homes = (u32)a.home_count;
  u32* vertices = all_vertices + warp;                                            // of the rows that are kept
  u8* places = all_places + warp;                                                 // in the tile
  u32 units = (u32)a.tiles * homes, warps = (u32)(threads_of_grid() / WarpSize);  // rows are below 2^32
  for (u32 unit = (u32)(thread_of_grid() / WarpSize); unit < units; unit += warps) {
    u32 number = unit % homes, count = 0;
    u64 first = (u64)(unit / homes) * ExchangeTile;
    ExchangeHome home = a.homes[number];
    if (first >= home.rows) continue;
    // 1. Read the vertices of the tile.
    u32 v[ExchangeAhead], rows = home.rows - first < ExchangeTile ? (u32)(home.rows - first) : ExchangeTile;
    const u32* column = slot_at(home, a.w.t.begin, first);
#pragma unroll
    for (u32 k = 0; k < ExchangeAhead; k++) {
      u32 i = k * WarpSize + lane_index();
      if (i < rows) v[k] = read_once(column + i);
    }
    // 2. Compact the rows that this GPU steps.
#pragma unroll
    for (u32 k = 0; k < ExchangeAhead; k++) {
      u32 i = k * WarpSize + lane_index();
      bool mine = i < rows && Exchanged::here(a, number, v[k]);
      u32 kept = ballot(~0u, mine);
      if (mine) {
        u32 at = count + lanes_below(kept);
        vertices[at] = v[k];
        places[at] = (u8)i;
      }
      count += count_bits(kept);
    }
    sync_warp(~0u);
    // 3. Step them.
    for (u32 i = lane_index(); i < count; i += WarpSize)
      Walker(a, home, first + places[i], vertices[i]).advance(vertices[i]);
    sync_warp(~0u);
  }
}

// exchange_walk and exchange_second make a step of first-order and of second-order walks.
template <class Move, class App> ND_FN void exchange_walk(const Exchange& a) {
  exchange_step<FirstOrderSteps<Exchanged, Move, App>>(a);
}
template <class Propose, class App> ND_FN void exchange_second(const Exchange& a) {
  exchange_step<SecondOrderSteps<ExchangedSecond, Propose, App>>(a);
}

// exchange_rest makes the steps that walkers left to warps: a warp scans the rows of its lanes one after the other.
template <class Propose, class App> ND_FN void exchange_rest(const Exchange& a) {
  const Walk& w = a.w;
  u64 rows = fetch(w.t.alive_count);
  for (u64 first = thread_of_grid() - lane_index(); first < rows; first += threads_of_grid()) {
    // 1. Find each lane's walker.
    bool there = first + lane_index() < rows;
    ExchangeHome home{};
    u64 row = 0;
    u32 v = None;
    if (there) {
      u64 number = fetch(w.t.alive + first + lane_index());
      u32 at = 0;
      while (at + 1 < a.home_count && number >= a.homes[at + 1].before) at++;
      home = a.homes[at];
      row = number - home.before;
      v = read_once(slot_at(home, w.t.begin, row));
    }
    const ExchangedSecond walker(a, home, row, v);
    u32 previous = there ? walker.before() : None;
    // 2. Scan.
    for (u32 waiting = Warp::vote(there); waiting; waiting &= waiting - 1) {
      u32 owner = lowest_bit(waiting);
      PickedEdge e = scan_step<Warp, Propose, App>(w, Warp::from(walker.key, owner), walker.step,
                                                   Warp::from(previous, owner), Warp::from(walker.vertex, owner));
      if (lane_index() == owner) walker.move(e);
    }
  }
}

// write_roots writes the roots of a home to its first column: the kernel before the first step.
ND_FN void write_roots(const Walk& a) {
  for (u64 row = thread_of_grid(); row < a.b.rows; row += threads_of_grid()) {
    write_once(a.t.vertices + row, root_of(a.b, row));
  }
}

}  // namespace nd
