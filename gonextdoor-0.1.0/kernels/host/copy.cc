// Copies and fills. They are executed late, as the driver may do: code that reads a result without waiting gets old
// data.
#include <cstring>

#include "fault.h"
#include "inject.h"
#include "memory.h"
#include "stream.h"

using namespace emulated;

// forbidden reports memory of another device that this one may not use.
static CUresult forbidden(const char* doing) {
  say("%s used memory of another device without access", doing);
  return IllegalAddress;
}

// copy enqueues a copy. If host memory is not pinned, the call returns after the copy, as with the real driver.
static CUresult copy(u64 to, u64 from, size_t bytes, CUstream handle, bool wait) {
  Stream* s;
  if (CUresult r = ready()) return r;
  if (CUresult r = find(handle, &s)) return r;
  if (!bytes) return Success;
  if (CUresult r = injected(Calls::Copy, s->device)) return r;
  if (!within(to, bytes) || !within(from, bytes)) return InvalidValue;
  bool loose = (of_host(to) && !pinned(to)) || (of_host(from) && !pinned(from));
  if (loose || wait)
    if (CUresult r = not_captured(s)) return r;
  CUresult r = enqueue(s, [=]() -> CUresult {
    if (!allowed(s->device, to, bytes) || !allowed(s->device, from, bytes)) return forbidden("a copy");
    memmove((void*)to, (void*)from, bytes);
    return Success;
  });
  return r || !(loose || wait) ? r : synchronize(s);
}

static CUresult to_device(CUdeviceptr to, const void* from, size_t n, CUstream s, bool wait) {
  if (of_host(to)) return InvalidValue;
  return copy(to, (u64)from, n, s, wait);
}

static CUresult from_device(void* to, CUdeviceptr from, size_t n, CUstream s, bool wait) {
  if (of_host(from)) return InvalidValue;
  return copy((u64)to, from, n, s, wait);
}

static CUresult within_device(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s, bool wait) {
  if (of_host(to) || of_host(from)) return InvalidValue;
  return copy(to, from, n, s, wait);
}

DRIVER_API CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t n) { return copy(to, from, n, nullptr, true); }
DRIVER_API CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s) {
  return copy(to, from, n, s, false);
}
DRIVER_API CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t n) {
  return to_device(to, from, n, nullptr, true);
}
DRIVER_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t n, CUstream s) {
  return to_device(to, from, n, s, false);
}
DRIVER_API CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t n) {
  return from_device(to, from, n, nullptr, true);
}
DRIVER_API CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t n, CUstream s) {
  return from_device(to, from, n, s, false);
}
DRIVER_API CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t n) {
  return within_device(to, from, n, nullptr, false);
}
DRIVER_API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s) {
  return within_device(to, from, n, s, false);
}

DRIVER_API CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t n, CUstream s) {
  return within_device(to, from, n, s, false);
}

// fill enqueues `count` writes of a value.
template <class T> static CUresult fill(CUdeviceptr to, T value, size_t count, CUstream handle) {
  Stream* s;
  if (CUresult r = ready()) return r;
  if (CUresult r = find(handle, &s)) return r;
  if (!count) return Success;
  if (to % sizeof(T) || of_host(to) || !within(to, count * sizeof(T))) return InvalidValue;
  return enqueue(s, [=]() -> CUresult {
    if (!allowed(s->device, to, count * sizeof(T))) return forbidden("a fill");
    for (size_t i = 0; i < count; i++) ((T*)to)[i] = value;
    return Success;
  });
}

DRIVER_API CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char x, size_t n) { return fill(to, x, n, nullptr); }
DRIVER_API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char x, size_t n, CUstream s) { return fill(to, x, n, s); }
DRIVER_API CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short x, size_t n) { return fill(to, x, n, nullptr); }
DRIVER_API CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short x, size_t n, CUstream s) {
  return fill(to, x, n, s);
}
DRIVER_API CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned x, size_t n) { return fill(to, x, n, nullptr); }
DRIVER_API CUresult cuMemsetD32Async(CUdeviceptr to, unsigned x, size_t n, CUstream s) { return fill(to, x, n, s); }
