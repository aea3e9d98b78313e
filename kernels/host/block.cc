// The execution of a block, and the primitives of kernels (core/device.cuh): a lane that waits switches to the
// scheduler of its processor, which runs another lane.
#include "block.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>

#include "fault.h"

namespace emulated {

constexpr unsigned char Unwritten = 0xCD;  // the initial content of shared memory
constexpr unsigned char Fence = 0xFB;      // the content after each array
constexpr u64 FenceBytes = 16;

// lane_begins is the function of each fiber: it runs the kernel for the running lane, then for lanes that have not
// started, until it switches to one that has.
static void lane_begins() {
  Processor& p = *processor;
  const Launch& l = *p.grid->launch;
  for (;;) {
    l.kernel(l.parameters);
    Lane* lane = p.running;
    lane->block->ended(*lane);
    Lane* next = lane->block->next();
    if (next && !next->stack) {
      std::swap(next->stack, lane->stack);
      p.run_next(next);
      continue;
    }
    p.stacks.put(lane->stack);  // no lane takes it before the switch
    lane->stack = nullptr;
    leave(lane->context, next ? p.run_next(next) : p.home);
    __builtin_unreachable();
  }
}

void Block::begin(Processor* p, u32 number) {
  const Launch& l = *p->grid->launch;
  processor = p;
  index = number;
  live = l.threads;
  waiting = 0;
  used = 0;
  if (!memory) {
    size_t page = sysconf(_SC_PAGESIZE);
    void* m =
        mmap(nullptr, SharedBytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (m == MAP_FAILED) throw std::bad_alloc();
    memory = (char*)m;
    mprotect(memory + SharedBytes, page, PROT_NONE);
  }
  memset(memory + SharedBytes - l.shared, Unwritten, l.shared);
  declared.clear();
  lanes.resize(l.threads);
  warps.resize((l.threads + 31) / 32);
  ready.clear();
  for (u32 i = 0; i < l.threads; i++) {
    lanes[i].block = this;
    lanes[i].stack = nullptr;
    lanes[i].index = i;
    lanes[i].at = At::Start;
    lanes[i].glances = 0;
    ready.push_back(p->order.shuffled ? i : l.threads - 1 - i);
  }
  for (u32 w = 0; w < warps.size(); w++) {
    u32 left = l.threads - 32 * w;
    warps[w].alive = left >= 32 ? ~0u : (1u << left) - 1;
    warps[w].open.clear();
  }
}

Block::~Block() {
  if (memory) munmap(memory, SharedBytes + sysconf(_SC_PAGESIZE));
}

bool Block::run() {
  if (Lane* l = next()) leave(processor->home, processor->run_next(l));
  processor->running = nullptr;
  return live > 0;
}

// The lanes that became ready last are chosen more often than others: their stacks are in the cache.
Lane* Block::next() {
  if (processor->turn || ready.empty()) return nullptr;
  if (Order& order = processor->order; order.shuffled) {
    u64 word = order.next();
    size_t recent = word % 64 && ready.size() > 32 ? 32 : ready.size();
    std::swap(ready[ready.size() - 1 - ((word >> 32) * recent >> 32)], ready.back());
  }
  Lane* l = &lanes[ready.back()];
  ready.pop_back();
  return l;
}

Context& Processor::run_next(Lane* l) {
  if (!l->stack) {
    l->stack = stacks.take();
    if (!l->stack) fail(OutOfMemory, "needs more stacks of threads than the system has room for");
    enter(l->context, l->stack, lane_begins);
  }
  l->at = At::Running;
  running = l;
  return l->context;
}

void Block::wake(u32 lane, At from) {
  if (lanes[lane].at != from) return;
  lanes[lane].at = At::Ready;
  ready.push_back(lane);
}

void Block::ended(Lane& l) {
  l.at = At::End;
  live--;
  processor->live--;
  Warp& w = warps[l.index / 32];
  w.alive &= ~(1u << l.index % 32);
  for (size_t i = w.open.size(); i-- > 0;) settle(*w.open[i], w, l.index / 32 * 32);
  if (live && waiting == live) {
    waiting = 0;
    for (u32 i = 0; i < lanes.size(); i++) wake(i, At::Block);
  }
  processor->release_grid();
}

void Block::settle(WarpOperation& m, Warp& w, u32 first) {
  if (m.mask & w.alive & ~m.arrived) return;
  m.complete = true;
  m.unread = m.arrived;
  for (u32 lane = 0; lane < 32; lane++)
    if (m.arrived >> lane & 1) wake(first + lane, At::Warp);
  for (size_t i = 0; i < w.open.size(); i++)
    if (w.open[i] == &m) {
      w.open[i] = w.open.back();
      w.open.pop_back();
      break;
    }
}

void Block::check_fences() {
  for (const Shared& s : declared)
    for (u64 i = 0; i < FenceBytes; i++)
      if ((unsigned char)memory[s.place + s.bytes + i] != Fence)
        processor->fail(IllegalAddress, "wrote past an array of shared memory");
}

}  // namespace emulated

// ---- the primitives of kernels (core/device.cuh)

using namespace emulated;

namespace nd {
namespace host __attribute__((visibility("default"))) {

  u32 thread_index() { return processor && processor->running ? processor->running->index : 0; }
  u32 block_index() { return processor && processor->running ? processor->running->block->index : 0; }
  u32 block_size() { return processor && processor->running ? processor->grid->launch->threads : 1; }
  u32 grid_size() { return processor && processor->running ? processor->grid->launch->blocks : 1; }

  // pass runs other lanes of the block, or the scheduler if none is ready, until the lane is chosen again.
  static void pass(Lane & l) {
    Lane* next = l.block->next();
    Context& to = next ? processor->run_next(next) : processor->home;
    if (next != &l) leave(l.context, to);
  }

  // rest lets other lanes run until the lane is woken from state `at`.
  static void rest(Lane & l, At at) {
    l.at = at;
    pass(l);
  }

  // rest_ready lets other lanes run; the lane itself stays ready.
  static void rest_ready(Lane & l) {
    l.block->ready.push_back(l.index);
    rest(l, At::Ready);
  }

  // join arrives at the operation of a mask, creating it if the lane is the first, and returns when it is complete.
  static WarpOperation* join(u32 mask, char kind, u64 value, bool yes) {
    Processor& p = *processor;
    Lane& l = *p.running;
    Block& b = *l.block;
    Warp& w = b.warps[l.index / 32];
    u32 lane = l.index % 32, bit = 1u << lane;
    if (!(mask & bit)) p.fail(LaunchFailed, "joins a warp operation whose mask does not include it");
    WarpOperation* m = nullptr;
    for (WarpOperation* open : w.open)
      if (open->mask == mask) m = open;
    if (m && m->kind != kind)
      p.fail(LaunchFailed, "joins a warp operation of another kind (vote, exchange or barrier)");
    if (!m) {
      if (p.operations.empty()) p.operations.push_back(new WarpOperation);
      m = p.operations.back();
      p.operations.pop_back();
      m->mask = mask;
      m->arrived = 0;
      m->kind = kind;
      m->complete = false;
      m->yes = 0;
      w.open.push_back(m);
    }
    m->arrived |= bit;
    m->values[lane] = value;
    if (yes) m->yes |= bit;
    b.settle(*m, w, l.index - lane);
    if (!m->complete) rest(l, At::Warp);
    else if (p.order.shuffled && p.order.next() & 1) rest_ready(l);
    return m;
  }

  // release marks the result as read by the lane; the last lane releases the operation.
  static void release(WarpOperation * m) {
    m->unread &= ~(1u << processor->running->index % 32);
    if (!m->unread) processor->operations.push_back(m);
  }

  // The value of a lane that did not take part is undefined; a pattern makes its use visible.
  u64 exchange(u32 mask, u64 value, u32 lane) {
    WarpOperation* m = join(mask, 'x', value, false);
    u64 got = m->arrived >> lane % 32 & 1 ? m->values[lane % 32] : 0xDEADDEADDEADDEADull;
    release(m);
    return got;
  }

  u32 vote(u32 mask, bool yes) {
    WarpOperation* m = join(mask, 'v', 0, yes);
    u32 got = m->yes;
    release(m);
    return got;
  }

  void warp_barrier(u32 mask) { release(join(mask, 'b', 0, false)); }

  void block_barrier() {
    Lane& l = *processor->running;
    Block& b = *l.block;
    if (++b.waiting < b.live) return rest(l, At::Block);
    b.waiting = 0;
    for (u32 i = 0; i < b.lanes.size(); i++) b.wake(i, At::Block);
    if (processor->order.shuffled) rest_ready(l);
  }

  void grid_barrier() {
    Processor& p = *processor;
    Lane& l = *p.running;
    if (!p.grid->launch->cooperative) p.fail(LaunchFailed, "waits for the grid, and the launch is not cooperative");
    p.at_grid++;
    l.at = At::Grid;
    p.release_grid();
    pass(l);
  }

  void* shared(const void* declaration, u64 bytes) {
    Block& b = *processor->running->block;
    for (const Shared& s : b.declared)
      if (s.declaration == declaration) return b.memory + s.place;
    u64 place = (b.used + 127) / 128 * 128;
    if (place + bytes > 48 << 10) processor->fail(OutOfResources, "declares more than 48 KB of shared memory");
    b.used = place + bytes + FenceBytes;
    if (b.used + processor->grid->launch->shared > SharedBytes)
      processor->fail(OutOfResources, "has too much shared memory");
    memset(b.memory + place, Unwritten, bytes);
    memset(b.memory + place + bytes, Fence, FenceBytes);
    b.declared.push_back({declaration, place, bytes});
    return b.memory + place;
  }

  void* dynamic_shared() { return processor->running->block->memory + SharedBytes - processor->grid->launch->shared; }

  // glance is called before a kernel accesses memory that other threads write: now and then, other threads run first.
  void glance() {
    Processor* p = processor;
    if (!p || !p->running) return;
    Lane& l = *p->running;
    if (l.glances-- > 0) return;
    l.glances = p->order.shuffled ? p->order.below(16) : 64;
    p->turn = p->order.below(4) == 0;
    rest_ready(l);
  }

}  // namespace host
}  // namespace nd
