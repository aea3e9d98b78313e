// The execution of a launch by one or two processors, each in a CPU thread.
#include <mutex>
#include <numeric>
#include <thread>

#include "block.h"
#include "fault.h"
#include "settings.h"

namespace emulated {

__thread Processor* processor;

constexpr size_t MostActive =
    3072;  // threads of started blocks, which have a stack each; exceeded only if all of them wait

Processor::~Processor() {
  for (Block* b : active) delete b;
  for (Block* b : spare) delete b;
  for (WarpOperation* m : operations) delete m;
}

Block* Processor::start() {
  const Launch& l = *grid->launch;
  u32 n = __atomic_fetch_add(&grid->taken, 1, __ATOMIC_RELAXED);
  if (n >= l.blocks) {
    __atomic_store_n(&grid->taken, l.blocks, __ATOMIC_RELAXED);  // the counter must not overflow
    return nullptr;
  }
  if (spare.empty()) spare.push_back(new Block);
  Block* b = spare.back();
  spare.pop_back();
  b->begin(this, (grid->shift + (u64)n * grid->step) % l.blocks);
  active.push_back(b);
  live += l.threads;
  return b;
}

void Processor::finish(Block* b) {
  b->check_fences();
  for (size_t i = 0; i < active.size(); i++)
    if (active[i] == b) {
      active[i] = active.back();
      active.pop_back();
    }
  spare.push_back(b);
}

void Processor::release_grid() {
  if (!grid->launch->cooperative || !live || at_grid < live) return;
  at_grid = 0;
  for (Block* b : active)
    for (u32 i = 0; i < b->lanes.size(); i++) b->wake(i, At::Grid);
}

void Processor::fail(CUresult error, const char* what) {
  Lane* l = running;
  if (l) say("kernel %s, block %u, thread %u %s", grid->launch->name, l->block->index, l->index, what);
  else say("kernel %s %s", grid->launch->name, what);
  siglongjmp(rescue->at, error);
}

bool Processor::describe_stuck(Block* b) {
  if (!b->ready.empty() || !b->live) return false;
  u32 count[8] = {};
  u32 example = 0;
  for (Lane& l : b->lanes) {
    count[(int)l.at]++;
    if (l.at == At::Warp || l.at == At::Block || l.at == At::Grid) example = l.index;
  }
  if (count[(int)At::Grid] == b->live) return false;
  say("kernel %s, block %u waits forever: %u threads at a warp operation, %u at the block's barrier, %u at the "
      "grid's, %u ended "
      "(one that waits: thread %u)",
      grid->launch->name, b->index, count[(int)At::Warp], count[(int)At::Block], count[(int)At::Grid],
      count[(int)At::End], example);
  return true;
}

void Processor::run() {
  // A cooperative launch runs all blocks at once.
  if (grid->launch->cooperative)
    while (start()) {}
  size_t at = 0;
  while (!__atomic_load_n(&grid->failed, __ATOMIC_RELAXED)) {
    // 1. Find a block with a ready lane, round robin, or start one.
    Block* b = nullptr;
    for (size_t k = 0; k < active.size() && !b; k++) {
      size_t i = (at + k) % active.size();
      if (!active[i]->ready.empty()) {
        b = active[i];
        at = i;
      }
    }
    if (!b) {
      if (start()) continue;
      if (active.empty()) return;
      say("kernel %s waits forever at the grid's barrier", grid->launch->name);
      siglongjmp(rescue->at, LaunchTimeout);
    }
    // 2. Run it. If a lane asks for a turn of other blocks, go to the next one; now and then start another.
    if (!b->run()) {
      finish(b);
    } else if (turn) {
      turn = false;
      at++;
      if (active.size() * grid->launch->threads < MostActive && order.below(4) == 0) start();
    } else if (describe_stuck(b)) {
      siglongjmp(rescue->at, LaunchTimeout);
    }
  }
}

// Processors are kept for later launches, since mapping their stacks takes longer than a small kernel.
static std::mutex idle_gate;
static std::vector<Processor*>& idle = *new std::vector<Processor*>;

static Processor* take_processor() {
  std::lock_guard<std::mutex> lock(idle_gate);
  if (idle.empty()) return new Processor{};
  Processor* p = idle.back();
  idle.pop_back();
  return p;
}

// put_processor returns a processor. After a fault, its fibers are abandoned.
static void put_processor(Processor* p) {
  for (Block* b : p->active) {
    for (Lane& l : b->lanes)
      if (l.stack) {
        p->stacks.put(l.stack);
        l.stack = nullptr;
      }
    p->spare.push_back(b);
  }
  p->active.clear();
  p->running = nullptr;
  p->at_grid = p->live = 0;
  p->turn = false;
  std::lock_guard<std::mutex> lock(idle_gate);
  idle.push_back(p);
}

// attempt runs the processor, and returns the error of a fault, if any.
static CUresult attempt(Processor* p, Rescue* r) {
  if (int error = sigsetjmp(r->at, 1)) return error;
  rescue = r;
  processor = p;
  p->run();
  return Success;
}

static void run_processor(Grid* grid, u32 number) {
  Rescue r, *before = rescue;
  r.doing = grid->launch->name;
  Processor* p = take_processor();
  p->grid = grid;
  p->order = {grid->seed + number * 77, settings().seed != 0};
  watch(&r);
  u32 error = attempt(p, &r), none = 0;
  unwatch(&r);
  if (error) __atomic_compare_exchange_n(&grid->failed, &none, error, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  rescue = before;
  processor = nullptr;
  put_processor(p);
}

CUresult run_launch(const Launch& l) {
  Grid grid{&l};
  u64 number = __atomic_fetch_add(&settings().launches, 1, __ATOMIC_RELAXED);
  grid.seed = settings().seed * 0x9E3779B97F4A7C15ull + number * 0xBF58476D1CE4E5B9ull;
  // The order of blocks: an arithmetic progression with a random begin and step, coprime to the number of blocks.
  if (settings().seed) {
    Order order{grid.seed, true};
    grid.shift = order.below(l.blocks);
    do grid.step = 1 + order.below(l.blocks);
    while (std::gcd(grid.step, l.blocks) != 1);
  }
  bool several = settings().threads > 1 && !l.cooperative && l.blocks > 1 && (u64)l.blocks * l.threads > 4096;
  std::thread second;
  if (several)
    second = std::thread([&] {
      SignalStack stack;
      run_processor(&grid, 1);
    });
  run_processor(&grid, 0);
  if (several) second.join();
  return (CUresult)grid.failed;
}

}  // namespace emulated
