// What the drivers give users' hooks, and what they note of them.
#pragma once
#include "app/ctx.cuh"
#include "driver/rows.cuh"

namespace nd {

// Place says which walker's choice hooks are asked about.
struct Place {
  u64 row;         // of the launch
  u64 column;      // of the trace
  u32 walker;      // which of those side by side
  u64 step;
  u64 key, words;  // the key of the choice's words, and the slot of the hook's own word 0
};

// ctx_at gives what hooks see. side is how many walkers a sample has.
template <class Rows> ND_FN Ctx<Rows> ctx_at(const Hooked& h, const Place& at, u32 transit, u32 prev, u32 side) {
  const Batch& b = h.w.b;
  return {h.w.g, h.user, b.first + b.row + at.row, (i64)at.step, transit, prev, 0, at.key, at.words,
          h.w.t.vertices + at.column, h.w.t.stride, (u32)b.width, side, nullptr};
}

// report keeps what went wrong in a step, if it is the lowest of the run.
ND_FN void report(const Hooked& h, u64 row, u64 step, u32 wrong) {
  if (wrong != kind::Nothing) min_atomic(h.user.fault, (h.w.b.row + row) << 24 | (step & 0xffff) << 8 | wrong);
}

}  // namespace nd
