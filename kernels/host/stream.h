// Streams and events: what is put into a stream happens later, in the stream's order, in a thread of the device.
#pragma once
#include "device.h"

namespace emulated {

struct Operation {
  u64 sequence;                  // over all streams: what stream 0 waits for follows from it
  std::function<CUresult()> run;
  std::function<bool()> may;     // whether what it waits for has happened; empty: it does not wait
  bool always;                   // behind a fault too: who waits for an event sees the fault, and does not hang
};

struct Recording;

struct Stream {
  Device* device;
  bool blocking;  // waits for stream 0, and stream 0 for it
  std::deque<Operation> queue;
  bool busy = false;
  Recording* recording = nullptr;  // of a graph that is captured
};

struct Event {
  Device* device;
  bool timed;
  u64 recorded = 0, completed = 0;
  timespec at{};
};

// Recording is what a stream was asked while it was captured: a graph.
struct Recording {
  Device* device;
  std::vector<std::function<CUresult()>> operations;
  CUresult error = Success;
};

// The calls below take the gate themselves.
CUresult find(Stream* handle, Stream** s);  // of the current context, 0 and its aliases too
CUresult enqueue(Stream* s, std::function<CUresult()> run, std::function<bool()> may = nullptr, bool always = false);
CUresult synchronize(Stream* s);
CUresult synchronize(Device* d);
CUresult not_captured(Stream* s);  // spoils the capture where there is one

}  // namespace emulated

using CUstream = emulated::Stream*;
using CUevent = emulated::Event*;
using CUgraph = emulated::Recording*;
