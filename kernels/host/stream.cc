// Streams, events and graphs of the driver API, and the thread of a device, which runs the operations.
#include "stream.h"

#include <ctime>
#include <thread>

#include "block.h"
#include "fault.h"
#include "settings.h"

namespace emulated {

static bool live(Device* d, Stream* s) { return d->streams.count(s) > 0; }

static Stream* everyone(Device* d) {
  if (!d->everyone) {
    d->everyone = new Stream{d, true, {}};
    d->streams.insert(d->everyone);
  }
  return d->everyone;
}

CUresult find(Stream* handle, Stream** s) {
  std::lock_guard<std::mutex> lock(state().gate);
  Device* d = current();
  if ((u64)handle <= 2) handle = everyone(d);  // 0, and the names 1 and 2 of the same
  if (!live(d, handle)) return InvalidHandle;
  *s = handle;
  return Success;
}

// may_run returns whether the first operation of a stream may run now. Stream 0 waits for earlier operations of
// blocking streams, and they wait for its operations.
static bool may_run(Device* d, Stream* s) {
  if (s->busy || s->queue.empty()) return false;
  const Operation& o = s->queue.front();
  if (s->blocking)
    for (Stream* other : d->streams) {
      if (other == s || !other->blocking || (s != d->everyone && other != d->everyone)) continue;
      if (other->busy || (!other->queue.empty() && other->queue.front().sequence < o.sequence)) return false;
    }
  return !o.may || o.may();
}

// guarded runs an operation, and returns an error if it faults.
static CUresult guarded(const std::function<CUresult()>& run) {
  Rescue r;
  r.doing = "a copy";
  if (int error = sigsetjmp(r.at, 1)) {
    rescue = nullptr;
    return error;
  }
  rescue = &r;
  CUresult result = run();
  rescue = nullptr;
  return result;
}

// work is the thread of a device. It selects at random among the streams that can run.
static void work(Device* d) {
  SignalStack stack;
  State& all = state();
  Order order{settings().seed, true};
  std::unique_lock<std::mutex> lock(all.gate);
  for (;;) {
    std::vector<Stream*> can;
    for (Stream* s : d->streams)
      if (may_run(d, s)) can.push_back(s);
    if (can.empty()) {
      all.more.wait(lock);
      continue;
    }
    order.shuffled = settings().seed != 0;  // which may change while the thread runs
    Stream* s = can[order.below(can.size())];
    Operation o = std::move(s->queue.front());
    s->queue.pop_front();
    s->busy = true;
    CUresult r = Success;
    if (o.run && (o.always || !d->error)) {  // after a fault, other operations are dropped
      lock.unlock();
      r = guarded(o.run);
      lock.lock();
    }
    if (r && !d->error) d->error = r;
    s->busy = false;
    if (s->queue.empty()) all.done.notify_all();
  }
}

CUresult not_captured(Stream* s) {
  std::lock_guard<std::mutex> lock(state().gate);
  if (!s->recording) return Success;
  s->recording->error = CaptureInvalidated;
  return CaptureUnsupported;
}

CUresult enqueue(Stream* s, std::function<CUresult()> run, std::function<bool()> may, bool always) {
  std::lock_guard<std::mutex> lock(state().gate);
  if (s->recording) {
    if (run && !always) s->recording->operations.push_back(std::move(run));
    return Success;
  }
  Device* d = s->device;
  if (!d->working) {
    d->working = true;
    std::thread(work, d).detach();
  }
  s->queue.push_back({state().sequence++, std::move(run), std::move(may), always});
  state().more.notify_all();
  return Success;
}

CUresult synchronize(Stream* s) {
  if (CUresult r = not_captured(s)) return r;
  std::unique_lock<std::mutex> lock(state().gate);
  state().done.wait(lock, [&] { return s->queue.empty() && !s->busy; });
  return s->device->error;
}

CUresult synchronize(Device* d) {
  std::unique_lock<std::mutex> lock(state().gate);
  state().done.wait(lock, [&] {
    for (Stream* s : d->streams)
      if (!s->queue.empty() || s->busy) return false;
    return true;
  });
  return d->error;
}

static std::set<Event*>& events() {
  static std::set<Event*>& all = *new std::set<Event*>;
  return all;
}

static bool live(Event* e) {
  std::lock_guard<std::mutex> lock(state().gate);
  return events().count(e) > 0;
}

}  // namespace emulated

using namespace emulated;

#define STREAM(handle, s)             \
  Stream* s;                          \
  if (CUresult r = ready()) return r; \
  if (CUresult r = find(handle, &s)) return r

DRIVER_API CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  if (CUresult r = ready()) return r;
  if (!stream || flags > 1) return InvalidValue;
  std::lock_guard<std::mutex> lock(state().gate);
  *stream = new Stream{current(), !(flags & 1), {}};
  current()->streams.insert(*stream);
  return Success;
}

DRIVER_API CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int) {
  return cuStreamCreate(stream, flags);
}

DRIVER_API CUresult cuStreamDestroy_v2(CUstream handle) {
  STREAM(handle, s);
  if (s == current()->everyone) return InvalidHandle;
  synchronize(s);
  std::lock_guard<std::mutex> lock(state().gate);
  current()->streams.erase(s);
  delete s;
  return Success;
}

DRIVER_API CUresult cuStreamSynchronize(CUstream handle) {
  STREAM(handle, s);
  return synchronize(s);
}

DRIVER_API CUresult cuStreamQuery(CUstream handle) {
  STREAM(handle, s);
  if (CUresult r = not_captured(s)) return r;
  std::lock_guard<std::mutex> lock(state().gate);
  return s->queue.empty() && !s->busy ? s->device->error : NotReady;
}

DRIVER_API CUresult cuStreamGetFlags(CUstream handle, unsigned* flags) {
  STREAM(handle, s);
  *flags = s->blocking ? 0 : 1;
  return Success;
}

DRIVER_API CUresult cuStreamGetPriority(CUstream handle, int* priority) {
  STREAM(handle, s);
  *priority = 0;
  return Success;
}

DRIVER_API CUresult cuStreamGetCtx(CUstream handle, CUcontext* context) {
  STREAM(handle, s);
  *context = s->device;
  return Success;
}

DRIVER_API CUresult cuStreamWaitEvent(CUstream handle, CUevent e, unsigned) {
  STREAM(handle, s);
  if (!live(e)) return InvalidHandle;
  u64 wanted = e->recorded;
  return enqueue(s, nullptr, [=] { return !e->open.count(wanted); });
}

DRIVER_API CUresult cuLaunchHostFunc(CUstream handle, void (*f)(void*), void* data) {
  STREAM(handle, s);
  return enqueue(s, [=] {
    f(data);
    return Success;
  });
}

// ---- events

DRIVER_API CUresult cuEventCreate(CUevent* event, unsigned flags) {
  if (CUresult r = ready()) return r;
  if (!event) return InvalidValue;
  std::lock_guard<std::mutex> lock(state().gate);
  *event = new Event{current(), !(flags & 2)};
  events().insert(*event);
  return Success;
}

// Operations that wait for a destroyed event still read it, so its memory is not freed.
DRIVER_API CUresult cuEventDestroy_v2(CUevent e) {
  if (CUresult r = ready()) return r;
  std::lock_guard<std::mutex> lock(state().gate);
  return events().erase(e) ? Success : InvalidHandle;
}

DRIVER_API CUresult cuEventRecord(CUevent e, CUstream handle) {
  STREAM(handle, s);
  if (!live(e)) return InvalidHandle;
  u64 turn;
  {
    std::lock_guard<std::mutex> lock(state().gate);
    turn = ++e->recorded;
    if (s->recording) return Success;
    e->open.insert(turn);
  }
  auto completes = [=] {
    std::lock_guard<std::mutex> lock(state().gate);
    e->open.erase(turn);
    clock_gettime(CLOCK_MONOTONIC, &e->at);
    state().more.notify_all();
    state().done.notify_all();
    return Success;
  };
  return enqueue(s, completes, nullptr, true);
}

DRIVER_API CUresult cuEventQuery(CUevent e) {
  if (CUresult r = ready()) return r;
  if (!live(e)) return InvalidHandle;
  std::lock_guard<std::mutex> lock(state().gate);
  return e->open.count(e->recorded) ? NotReady : e->device->error;
}

DRIVER_API CUresult cuEventSynchronize(CUevent e) {
  if (CUresult r = ready()) return r;
  if (!live(e)) return InvalidHandle;
  std::unique_lock<std::mutex> lock(state().gate);
  u64 wanted = e->recorded;
  state().done.wait(lock, [&] { return !e->open.count(wanted); });
  return e->device->error;
}

static CUresult elapsed(float* milliseconds, CUevent from, CUevent to) {
  if (CUresult r = ready()) return r;
  if (!live(from) || !live(to) || !from->timed || !to->timed || !from->recorded || !to->recorded) return InvalidHandle;
  std::lock_guard<std::mutex> lock(state().gate);
  if (from->open.count(from->recorded) || to->open.count(to->recorded)) return NotReady;
  *milliseconds = (to->at.tv_sec - from->at.tv_sec) * 1e3f + (to->at.tv_nsec - from->at.tv_nsec) / 1e6f;
  return Success;
}
DRIVER_API CUresult cuEventElapsedTime(float* ms, CUevent from, CUevent to) { return elapsed(ms, from, to); }
DRIVER_API CUresult cuEventElapsedTime_v2(float* ms, CUevent from, CUevent to) { return elapsed(ms, from, to); }

// ---- graphs

DRIVER_API CUresult cuStreamBeginCapture_v2(CUstream handle, int) {
  STREAM(handle, s);
  std::lock_guard<std::mutex> lock(state().gate);
  if (s->recording || s == s->device->everyone) return CaptureUnsupported;
  s->recording = new Recording{s->device, {}};
  return Success;
}

DRIVER_API CUresult cuStreamEndCapture(CUstream handle, CUgraph* graph) {
  STREAM(handle, s);
  std::lock_guard<std::mutex> lock(state().gate);
  if (!s->recording) return InvalidValue;
  Recording* made = s->recording;
  s->recording = nullptr;
  *graph = nullptr;
  if (CUresult r = made->error) {
    delete made;
    return r;
  }
  *graph = made;
  return Success;
}

DRIVER_API CUresult cuStreamIsCapturing(CUstream handle, int* status) {
  STREAM(handle, s);
  *status = s->recording ? 1 : 0;
  return Success;
}

static CUresult instantiate(CUgraph* executable, CUgraph graph) {
  if (CUresult r = ready()) return r;
  if (!graph) return InvalidValue;
  *executable = new Recording(*graph);
  return Success;
}
DRIVER_API CUresult cuGraphInstantiateWithFlags(CUgraph* e, CUgraph g, u64) { return instantiate(e, g); }
DRIVER_API CUresult cuGraphInstantiate_v2(CUgraph* e, CUgraph g, void*, char*, size_t) { return instantiate(e, g); }
DRIVER_API CUresult cuGraphInstantiate(CUgraph* e, CUgraph g, u64) { return instantiate(e, g); }

DRIVER_API CUresult cuGraphLaunch(CUgraph executable, CUstream handle) {
  STREAM(handle, s);
  for (auto& run : executable->operations)
    if (CUresult r = enqueue(s, run)) return r;
  return Success;
}

DRIVER_API CUresult cuGraphExecDestroy(CUgraph executable) {
  delete executable;
  return Success;
}
DRIVER_API CUresult cuGraphDestroy(CUgraph graph) {
  delete graph;
  return Success;
}
