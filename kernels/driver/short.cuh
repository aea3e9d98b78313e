// Short rows, which a lane weighs by itself. Where biases are of second order the lane keeps what it has read: at the next
// step this row is the one of the vertex before, and memory is asked for each row once. Both are sorted, so candidates
// are looked up by going along them side by side.
#pragma once
#include "driver/proposals.cuh"
#include "driver/weigh.cuh"

namespace nd {

constexpr u32 KeptFours = 8;  // of a row that is kept at most

// Kept is a lane's two rows in shared memory, four edges of each lane beside the next lane's: no two lanes ask one bank.
template <u32 Threads> struct Kept {
  Quad* cells;      // 2 * KeptFours * Threads
  u32 fours = None; // of the row before; None: it was not kept
  u32 now = 0;      // which of the two is the present row's

  ND_FN static u32 of(u64 first, u32 degree) { return (u32)(first % Four + degree + Four - 1) / Four; }
  template <class Row> ND_FN static bool fits(Row row) { return row.degree <= KeptFours * Four && of(row.first, row.degree) <= KeptFours; }

  ND_FN Quad& present(u32 i) { return cells[(now * KeptFours + i) * Threads + thread_index()]; }
  ND_FN Quad before(u32 i) const { return cells[((now ^ 1) * KeptFours + i) * Threads + thread_index()]; }
  // step makes the present row the one before.
  ND_FN void step(u32 kept) { fours = kept, now ^= 1; }
};

ND_FN u32 among_four(Quad q, u32 v) { return q.x == v || q.y == v || q.z == v || q.w == v; }

// weigh_short chooses in a row that fits.
template <class Rows, class Rule, u32 Threads>
ND_FN Picked weigh_short(const Graph& g, Rule& rule, const Walker& w, typename Rows::Row row, Kept<Threads>& kept) {
  Reserve<Lane> held(hung(w.key, slot_of(w.step, MaxTries), 0));
  Picked p{None, None};
  bool second = w.previous != None, known = second && kept.fours != None;
  auto its = row;
  if (second && !known) its = Rows::of(g, w.previous);
  u32 along = 0;
  Quad there{None, None, None, None};
  if (known) there = kept.before(0);
  u32 fours = kept.of(row.first, row.degree);
  for (u32 i = 0; i < fours; i++) {
    Stretch<Rule> own;
    own.load(g, rule, w, (u64)row.first / Four * Four + i * Four, row);
    kept.present(i) = {own.dst[0], own.dst[1], own.dst[2], own.dst[3]};
    u32 near = 0, biases[Four];
    if (known) {
      for (;;) {
        for (u32 j = 0; j < Four; j++) near |= among_four(there, own.dst[j]) << j;
        if (there.w >= own.dst[3] || along + 1 >= kept.fours) break;
        there = kept.before(++along);
      }
    } else if (second) {
      for (u32 j = 0; j < Four; j++) near |= (u32)(own.has(j) && in_row(g, its, own.dst[j])) << j;
    }
    own.weigh(rule, w, near, biases);
    for (u32 j = 0; j < Four; j++) {
      u32 words = held.words;
      held.give((u32)(own.position + j - row.first), biases[j]);
      if (held.words != words) p = {held.held, own.dst[j]};
    }
  }
  return p;
}

}  // namespace nd
