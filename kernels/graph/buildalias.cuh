// Construction of alias tables on the GPU (Vose's method), equal to those of graph.BuildAlias bit for bit, with no
// memory besides the table.
//
// BuildAlias has two queues: of small slots, whose share is less than the average, and of large ones. It pairs their
// first elements. A large slot that becomes small is appended to the queue of small ones. So that queue is the row's
// small slots in order, followed by the large ones that became small, in order. Three indices that advance through the
// row replace the queues (waiting, fallen, large below). The remaining share of a slot that became small is stored in
// the slot.
#pragma once
#include "core/group.cuh"
#include "graph/build.cuh"

namespace nd {

// The host builds the tables of longer rows, for which one thread would need longer than for all others.
constexpr u32 AliasThreadEdges = 8192;

// pair_slots determines, for each slot of a row, its share (x and y) and the slot that fills the rest of it (w), or
// itself if it is full. This part is sequential, O(degree); build_alias_slots does the rest in parallel. One thread.
ND_FN void pair_slots(const Build& a, RowOf<u64> row) {
  const u32* biases = a.g.biases + row.first;
  Quad* slots = a.quads + row.first;
  u32 n = row.degree;
  u64 total = 0;
  for (u32 i = 0; i < n; i++) total += fetch(biases + i);
  auto small = [&](u32 i) { return (u64)fetch(biases + i) * n < total; };
  auto next = [&](u32 i, u32 end, bool smaller) {
    while (i < end && small(i) != smaller) i++;
    return i;
  };
  // waiting is the next small slot, large the present large one; fallen precedes the next large one that became small.
  u32 waiting = next(0, n, true), fallen = 0, large = next(0, n, false);
  u64 left = large < n ? (u64)fetch(biases + large) * n : 0;
  while (large < n) {
    // 1. Take the first small slot.
    u32 at;
    u64 share;
    if (waiting < n) {
      at = waiting;
      share = (u64)fetch(biases + at) * n;
      waiting = next(waiting + 1, n, true);
    } else {
      at = next(fallen, large, false);
      if (at == large) break;
      share = (u64)slots[at].y << 32 | slots[at].x;
      fallen = at + 1;
    }
    // 2. Fill it from the large slot, which may become small.
    slots[at] = {(u32)share, (u32)(share >> 32), 0, large};
    left -= total - share;
    if (left < total) {
      slots[large] = {(u32)left, (u32)(left >> 32), 0, large};
      large = next(large + 1, n, false);
      left = large < n ? (u64)fetch(biases + large) * n : 0;
    }
  }
  // 3. The remaining slots are full.
  auto fill = [&](u32 i) { slots[i] = {0, 0, 0, i}; };
  for (; waiting < n; waiting = next(waiting + 1, n, true)) fill(waiting);
  for (; large < n; large = next(large + 1, n, false)) fill(large);
}

// fraction_of returns share/total in units of 2^-32, rounded down, for share < total: a division of 96 by 64 bits.
ND_FN u32 fraction_of(u64 share, u64 total) {
  u32 quotient = 0;
  for (u32 bit = 0; bit < 32; bit++) {
    bool carry = share >> 63;
    share <<= 1;
    bool in = carry || share >= total;
    if (in) share -= total;
    quotient = quotient << 1 | in;
  }
  return quotient;
}

// build_alias_pairs writes the pairs of the rows of vertices begin ... end-1 to quads, a thread per row. It leaves out
// long rows.
ND_FN void build_alias_pairs(const Build& a) {
  for (u64 v = a.begin + thread_of_grid(); v < a.end; v += threads_of_grid()) {
    auto row = PlainRows::of(a.g, (u32)v);
    if (row.degree && row.degree <= AliasThreadEdges) pair_slots(a, row);
  }
}

// build_alias_slots converts the pairs of vertices begin ... end-1 to the table in place, a warp per row.
ND_FN void build_alias_slots(const Build& a) {
  for (u64 v = a.begin + thread_of_grid() / WarpSize; v < a.end; v += threads_of_grid() / WarpSize) {
    auto row = PlainRows::of(a.g, (u32)v);
    const u32* indices = a.g.indices + row.first;
    Quad* slots = a.quads + row.first;
    if (row.degree > AliasThreadEdges) continue;
    u64 total = 0;
    for (u32 i = lane_index(); i < row.degree; i += WarpSize) total += fetch(a.g.biases + row.first + i);
    total = Warp::sum(total);
    for (u32 i = lane_index(); i < row.degree; i += WarpSize) {
      Quad q = slots[i];
      if (total == 0) q = {None, None, ~0u, i};
      else if (q.w == i) q = {fetch(indices + i), fetch(indices + i), ~0u, i};
      else q = {fetch(indices + i), fetch(indices + q.w), fraction_of((u64)q.y << 32 | q.x, total), q.w};
      slots[i] = q;
    }
  }
}

}  // namespace nd
