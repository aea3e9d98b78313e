// The choices of a step by LABOR, which precede its expansion: the rows of the frontier are read once, in any order,
// and the picks of each node are stored. The expansion (driver/expand.cuh) then only counts and inserts them.
//
// Rows differ in length by orders of magnitude. So they are divided into classes first, and the longest class is chosen
// first: rows above NeighborSampler::hub_degree by blocks, then the others by warps, which take rows from a counter per
// class. The order of execution determines where the picks of a node are stored, but not the picks.
#pragma once
#include "driver/choose.cuh"
#include "driver/laborchoice.cuh"

namespace nd {

// LaborClass is a class of rows by length: rows up to `most` edges, of which a warp takes `rows` at a time.
struct LaborClass {
  static constexpr u32 count = 4, hubs = 3;
  u32 most, rows;

  ND_FN static LaborClass of(u32 c) {
    return c == 0 ? LaborClass{WarpListed, 8} : c == 1 ? LaborClass{512, 4} : LaborClass{None, 1};
  }
  // containing returns the class of a row.
  ND_FN static u32 containing(const NeighborSampler& a, u32 degree) {
    if (degree > a.hub_degree) return hubs;
    return degree <= of(0).most ? 0 : degree <= of(1).most ? 1 : 2;
  }
  // The counters of a class: the rows in it, and those that are taken.
  ND_FN static u64* filled(const NeighborSampler& a, u32 c) {
    return a.labor_counters + (2 + 2 * c) * LaborCounterStride;
  }
  ND_FN static u64* taken(const NeighborSampler& a, u32 c) {
    return a.labor_counters + (3 + 2 * c) * LaborCounterStride;
  }
  // list returns the rows of a class, by their index in the frontier.
  ND_FN static u32* list(const NeighborSampler& a, u32 c) {
    return (u32*)(a.labor_counters + LaborCounterWords) + c * (a.node_capacity * a.types * a.batches);
  }
};

// clear_labor zeroes the counters. A grid barrier must follow.
ND_FN void clear_labor(const NeighborSampler& a) {
  u64 i = thread_of_grid();
  if (i < 2 + 2 * LaborClass::count) a.labor_counters[i * LaborCounterStride] = 0;
}

// frontier_node returns the node with an index in the frontier of all batches.
ND_FN LaborNode frontier_node(const NeighborSampler& a, const Step& step, const HopFrontier& frontier, u32 i) {
  u32 batch = part_of(frontier.first, (u32)a.batches, i);
  return labor_node(a, step, batch, HopFrontier::first_node(a, step, batch) + i - frontier.first[batch]);
}

// classify_rows adds the rows of the frontier to their classes, a thread per row, and stores the choices that read no
// row. A grid barrier must follow.
ND_FN void classify_rows(const NeighborSampler& a, const Step& step, const HopFrontier& frontier) {
  for (u64 first = thread_of_grid() - lane_index(); first < frontier.count; first += threads_of_grid()) {
    u32 i = (u32)first + lane_index(), its = None;
    if (i < frontier.count) {
      LaborNode n = frontier_node(a, step, frontier, i);
      if (n.scans) its = LaborClass::containing(a, n.row.degree);
      else {
        a.choice_counts[n.at] = n.takes;
        a.choice_picks[n.at] = 0;
      }
    }
    for (u32 c = 0; c < LaborClass::count; c++) {
      u32 votes = ballot(~0u, its == c);
      if (votes == 0) continue;
      u64 at = 0;
      if (lane_index() == 0) at = add_atomic(LaborClass::filled(a, c), (u64)count_bits(votes));
      at = Warp::from(at, 0) + lanes_below(votes);
      if (its == c) LaborClass::list(a, c)[at] = i;
    }
  }
}

// choose_hubs makes the choices of the longest rows, a block each.
ND_COLD void choose_hubs(const NeighborSampler& a, const Step& step, HopFrontier frontier, u32* listed, u32 phase) {
  PickSpace space{a, phase};
  u64 all = read_shared_by_all(LaborClass::filled(a, LaborClass::hubs));
  for (;;) {
    u64 at = 0;
    if (thread_index() == 0) at = add_atomic(LaborClass::taken(a, LaborClass::hubs), (u64)1);
    at = Team::from(at, 0);
    if (at >= all) break;
    LaborNode n = frontier_node(a, step, frontier, LaborClass::list(a, LaborClass::hubs)[at]);
    choose_labor<Team>(a, step, n, listed, space);
  }
}

// choose_class makes the choices of a class of rows, a warp each.
ND_FN void choose_class(const NeighborSampler& a, const Step& step, const HopFrontier& frontier, u32 c, u32* listed,
                        PickSpace& space) {
  Pool rows{LaborClass::taken(a, c), 0, read_shared_by_all(LaborClass::filled(a, c))};
  for (;;) {
    // 1. Take some rows, a lane each.
    u64 i = rows.take(lane_index() < LaborClass::of(c).rows);
    u32 left = Warp::vote(i != NoEdge);
    if (!left) break;
    LaborNode n{};
    if (i != NoEdge) n = frontier_node(a, step, frontier, LaborClass::list(a, c)[i]);
    // 2. Choose, one row after the other.
    for (; left; left &= left - 1) {
      u32 from = lowest_bit(left);
      LaborNode its = {{Warp::from(n.row.first, from), Warp::from(n.row.degree, from)},
                       Warp::from(n.stream, from),
                       Warp::from(n.limit, from),
                       Warp::from(n.at, from),
                       Warp::from(n.eligible, from),
                       Warp::from(n.takes, from),
                       true,
                       Warp::from((u32)n.searches, from) != 0};
      choose_labor<Warp>(a, step, its, listed, space);
    }
  }
}

// select_edges makes the choices of a step's frontier, and returns whether there was no fault. All threads of a
// cooperative launch call it after a grid barrier; it ends with one.
ND_FN bool select_edges(const NeighborSampler& a, const Step& step, const HopFrontier& frontier, u32 phase) {
  if (!LaborChoice::is_stored(step)) return true;
  classify_rows(a, step, frontier);
  sync_grid(a.arrived);
  // The keys of an expansion are not in use: they are the memory of the lists.
  u32* listed = (u32*)Expansion::shared().keys + thread_index() / WarpSize * WarpListed;
  choose_hubs(a, step, frontier, listed, phase);
  PickSpace space{a, phase};
#pragma unroll 1
  for (u32 c = LaborClass::hubs; c-- > 0;) choose_class(a, step, frontier, c, listed, space);
  sync_grid(a.arrived);
  clear_labor(a);
  return !failed(a, phase);
}

}  // namespace nd
