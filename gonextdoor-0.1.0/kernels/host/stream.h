// Streams, events and captured graphs. The operations of a stream run later and in order, in the thread of the device.
#pragma once
#include "device.h"

namespace emulated {

// Operation is an element of a stream's queue.
struct Operation {
  u64 sequence;  // counts over all streams; it determines what stream 0 waits for
  std::function<CUresult()> run;
  std::function<bool()> may;  // whether its condition is met; empty: it has none
  bool always;                // runs even after a fault, so that waiting for an event does not hang
};

struct Recording;

// Stream is a queue of operations. State::gate protects it.
struct Stream {
  Device* device;
  bool blocking;  // it waits for stream 0, and stream 0 for it
  std::deque<Operation> queue;
  bool busy = false;               // an operation is running
  Recording* recording = nullptr;  // the graph that is being captured
};

// Event is a CUevent. Its uses are numbered. They may complete in any order, since each may be in another stream.
struct Event {
  Device* device;
  bool timed;
  u64 recorded = 0;    // the number of the last use
  std::set<u64> open;  // uses that are not complete
  timespec at{};
};

// Recording is a graph: the operations that were enqueued during a capture.
struct Recording {
  Device* device;
  std::vector<std::function<CUresult()>> operations;
  CUresult error = Success;
};

// The functions below lock the gate; callers must not hold it.

// find returns the stream of a handle in the current context; 0 and its aliases are stream 0.
CUresult find(Stream* handle, Stream** s);
// enqueue appends an operation, or records it if the stream is captured.
CUresult enqueue(Stream* s, std::function<CUresult()> run, std::function<bool()> may = nullptr, bool always = false);
// synchronize waits until the queue is empty, and returns the device's error.
CUresult synchronize(Stream* s);
CUresult synchronize(Device* d);
// not_captured returns an error if the stream is being captured, and invalidates the capture.
CUresult not_captured(Stream* s);

}  // namespace emulated

using CUstream = emulated::Stream*;
using CUevent = emulated::Event*;
using CUgraph = emulated::Recording*;
