// Walks by biases that are computed when a choice comes to them: nothing is stored for an edge, and a choice takes
// constant memory, however long the row.
//
// A lane holds a walker, proposes for it under the bound, and where that fails, or there is no bound, the row is weighed:
// by the lane where it is short, by the whole warp, one walker after the other, where it is longer, and by the block
// where it is a hub's. When a walk has ended, the lane takes the next row from the launch's pool. That is FlowWalker's
// scheme (Mei et al., VLDB'24), but for samples that do not depend on it: words go by sample and step.
#pragma once
#include "driver/proposals.cuh"
#include "driver/queue.cuh"
#include "driver/rows.cuh"
#include "driver/short.cuh"
#include "driver/weigh.cuh"

namespace nd {

constexpr u32 ComputedThreads = 128;

template <class Rows, class Rule> struct Computed {
  using Row = typename Rows::Row;
  static constexpr u32 TileDegree = Rule::second ? 256 : 1024;  // the longest row of a tile
  static constexpr bool keeps = Rule::second && !Rule::bounded;  // every row is read: it is kept for the next step
  struct Task {
    Walker w;
    Row row;
  };

  const Walk& a;
  Rule& rule;
  Pool pool;
  Hubs<Task> hubs;
  Kept<ComputedThreads> kept;
  u32* marks;  // of driver/before.cuh

  // ---- a walker's way

  // start gives a lane the walker of a place of the launch; none, if it has no step to take.
  ND_FN Walker start(u64 place) {
    const Trace& t = a.t;
    if (place == NoEdge) return {0, None, 0, 0, None, None};
    u64 row = row_at(a.b, place);
    kept.length = None;
    Walker w{sample_key(a.b, row), (u32)row, (u32)place, (u32)t.begin, None, None};
    if (t.begin == 0) {
      w.vertex = root_of(a.b, row);
      if (!t.lengths && t.vertices) write_once(t.vertices + place, w.vertex);
    } else if (t.ends) {
      w.vertex = t.ends[row], w.previous = t.previous[row];
    } else {
      const u32* at = t.vertices + t.begin * t.stride + place;
      w.vertex = read_once(at), w.previous = read_once(at - t.stride);
    }
    if (w.step >= t.end) finish(w);
    else if (w.vertex == None) stop(w);
    return w;
  }

  // stop ends the walk before its present step: what is left of a row of one width stays empty.
  ND_FN void stop(Walker& w) {
    const Trace& t = a.t;
    if (!t.lengths && t.vertices) {
      for (u64 s = w.step; s < t.end; s++) write(w, s, None, NoEdge);
    }
    w.vertex = None;
    finish(w);
  }

  // finish leaves what later launches need, and frees the lane.
  ND_FN void finish(Walker& w) {
    const Trace& t = a.t;
    if (t.ends) t.ends[w.row] = w.vertex, t.previous[w.row] = w.previous;
    if (t.lengths) {
      t.lengths[w.row] = w.step;
      if (w.vertex != None && w.step == a.most) rule.cut(w);
      else if (w.vertex != None) goes_on(t, w.row);
    }
    w.row = None;
  }

  ND_FN void write(const Walker& w, u64 step, u32 v, u64 position) {
    const Trace& t = a.t;
    if (t.vertices) write_once(t.vertices + (step + 1) * t.stride + w.place, v);
    if (t.edges) write_once(t.edges + step * t.stride + w.place, edge_id(a.g, position));
  }

  // land takes the step along an edge, or ends the walk where there is none.
  ND_FN void land(Walker& w, u32 v, u64 position) {
    if (v == None) return stop(w);
    u32 next = rule.update(w, position, v), at = next == None ? v : next;
    write(w, w.step, at, at == v ? position : NoEdge);
    w.step++;
    w.previous = w.vertex, w.vertex = next;
    if (next == None) stop(w);
    else if (w.step >= a.t.end) finish(w);
  }

  // ---- its choice

  // by_tiles weighs the rows of the lanes that are open, as many at once as there are tiles.
  ND_FN u32 by_tiles(const Walker& w, Row row, bool open) {
    using Group = Tile<8>;
    constexpr u32 tiles = WarpSize / Group::size;
    u32 chosen = None, lane = lane_index(), tile = lane / Group::size;
    for (u32 left = Warp::vote(open); left;) {
      u32 count = count_bits(left), owner = place_of(left, tile < count ? tile : 0);
      Walker other = w.template of<Warp>(owner);
      Row its{Warp::from(row.first, owner), Warp::from(row.degree, owner)};
      u32 it = None;
      if (tile < count) it = weigh<Group, Rows>(a.g, rule, other, its, marks);
      Warp::sync();
      u32 k = count_bits(left & ((1u << lane) - 1));
      bool served = (left >> lane & 1) && k < tiles;
      u32 got = Warp::from(it, served ? k * Group::size : lane);
      if (served) chosen = got;
      for (u32 i = 0; i < tiles; i++) left &= left - 1;
    }
    return chosen;
  }

  // by_warp weighs the rows of the lanes that are open, one after the other.
  ND_FN u32 by_warp(const Walker& w, Row row, bool open) {
    u32 chosen = None;
    for (u32 left = Warp::vote(open); left; left &= left - 1) {
      u32 owner = lowest_bit(left);
      Row its{Warp::from(row.first, owner), Warp::from(row.degree, owner)};
      u32 it = weigh<Warp, Rows>(a.g, rule, w.template of<Warp>(owner), its, marks);
      if (lane_index() == owner) chosen = it;
    }
    return chosen;
  }

  // by_block weighs the rows of hubs: all threads of the block come here.
  ND_FN u32 by_block(const Walker& w, Row row, bool open) {
    if (open) hubs.put();
    sync_block();
    u32 count = *hubs.count, chosen = None;
    for (u32 i = 0; i < count; i++) {
      bool mine = hubs.owners[i] == thread_index();
      if (mine) *hubs.task = {w, row};
      sync_block();
      u32 it = weigh<Block<ComputedThreads>, Rows>(a.g, rule, hubs.task->w, hubs.task->row, marks);
      if (thread_index() == 0) *hubs.chosen = it;
      sync_block();
      if (mine) chosen = *hubs.chosen;
    }
    if (thread_index() == 0) *hubs.count = 0;
    return chosen;
  }

  // weigh_all gives the edge that each lane's walker takes whose tries have failed. Rows that are made side by side are
  // about as long as each other.
  ND_FN Picked weigh_all(const Walker& w, Row row, bool open) {
    Picked p{None, None};
    u32 d = row.degree, chosen = None, by;
    bool small = d <= a.lane_degree, hub = a.hub_degree && d > a.hub_degree;
    if constexpr (keeps) {
      small = d <= KeptEdges;
      if (open && small) p = weigh_short<Rows>(a.g, rule, w, row, kept);
      kept.step(open && small ? d : None);
    } else if (open && small) {
      chosen = weigh<Lane, Rows>(a.g, rule, w, row, marks);
    }
    open = open && !small;
    for (u32 above = 0, most = TileDegree / 8; above < TileDegree; above = most, most = TileDegree)
      if ((by = by_tiles(w, row, open && above < d && d <= most)) != None) chosen = by;
    if ((by = by_warp(w, row, open && d > TileDegree && !hub)) != None) chosen = by;
    if (a.hub_degree && (by = by_block(w, row, open && d > TileDegree && hub)) != None) chosen = by;
    if (chosen != None) p = {chosen, fetch_far(a.g.indices + row.first + chosen)};
    return p;
  }

  // choose takes one step of every lane's walker.
  ND_FN void choose(Walker& w) {
    if (w.there() && rule.stops(w)) stop(w);
    Row row{0, 0};
    if (w.there()) row = Rows::of(a.g, w.vertex);
    Picked p{None, None};
    bool open = w.there() && row.degree > 0;
    if constexpr (Rule::bounded) p = proposals<Rows>(a.g, rule, w, row, open);
    Picked q = weigh_all(w, row, open && p.index == None);
    if (q.index != None) p = q;
    if (w.there()) land(w, p.index == None ? None : p.vertex, row.first + p.index);
  }

  // busy says whether anyone has work: of the warp, or of the block where that makes choices together.
  ND_FN bool busy(const Walker& w) {
    bool here = w.there() || !pool.empty;
    if (!a.hub_degree) return Warp::vote(here) != 0;
    return Block<ComputedThreads>::first(here) != None;
  }
};

// computed takes the steps of a launch's rows by a rule.
template <class Rows, class Rule> ND_FN void computed(const Walk& a, Rule rule) {
  using Driver = Computed<Rows, Rule>;
  ND_SHARED(u32, kept, Driver::keeps ? 2 * KeptEdges * ComputedThreads : 1);
  ND_SHARED(typename Driver::Task, task, 1);
  ND_SHARED(u32, owners, ComputedThreads);
  ND_SHARED(u32, marks, ComputedThreads);
  ND_SHARED(u32, count, 1);
  ND_SHARED(u32, chosen, 1);
  marks[thread_index()] = 0;
  if (thread_index() == 0) count[0] = 0;
  sync_block();
  Driver d{a, rule, {a.queue, a.b.from, rows_end(a.b)}, {owners, count, task, chosen}, {kept}, marks};
  Walker w = d.start(NoEdge);
  for (;;) {
    u64 place = d.pool.take(!w.there() && lane_index() < a.warp_rows);
    if (place != NoEdge) w = d.start(place);
    if (!d.busy(w)) return;
    d.choose(w);
  }
}

}  // namespace nd
