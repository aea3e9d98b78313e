// The pools that tasks come from.
//
// Pool is the rows of a launch: one number, which says how many of them were taken. A warp asks for as many as it has
// lanes without a walker, so lanes whose walk has ended go on with another. What is taken is given to exactly one lane,
// and no task makes another, so nothing is lost when lanes leave.
//
// Queue is for tasks that make others. Two things keep it from losing any. A worker leaves when nothing is in flight,
// and not when the queue looks empty: who is at work now may still push. And each slot says by itself whether its task
// is there: that a place was reserved does not mean that it was written. PGSampler's queue, as published (Algorithm 1),
// has neither.
#pragma once
#include "core/group.cuh"

namespace nd {

struct Pool {
  u64* taken;  // 0 when the launch begins
  u64 begin, end;
  bool empty = false;

  // take gives each lane that wants one a place, or None where there is none left. A warp's lanes come together.
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

// Queue is a ring in the card's memory. Places count on for ever; place p lies in slot p & mask, whose turn says for
// which place it is free, or that the place's task is there. A worker is a group that takes tasks. It has a place of
// its own to wait at, so workers do not get into each other's way. All workers must run at once.
//
// Nobody ever waits for room: who finds none does the task itself.
template <class Task> struct Queue {
  static_assert(sizeof(Task) % 8 == 0, "tasks are words");
  static constexpr u32 words = sizeof(Task) / 8, apart = 16;  // counters lie in cache lines of their own
  u64* at;   // counters and slots, zeros when they were allocated, and never set again
  u64 mask;  // the number of slots less 1: a power of two, 2 at least

  // size gives the words of a queue with so many slots.
  ND_FN static u64 size(u64 slots) { return 3 * apart + slots * (1 + words); }

  ND_FN u64* head() const { return at; }              // the next place to be taken
  ND_FN u64* tail() const { return at + apart; }      // the next place to be pushed to
  ND_FN u64* flight() const { return at + 2 * apart; }  // tasks that are not done, and workers who have not shared theirs out
  ND_FN u64* turn(u64 place) const { return at + 3 * apart + (place & mask) * (1 + words); }
  ND_FN u64 free(u64 place) const { return place & ~mask; }
  ND_FN u64 ready(u64 place) const { return free(place) + 1; }

  // arm begins a round with so many workers, each of which has a share that it brings in: one thread does it, while
  // nobody else uses the queue. Places that workers waited at in the round before are given again.
  ND_FN void arm(u64 workers) const {
    write_for_all(head(), read_shared_by_all(tail()));
    write_for_all(flight(), workers);
  }

  // push adds the task of each lane that has one. It is false where there was no room for it. A warp's lanes come
  // together.
  ND_FN bool push(bool has, const Task& task) const {
    u32 asking = Warp::vote(has), mine = lanes_below(asking), count = count_bits(asking), room = 0;
    if (asking == 0) return false;
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
    if (lane_index() == 0) add_atomic(flight(), (u64)room), fence();
    Warp::sync();  // before its task can be taken, it is in flight
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

  // take gives the group its next task, or false when nothing is in flight any more.
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

  // done says that a task which was taken is done, and its own tasks pushed; or, once, that a worker's share is.
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
