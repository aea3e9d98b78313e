// A launch that does nothing but take tasks from the pools of driver/queue.cuh, and counts them, so that a test sees
// whether one was lost or done twice.
#pragma once
#include "core/args.cuh"
#include "driver/queue.cuh"

namespace nd {

constexpr u32 TasksThreads = 128;

// count_tasks takes the places from ... rows-1, each for one to four rounds. At each round every third lane leaves its
// task to the block. Walk::counts has three numbers a place: how often it was taken, how many rounds it had by its lane,
// and how many by the block.
ND_FN void count_tasks(const Walk& a) {
  ND_SHARED(u32, owners, TasksThreads);
  ND_SHARED(u32, count, 1);
  ND_SHARED(u64, task, 1);
  Hubs<u64> hubs{owners, count, task, nullptr};
  Pool pool{a.queue, a.b.from, a.b.rows};
  if (thread_index() == 0) count[0] = 0;
  sync_block();
  u64 place = NoEdge;
  for (u32 left = 0;;) {
    u64 next = pool.take(left == 0);
    if (next != NoEdge) {
      place = next, left = 1 + (u32)(place % 4);
      add_atomic(a.counts + 3 * place, (u64)1);
    }
    if (Block<TasksThreads>::first(left > 0 || !pool.empty) == None) return;
    bool leaves = left > 0 && (thread_index() + left) % 3 == 0;
    if (left > 0 && !leaves) add_atomic(a.counts + 3 * place + 1, (u64)1);
    if (leaves) hubs.put();
    sync_block();
    u32 waiting = *hubs.count;
    for (u32 i = 0; i < waiting; i++) {
      if (hubs.owners[i] == thread_index()) *hubs.task = place;
      sync_block();
      if (thread_index() == i) add_atomic(a.counts + 3 * *hubs.task + 2, (u64)1);
      sync_block();
    }
    if (thread_index() == 0) *hubs.count = 0;
    if (left > 0) left--;
  }
}

}  // namespace nd
