// Walks by computed biases: a bias is a function (a rule, see driver/walker.cuh) that is evaluated when a choice needs
// it. Nothing is stored per edge, and a choice takes constant memory for any row length.
//
// A lane holds one walker. Per step of a walker:
//
//   1. begin_step  read the row; the walk ends at a sink, or if the rule stops it
//   2. proposals   if biases are bounded, propose candidates under the bound (driver/proposals.cuh), each lane at a try
//                  of its own: no lane waits for lanes whose tries were refused
//   3. weigh_all   after all tries are refused, or without a bound, weigh the whole row with a reservoir: a lane weighs
//                  a short row, a tile of 8 lanes a longer one, the warp the longest
//   4. advance     write the step; a lane whose walk has ended takes the next row from the launch's pool
//
// This is FlowWalker's scheme (Mei et al., VLDB'24), except that samples do not depend on the schedule: words are keyed
// by sample and step. Callers: entries/computed.cu, and users' apps with a computed edge_bias (app/hookruntime.cuh).
#pragma once
#include "driver/proposals.cuh"
#include "driver/queue.cuh"
#include "driver/rows.cuh"
#include "driver/shortrows.cuh"
#include "driver/weigh.cuh"

namespace nd {

constexpr u32 ComputedThreads = 128;
constexpr u32 WeighTogether = 4;  // walkers of a warp whose rows are weighed together
constexpr u32 Patience = 8;       // rounds of tries that they wait for each other at most

// Computed is a lane's walker and its driver. All lanes of a warp call choose or choose_whole together; other methods
// that vote say so by their use of Warp.
template <class Rows, class Rule> struct Computed {
  using Row = typename Rows::Row;
  // The longest row of a tile; where short rows are kept there are none, to save registers.
  static constexpr u32 TileDegree = Rule::second ? (Rule::bounded ? 256 : 0) : 1024;
  static constexpr bool keeps = Rule::second && !Rule::bounded;  // every row is read: it is kept for the next step

  const Walk& a;
  Rule& rule;
  Pool pool;
  LaneRows<ComputedThreads> kept;
  u32* marks;      // of driver/previousrow.cuh
  Walker w;        // the lane's
  Row row;         // of its vertex
  u32 t, limit;    // the next try of its step, and how many there are
  u32 rounds = 0;

  // ---- a walker's steps

  // start gives the lane the walker of a place of the launch, at the step where the launch begins.
  ND_FN void start(u64 place) {
    const Trace& t = a.t;
    u64 of = row_at(a.b, place);
    kept.length = None;
    w = {sample_key(a.b, of), (u32)of, (u32)place, (u32)t.begin, None, None};
    if (t.begin == 0) {
      w.vertex = root_of(a.b, of);
      if (!t.lengths && t.vertices) write_once(t.vertices + place, w.vertex);
    } else if (t.ends) {
      w.vertex = t.ends[of];
      w.previous = t.previous[of];
    } else {
      const u32* at = t.vertices + t.begin * t.stride + place;
      w.vertex = read_once(at);
      w.previous = read_once(at - t.stride);
    }
    begin_step();
  }

  // begin_step begins the step at the walker's vertex, or ends the walk there.
  ND_FN void begin_step() {
    if (w.vertex == None) return stop();
    if (w.step >= a.t.end) return finish();
    if (rule.stops(w)) return stop();
    row = Rows::of(a.g, w.vertex);
    if (row.degree == 0) return stop();
    t = 0;
    limit = 0;
    if constexpr (Rule::bounded) limit = rule.tries(row.degree);
  }

  // stop ends the walk before its present step. In samples of one length, the remaining slots become empty.
  ND_FN void stop() {
    const Trace& t = a.t;
    if (!t.lengths && t.vertices) {
      for (u64 s = w.step; s < t.end; s++) write(s, None, NoEdge);
    }
    w.vertex = None;
    finish();
  }

  // finish writes what later launches need, and frees the lane.
  ND_FN void finish() {
    const Trace& t = a.t;
    if (t.ends) {
      t.ends[w.row] = w.vertex;
      t.previous[w.row] = w.previous;
    }
    if (t.lengths) {
      t.lengths[w.row] = w.step;
      if (w.vertex != None && w.step == a.most) rule.cut(w);
      else if (w.vertex != None) goes_on(t, w.row);
    }
    w.row = None;
  }

  // write records a step: the vertex that it led to, and its edge.
  ND_FN void write(u64 step, u32 v, u64 position) {
    const Trace& t = a.t;
    if (t.vertices) write_once(t.vertices + (step + 1) * t.stride + w.place, v);
    if (t.edges) write_once(t.edges + step * t.stride + w.place, edge_id(a.g, position));
  }

  // advance takes the step along the picked edge, or ends the walk if there is none.
  ND_FN void advance(Picked p) {
    if (p.index == None) return stop();
    u64 position = row.first + p.index;
    u32 next = rule.update(w, position, p.vertex), at = next == None ? p.vertex : next;
    write(w.step, at, at == p.vertex ? position : NoEdge);
    w.step++;
    w.previous = w.vertex;
    w.vertex = next;
    begin_step();
  }

  // ---- its choice

  // by_tiles weighs the rows of the open lanes, a tile of 8 lanes per row, and returns each lane's choice. Whole warp.
  ND_FN u32 by_tiles(bool open) {
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

  // by_warp weighs the rows of the open lanes one after the other, each by the whole warp, and returns each lane's
  // choice.
  ND_FN u32 by_warp(bool open) {
    u32 chosen = None;
    for (u32 left = Warp::vote(open); left; left &= left - 1) {
      u32 owner = lowest_bit(left);
      Row its{Warp::from(row.first, owner), Warp::from(row.degree, owner)};
      u32 it = weigh<Warp, Rows>(a.g, rule, w.template of<Warp>(owner), its, marks);
      if (lane_index() == owner) chosen = it;
    }
    return chosen;
  }

  // weigh_all returns the choice of each open lane's walker. Rows that are weighed side by side have similar lengths.
  ND_FN Picked weigh_all(bool open) {
    Picked p{None, None};
    u32 d = row.degree, chosen = None, by;
    if constexpr (!Rule::groups) {
      chosen = by_warp(open);
      if (chosen != None) p = {chosen, fetch_far(a.g.indices + row.first + chosen)};
      return p;
    } else {
      bool small = d <= (keeps ? KeptEdges : a.lane_degree);
      if constexpr (keeps) {
        if (open && small) p = weigh_short<Rows>(a.g, rule, w, row, kept);
        if (open) kept.step(small ? d : None);
      } else if (open && small) {
        chosen = weigh<Lane, Rows>(a.g, rule, w, row, marks);
      }
      open = open && !small;
      if constexpr (TileDegree > 0) {
        for (u32 above = 0, most = TileDegree / 8; above < TileDegree; above = most, most = TileDegree)
          if ((by = by_tiles(open && above < d && d <= most)) != None) chosen = by;
      }
      if ((by = by_warp(open && d > TileDegree)) != None) chosen = by;
      if (chosen != None) p = {chosen, fetch_far(a.g.indices + row.first + chosen)};
      return p;
    }
  }

  // choose makes one try of every walker, or a step. Walkers whose rows must be weighed wait until WeighTogether of the
  // warp do, at most Patience rounds. Whole warp.
  ND_FN void choose() {
    if constexpr (Rule::bounded) {
      u32 each;
      bool trying = w.there() && t < limit;
      Picked p = proposals<Rows>(a.g, rule, w, row, limit, t, trying, each);
      if (trying && p.index != None) advance(p);
      else if (trying) t += each;
    }
    bool open = w.there() && t >= limit;
    u32 waiting = Warp::vote(open);
    if (count_bits(waiting) >= WeighTogether || Warp::vote(w.there() && t < limit) == 0 || ++rounds % Patience == 0) {
      Picked p{None, None};
      if (waiting) p = weigh_all(open);
      if (open) advance(p);
    }
  }

  // choose_whole takes one step of every walker of the warp, for rules whose rows are only weighed by warps: lanes try
  // for their own walkers first, and for each other's once `alone` tries of a step were refused.
  ND_FN void choose_whole() {
    constexpr u32 alone = 3;
    Picked p{None, None};
    for (u32 round = 0;; round++) {
      bool trying = w.there() && p.index == None && t < limit;
      u32 lanes = Warp::vote(trying), each = 1;
      if (lanes == 0) break;
      Picked q{None, None};
      if (round >= alone) {
        while (each * 2 * count_bits(lanes) <= WarpSize) each *= 2;
        q = lent<Rows>(a.g, rule, w, row, limit, t, lanes, each);
      } else if (trying) {
        q = one_try<Rows>(a.g, rule, w, row, t);
        rule.note(true);
        rule.settle(w);
      }
      if (trying && q.index != None) p = q;
      else if (trying) t += each;
    }
    bool open = w.there() && p.index == None;
    if (Warp::vote(open)) {
      Picked q = weigh_all(open);
      if (open) p = q;
    }
    if (w.there()) advance(p);
  }

  // busy tells whether any lane of the warp has a walker or may get one.
  ND_FN bool busy() { return Warp::vote(w.there() || !pool.empty) != 0; }
};

// computed takes the steps of a launch's rows by a rule. Blocks have ComputedThreads threads. Hubs are weighed by
// warps: blocks that weighed them together cost all lanes registers, and were slower from 64 samples on.
template <class Rows, class Rule> ND_FN void computed(const Walk& a, Rule rule) {
  using Driver = Computed<Rows, Rule>;
  ND_SHARED(u32, kept, Driver::keeps ? 2 * KeptEdges * ComputedThreads : 1);
  ND_SHARED(u32, marks, ComputedThreads);
  marks[thread_index()] = 0;
  sync_block();
  Driver d{a, rule, {a.queue, a.b.from, rows_end(a.b)}, {kept}, marks};
  d.w = {0, None, 0, 0, None, None};
  d.row = {0, 0};
  d.t = d.limit = 0;
  for (;;) {
    u64 place = d.pool.take(!d.w.there() && lane_index() < a.warp_rows);
    if (place != NoEdge) d.start(place);
    if (!d.busy()) return;
    if constexpr (Rule::groups) d.choose();
    else d.choose_whole();
  }
}

}  // namespace nd
