// Personalised PageRank: walks that stop with a probability at each vertex. The visits of the walks of each row are
// counted in a hash table in device memory. The twin of app.PageRank and of the visit counts of engine/cpu. Two
// kernels:
//
//   1. pagerank       Take the walks of some parts, RankPart walks each, and count their visits in the tables of the
//                     rows.
//   2. gather_visits  Copy the occupied slots of each table to arrays.
//
// If a table is full, `full` is set, and the host repeats the launch with larger tables. Counts are integers, so their
// sums do not depend on the order of threads.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"
#include "driver/tiles.cuh"
#include "graph/row.cuh"
#include "graph/wide.cuh"
#include "selector/pickededge.cuh"

namespace nd {

constexpr u32 RankPart = 1024;  // walks of a row that a block takes at a time
constexpr u32 RankTrail = 128;  // vertices of its present walk that a thread keeps in local memory
using RankTeam = Block<256>;

// seed_node_of returns one of a row's seed nodes, selected by a word: uniformly, or by the alias table of the row's
// set.
ND_FN u32 seed_node_of(const PageRank& a, u64 row, u64 word) {
  if (!a.set_rows) return fetch(a.seed_nodes + row);
  u64 first = fetch(a.set_rows + row);
  auto pick = below(word, fetch(a.set_rows + row + 1) - first);
  u64 place = pick.index;
  if (a.set_alias) {
    Quad slot = fetch(a.set_alias + first + place);
    if (pick.fraction >= slot.z) place = slot.w;
  }
  return fetch(a.seed_nodes + first + place);
}

// RankStep is the result of a step: the vertex, None if the walk ended at a sink, and whether the walk continues.
struct RankStep {
  u32 vertex;
  bool on;
};

// rank_step takes step s of a walk; step 0 leads to a seed node. At a sink, a walk restarts at a seed node or ends.
template <class Move> ND_FN RankStep rank_step(const PageRank& a, Move& move, u64 row, u64 key, u64 s) {
  u64 word = word_of(key, slot_of(s, 0));
  PickedEdge e{None, 0, NoEdge};
  if (s > 0) e = move.pick(a.g, word);
  if (e.vertex == None) {
    if (s > 0 && !a.restarts) return {None, false};
    e.vertex = seed_node_of(a, row, word);
    e.fraction = second(word);
    move.set_vertex(a.g, e.vertex);
  }
  return {e.vertex, e.fraction >= a.threshold};
}

// visited_before returns whether a walk was at v before step s. Steps beyond the trail are computed again from its last
// vertex, which random words keyed by step permit. O(s), of which steps past RankTrail cost memory accesses.
template <class Move> ND_FN bool visited_before(const PageRank& a, const u32* trail, u64 row, u64 key, u64 s, u32 v) {
  for (u64 t = 0; t < s && t < RankTrail; ++t)
    if (trail[t] == v) return true;
  if (s <= RankTrail) return false;
  Move again;
  again.set_vertex(a.g, trail[RankTrail - 1]);
  for (u64 t = RankTrail; t < s; ++t)
    if (rank_step(a, again, row, key, t).vertex == v) return true;
  return false;
}

// count_visit adds a visit of v to the table of a row, an open-addressing hash table with linear probing. The lower
// half of a slot's second word counts visits, the upper half the walks that visit v; first is whether this is a walk's
// first visit. It costs a load per probe and one atomic addition, and a compare-and-swap for a new vertex.
ND_FN void count_visit(const PageRank& a, u64 row, u32 v, bool first) {
  u64* table = a.table + 2 * row * a.slots;
  u64 at = (u64)(v * 0x9E3779B1u) * a.slots >> 32, name = (u64)v + 1;
  for (u64 tries = 0; tries < a.slots; ++tries) {
    u64 held = read_shared_by_all(table + 2 * at);
    if (held == 0) held = swap_atomic(table + 2 * at, 0, name);
    if (held == 0 || held == name) {
      add_atomic(table + 2 * at + 1, 1 | (u64)first << 32);
      return;
    }
    if (++at == a.slots) at = 0;
  }
  write_for_all(a.full, 1u);
}

// pagerank takes the walks of the parts begin ... end-1, a block per part. A thread whose walk has ended takes another
// one of the part in the same iteration, so the lanes of a warp do not wait for the longest walk.
template <class Move> ND_FN void pagerank(const PageRank& a) {
  for (u64 part = a.begin + block_index(); part < a.end; part += grid_size()) {
    // 1. Find the row and the walks of the part. The thread takes walks w, w + block_size(), ...
    u32 row = part_of(a.parts, (u32)a.rows, (u32)part);
    u64 w = (part - a.parts[row]) * RankPart, end = min_of(w + RankPart, a.walks[row]);
    w += thread_index();
    u64 stream = word_of(key_of(a.stream, a.first + row), 0), key = key_of(stream, w), s = 0;
    u32 trail[RankTrail];
    Move move;
    move.set_vertex(a.g, None);
    // 2. Take a step per iteration, of whichever walk the thread is at.
    while (w < end) {
      RankStep e = rank_step(a, move, row, key, s);
      if (e.vertex != None) {
        count_visit(a, row, e.vertex, !visited_before<Move>(a, trail, row, key, s, e.vertex));
        if (s < RankTrail) trail[s] = e.vertex;
      }
      if (e.on) {
        ++s;
      } else {
        w += block_size();
        key = key_of(stream, w);
        s = 0;
      }
    }
  }
}

// gather_visits copies the occupied slots of each row's table to vertices, visits and visitors, a block of
// RankTeam::size threads per row. The entries of a row are consecutive and begin at from[row]. The order of rows and of
// entries varies between runs; the host sorts them. O(slots) per row.
ND_FN void gather_visits(const PageRank& a) {
  for (u64 row = block_index(); row < a.rows; row += grid_size()) {
    const u64* table = a.table + 2 * row * a.slots;
    // 1. Count the occupied slots of each thread.
    u64 mine = 0;
    for (u64 at = thread_index(); at < a.slots; at += RankTeam::size) mine += table[2 * at] != 0;
    // 2. Prefix sums give each thread its range, and one atomic addition gives the row its range.
    u64 upto = RankTeam::scan(mine), all = RankTeam::from(upto, RankTeam::size - 1), from = 0;
    if (thread_index() == 0) {
      from = add_atomic(a.found, all);
      a.from[row] = from;
      a.sizes[row] = (u32)all;
    }
    // 3. Copy the slots.
    u64 to = RankTeam::from(from, 0) + upto - mine;
    for (u64 at = thread_index(); at < a.slots; at += RankTeam::size) {
      if (table[2 * at] == 0) continue;
      a.vertices[to] = (u32)(table[2 * at] - 1);
      a.visits[to] = (u32)table[2 * at + 1];
      a.visitors[to] = (u32)(table[2 * at + 1] >> 32);
      ++to;
    }
  }
}

}  // namespace nd
