// Walks by computed biases: a bias is evaluated by a function when a choice needs it (a bias rule, see
// driver/walker.cuh). Nothing is stored per edge, and a choice takes constant memory for any row length.
//
// Each lane has one walker in registers. Per step of a walker:
//
//   1. begin_step  Read the row. The walk ends at a sink, or if the rule stops it.
//   2. proposals   If biases are bounded, propose candidates under the bound (driver/proposals.cuh). Lanes may be at
//                  different tries and steps, so no lane waits for lanes whose tries were rejected.
//   3. weigh_all   After all tries were rejected, or without a bound, weigh the whole row with a reservoir: a lane
//                  weighs a short row, a tile of 8 lanes a longer one, the warp the longest.
//   4. advance     Write the step. A lane whose walk has ended takes another row from the pool of the launch.
//
// A step costs O(1) expected if the bound is close to the biases, and O(degree / lanes) if the row is weighed.
//
// The schedule is that of FlowWalker (Mei et al., VLDB'24). Unlike there, samples do not depend on it, since random
// words are keyed by sample and step. Callers: entries/computed.cu, and users' apps with edge_bias
// (app/hookruntime.cuh).
#pragma once
#include "driver/proposals.cuh"
#include "driver/queue.cuh"
#include "driver/rows.cuh"
#include "driver/shortrows.cuh"
#include "driver/weigh.cuh"

namespace nd {

constexpr u32 ComputedThreads = 128;
constexpr u32 WeighTogether = 4;  // walkers of a warp that must wait before their rows are weighed, side by side
constexpr u32 Patience = 8;       // rounds of tries after which fewer walkers are weighed

// Computed is a lane's walker and its driver. All lanes of a warp call choose, choose_step, by_tiles, by_warp and
// weigh_all together; the other methods concern one lane.
template <class Rows, class Rule> struct Computed {
  using Row = typename Rows::Row;
  // TileDegree is the longest row that a tile weighs; 0: tiles are not used, which saves registers.
  static constexpr u32 TileDegree = Rule::second ? (Rule::bounded ? 256 : 0) : 1024;
  // caches is whether short rows are cached in shared memory: without a bound every row is read completely, and the
  // next step looks candidates up in it.
  static constexpr bool caches = Rule::second && !Rule::bounded;

  const Walk& a;
  Rule& rule;
  Pool pool;  // of the launch's rows
  LaneRows<ComputedThreads> cache;
  u32* marks;      // shared memory of driver/previousrow.cuh: an element per thread
  Walker w;        // the lane's walker
  Row row;         // of its vertex
  u32 t, limit;    // the next try of its step, and the number of tries
  u32 rounds = 0;  // calls of choose

  // ---- the steps of a walker

  // start gives the lane the walker of a place of the launch, at the launch's first step. The state is read from
  // Trace::ends if there is no complete trace, else from the trace.
  ND_FN void start(u64 place) {
    const Trace& t = a.t;
    u64 of = row_at(a.b, place);
    cache.length = None;
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

  // begin_step prepares the step from the walker's vertex, or ends the walk.
  ND_FN void begin_step() {
    if (w.vertex == None) return stop();
    if (w.step >= a.t.end) return finish();
    if (rule.stops(w)) return stop();
    row = Rows::of(a.g, w.vertex);
    if (row.degree == 0) return stop();
    t = 0;
    limit = 0;
    if constexpr (Rule::bounded) limit = rule.tries(w, row.degree);
  }

  // stop ends the walk before its present step. In samples of fixed length, the remaining slots become empty.
  ND_FN void stop() {
    const Trace& t = a.t;
    if (!t.lengths && t.vertices) {
      for (u64 s = w.step; s < t.end; s++) write(s, None, NoEdge);
    }
    w.vertex = None;
    finish();
  }

  // finish stores the state for later launches, and frees the lane.
  ND_FN void finish() {
    const Trace& t = a.t;
    if (t.ends) {
      t.ends[w.row] = w.vertex;
      t.previous[w.row] = w.previous;
    }
    if (t.lengths) {
      t.lengths[w.row] = w.step;
      if (w.vertex != None && w.step == a.most) rule.cut(w);
      else if (w.vertex != None) list_row(t, w.row);
    }
    w.row = None;
  }

  // write records a step in the trace, if there is one: the vertex that it led to, and the edge.
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

  // ---- the choice of a step

  // by_tiles weighs the rows of the open lanes, a tile of 8 lanes per row and four rows at a time, and returns each
  // lane's choice. All lanes of the warp call it.
  ND_FN u32 by_tiles(bool open) {
    using Group = Tile<8>;
    constexpr u32 tiles = WarpSize / Group::size;
    u32 chosen = None, lane = lane_index(), tile = lane / Group::size;
    for (u32 waiting = Warp::vote(open); waiting;) {
      // 1. Tile k fetches the k-th waiting walker and weighs its row.
      u32 count = count_bits(waiting), owner = place_of(waiting, tile < count ? tile : 0);
      Walker other = w.template of<Warp>(owner);
      Row its{Warp::from(row.first, owner), Warp::from(row.degree, owner)};
      u32 found = None;
      if (tile < count) found = weigh<Group, Rows>(a.g, rule, other, its, marks);
      Warp::sync();
      // 2. The first waiting lanes fetch their choices.
      u32 k = count_bits(waiting & ((1u << lane) - 1));
      bool served = (waiting >> lane & 1) && k < tiles;
      u32 result = Warp::from(found, served ? k * Group::size : lane);
      if (served) chosen = result;
      for (u32 i = 0; i < tiles; i++) waiting &= waiting - 1;
    }
    return chosen;
  }

  // by_warp weighs the rows of the open lanes one after the other, each by the whole warp, and returns each lane's
  // choice. All lanes of the warp call it.
  ND_FN u32 by_warp(bool open) {
    u32 chosen = None;
    for (u32 waiting = Warp::vote(open); waiting; waiting &= waiting - 1) {
      u32 owner = lowest_bit(waiting);
      Row its{Warp::from(row.first, owner), Warp::from(row.degree, owner)};
      u32 found = weigh<Warp, Rows>(a.g, rule, w.template of<Warp>(owner), its, marks);
      if (lane_index() == owner) chosen = found;
    }
    return chosen;
  }

  // weigh_all returns the choice of each open lane's walker, by weighing its row. It sorts rows into classes by length,
  // so that rows that are weighed side by side take about equally long. All lanes of the warp call it.
  ND_FN Picked weigh_all(bool open) {
    Picked p{None, None};
    u32 d = row.degree, chosen = None, found;
    if constexpr (!Rule::groups) {
      chosen = by_warp(open);
      if (chosen != None) p = {chosen, fetch_far(a.g.indices + row.first + chosen)};
      return p;
    } else {
      // 1. Short rows: by a lane each.
      bool small = d <= (caches ? CachedEdges : a.lane_degree);
      if constexpr (caches) {
        if (open && small) p = weigh_short<Rows>(a.g, rule, w, row, cache);
        if (open) cache.step(small ? d : None);
      } else if (open && small) {
        chosen = weigh<Lane, Rows>(a.g, rule, w, row, marks);
      }
      open = open && !small;
      // 2. Longer rows: by tiles, in two classes of length.
      if constexpr (TileDegree > 0) {
        for (u32 above = 0, most = TileDegree / 8; above < TileDegree; above = most, most = TileDegree) {
          found = by_tiles(open && above < d && d <= most);
          if (found != None) chosen = found;
        }
      }
      // 3. The longest rows: by the warp.
      found = by_warp(open && d > TileDegree);
      if (found != None) chosen = found;
      if (chosen != None) p = {chosen, fetch_far(a.g.indices + row.first + chosen)};
      return p;
    }
  }

  // choose makes the next tries of every walker of the warp, and advances those with an accepted candidate. Walkers
  // whose rows must be weighed wait until WeighTogether walkers do, or no walker has tries left, at most Patience
  // rounds. All lanes of the warp call it.
  ND_FN void choose() {
    // 1. Propose.
    if constexpr (Rule::bounded) {
      u32 each;
      bool trying = w.there() && t < limit;
      Picked p = proposals<Rows>(a.g, rule, w, row, limit, t, trying, each);
      if (trying && p.index != None) advance(p);
      else if (trying) t += each;
    }
    // 2. Weigh, if enough walkers wait.
    bool open = w.there() && t >= limit;
    u32 waiting = Warp::vote(open);
    if (count_bits(waiting) >= WeighTogether || Warp::vote(w.there() && t < limit) == 0 || ++rounds % Patience == 0) {
      Picked p{None, None};
      if (waiting) p = weigh_all(open);
      if (open) advance(p);
    }
  }

  // choose_step takes one step of every walker of the warp. It is for rules of users' hooks, of which fewer copies are
  // compiled, and for those of which most candidates are rejected, such as labels. Lanes try for their own walkers
  // first, and for each other's once `alone` tries of a step were rejected. All lanes of the warp call it.
  ND_FN void choose_step() {
    constexpr u32 alone = 3;
    // 1. Propose until every walker has an accepted candidate or no tries left.
    Picked p{None, None};
    for (u32 round = 0;; round++) {
      bool trying = w.there() && p.index == None && t < limit;
      u32 lanes = Warp::vote(trying), each = 1;
      if (lanes == 0) break;
      Picked q{None, None};
      if (round >= alone) {
        while (each * 2 * count_bits(lanes) <= WarpSize) each *= 2;
        q = shared_tries<Rows>(a.g, rule, w, row, limit, t, lanes, each);
      } else if (trying) {
        q = one_try<Rows>(a.g, rule, w, row, t);
        rule.note(true);
        rule.settle(w);
      }
      if (trying && q.index != None) p = q;
      else if (trying) t += each;
    }
    // 2. Weigh the rows of the others.
    bool open = w.there() && p.index == None;
    if (Warp::vote(open)) {
      Picked q = weigh_all(open);
      if (open) p = q;
    }
    if (w.there()) advance(p);
  }

  // busy returns whether any lane of the warp has a walker or may get one.
  ND_FN bool busy() { return Warp::vote(w.there() || !pool.empty) != 0; }
};

// computed takes the steps of a launch's rows by a rule. Blocks have ComputedThreads threads, and 32 KiB of shared
// memory if rows are cached. Walk::queue is the counter of the pool, 0 before the launch; Walk::warp_rows limits the
// walkers per warp, so that few rows are spread over many warps. Hubs are weighed by warps: weighing them by blocks
// took registers of all lanes, and was slower with 64 samples or more.
template <class Rows, class Rule> ND_FN void computed(const Walk& a, Rule rule) {
  using Driver = Computed<Rows, Rule>;
  ND_SHARED(u32, cells, Driver::caches ? 2 * CachedEdges * ComputedThreads : 1);
  ND_SHARED(u32, marks, ComputedThreads);
  marks[thread_index()] = 0;
  sync_block();
  Driver d{a, rule, {a.queue, a.b.from, rows_end(a.b)}, {cells}, marks};
  d.w = {0, None, 0, 0, None, None};
  d.row = {0, 0};
  d.t = d.limit = 0;
  for (;;) {
    u64 place = d.pool.take(!d.w.there() && lane_index() < a.warp_rows);
    if (place != NoEdge) d.start(place);
    if (!d.busy()) return;
    if constexpr (Rule::lockstep) d.choose_step();
    else d.choose();
  }
}

}  // namespace nd
