// Memory of devices, and host memory that is known to the driver. Each allocation has separate pages and ends at the
// end of a page, so an access past it is a fault.
#pragma once
#include <map>

#include "device.h"

namespace emulated {

struct Chunk;

// Region is an allocation, registered host memory, or a chunk that is mapped, see virtual.cc.
struct Region {
  u64 start, bytes;
  char* pages;             // the mapping, without the guard page after it
  size_t mapped;           // bytes of the mapping
  Device* device;          // null: host memory
  bool registered;         // memory of the host that the driver does not free
  Chunk* chunk = nullptr;  // of a mapped chunk
  u64 allowed = 0;         // of a mapped chunk: the devices that may use the addresses, a bit for each
};

// regions returns all regions by address. The gate protects it.
std::map<u64, Region>& regions();
// region_of returns the region that contains an address, or null. The caller holds the gate.
const Region* region_of(u64 address);
// unmap removes a mapped chunk from its addresses, which stay reserved. The caller holds the gate.
void unmap(const Region& r);
// spans returns the number of chunks and of reserved ranges of addresses. The caller holds the gate.
u64 spans();
// forget_chunks frees the chunks of a device. The caller holds the gate.
void forget_chunks(Device* d);

// forget_memory frees all memory of a device.
void forget_memory(Device* d);
// of_host returns whether an address is host memory: pinned, or unknown to the driver.
bool of_host(u64 address);
bool pinned(u64 address);
// within returns whether a range is within one allocation or within adjacent mapped chunks, or unknown to the driver.
bool within(u64 address, u64 bytes);
// allowed returns whether a device may use a range. Only ranges with mapped chunks can be forbidden.
bool allowed(const Device* d, u64 address, u64 bytes);

}  // namespace emulated
