// Virtual memory management: chunks of physical memory of the devices, and ranges of addresses at which they are
// mapped. A chunk is a piece of one file in memory, so that several addresses can have the same content.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <set>

#include "memory.h"
#include "settings.h"

namespace emulated {

constexpr unsigned char Unwritten = 0xCD;  // the initial content of chunks

// Chunk is physical memory. It is freed when it has been released and is mapped nowhere.
struct Chunk {
  Device* device;
  u64 bytes;
  u64 place;  // in the file
  int mapped = 0;
  bool released = false;
};

// The gate protects chunks and ranges.
static std::set<Chunk*>& chunks() {
  static std::set<Chunk*>& all = *new std::set<Chunk*>;
  return all;
}

// ranges are the reserved addresses, with their bytes.
static std::map<u64, u64>& ranges() {
  static std::map<u64, u64>& all = *new std::map<u64, u64>;
  return all;
}

u64 spans() { return chunks().size() + ranges().size(); }

static int file() {
  static int descriptor = memfd_create("chunks", 0);
  return descriptor;
}

static void* blank(u64 start, u64 bytes) {
  return mmap((void*)start, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (start ? MAP_FIXED : 0), -1,
              0);
}

// settle frees a chunk that nothing refers to any more.
static void settle(Chunk* c) {
  if (!c->released || c->mapped) return;
  fallocate(file(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, c->place, c->bytes);
  c->device->used -= c->bytes;
  chunks().erase(c);
  delete c;
}

void unmap(const Region& r) {
  Chunk* c = r.chunk;
  blank(r.start, r.bytes);
  regions().erase(r.start);
  c->mapped--;
  settle(c);
}

void forget_chunks(Device* d) {
  std::set<Chunk*> all = chunks();
  for (Chunk* c : all)
    if (c->device == d) c->released = true;
  std::map<u64, Region> mapped = regions();
  for (auto& [start, r] : mapped)
    if (r.chunk && r.device == d) unmap(r);
  all = chunks();
  for (Chunk* c : all)
    if (c->device == d) settle(c);
}

static bool rounded(u64 n) { return n && n % settings().granularity == 0; }

// reserved returns whether addresses are within a reserved range.
static bool reserved(u64 start, u64 bytes) {
  auto next = ranges().upper_bound(start);
  return next != ranges().begin() && start + bytes <= std::prev(next)->first + std::prev(next)->second;
}

// pieces returns the mapped chunks of a range, which must cover it exactly; otherwise it returns none.
static std::vector<u64> pieces(u64 start, u64 bytes) {
  std::vector<u64> list;
  for (u64 at = start; at < start + bytes;) {
    auto piece = regions().find(at);
    if (piece == regions().end() || !piece->second.chunk || at + piece->second.bytes > start + bytes) return {};
    list.push_back(at);
    at += piece->second.bytes;
  }
  return list;
}

// AllocationProperties is CUmemAllocationProp.
struct AllocationProperties {
  int type, handle_types;
  int location, device;  // CUmemLocation
  void* windows;
  unsigned char compression, rdma;
  unsigned short usage;
  unsigned char rest[4];
};
static_assert(sizeof(AllocationProperties) == 32, "the size in cuda.h");

// AccessDescription is CUmemAccessDesc.
struct AccessDescription {
  int location, device, flags;
};

constexpr int Pinned = 1, OfDevice = 1, ReadWrite = 3;

// device_of returns the device of properties, or null if they are not those of memory of a device.
static Device* device_of(const AllocationProperties* p) {
  bool valid = p && p->type == Pinned && !p->handle_types && p->location == OfDevice && !p->windows &&
               !p->compression && !p->rdma && !p->usage && p->device >= 0 && (size_t)p->device < state().devices.size();
  return valid ? state().devices[p->device] : nullptr;
}

}  // namespace emulated

using namespace emulated;

DRIVER_API CUresult cuMemGetAllocationGranularity(size_t* bytes, const AllocationProperties* p, int) {
  if (CUresult r = ready(false)) return r;
  if (!bytes || !device_of(p)) return InvalidValue;
  *bytes = settings().granularity;
  return Success;
}

DRIVER_API CUresult cuMemAddressReserve(CUdeviceptr* start, size_t bytes, size_t, CUdeviceptr, u64 flags) {
  if (CUresult r = ready(false)) return r;
  if (!start || !rounded(bytes) || flags) return InvalidValue;
  std::lock_guard<std::mutex> lock(state().gate);
  if (++settings().allocations == settings().fail) return OutOfMemory;
  void* at = blank(0, bytes);
  if (at == MAP_FAILED) return OutOfMemory;
  *start = (u64)at;
  ranges()[*start] = bytes;
  return Success;
}

DRIVER_API CUresult cuMemAddressFree(CUdeviceptr start, size_t bytes) {
  if (CUresult r = ready(false)) return r;
  std::lock_guard<std::mutex> lock(state().gate);
  auto range = ranges().find(start);
  if (range == ranges().end() || range->second != bytes) return InvalidValue;
  auto piece = regions().lower_bound(start);
  if (piece != regions().end() && piece->first < start + bytes) return InvalidValue;  // something is mapped
  munmap((void*)start, bytes);
  ranges().erase(range);
  return Success;
}

DRIVER_API CUresult cuMemCreate(u64* handle, size_t bytes, const AllocationProperties* p, u64 flags) {
  if (CUresult r = ready(false)) return r;
  Device* d = device_of(p);
  if (!handle || !d || !rounded(bytes) || flags) return InvalidValue;
  std::lock_guard<std::mutex> lock(state().gate);
  if (settings().chunks + 1 == settings().fail_chunk) return OutOfMemory;
  if (bytes > settings().memory || d->used + bytes > settings().memory) return OutOfMemory;
  static u64 end;  // of the file
  if (ftruncate(file(), end + bytes)) return OutOfMemory;
  void* content = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file(), end);
  if (content == MAP_FAILED) return OutOfMemory;
  memset(content, Unwritten, bytes);
  munmap(content, bytes);
  settings().chunks++;
  d->used += bytes;
  d->high = std::max(d->high, d->used);
  auto* c = new Chunk{d, bytes, end};
  end += bytes;
  chunks().insert(c);
  *handle = (u64)c;
  return Success;
}

DRIVER_API CUresult cuMemRelease(u64 handle) {
  if (CUresult r = ready(false)) return r;
  std::lock_guard<std::mutex> lock(state().gate);
  auto* c = (Chunk*)handle;
  if (!chunks().count(c) || c->released) return InvalidValue;
  c->released = true;
  settle(c);
  return Success;
}

DRIVER_API CUresult cuMemMap(CUdeviceptr start, size_t bytes, size_t offset, u64 handle, u64 flags) {
  if (CUresult r = ready(false)) return r;
  std::lock_guard<std::mutex> lock(state().gate);
  auto* c = (Chunk*)handle;
  if (flags || offset || !chunks().count(c) || c->released || bytes != c->bytes) return InvalidValue;
  if (!reserved(start, bytes)) return InvalidValue;
  auto piece = regions().lower_bound(start);
  if (region_of(start) || (piece != regions().end() && piece->first < start + bytes)) return InvalidValue;
  // Without access until cuMemSetAccess.
  void* at = mmap((void*)start, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, file(), c->place);
  if (at == MAP_FAILED) return OutOfMemory;
  c->mapped++;
  regions()[start] = {start, bytes, (char*)start, bytes, c->device, false, c};
  return Success;
}

DRIVER_API CUresult cuMemUnmap(CUdeviceptr start, size_t bytes) {
  if (CUresult r = ready(false)) return r;
  std::lock_guard<std::mutex> lock(state().gate);
  std::vector<u64> list = pieces(start, bytes);
  if (list.empty()) return InvalidValue;
  for (u64 at : list) unmap(Region(regions()[at]));
  return Success;
}

DRIVER_API CUresult cuMemSetAccess(CUdeviceptr start, size_t bytes, const AccessDescription* access, size_t count) {
  if (CUresult r = ready(false)) return r;
  std::lock_guard<std::mutex> lock(state().gate);
  std::vector<u64> list = pieces(start, bytes);
  if (list.empty() || !access || !count) return InvalidValue;
  for (size_t i = 0; i < count; i++) {
    const AccessDescription& a = access[i];
    if (a.location != OfDevice || a.flags != ReadWrite || a.device < 0 || (size_t)a.device >= state().devices.size())
      return InvalidValue;
    for (u64 at : list) {
      Region& r = regions()[at];
      if (r.device->id != a.device && !settings().peers) return InvalidDevice;
      r.allowed |= 1ull << a.device;
      mprotect((void*)at, r.bytes, PROT_READ | PROT_WRITE);
    }
  }
  return Success;
}
