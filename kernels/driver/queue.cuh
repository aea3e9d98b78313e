// The two pools that kernels take their tasks from.
//
// Pool is the rows of a launch: one atomic counter of the rows taken so far. A warp asks for as many rows as it has
// lanes without a walker, so a lane whose walk has ended goes on with another. Each row is given to exactly one lane,
// and no task makes another, so nothing is lost when lanes leave.
//
// Queue is a bounded multi-producer, multi-consumer ring for tasks that make other tasks. Two properties keep it from
// losing any. First, a worker leaves when no task is in flight, not when the queue looks empty: a busy worker may still
// push. Second, each slot tells by its own turn number whether its task is written: a reserved place need not be filled
// yet. PGSampler's queue, as published (Algorithm 1), has neither.
#pragma once
#include "core/group.cuh"

namespace nd {

struct Pool {
  u64* taken;  // the counter, in device memory; 0 when the launch begins
  u64 begin, end;
  bool empty = false;  // the same in all lanes of a warp

  // take returns a place to each lane that wants one, NoEdge if none is left or the lane wants none. All lanes of a
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

// Queue is a ring in device memory. Places are numbered without end; place p is in slot p & mask, whose turn is free(p)
// while the slot is free for p, and ready(p) once the task of p is written. A worker is a group (warp or block) that
// takes tasks; it waits at a place that no other worker has. All workers must be resident at once: a cooperative
// launch.
//
// Pushing never waits: if there is no room, push reports that, and the pusher does the task itself.
template <class Task> struct Queue {
  static_assert(sizeof(Task) % 8 == 0, "tasks are words");
  static constexpr u32 words = sizeof(Task) / 8, apart = 16;  // counters lie in cache lines of their own
  u64* at;   // counters and slots, zeros when they were allocated, and never set again
  u64 mask;  // the number of slots less 1: a power of two, 2 at least

  // size returns the number of 64-bit words of a queue.
  ND_FN static u64 size(u64 slots) { return 3 * apart + slots * (1 + words); }

  ND_FN u64* head() const { return at; }              // the next place to be taken
  ND_FN u64* tail() const { return at + apart; }      // the next place to be pushed to
  ND_FN u64* flight() const { return at + 2 * apart; }  // tasks that are not done, and workers who have not shared theirs out
  ND_FN u64* turn(u64 place) const { return at + 3 * apart + (place & mask) * (1 + words); }
  ND_FN u64 free(u64 place) const { return place & ~mask; }
  ND_FN u64 ready(u64 place) const { return free(place) + 1; }

  // arm begins a round with a number of workers, each of which starts with a share of the work and calls done after it.
  // One thread calls it while no other uses the queue. It gives out again the places at which workers waited in the
  // last round.
  ND_FN void arm(u64 workers) const {
    write_for_all(head(), read_shared_by_all(tail()));
    write_for_all(flight(), workers);
  }

  // push adds the task of each lane that has one and returns whether the lane's was added. All lanes of a warp call it
  // together.
  ND_FN bool push(bool has, const Task& task) const {
    u32 asking = Warp::vote(has), mine = lanes_below(asking), count = count_bits(asking), room = 0;
    if (asking == 0) return false;
    // 1. Reserve as many consecutive free places as there are, at most one per task.
    u64 first = read_from(Warp(), tail());
    for (;;) {
      bool open = lane_index() < count && read_shared_by_all(turn(first + lane_index())) == free(first + lane_index());
      u32 shut = Warp::vote(!open);
      room = shut ? lowest_bit(shut) : WarpSize;
      u64 seen = first;
      if (lane_index() == 0) seen = room ? swap_atomic(tail(), first, first + room) : read_shared_by_all(tail());
      seen = Warp::from(seen, 0);
      if (seen == first) break;
      first = seen;
    }
    if (room == 0) return false;
    // 2. Count the tasks as in flight, before any of them can be taken.
    if (lane_index() == 0) {
      add_atomic(flight(), (u64)room);
      fence();
    }
    Warp::sync();
    // 3. Write the tasks, then their turns.
    bool goes = has && mine < room;
    if (goes) {
      u64* to = turn(first + mine);
      const u64* from = (const u64*)&task;
      for (u32 i = 0; i < words; i++) write_for_all(to + 1 + i, from[i]);
      fence();
      write_for_all(to, ready(first + mine));
    }
    return goes;
  }

  // take returns the group's next task in `task`, or false once no task is in flight. All ranks of G call it; rank 0
  // polls.
  template <class G> ND_FN bool take(Task& task) const {
    u64 place = 0, got = 0;
    u64* of = (u64*)&task;
    if (G::rank() == 0) {
      place = add_atomic(head(), (u64)1);
      u64* slot = turn(place);
      for (;;) {
        if (read_shared_by_all(slot) == ready(place)) {
          got = 1;
          break;
        }
        if (read_shared_by_all(flight()) == 0) break;
        pause();
      }
      fence();
      if (got) {
        for (u32 i = 0; i < words; i++) of[i] = read_shared_by_all(slot + 1 + i);
        fence();
        write_for_all(slot, free(place) + mask + 1);
      }
    }
    if (!G::from(got, 0)) return false;
    for (u32 i = 0; i < words; i++) of[i] = G::from(of[i], 0);
    return true;
  }

  // done reports a taken task as done, after its own tasks are pushed; or, once per round, a worker's share. All ranks
  // of G call it.
  template <class G> ND_FN void done() const {
    fence();
    G::sync();
    if (G::rank() == 0) add_atomic(flight(), ~0ull);
  }

 private:
  template <class G> ND_FN static u64 read_from(G, const u64* p) {
    u64 x = 0;
    if (G::rank() == 0) x = read_shared_by_all(p);
    return G::from(x, 0);
  }
};

}  // namespace nd
