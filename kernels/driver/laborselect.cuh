// The choices of a step by LABOR, which precede its expansion: the rows of the frontier are read once, in any order,
// and the picks of each node are stored. The expansion (driver/expand.cuh) then only counts and inserts them.
//
// Rows differ in length by orders of magnitude. So all rows together are cut into as many ranges of equal work as there
// are warps. Work is measured in units: UnitEdges edges each, and RowUnits per row. A row in several ranges is listed
// in GPU memory; the warp that lists its last part makes the choice. Blocks make the choices for which lists do not
// suffice, at the end. The order of execution determines where the picks of a node are stored, but not the picks.
#pragma once
#include "driver/choose.cuh"
#include "driver/laborlist.cuh"

namespace nd {

constexpr u32 UnitEdges = 256, RowUnits = 2;
constexpr u32 RangeUnits = 4;  // the smallest range, unless a step has fewer units

// CutRow is the list of a row in several ranges.
struct CutRow {
  u32 count, done;  // edges that are listed, or do not fit; parts that are listed
  u32 ranks[WarpListed], places[WarpListed];
};
constexpr u32 CutRowWords = 2 + 2 * WarpListed;
static_assert(sizeof(CutRow) == 4 * CutRowWords, "the host allocates cut rows");

constexpr u32 LaborLists = 3;  // lists with an element per node

// LaborRows are the rows that a step reads: arrays in NeighborSampler::labor_counters, after the counters.
struct LaborRows {
  u64 *filled, *late_filled, *late_taken;  // counters: rows in the upper half and units in the lower half; late rows
  u32* rows;                               // by their index in the frontier
  u32* first;                              // the number of units of earlier rows
  u32* late;                               // rows that are chosen at the end, by their index in the frontier
  CutRow* cut;  // by warp of the grid: a row that begins in its range, and ends in a later one

  ND_FN static LaborRows of(const NeighborSampler& a) {
    u64 nodes = a.node_capacity * a.types * a.batches, *counters = a.labor_counters;
    u32* at = (u32*)(counters + LaborCounterWords);
    return {counters + LaborCounterStride,
            counters + 2 * LaborCounterStride,
            counters + 3 * LaborCounterStride,
            at,
            at + nodes,
            at + 2 * nodes,
            (CutRow*)(at + LaborLists * nodes)};
  }
  // units returns the units of a row, and unit_size the edges of a unit.
  ND_FN static u32 unit_size(const NeighborSampler& a) { return min_of(a.hub_degree, UnitEdges); }
  ND_FN static u32 units(u32 size, u32 degree) {
    return RowUnits + (size == UnitEdges ? (degree - 1) / UnitEdges + 1 : (degree - 1) / size + 1);
  }
  ND_FN void add_late(u32 i) const { late[add_atomic(late_filled, (u64)1)] = i; }
};

// WarpShare is the division of the units of a step into ranges, of which each warp has one. None is empty: if there are
// few units, there are fewer ranges than warps.
struct WarpShare {
  u64 units, ranges;

  ND_FN static WarpShare of(u64 units) {
    return {units, min_of(threads_of_grid() / WarpSize, (units + RangeUnits - 1) / RangeUnits)};
  }
  ND_FN u32 begin(u64 range) const { return (u32)(units * range / ranges); }
  // owner returns the range with a unit.
  ND_FN u32 owner(u32 unit) const { return (u32)((((u64)unit + 1) * ranges - 1) / units); }
};

// clear_labor zeroes the counters. A grid barrier must follow.
ND_FN void clear_labor(const NeighborSampler& a) {
  u64 i = thread_of_grid();
  if (i < 4) a.labor_counters[i * LaborCounterStride] = 0;
}

// frontier_node returns the node with an index in the frontier of all batches.
ND_FN LaborNode frontier_node(const NeighborSampler& a, const Step& step, const HopFrontier& frontier, u32 i) {
  u32 batch = part_of(frontier.first, (u32)a.batches, i);
  return labor_node(a, step, batch, HopFrontier::first_node(a, step, batch) + i - frontier.first[batch]);
}

// collect_rows collects the rows that the step reads, a thread per row, and stores the choices that read none. A grid
// barrier must follow.
ND_FN void collect_rows(const NeighborSampler& a, const Step& step, const HopFrontier& frontier, const LaborRows& all) {
  u32 size = LaborRows::unit_size(a);
  if (lane_index() == 0) all.cut[thread_of_grid() / WarpSize].count = all.cut[thread_of_grid() / WarpSize].done = 0;
  for (u64 first = thread_of_grid() - lane_index(); first < frontier.count; first += threads_of_grid()) {
    u32 i = (u32)first + lane_index();
    LaborNode n{};
    if (i < frontier.count) {
      n = frontier_node(a, step, frontier, i);
      if (!n.scans) store_choice(a, n, n.takes, nullptr);
    }
    bool late = n.searches && n.takes > ListedPicks, reads = n.scans && !late;
    if (late) all.add_late(i);
    if (!Warp::vote(reads)) continue;
    u64 mine = reads ? 1ull << 32 | LaborRows::units(size, n.row.degree) : 0, upto = Warp::scan(mine), before = 0;
    if (lane_index() == WarpSize - 1) before = add_atomic(all.filled, upto);
    before = Warp::from(before, WarpSize - 1) + upto - mine;
    if (!reads) continue;
    all.rows[before >> 32] = i;
    all.first[before >> 32] = (u32)before;
  }
}

// row_of_unit returns the row with a unit: a search by 32 lanes.
ND_FN u32 row_of_unit(const u32* first, u32 rows, u32 unit) {
  u32 low = 0;
  for (u32 high = rows; high - low > 1;) {
    u32 stride = (high - low + WarpSize - 1) / WarpSize, at = low + lane_index() * stride;
    u32 upto = count_bits(Warp::vote(at < high && first[at] <= unit));
    low += (upto - 1) * stride;
    high = min_of(high, low + stride);
  }
  return low;
}

// list_cut adds a part of a row to its list, and returns whether it was the last of its parts.
template <bool Plain>
ND_FN bool list_cut(const RowPart& part, const ListLimit& limit, u32 parts, EdgeList l, CutRow* to) {
  u32 got = list_part<Plain>(part, limit, l), at = 0, done = 0;
  if (got > 0) {
    if (lane_index() == 0) at = add_atomic(&to->count, got);
    at = Warp::from(at, 0);
    for (u32 i = lane_index(); i < got && at + i < WarpListed; i += WarpSize) {
      write_for_all(to->ranks + at + i, l.ranks[i]);
      write_for_all(to->places + at + i, l.places[i]);
    }
    fence();
    Warp::sync();
  }
  if (lane_index() == 0) done = add_atomic(&to->done, 1u) + 1;
  return Warp::from(done, 0) == parts;
}

// choose_cut makes the choice of a row whose parts are all listed, and returns whether the list suffices.
ND_FN bool choose_cut(const NeighborSampler& a, const LaborNode& n, CutRow* from, EdgeList l, PickSpace& space) {
  fence();
  u32 count = read_shared_by_all(&from->count);
  if (count > WarpListed) return false;
  Warp::sync();
  for (u32 i = lane_index(); i < count; i += WarpSize) {
    l.ranks[i] = read_shared_by_all(from->ranks + i);
    l.places[i] = read_shared_by_all(from->places + i);
  }
  Warp::sync();
  return take_listed(a, n, l, count, space);
}

// node_from returns a node of another lane.
ND_FN LaborNode node_from(const LaborNode& n, u32 lane) {
  return {{Warp::from(n.row.first, lane), Warp::from(n.row.degree, lane)},
          Warp::from(n.stream, lane),
          Warp::from(n.limit, lane),
          Warp::from(n.at, lane),
          Warp::from(n.eligible, lane),
          Warp::from(n.takes, lane),
          true,
          Warp::from((u32)n.searches, lane) != 0};
}

// choose_rows makes the choices of the rows in the range of the calling warp, and lists the parts of rows in it.
template <bool Plain>
ND_COLD void choose_rows(const NeighborSampler& a, const Step& step, HopFrontier frontier, u32 phase) {
  LaborRows all = LaborRows::of(a);
  EdgeList l = EdgeList::shared();
  PickSpace space{a, phase};
  // 1. Find the range.
  u64 filled = read_shared_by_all(all.filled), warp = thread_of_grid() / WarpSize;
  u32 rows = (u32)(filled >> 32), size = LaborRows::unit_size(a);
  WarpShare share = WarpShare::of((u32)filled);
  if (warp >= share.ranges) return;
  u32 unit = share.begin(warp), end = share.begin(warp + 1);
  for (u32 r = row_of_unit(all.first, rows, unit); unit < end; r += WarpSize) {
    // 2. Read the next rows, a lane each.
    LaborNode n{};
    u32 mine = None, i = None;
    if (r + lane_index() < rows) {
      mine = all.first[r + lane_index()];
      i = mine < end ? all.rows[r + lane_index()] : None;
      if (i != None) n = frontier_node(a, step, frontier, i);
    }
    // 3. Choose, or list the part in the range, of one after the other.
#pragma unroll 1
    for (u32 lane = 0; lane < WarpSize && unit < end; lane++) {
      LaborNode its = node_from(n, lane);
      u32 first = Warp::from(mine, lane), units = LaborRows::units(size, its.row.degree);
      u32 from = unit - first, upto = min_of(units, end - first);
      unit = first + upto;
      if (upto - from == units) {
        choose_row<Plain>(a, step, its, l, space);
        continue;
      }
      RowPart part = RowPart::of<Warp>(step, its);
      ListLimit limit(its.searches ? limit_of(part, its, expected_listed(its, true)) : its.limit, step.weighted);
      part.begin = from <= RowUnits ? 0 : (from - RowUnits) * size;
      part.end = upto <= RowUnits ? 0 : min_of((u64)(upto - RowUnits) * size, its.row.degree);
      u32 owner = share.owner(first), index = Warp::from(i, lane);
      CutRow* cut = all.cut + owner;
      if (!list_cut<Plain>(part, limit, share.owner(first + units - 1) - owner + 1, l, cut)) continue;
      if (choose_cut(a, its, cut, l, space)) continue;
      if (lane_index() == 0) all.add_late(index);
    }
  }
}

// choose_late makes the choices for which lists do not suffice, a block each, and returns whether there are any.
ND_FN bool choose_late(const NeighborSampler& a, const Step& step, const HopFrontier& frontier, const LaborRows& all,
                       u32 phase) {
  u64 count = read_shared_by_all(all.late_filled);
  if (count == 0) return false;
  for (;;) {
    u64 at = 0;
    if (thread_index() == 0) at = add_atomic(all.late_taken, (u64)1);
    at = Team::from(at, 0);
    if (at >= count) return true;
    choose_by_search<Team>(a, step, frontier_node(a, step, frontier, all.late[at]), phase);
  }
}

// select_edges makes the choices of a step's frontier, and returns whether there was no fault. All threads of a
// cooperative launch call it after a grid barrier; it ends with one.
ND_FN bool select_edges(const NeighborSampler& a, const Step& step, const HopFrontier& frontier, u32 phase) {
  if (!LaborChoice::is_stored(step)) return true;
  LaborRows all = LaborRows::of(a);
  collect_rows(a, step, frontier, all);
  sync_grid(a.arrived);
  if (is_plain(step)) choose_rows<true>(a, step, frontier, phase);
  else choose_rows<false>(a, step, frontier, phase);
  sync_grid(a.arrived);
  if (choose_late(a, step, frontier, all, phase)) sync_grid(a.arrived);
  clear_labor(a);
  return !failed(a, phase);
}

}  // namespace nd
