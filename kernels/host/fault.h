// Faults of kernels and copies end them with an error, and not the process.
#pragma once
#include <csetjmp>
#include <ctime>

#include "abi.h"

namespace emulated {

// Rescue is where a thread of the operating system goes on after a fault.
struct Rescue {
  sigjmp_buf at;
  const char* doing;
  volatile bool late = false;  // the watch found that it takes too long
};

extern __thread Rescue* rescue __attribute__((tls_model("initial-exec")));

void install_handlers();  // for SIGSEGV and its like; others' handlers get what is not ours

// SignalStack is what a thread that runs kernels has for its handlers; signals to the process are not for such threads.
class SignalStack {
 public:
  SignalStack();
  ~SignalStack();

 private:
  void* memory_;
};

void watch(Rescue* r);    // ends what takes longer than settings().seconds
void unwatch(Rescue* r);

// say writes a line to stderr and keeps it for emulated_message.
void say(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace emulated
