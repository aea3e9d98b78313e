// A block's lanes, warps, barriers and shared memory while it runs.
#pragma once
#include <vector>

#include "fiber.h"

namespace emulated {

struct Block;
struct Processor;

// Launch is one kernel with its parameters.
struct Launch {
  const char* name;
  void (*kernel)(const void* parameters);
  const void* parameters;
  u32 blocks, threads;
  u64 shared;  // bytes of dynamic shared memory
  bool cooperative;
};

// Order gives the numbers by which fibers are shuffled.
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

enum class At { Start, Running, Ready, Warp, Block, Grid, End };

struct Lane {
  Block* block;
  Stack* stack;
  Context context;
  u32 index;
  At at;
  u32 glances;  // until it lets others run
};

// Meeting is a vote or an exchange that lanes of one mask make, or their barrier.
struct Meeting {
  u32 mask, arrived, unread;
  char kind;
  bool complete;
  u32 yes;
  u64 values[32];
};

struct Warp {
  u32 alive;
  std::vector<Meeting*> open;
};

// Shared is a declaration of shared memory in a kernel.
struct Shared {
  const void* declaration;
  u64 place, bytes;
};

struct Block {
  Processor* processor;
  u32 index, live, waiting;  // waiting: at the block's barrier
  std::vector<Lane> lanes;
  std::vector<Warp> warps;
  std::vector<u32> ready;
  std::vector<Shared> declared;
  char* memory = nullptr;  // SharedBytes, then a fence
  u64 used;

  ~Block();
  void begin(Processor* p, u32 index);
  bool run();  // until no lane is ready, or others should have a turn; whether lanes are left
  void wake(u32 lane, At from);
  void ended(Lane& l);
  void settle(Meeting& m, Warp& w, u32 first);
  void check_fences();
};

constexpr u64 SharedBytes = 232 << 10;

// Grid is what the processors of a launch share.
struct Grid {
  const Launch* launch;
  u32 taken = 0, step = 1, shift = 0;  // blocks are taken in the order shift, shift+step, ...
  u32 failed = 0;                      // the first error
  u64 seed = 0;
};

// Processor is a thread of the operating system that runs blocks.
struct Processor {
  Grid* grid;
  Order order;
  Stacks stacks;
  Context home;
  Lane* running = nullptr;
  std::vector<Block*> active, spare;
  std::vector<Meeting*> meetings;
  u64 at_grid = 0, live = 0;  // of a cooperative launch, which has one processor
  bool turn = false;          // the running lane wishes that another block has a turn

  ~Processor();
  void run();
  Block* start();
  void finish(Block* b);
  [[noreturn]] void fail(CUresult error, const char* what);  // from within a lane, or outside
  void release_grid();
  bool describe_stuck();
};

extern __thread Processor* processor __attribute__((tls_model("initial-exec")));

CUresult run_launch(const Launch& l);

}  // namespace emulated
