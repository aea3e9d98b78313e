// Devices, their primary contexts, and the checks at the begin of each API call.
#pragma once
#include <atomic>
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

// Device is a device and its primary context; a pointer to it is the handle of the context. State::gate protects it.
struct Device {
  int id;
  int retained = 0;
  u64 used = 0, high = 0;    // bytes allocated now, and their maximum
  u64 kept = 0;              // the release threshold of its pool: stored, but without effect
  CUresult error = Success;  // the fault of a kernel: each later call returns it, until the context is reset
  std::set<Stream*> streams;
  Stream* everyone = nullptr;  // stream 0
  bool working = false;        // its thread has started
};

// State is the state of the driver. gate protects everything.
struct State {
  std::mutex gate;
  std::condition_variable more;  // for the threads of devices: an operation was enqueued, or an event completed
  std::condition_variable done;  // for callers: a stream is empty, or an event completed
  std::vector<Device*> devices;
  std::atomic<int> process{0};  // the process that called cuInit
  u64 sequence = 0;
};

State& state();
Device* current();  // the context of this thread, or null

// ready returns why a call cannot be made, or Success: no cuInit, another process, no context, an earlier fault.
CUresult ready(bool context = true);

}  // namespace emulated

using CUcontext = emulated::Device*;
