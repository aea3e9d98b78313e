// Short rows, which a lane weighs by itself. Where biases are of second order the lane keeps what it has read: at the next
// step this row is the one of the vertex before, and memory is asked for each row once. Both are sorted, so candidates
// are looked up by going along them side by side.
#pragma once
#include "driver/walker.cuh"
#include "selector/reservoir.cuh"

namespace nd {

constexpr u32 KeptEdges = 32;  // of a row that is kept at most

// Kept is a lane's two rows in shared memory, an element of each lane beside the next lane's: no two lanes ask one bank.
template <u32 Threads> struct Kept {
  u32* cells;  // 2 * KeptEdges * Threads
  u32 length = None;  // of the row before; None: it was not kept
  u32 now = 0;        // which of the two is the present row's

  ND_FN u32& present(u32 i) { return cells[(now * KeptEdges + i) * Threads + thread_index()]; }
  ND_FN u32 before(u32 i) const { return cells[((now ^ 1) * KeptEdges + i) * Threads + thread_index()]; }
  // step makes the present row the one before.
  ND_FN void step(u32 kept) { length = kept, now ^= 1; }
};

// weigh_short gives the number of the edge that is chosen in a row of KeptEdges edges at most, or None.
template <class Rows, class Rule, u32 Threads>
ND_FN u32 weigh_short(const Graph& g, Rule& rule, const Walker& w, typename Rows::Row row, Kept<Threads>& kept) {
  constexpr u32 K = 4;
  Reserve<Lane> held(hung(w.key, slot_of(w.step, MaxTries), 0));
  bool second = w.previous != None, known = !second || kept.length != None;
  auto its = row;
  if (!known) its = Rows::of(g, w.previous);
  u32 along = 0, length = second && known ? kept.length : 0;
  u32 there = length > 0 ? kept.before(0) : None;
  for (u32 first = 0; first < row.degree; first += K) {
    u32 dst[K];
    typename Rule::Read read[K];
    for (u32 j = 0; j < K; j++) {
      if (first + j >= row.degree) break;
      dst[j] = fetch(g.indices + row.first + first + j);
      read[j] = rule.read(w, row.first + first + j, dst[j]);
    }
    for (u32 j = 0; j < K; j++) {
      if (first + j >= row.degree) break;
      kept.present(first + j) = dst[j];
      while (there < dst[j]) there = ++along < length ? kept.before(along) : None;
      bool near = known ? there == dst[j] : in_row(g, its, dst[j]);
      u32 bias[1] = {rule.bias(w, read[j], row.first + first + j, dst[j], Known{near})};
      rule.note(w, true);
      held.template offer<1>(first + j, bias);
    }
  }
  return held.held;
}

}  // namespace nd
