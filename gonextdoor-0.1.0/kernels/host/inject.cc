// Counts the calls of each device, and makes one of them fail.
#include "inject.h"

#include <cstring>

namespace emulated {

constexpr int Kinds = 4, MostDevices = 64;

// Injection is the state of the calls of one kind on one device. The gate protects it.
struct Injection {
  u64 calls = 0;  // so far
  u64 fails = 0;  // the number of the call that fails, counted from 1; 0: none
  CUresult error = Success;
};

static Injection& injection(Calls kind, int device) {
  static Injection all[Kinds][MostDevices];
  return all[(int)kind][device % MostDevices];
}

CUresult injected(Calls kind, const Device* d) {
  std::lock_guard<std::mutex> lock(state().gate);
  Injection& i = injection(kind, d->id);
  return ++i.calls == i.fails ? i.error : Success;
}

// kind_of finds a kind by its name.
static bool kind_of(const char* name, Calls* kind) {
  const char* names[Kinds] = {"allocation", "copy", "launch", "kernel"};
  for (int i = 0; i < Kinds; i++)
    if (!strcmp(names[i], name)) {
      *kind = (Calls)i;
      return true;
    }
  return false;
}

}  // namespace emulated

using namespace emulated;

// emulated_calls returns the number of calls of a kind on a device so far, or ~0 for an unknown kind.
DRIVER_API u64 emulated_calls(const char* name, int device) {
  Calls kind;
  if (!kind_of(name, &kind)) return ~0ull;
  std::lock_guard<std::mutex> lock(state().gate);
  return injection(kind, device).calls;
}

// emulated_inject makes the call with a number, counted from 1 as by emulated_calls, return an error. 0 is none.
DRIVER_API CUresult emulated_inject(const char* name, int device, u64 number, CUresult error) {
  Calls kind;
  if (!kind_of(name, &kind)) return NotFound;
  std::lock_guard<std::mutex> lock(state().gate);
  Injection& i = injection(kind, device);
  i.fails = number;
  i.error = error;
  return Success;
}
