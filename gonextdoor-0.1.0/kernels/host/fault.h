// Faults of kernels and copies end these with an error, instead of the process.
#pragma once
#include <csetjmp>
#include <ctime>

#include "abi.h"

namespace emulated {

// Rescue is the point at which a CPU thread continues after a fault.
struct Rescue {
  sigjmp_buf at;
  const char* doing;           // for messages: the kernel, or "a copy"
  volatile bool late = false;  // the time limit was exceeded
};

extern __thread Rescue* rescue __attribute__((tls_model("initial-exec")));

// install_handlers installs handlers of SIGSEGV and similar signals. Signals outside of kernels and copies are passed
// to the previous handlers.
void install_handlers();

// SignalStack gives the calling thread a stack for signal handlers, and blocks signals that are sent to the process. A
// thread that runs kernels has one.
class SignalStack {
 public:
  SignalStack();
  ~SignalStack();

 private:
  void* memory_;
};

// watch applies the time limit, settings().seconds, to what the thread does until unwatch.
void watch(Rescue* r);
void unwatch(Rescue* r);

// say writes a line to stderr and stores it for emulated_message.
void say(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace emulated
