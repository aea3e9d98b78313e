// Devices, their primary contexts, and what every call of the driver begins with.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "abi.h"

namespace emulated {

struct Stream;

// Device is its primary context too; the pointer to it is the context's handle.
struct Device {
  int id;
  int retained = 0;
  u64 used = 0, high = 0;     // bytes
  u64 kept = 0;               // the threshold of its pool: told, not followed
  CUresult error = Success;   // a kernel's fault: every later call gives it, until the context is reset
  std::set<Stream*> streams;
  Stream* everyone = nullptr;  // stream 0
  bool working = false;        // its thread has begun
};

// State is everything, behind one lock.
struct State {
  std::mutex gate;
  std::condition_variable more;  // for the devices' threads: work was added, or an event came that some wait for
  std::condition_variable done;  // for callers: a stream is empty, or an event came
  std::vector<Device*> devices;
  int process = 0;  // that called cuInit
  u64 sequence = 0;
};

State& state();
Device* current();  // this thread's context; null without one

// ready says why a call cannot be made: no cuInit, another process, no context, an earlier fault.
CUresult ready(bool context = true);

}  // namespace emulated

using CUcontext = emulated::Device*;
