// The execution of a launch: blocks with their lanes, warps, barriers and shared memory, and the processors (CPU
// threads) that run them. A block belongs to one processor, so its state needs no locks.
#pragma once
#include <vector>

#include "fiber.h"

namespace emulated {

struct Block;
struct Processor;

// Launch is a kernel with its parameters, which the caller of run_launch owns.
struct Launch {
  const char* name;
  void (*kernel)(const void* parameters);
  const void* parameters;
  u32 blocks, threads;
  u64 shared;  // bytes of dynamic shared memory
  bool cooperative;
};

// Order is the random number generator that shuffles fibers, blocks and streams (SplitMix64).
struct Order {
  u64 state;
  bool shuffled;
  u64 next() {
    state += 0x9E3779B97F4A7C15ull;
    u64 x = (state ^ state >> 30) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ x >> 27) * 0x94D049BB133111EBull;
    return x ^ x >> 31;
  }
  u32 below(u32 n) { return shuffled ? (u32)((next() >> 32) * n >> 32) : 0; }
};

// At is the state of a lane: not started, running, ready to run, waiting at a warp's, the block's or the grid's
// barrier, or ended.
enum class At { Start, Running, Ready, Warp, Block, Grid, End };

// Lane is a thread of a kernel.
struct Lane {
  Block* block;
  Stack* stack;
  Context context;
  u32 index;  // within the block
  At at;
  u32 glances;  // calls of host::glance until it lets other lanes run
};

// WarpOperation is a vote, an exchange or a barrier of the lanes of a mask, which complete it together.
struct WarpOperation {
  u32 mask, arrived, unread;  // lanes: of the mask, that have arrived, that have not read the result
  char kind;                  // 'v' for a vote, 'x' for an exchange, 'b' for a barrier
  bool complete;
  u32 yes;
  u64 values[32];
};

// Warp is 32 lanes of a block.
struct Warp {
  u32 alive;                         // lanes that have not ended
  std::vector<WarpOperation*> open;  // operations that are not complete; at most one per mask
};

// Shared is a declaration of shared memory in a kernel.
struct Shared {
  const void* declaration;
  u64 place, bytes;
};

// Block is a block of a launch while it runs. It is reused for other blocks.
struct Block {
  Processor* processor;
  u32 index, live, waiting;  // lanes: live have not ended, waiting are at the block's barrier
  std::vector<Lane> lanes;
  std::vector<Warp> warps;
  std::vector<u32> ready;  // the lanes that can run
  std::vector<Shared> declared;
  char* memory = nullptr;  // SharedBytes of shared memory, then a guard page
  u64 used;

  ~Block();
  // begin resets the block for block number `index` of the processor's launch.
  void begin(Processor* p, u32 index);
  // run runs lanes until none is ready, or until another block should run. It returns whether lanes are left.
  bool run();
  // next removes a lane from those that are ready; it returns null if there is none, or if another block should run.
  Lane* next();
  // wake makes a lane ready if it is in state `from`.
  void wake(u32 lane, At from);
  // ended marks a lane as ended, and completes what waits for it only.
  void ended(Lane& l);
  // settle completes an operation at which all live lanes of its mask have arrived. first is the warp's first lane.
  void settle(WarpOperation& m, Warp& w, u32 first);
  // check_fences fails the launch if a kernel wrote past an array of shared memory.
  void check_fences();
};

constexpr u64 SharedBytes = 232 << 10;

// Grid is the state of a launch that its processors share. Fields that change are accessed atomically.
struct Grid {
  const Launch* launch;
  u32 taken = 0, step = 1, shift = 0;  // blocks are started in the order shift, shift+step, ... modulo their number
  u32 failed = 0;                      // the first error
  u64 seed = 0;
};

// Processor runs blocks in one CPU thread. It is kept for later launches.
struct Processor {
  Grid* grid;
  Order order;
  Stacks stacks;
  Context home;  // the context of the scheduler, to which lanes switch
  Lane* running = nullptr;
  std::vector<Block*> active, spare;       // blocks that have started, and blocks to reuse
  std::vector<WarpOperation*> operations;  // to reuse
  u64 at_grid = 0, live = 0;  // lanes at the grid's barrier, and not ended; a cooperative launch has one processor
  bool turn = false;          // the running lane asks for another block to run

  ~Processor();
  // run runs blocks until none is left or the launch has failed.
  void run();
  // start starts the next block; it returns null if none is left.
  Block* start();
  void finish(Block* b);
  // run_next makes a lane the running one and returns its context, which the caller switches to.
  Context& run_next(Lane* l);
  // fail ends the launch with an error, from a lane or from the scheduler.
  [[noreturn]] void fail(CUresult error, const char* what);
  // release_grid wakes all lanes once all are at the grid's barrier.
  void release_grid();
  // describe_stuck reports a block if it can never continue, and returns whether that is so.
  bool describe_stuck(Block* b);
};

extern __thread Processor* processor __attribute__((tls_model("initial-exec")));

// run_launch runs a launch to its end, and returns its error.
CUresult run_launch(const Launch& l);

}  // namespace emulated
