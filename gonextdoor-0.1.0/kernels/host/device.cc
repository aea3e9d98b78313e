// Initialisation, devices and contexts of the driver API, and the names of errors.
#include "device.h"

#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "fault.h"
#include "memory.h"
#include "settings.h"
#include "stream.h"

namespace emulated {

State& state() {
  static State& s = *new State;  // threads use it until the process ends
  return s;
}

static thread_local std::vector<Device*> contexts;

Device* current() { return contexts.empty() ? nullptr : contexts.back(); }

CUresult ready(bool context) {
  if (state().process == 0 || state().process != getpid()) return NotInitialized;
  if (!context) return Success;
  if (!current() || !current()->retained) return InvalidContext;
  return current()->error;
}

static Device* device_of(CUdevice id) {
  return id >= 0 && (size_t)id < state().devices.size() ? state().devices[id] : nullptr;
}

}  // namespace emulated

using namespace emulated;

// GIVE returns a value by an output parameter, which must not be null.
#define GIVE(at, value) return (at) ? (*(at) = (value), Success) : InvalidValue

DRIVER_API CUresult cuInit(unsigned flags) {
  if (flags) return InvalidValue;
  // In a forked child the gate may stay locked for ever: another thread of the parent held it, and is not in the child.
  if (state().process && state().process != getpid()) return NotInitialized;
  std::lock_guard<std::mutex> lock(state().gate);
  if (state().process) return Success;
  if (!settings().devices) return NoDevice;
  for (u64 i = 0; i < settings().devices; i++) {
    Device* d = new Device;
    d->id = (int)i;
    state().devices.push_back(d);
  }
  install_handlers();
  state().process = getpid();
  return Success;
}

DRIVER_API CUresult cuDriverGetVersion(int* version) { GIVE(version, 12090); }

DRIVER_API CUresult cuDeviceGetCount(int* count) {
  if (CUresult r = ready(false)) return r;
  GIVE(count, (int)state().devices.size());
}

DRIVER_API CUresult cuDeviceGet(CUdevice* device, int number) {
  if (CUresult r = ready(false)) return r;
  if (!device_of(number)) return InvalidDevice;
  GIVE(device, number);
}

DRIVER_API CUresult cuDeviceGetName(char* name, int bytes, CUdevice device) {
  if (CUresult r = ready(false)) return r;
  if (!device_of(device)) return InvalidDevice;
  snprintf(name, bytes, "Emulated GPU");
  return Success;
}

static CUresult uuid(char* to, CUdevice device) {
  if (CUresult r = ready(false)) return r;
  if (!device_of(device)) return InvalidDevice;
  memset(to, 0, 16);
  memcpy(to, "emulated", 8);
  to[15] = (char)device;
  return Success;
}
DRIVER_API CUresult cuDeviceGetUuid(char* to, CUdevice device) { return uuid(to, device); }
DRIVER_API CUresult cuDeviceGetUuid_v2(char* to, CUdevice device) { return uuid(to, device); }

DRIVER_API CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
  if (CUresult r = ready(false)) return r;
  if (!device_of(device)) return InvalidDevice;
  GIVE(bytes, settings().memory);
}

DRIVER_API CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice device) {
  if (CUresult r = ready(false)) return r;
  if (!device_of(device)) return InvalidDevice;
  static const std::map<int, int> facts = {
      {1, 1024},     {2, 1024},     {3, 1024},      {4, 64},         {5, 0x7FFFFFFF}, {6, 65535},
      {7, 65535},  // threads and blocks
      {8, 48 << 10}, {9, 64 << 10}, {10, 32},       {12, 65536},     {13, 1000000},   {15, 1},
      {17, 0},       {18, 0},       {19, 1},        {20, 0},         {31, 1},         {33, 1},
      {34, 0},       {36, 1000000}, {37, 1024},     {38, 4 << 20},   {39, 1024},      {40, 2},
      {41, 1},       {50, 0},       {75, 9},        {76, 0},         {78, 1},         {81, 228 << 10},
      {82, 65536},   {83, 1},       {95, 1},        {97, 227 << 10}, {102, 1},        {106, 32},
      {108, 0},      {109, 0},      {111, 1 << 10}, {115, 1},
  };
  if (attribute == 16) GIVE(value, (int)settings().processors);
  if (attribute == 33) GIVE(value, device + 1);
  auto fact = facts.find(attribute);
  if (attribute < 1 || attribute > 150) return InvalidValue;
  GIVE(value, fact == facts.end() ? 0 : fact->second);
}

DRIVER_API CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  if (CUresult r = ready(false)) return r;
  if (!device_of(device) || !device_of(peer)) return InvalidDevice;
  GIVE(can, device != peer && settings().peers);
}

DRIVER_API CUresult cuDeviceGetP2PAttribute(int* value, int attribute, CUdevice device, CUdevice peer) {
  if (CUresult r = ready(false)) return r;
  if (!device_of(device) || !device_of(peer) || device == peer) return InvalidDevice;
  GIVE(value, attribute == 2 || attribute == 3 ? (int)settings().peers : 0);  // access, and atomics
}

// ---- contexts

DRIVER_API CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (CUresult r = ready(false)) return r;
  std::lock_guard<std::mutex> lock(state().gate);
  Device* d = device_of(device);
  if (!d) return InvalidDevice;
  d->retained++;
  GIVE(context, d);
}

static CUresult reset(Device* d) {
  synchronize(d);
  forget_memory(d);
  std::lock_guard<std::mutex> lock(state().gate);
  d->error = Success;
  return Success;
}

DRIVER_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  if (CUresult r = ready(false)) return r;
  Device* d = device_of(device);
  if (!d) return InvalidDevice;
  if (!d->retained) return InvalidContext;
  return --d->retained ? Success : reset(d);
}

DRIVER_API CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  if (CUresult r = ready(false)) return r;
  return device_of(device) ? reset(device_of(device)) : InvalidDevice;
}

DRIVER_API CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  if (CUresult r = ready(false)) return r;
  if (!device_of(device)) return InvalidDevice;
  if (flags) *flags = 0;
  if (active) *active = device_of(device)->retained > 0;
  return Success;
}

DRIVER_API CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned) {
  if (CUresult r = ready(false)) return r;
  return device_of(device) ? Success : InvalidDevice;
}

DRIVER_API CUresult cuCtxPushCurrent_v2(CUcontext context) {
  if (CUresult r = ready(false)) return r;
  if (!context) return InvalidContext;
  contexts.push_back(context);
  return Success;
}

DRIVER_API CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  if (CUresult r = ready(false)) return r;
  if (contexts.empty()) return InvalidContext;
  if (context) *context = contexts.back();
  contexts.pop_back();
  return Success;
}

DRIVER_API CUresult cuCtxSetCurrent(CUcontext context) {
  if (CUresult r = ready(false)) return r;
  if (!contexts.empty()) contexts.pop_back();
  if (context) contexts.push_back(context);
  return Success;
}

DRIVER_API CUresult cuCtxGetCurrent(CUcontext* context) {
  if (CUresult r = ready(false)) return r;
  GIVE(context, current());
}

DRIVER_API CUresult cuCtxGetDevice(CUdevice* device) {
  if (CUresult r = ready()) return r;
  GIVE(device, current()->id);
}

DRIVER_API CUresult cuCtxSynchronize() {
  if (CUresult r = ready()) return r;
  return synchronize(current());
}

DRIVER_API CUresult cuCtxGetApiVersion(CUcontext, unsigned* version) { GIVE(version, 3020); }
DRIVER_API CUresult cuCtxGetFlags(unsigned* flags) { GIVE(flags, 0); }
DRIVER_API CUresult cuCtxSetLimit(int, size_t) { return ready(); }
DRIVER_API CUresult cuCtxGetLimit(size_t* value, int) { GIVE(value, 0); }
DRIVER_API CUresult cuCtxSetCacheConfig(int) { return ready(); }
DRIVER_API CUresult cuCtxResetPersistingL2Cache() { return ready(); }

DRIVER_API CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  if (CUresult r = ready()) return r;
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return Success;
}

// ---- errors

static const struct {
  CUresult error;
  const char *name, *text;
} errors[] = {
    {Success, "CUDA_SUCCESS", "no error"},
    {InvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NotInitialized, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {NoDevice, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {InvalidDevice, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {InvalidImage, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {InvalidContext, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {InvalidHandle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {NotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {NotReady, "CUDA_ERROR_NOT_READY", "device not ready"},
    {IllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {OutOfResources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {LaunchTimeout, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
    {AlreadyRegistered, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
     "part or all of the requested memory range is already mapped"},
    {NotRegistered, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
     "pointer does not correspond to a registered memory region"},
    {LaunchFailed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {CooperativeTooLarge, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "too many blocks in cooperative launch"},
    {NotSupported, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {CaptureUnsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"},
    {CaptureInvalidated, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"},
};

DRIVER_API CUresult cuGetErrorName(CUresult error, const char** name) {
  for (auto& e : errors)
    if (e.error == error) GIVE(name, e.name);
  return InvalidValue;
}

DRIVER_API CUresult cuGetErrorString(CUresult error, const char** text) {
  for (auto& e : errors)
    if (e.error == error) GIVE(text, e.text);
  return InvalidValue;
}
