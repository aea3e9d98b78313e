// Failures of single calls of the driver, which tests ask for.
#pragma once
#include "device.h"

namespace emulated {

// Calls are the kinds of calls that can be made to fail.
// A launch can be refused, or its kernel can fail when it runs.
enum class Calls { Allocation, Copy, Launch, Kernel };

// injected counts a call on a device, and returns the error that a test has asked for, or Success. The call has no
// effect if there is an error. The caller does not hold the gate.
CUresult injected(Calls kind, const Device* d);

}  // namespace emulated
