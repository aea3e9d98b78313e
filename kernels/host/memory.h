// Memory of devices, and host memory that is known to the driver. Each allocation has separate pages and ends at the
// end of a page, so an access past it is a fault.
#pragma once
#include "device.h"

namespace emulated {

// Region is an allocation, or registered host memory.
struct Region {
  u64 start, bytes;
  char* pages;      // the mapping, without the guard page after it
  size_t mapped;    // bytes of the mapping
  Device* device;   // null: host memory
  bool registered;  // memory of the host that the driver does not free
};

// forget_memory frees all memory of a device.
void forget_memory(Device* d);
// of_host returns whether an address is host memory: pinned, or unknown to the driver.
bool of_host(u64 address);
bool pinned(u64 address);
// within returns whether a range is within one allocation, or unknown to the driver.
bool within(u64 address, u64 bytes);

}  // namespace emulated
