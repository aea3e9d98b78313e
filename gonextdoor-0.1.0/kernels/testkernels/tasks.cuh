// Test kernels of driver/queue.cuh: they only take tasks and count them, so a test sees whether a task was lost or run
// twice.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"
#include "driver/queue.cuh"

namespace nd {

constexpr u32 TasksThreads = 128;

// count_tasks takes the places from ... rows-1 of a Pool, and works on each for one to four rounds. Walk::counts has
// two numbers per place: how often it was taken, and the number of rounds.
ND_FN void count_tasks(const Walk& a) {
  Pool pool{a.queue, a.b.from, a.b.rows};
  u64 place = NoEdge;
  for (u32 left = 0;;) {
    u64 next = pool.take(left == 0);
    if (next != NoEdge) {
      place = next;
      left = 1 + (u32)(place % 4);
      add_atomic(a.counts + 2 * place, (u64)1);
    }
    if (Warp::vote(left > 0 || !pool.empty) == 0) return;
    if (left > 0) {
      add_atomic(a.counts + 2 * place + 1, (u64)1);
      left--;
    }
  }
}

// Span is the task of counting each of begin ... end-1 once: it counts begin, and divides the others into one to forty
// tasks. Every number is counted once if and only if no task is lost or run twice. Widths are random, so trees of tasks
// are both wide and deep.
struct Span {
  u64 begin, end;
};

// arm_tasks begins a round of the queue. One thread. Walk::threshold is the mask of the queue, Walk::most its workers.
ND_FN void arm_tasks(const Walk& a) { Queue<Span>{a.queue, a.threshold}.arm(a.most); }

// divide counts a span's first number in Walk::counts, and pushes the others. If the queue is full, it counts them
// itself.
template <class G> ND_FN void divide(const Walk& a, const Queue<Span>& queue, Span s) {
  if (s.begin >= s.end) return;
  if (G::rank() == 0) add_atomic(a.counts + s.begin, (u64)1);
  s.begin++;
  u64 each = word_of(a.b.stream, s.begin), wide = each % 8 ? 1 + (each >> 8) % 3 : 1 + (each >> 8) % 40, r = G::rank();
  Span child{s.begin + (s.end - s.begin) * r / wide, s.begin + (s.end - s.begin) * (r + 1) / wide};
  for (u32 part = 0; part < (wide + G::size - 1) / G::size; part++) {
    bool has = r + part * G::size < wide;
    if (part > 0)
      child = {s.begin + (s.end - s.begin) * (r + part * G::size) / wide,
               s.begin + (s.end - s.begin) * (r + part * G::size + 1) / wide};
    has = has && child.begin < child.end;
    bool pushed = queue.push(has, child);
    for (u64 i = child.begin; has && !pushed && i < child.end; i++) add_atomic(a.counts + i, (u64)1);
  }
}

// grow_tasks divides the numbers 0 ... rows-1 among the workers with an even number; the others begin without a share.
// The number of workers is the one that arm_tasks was given.
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
