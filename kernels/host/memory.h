// Memory of devices, and of the host where the driver knows of it. Every allocation has pages of its own that end with it,
// so that what runs over touches a page that is not there.
#pragma once
#include "device.h"

namespace emulated {

struct Region {
  u64 start, bytes;
  char* pages;        // of the mapping; without the fence behind them
  size_t mapped;
  Device* device;     // null: of the host
  bool registered;    // the host's own memory, which the driver does not free
};

void forget_memory(Device* d);
bool of_host(u64 address);               // pinned, or not known at all
bool pinned(u64 address);
bool within(u64 address, u64 bytes);     // not more than one allocation of a device, or the host's

}  // namespace emulated
