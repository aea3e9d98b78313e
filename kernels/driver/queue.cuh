// Two dynamic schedulers, from which the threads of a launch take their work.
//
// Pool distributes the rows of a launch by an atomic counter. A warp asks for as many rows as it has lanes without a
// walker, so a lane whose walk has ended continues with another. Each row is given to exactly one lane.
//
// Queue is a bounded multi-producer, multi-consumer ring buffer for tasks that create other tasks. Two properties
// ensure that no task is lost. First, a worker leaves when no task is in flight, not when the queue looks empty: a busy
// worker may still push. Second, each slot has a sequence number, which shows whether its task is written: a reserved
// place need not be filled yet. The queue of PGSampler, as published (Algorithm 1), has neither.
#pragma once
#include "core/group.cuh"

namespace nd {

// Pool distributes the places begin ... end-1. Each lane has a copy.
struct Pool {
  u64* taken;  // the number of places given so far, in device memory; 0 when the launch begins
  u64 begin, end;
  bool empty = false;  // no place is left; equal in all lanes of a warp

  // take returns a place to each lane that wants one, or NoEdge if none is left or the lane wants none. All lanes of a
  // warp call it together; it costs one atomic addition per warp.
  ND_FN u64 take(bool wants) {
    u32 asking = empty ? 0 : Warp::vote(wants);
    if (asking == 0) return NoEdge;
    u32 leader = lowest_bit(asking);
    u64 first = 0;
    if (lane_index() == leader) first = add_atomic(taken, (u64)count_bits(asking));
    first = begin + Warp::from(first, leader);
    empty = first + count_bits(asking) >= end;
    u64 place = first + count_bits(asking & ((1u << lane_index()) - 1));
    return wants && place < end ? place : NoEdge;
  }
};

// The distance of a queue's counters, which are in separate cache lines, and the size of all, in words.
constexpr u32 QueueApart = 16, QueueHead = 3 * QueueApart;

// Queue is a ring buffer in device memory. Places are numbered without end; place p is in slot p & mask, whose sequence
// is free(p) while the slot is free for p, and ready(p) once the task of p is written. A worker is a group (warp or
// block) that takes tasks; it waits at a place that no other worker waits at. All workers must be resident at once, so
// the launch must be cooperative.
//
// Pushing never waits: if the queue is full, push returns false, and the pusher does the task itself. So the queue
// cannot deadlock at any capacity.
template <class Task> struct Queue {
  static_assert(sizeof(Task) % 8 == 0, "tasks are words");
  static constexpr u32 words = sizeof(Task) / 8;
  u64* at;   // counters and slots, which are zero before the first round
  u64 mask;  // the number of slots, less 1; the number is a power of two, at least 2

  // size returns the number of 64-bit words of a queue.
  ND_FN static u64 size(u64 slots) { return QueueHead + slots * (1 + words); }

  ND_FN u64* head() const { return at; }               // the next place to be taken
  ND_FN u64* tail() const { return at + QueueApart; }  // the next place to be pushed to
  ND_FN u64* flight() const {
    return at + 2 * QueueApart;
  }  // tasks that are not done, and workers with an unfinished share
  ND_FN u64* sequence(u64 place) const { return at + QueueHead + (place & mask) * (1 + words); }
  ND_FN u64 free(u64 place) const { return place & ~mask; }
  ND_FN u64 ready(u64 place) const { return free(place) + 1; }

  // arm begins a round with a number of workers, each of which starts with a share of the work and calls done after it.
  // One thread calls it while no other uses the queue. It resets head to tail: the places at which workers waited at
  // the end of the last round are used again.
  ND_FN void arm(u64 workers) const {
    write_for_all(head(), read_shared_by_all(tail()));
    write_for_all(flight(), workers);
  }

  // push adds the task of each lane that has one and returns whether the lane's was added. All lanes of a warp call it
  // together.
  ND_FN bool push(bool has, const Task& task) const {
    u32 asking = Warp::vote(has), mine = lanes_below(asking), count = count_bits(asking), reserved = 0;
    if (asking == 0) return false;
    // 1. Reserve as many consecutive free places as there are, at most one per task. Lane i inspects the i-th of them.
    //    Lane 0 advances the tail by compare-and-swap; if another warp did so first, repeat from its tail.
    u64 first = read_from(Warp(), tail());
    for (;;) {
      bool open =
          lane_index() < count && read_shared_by_all(sequence(first + lane_index())) == free(first + lane_index());
      u32 shut = Warp::vote(!open);
      reserved = shut ? lowest_bit(shut) : WarpSize;
      u64 seen = first;
      if (lane_index() == 0)
        seen = reserved ? swap_atomic(tail(), first, first + reserved) : read_shared_by_all(tail());
      seen = Warp::from(seen, 0);
      if (seen == first) break;
      first = seen;
    }
    if (reserved == 0) return false;
    // 2. Count the tasks as in flight, before any of them can be taken.
    if (lane_index() == 0) {
      add_atomic(flight(), (u64)reserved);
      fence();
    }
    Warp::sync();
    // 3. Write the tasks, then their sequence numbers: the fence orders the two.
    bool pushed = has && mine < reserved;
    if (pushed) {
      u64* to = sequence(first + mine);
      const u64* from = (const u64*)&task;
      for (u32 i = 0; i < words; i++) write_for_all(to + 1 + i, from[i]);
      fence();
      write_for_all(to, ready(first + mine));
    }
    return pushed;
  }

  // take stores the group's next task in `task` and returns true, or returns false once no task is in flight. All ranks
  // of G call it; rank 0 polls the slot of the place that it has taken.
  template <class G> ND_FN bool take(Task& task) const {
    u64 place = 0, got = 0;
    u64* of = (u64*)&task;
    if (G::rank() == 0) {
      place = add_atomic(head(), (u64)1);
      u64* slot = sequence(place);
      for (;;) {
        if (read_shared_by_all(slot) == ready(place)) {
          got = 1;
          break;
        }
        if (read_shared_by_all(flight()) == 0) break;
        pause();
      }
      fence();
      if (got) {  // copy the task, then free the slot for the place one round of the ring later
        for (u32 i = 0; i < words; i++) of[i] = read_shared_by_all(slot + 1 + i);
        fence();
        write_for_all(slot, free(place) + mask + 1);
      }
    }
    if (!G::from(got, 0)) return false;
    for (u32 i = 0; i < words; i++) of[i] = G::from(of[i], 0);
    return true;
  }

  // done reports a taken task as done, after the tasks that it created are pushed. A worker also calls it once per
  // round, after its initial share. All ranks of G call it.
  template <class G> ND_FN void done() const {
    fence();
    G::sync();
    if (G::rank() == 0) add_atomic(flight(), ~0ull);
  }

 private:
  // read_from returns *p as rank 0 reads it, to all ranks.
  template <class G> ND_FN static u64 read_from(G, const u64* p) {
    u64 x = 0;
    if (G::rank() == 0) x = read_shared_by_all(p);
    return G::from(x, 0);
  }
};

}  // namespace nd
