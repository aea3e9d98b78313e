// Allocation of device memory and pinned host memory, memory pools, and pointer attributes.
#include "memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "fault.h"
#include "inject.h"
#include "settings.h"
#include "stream.h"

namespace emulated {

constexpr unsigned char Unwritten = 0xCD;  // the initial content of memory
constexpr unsigned char Fence = 0xFB;      // the content of the rest of the pages
constexpr u64 Alignment = 16;              // less than the 256 of a GPU: an overrun of 16 bytes is detected
constexpr size_t Kept = 1024;              // the number of freed ranges that are not reused yet

std::map<u64, Region>& regions() {
  static std::map<u64, Region>& all = *new std::map<u64, Region>;
  return all;
}

const Region* region_of(u64 address) {
  auto next = regions().upper_bound(address);
  if (next == regions().begin()) return nullptr;
  const Region& r = std::prev(next)->second;
  return address < r.start + std::max<u64>(r.bytes, 1) ? &r : nullptr;
}

bool of_host(u64 address) {
  std::lock_guard<std::mutex> lock(state().gate);
  const Region* r = region_of(address);
  return !r || !r->device;
}

bool pinned(u64 address) {
  std::lock_guard<std::mutex> lock(state().gate);
  const Region* r = region_of(address);
  return r && !r->device;
}

bool within(u64 address, u64 bytes) {
  std::lock_guard<std::mutex> lock(state().gate);
  const Region* r = region_of(address);
  while (r && r->chunk && address + bytes > r->start + r->bytes) {
    r = region_of(r->start + r->bytes);
    if (!r || !r->chunk) return false;
  }
  return !r || address + bytes <= r->start + r->bytes;
}

bool allowed(const Device* d, u64 address, u64 bytes) {
  std::lock_guard<std::mutex> lock(state().gate);
  for (const Region* r = region_of(address); r && r->chunk; r = region_of(r->start + r->bytes)) {
    if (!(r->allowed >> d->id & 1)) return false;
    if (address + bytes <= r->start + r->bytes) break;
  }
  return true;
}

static size_t page() {
  static size_t n = sysconf(_SC_PAGESIZE);
  return n;
}

// reserve maps addresses without access rights, which open grants. The caller holds the gate.
static CUresult reserve(Device* d, u64 bytes, Region* out) {
  u64 n = ++settings().allocations;
  if (n == settings().fail) return OutOfMemory;
  if (d && (bytes > settings().memory || d->used + bytes > settings().memory)) return OutOfMemory;
  u64 padded = (bytes + Alignment - 1) / Alignment * Alignment;
  size_t mapped = (padded + page() - 1) / page() * page();
  void* p = mmap(nullptr, mapped + page(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return OutOfMemory;
  *out = {(u64)p + mapped - padded, bytes, (char*)p, mapped, d, false};
  if (d) {
    d->used += bytes;
    d->high = std::max(d->high, d->used);
  }
  regions()[out->start] = *out;
  return Success;
}

// open makes an allocation accessible, and fills it with the patterns.
static void open(const Region& r) {
  if (!r.mapped) return;
  mprotect(r.pages, r.mapped, PROT_READ | PROT_WRITE);
  memset(r.pages, Fence, r.start - (u64)r.pages);
  memset((void*)r.start, Unwritten, r.bytes);
  char* end = (char*)r.start + r.bytes;
  memset(end, Fence, r.pages + r.mapped - end);
}

// check_fences returns an error if something wrote to the rest of the region's pages.
static CUresult check_fences(const Region& r) {
  unsigned char* low = (unsigned char*)r.pages;
  for (u64 i = 0; i < r.mapped; i++) {
    if ((u64)(low + i) == r.start) i += r.bytes;
    if (i < r.mapped && low[i] != Fence) {
      say("something wrote %lld bytes from the begin of %llu bytes of memory",
          (long long)(u64)(low + i) - (long long)r.start, r.bytes);
      return IllegalAddress;
    }
  }
  return Success;
}

// close unmaps the pages. Their addresses stay reserved for a while, so that a late access is a fault. The caller holds
// the gate.
static void close(const Region& r) {
  static std::deque<std::pair<void*, size_t>>& kept = *new std::deque<std::pair<void*, size_t>>;
  mmap(r.pages, r.mapped + page(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  kept.push_back({r.pages, r.mapped + page()});
  if (kept.size() > Kept) {
    munmap(kept.front().first, kept.front().second);
    kept.pop_front();
  }
  if (r.device) r.device->used -= r.bytes;
  regions().erase(r.start);
}

void forget_memory(Device* d) {
  std::lock_guard<std::mutex> lock(state().gate);
  std::vector<Region> of;
  for (auto& [start, r] : regions())
    if (r.device == d && !r.chunk) of.push_back(r);
  for (Region& r : of) close(r);
  forget_chunks(d);
}

static CUresult allocate(Device* d, u64 bytes, u64* start) {
  if (!start || !bytes) return InvalidValue;
  if (CUresult r = injected(Calls::Allocation, d ? d : current())) return r;
  Region r;
  for (int turn = 0;; turn++) {
    {
      std::lock_guard<std::mutex> lock(state().gate);
      CUresult failed = reserve(d, bytes, &r);
      if (!failed) break;
      if (turn || !d || settings().allocations == settings().fail) return failed;
    }
    synchronize(d);  // completes pending frees in streams
  }
  *start = r.start;
  return Success;
}

static CUresult allocate_now(Device* d, u64 bytes, u64* start) {
  if (CUresult failed = allocate(d, bytes, start)) return failed;
  std::lock_guard<std::mutex> lock(state().gate);
  open(regions()[*start]);
  return Success;
}

static CUresult free_now(u64 start, bool host) {
  std::lock_guard<std::mutex> lock(state().gate);
  auto at = regions().find(start);
  if (at == regions().end() || host != !at->second.device || at->second.registered || at->second.chunk)
    return InvalidValue;
  Region r = at->second;
  CUresult spoilt = check_fences(r);
  close(r);
  return spoilt;
}

}  // namespace emulated

using namespace emulated;

// ---- device memory

DRIVER_API CUresult cuMemAlloc_v2(CUdeviceptr* start, size_t bytes) {
  if (CUresult r = ready()) return r;
  return allocate_now(current(), bytes, start);
}

DRIVER_API CUresult cuMemFree_v2(CUdeviceptr start) {
  if (CUresult r = ready()) return r;
  if (!start) return Success;
  if (CUresult r = synchronize(current())) return r;
  return free_now(start, false);
}

DRIVER_API CUresult cuMemAllocAsync(CUdeviceptr* start, size_t bytes, CUstream handle) {
  Stream* s;
  if (CUresult r = ready()) return r;
  if (CUresult r = find(handle, &s)) return r;
  if (CUresult r = not_captured(s)) return r;
  if (CUresult r = allocate(current(), bytes, start)) return r;
  u64 at = *start;
  return enqueue(s, [=] {
    std::lock_guard<std::mutex> lock(state().gate);
    open(regions()[at]);
    return Success;
  });
}

DRIVER_API CUresult cuMemFreeAsync(CUdeviceptr start, CUstream handle) {
  Stream* s;
  if (CUresult r = ready()) return r;
  if (CUresult r = find(handle, &s)) return r;
  if (CUresult r = not_captured(s)) return r;
  if (!start) return Success;
  {
    std::lock_guard<std::mutex> lock(state().gate);
    auto at = regions().find(start);
    if (at == regions().end() || at->second.device != current()) return InvalidValue;
  }
  return enqueue(s, [=] { return free_now(start, false); });
}

DRIVER_API CUresult cuMemGetInfo_v2(size_t* free, size_t* total) {
  if (CUresult r = ready()) return r;
  std::lock_guard<std::mutex> lock(state().gate);
  u64 all = settings().memory, used = current()->used;
  if (free) *free = all > used ? all - used : 0;
  if (total) *total = all;
  return Success;
}

DRIVER_API CUresult cuMemGetAddressRange_v2(CUdeviceptr* start, size_t* bytes, CUdeviceptr address) {
  if (CUresult r = ready()) return r;
  std::lock_guard<std::mutex> lock(state().gate);
  const Region* r = region_of(address);
  if (!r) return InvalidValue;
  if (start) *start = r->start;
  if (bytes) *bytes = r->bytes;
  return Success;
}

// ---- memory pools: each device has one, whose handle is the device

DRIVER_API CUresult cuDeviceGetDefaultMemPool(Device** pool, CUdevice device) {
  if (CUresult r = ready(false)) return r;
  if (device < 0 || (size_t)device >= state().devices.size()) return InvalidDevice;
  *pool = state().devices[device];
  return Success;
}
DRIVER_API CUresult cuDeviceGetMemPool(Device** pool, CUdevice device) {
  return cuDeviceGetDefaultMemPool(pool, device);
}
DRIVER_API CUresult cuDeviceSetMemPool(CUdevice, Device*) { return ready(false); }
DRIVER_API CUresult cuMemPoolTrimTo(Device*, size_t) { return ready(false); }

DRIVER_API CUresult cuMemPoolCreate(Device** pool, const void* properties) {
  if (CUresult r = ready(false)) return r;
  int id = ((const int*)properties)[3];  // CUmemPoolProps: allocation type, handle type, location type, location id
  return cuDeviceGetDefaultMemPool(pool, id);
}
DRIVER_API CUresult cuMemPoolDestroy(Device*) { return ready(false); }

DRIVER_API CUresult cuMemPoolSetAttribute(Device* pool, int attribute, void* value) {
  if (CUresult r = ready(false)) return r;
  if (attribute == 4) pool->kept = *(u64*)value;
  if (attribute == 6 || attribute == 8) pool->high = pool->used;
  return Success;
}

DRIVER_API CUresult cuMemPoolGetAttribute(Device* pool, int attribute, void* value) {
  if (CUresult r = ready(false)) return r;
  switch (attribute) {
    case 4:
      *(u64*)value = pool->kept;
      break;
    case 5:
    case 7:
      *(u64*)value = pool->used;
      break;
    case 6:
    case 8:
      *(u64*)value = pool->high;
      break;
    default:
      *(int*)value = 1;
  }
  return Success;
}

DRIVER_API CUresult cuMemPoolSetAccess(Device* pool, const void* descriptors, size_t count) {
  if (CUresult r = ready(false)) return r;
  const int* d = (const int*)descriptors;  // CUmemAccessDesc: location type, location id, flags
  for (size_t i = 0; i < count; i++, d += 3) {
    if (!pool || d[0] != 1 || d[1] < 0 || (size_t)d[1] >= state().devices.size() || d[1] == pool->id)
      return InvalidValue;
    settings().grants++;
  }
  return Success;
}

DRIVER_API CUresult cuMemAllocFromPoolAsync(CUdeviceptr* start, size_t bytes, Device*, CUstream s) {
  return cuMemAllocAsync(start, bytes, s);
}

// ---- pinned host memory

DRIVER_API CUresult cuMemHostAlloc(void** start, size_t bytes, unsigned) {
  if (CUresult r = ready()) return r;
  return allocate_now(nullptr, bytes, (u64*)start);
}
DRIVER_API CUresult cuMemAllocHost_v2(void** start, size_t bytes) { return cuMemHostAlloc(start, bytes, 0); }

DRIVER_API CUresult cuMemFreeHost(void* start) {
  if (CUresult r = ready()) return r;
  synchronize(current());
  return free_now((u64)start, true);
}

DRIVER_API CUresult cuMemHostRegister_v2(void* start, size_t bytes, unsigned) {
  if (CUresult r = ready()) return r;
  if (!start || !bytes) return InvalidValue;
  std::lock_guard<std::mutex> lock(state().gate);
  if (region_of((u64)start) || region_of((u64)start + bytes - 1)) return AlreadyRegistered;
  regions()[(u64)start] = {(u64)start, bytes, nullptr, 0, nullptr, true};
  return Success;
}

DRIVER_API CUresult cuMemHostUnregister(void* start) {
  if (CUresult r = ready()) return r;
  std::lock_guard<std::mutex> lock(state().gate);
  auto at = regions().find((u64)start);
  if (at == regions().end() || !at->second.registered) return NotRegistered;
  regions().erase(at);
  return Success;
}

DRIVER_API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* at, void* start, unsigned) {
  if (CUresult r = ready()) return r;
  if (!pinned((u64)start)) return InvalidValue;
  *at = (u64)start;
  return Success;
}

DRIVER_API CUresult cuPointerGetAttribute(void* value, int attribute, CUdeviceptr address) {
  if (CUresult r = ready(false)) return r;
  std::lock_guard<std::mutex> lock(state().gate);
  const Region* r = region_of(address);
  if (!r) return InvalidValue;
  switch (attribute) {
    case 1:
      *(Device**)value = r->device;
      break;
    case 2:
      *(unsigned*)value = r->device ? 2 : 1;
      break;
    case 3:
    case 4:
      *(u64*)value = address;
      break;
    case 8:
      *(unsigned*)value = 0;
      break;
    case 9:
      *(int*)value = r->device ? r->device->id : -2;
      break;
    case 11:
      *(u64*)value = r->start;
      break;
    case 12:
      *(u64*)value = r->bytes;
      break;
    default:
      return NotSupported;
  }
  return Success;
}

// emulated_regions returns the number of allocations on devices, chunks and reserved ranges, by which tests detect
// leaks.
DRIVER_API u64 emulated_regions() {
  std::lock_guard<std::mutex> lock(state().gate);
  u64 n = 0;
  for (auto& [start, r] : regions()) n += r.device != nullptr && !r.chunk;
  return n + spans();
}
