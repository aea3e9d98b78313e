// The choices of a step by LABOR, which precede its expansion: the rows of the frontier are read once, in any order,
// and the picks of each node are stored. The expansion (driver/expand.cuh) then only counts and inserts them.
//
// Warps take rows from a common counter, a few at a time, so that rows of different lengths balance. Long rows are
// pushed to the queue, and blocks choose them once no other row is left. Where the picks of a node are stored depends
// on the order of execution; the picks do not.
#pragma once
#include "driver/choose.cuh"
#include "driver/laborchoice.cuh"

namespace nd {

constexpr u32 LaborRows = 8;  // rows that a warp takes at a time

// clear_labor zeroes the counters before their first use. A grid barrier must follow.
ND_FN void clear_labor(const NeighborSampler& a) {
  if (thread_of_grid() == 0) a.labor_counters[PickSpace::RowCounter] = a.labor_counters[PickSpace::PickCounter] = 0;
}

// choose_hubs makes the choices in the queue, a block each.
ND_COLD void choose_hubs(const NeighborSampler& a, const Step& step, u32* listed, u32 phase) {
  HubQueue queue = hub_queue(a);
  PickSpace space{a, phase};
  queue.template done<Team>();
  for (HubTask task; queue.template take<Team>(task); queue.template done<Team>())
    choose_labor<Team>(a, step, labor_node(a, step, task.batch, task.node), listed, space);
}

// select_edges makes the choices of a step's frontier, and returns whether there was no fault. All threads of a
// cooperative launch call it after a grid barrier; it ends with one.
ND_FN bool select_edges(const NeighborSampler& a, const Step& step, const HopFrontier& frontier, u32 phase) {
  if (!LaborChoice::is_stored(step)) return true;
  if (step.hubs) {
    if (thread_of_grid() == 0) hub_queue(a).arm(grid_size());
    sync_grid(a.arrived);
  }
  // The keys of an expansion are not in use: they are the memory of the lists.
  u32* listed = (u32*)Expansion::shared().keys + thread_index() / WarpSize * WarpListed;
  PickSpace space{a, phase};
  Pool rows{a.labor_counters + PickSpace::RowCounter, 0, frontier.count};
  for (;;) {
    // 1. Take some rows, a lane each. Store the choices that read no row.
    u64 i = rows.take(lane_index() < LaborRows);
    if (!Warp::vote(i != NoEdge)) break;
    LaborNode n{};
    HubTask task{};
    if (i != NoEdge) {
      task.batch = part_of(frontier.first, (u32)a.batches, (u32)i);
      task.node = HopFrontier::first_node(a, step, task.batch) + (u32)i - frontier.first[task.batch];
      n = labor_node(a, step, task.batch, task.node);
      if (!n.scans) {
        a.choice_counts[n.at] = n.takes;
        a.choice_picks[n.at] = 0;
      }
    }
    // 2. Push the long rows to the queue, if there is room.
    bool pushed = step.hubs && hub_queue(a).push(n.scans && n.row.degree > a.hub_degree, task);
    // 3. Choose in the others, one after the other.
    for (u32 left = Warp::vote(n.scans && !pushed); left; left &= left - 1) {
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
  if (step.hubs) choose_hubs(a, step, listed, phase);
  sync_grid(a.arrived);
  clear_labor(a);
  return !failed(a, phase);
}

}  // namespace nd
