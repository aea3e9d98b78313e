// The pools that tasks come from, so that lanes whose walk has ended go on with another.
//
// The rows of a launch are the global pool: one number, which says how many of them were taken. A warp asks for as many
// as it has lanes without a walker. What is taken is given to exactly one lane, and no task makes another, so nothing is
// lost when lanes leave.
//
// The choices at hubs are a block's own pool, in shared memory: any lane puts its choice there, and behind the next
// barrier all threads of the block make one after the other.
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

// Hubs is a block's pool of choices: the threads whose they are. They are made one after the other, each read from one
// place, where its thread has put it.
template <class Task> struct Hubs {
  u32* owners;
  u32* count;  // 0 between two rounds
  Task* task;
  u32* chosen;

  ND_FN void put() const { owners[add_atomic(count, 1u)] = thread_index(); }
};

}  // namespace nd
