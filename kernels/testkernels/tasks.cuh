// Launches that do nothing but take tasks from the pools of driver/queue.cuh, and count them, so that a test sees
// whether one was lost or done twice.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"
#include "driver/queue.cuh"

namespace nd {

constexpr u32 TasksThreads = 128;

// count_tasks takes the places from ... rows-1, each for one to four rounds. Walk::counts has two numbers a place: how
// often it was taken, and how many rounds it had.
ND_FN void count_tasks(const Walk& a) {
  Pool pool{a.queue, a.b.from, a.b.rows};
  u64 place = NoEdge;
  for (u32 left = 0;;) {
    u64 next = pool.take(left == 0);
    if (next != NoEdge) {
      place = next, left = 1 + (u32)(place % 4);
      add_atomic(a.counts + 2 * place, (u64)1);
    }
    if (Warp::vote(left > 0 || !pool.empty) == 0) return;
    if (left > 0) add_atomic(a.counts + 2 * place + 1, (u64)1), left--;
  }
}

// Span is the task of counting begin ... end-1 once each: it counts begin, and makes tasks of all others, between one
// of them and forty. So every number is counted once if and only if no task is lost, and none done twice, and trees of
// tasks are as wide and as deep as it happens.
struct Span { u64 begin, end; };

// arm_tasks begins a round: one thread.
ND_FN void arm_tasks(const Walk& a) { Queue<Span>{a.queue, a.threshold}.arm(a.most); }

// divide counts a span's first number in Walk::counts, and pushes the others. Where there is no room they are counted
// here.
template <class G> ND_FN void divide(const Walk& a, const Queue<Span>& queue, Span s) {
  if (s.begin >= s.end) return;
  if (G::rank() == 0) add_atomic(a.counts + s.begin, (u64)1);
  s.begin++;
  u64 each = word_of(a.b.stream, s.begin), wide = each % 8 ? 1 + (each >> 8) % 3 : 1 + (each >> 8) % 40, r = G::rank();
  Span child{s.begin + (s.end - s.begin) * r / wide, s.begin + (s.end - s.begin) * (r + 1) / wide};
  for (u32 part = 0; part < (wide + G::size - 1) / G::size; part++) {
    bool has = r + part * G::size < wide;
    if (part > 0)
      child = {s.begin + (s.end - s.begin) * (r + part * G::size) / wide, s.begin + (s.end - s.begin) * (r + part * G::size + 1) / wide};
    has = has && child.begin < child.end;
    bool pushed = queue.push(has, child);
    for (u64 i = child.begin; has && !pushed && i < child.end; i++) add_atomic(a.counts + i, (u64)1);
  }
}

// grow_tasks shares the numbers 0 ... rows-1 out among the workers, of which Walk::most were told to arm_tasks. Those
// with an odd number have nothing of their own.
template <class G> ND_FN void grow_tasks(const Walk& a) {
  Queue<Span> queue{a.queue, a.threshold};
  u64 worker = thread_of_grid() / G::size, shares = (a.most + 1) / 2;
  if (worker % 2 == 0) divide<G>(a, queue, {a.b.rows * (worker / 2) / shares, a.b.rows * (worker / 2 + 1) / shares});
  queue.template done<G>();
  for (Span s; queue.template take<G>(s);) {
    divide<G>(a, queue, s);
    queue.template done<G>();
  }
}

}  // namespace nd
