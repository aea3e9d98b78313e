// Modules, kernels and their launches. Of a fatbin only the first word is read: its kernels are those that this library
// was built with. An image of the emulated NVRTC is a shared library, which is loaded.
#include "stream.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "block.h"
#include "fault.h"
#include "inject.h"
#include "memory.h"
#include "settings.h"

namespace emulated {

struct Module;

// Function is a kernel of a module.
struct Function {
  Module* module;
  std::string name;
  void (*kernel)(const void*);
  u64 bytes;    // the size of its parameter
  u64 threads;  // the largest number of threads per block
  int dynamic_shared = 48 << 10;
};

// Module owns its functions.
struct Module {
  void* library;  // null: this library
  std::map<std::string, Function*> functions;
};

// itself returns a handle of this library.
static void* itself() {
  static void* handle = [] {
    Dl_info info;
    dladdr((void*)&settings, &info);
    return dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  }();
  return handle;
}

// host_image returns the size of an image for this machine, or 0 for other data.
static size_t host_image(const void* image) {
  auto* e = (const Elf64_Ehdr*)image;
  if (memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_machine == 190) return 0;  // 190 is CUDA
  return e->e_shoff + (size_t)e->e_shnum * e->e_shentsize;
}

static bool device_image(const void* image) {
  unsigned word;
  memcpy(&word, image, 4);
  return word == 0xBA55ED50 || word == 0x466243B1 || !memcmp(image, ELFMAG, SELFMAG) || !memcmp(image, "//", 2);
}

static void* open_image(const void* image, size_t bytes) {
  int file = memfd_create("image", 0);
  if (file < 0 || write(file, image, bytes) != (ssize_t)bytes) return nullptr;
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) say("%s", dlerror());
  return library;  // the file stays open: dlopen identifies libraries by path, and the next one would get the same
}

struct KernelFacts {
  u64 bytes, threads;
};

static CUresult function_of(Module* m, const char* name, Function** out) {
  Function*& f = m->functions[name];
  if (!f) {
    void* library = m->library ? m->library : itself();
    void* kernel = dlsym(library, name);
    auto* facts = (const KernelFacts*)dlsym(library, (std::string(name) + "_facts").c_str());
    if (!kernel || !facts) return NotFound;
    f = new Function{m, name, (void (*)(const void*))kernel, facts->bytes, facts->threads};
  }
  *out = f;
  return Success;
}

// parameter returns the struct that a launch passes, by either of the two ways of cuLaunchKernel.
static const void* parameter(const Function* f, void** parameters, void** extra) {
  if (parameters) return parameters[0];
  const void* buffer = nullptr;
  size_t bytes = 0;
  for (void** e = extra; e && *e; e += 2) {
    if (*e == (void*)1) buffer = e[1];
    if (*e == (void*)2) bytes = *(size_t*)e[1];
  }
  if (buffer && bytes != f->bytes) {
    say("kernel %s has a parameter of %llu bytes, and was given %zu", f->name.c_str(), f->bytes, bytes);
    return nullptr;
  }
  return buffer;
}

// most_blocks returns the number of blocks that an SM runs at once.
static int most_blocks(const Function* f, int threads, size_t dynamic) {
  if (threads < 1 || (u64)threads > f->threads || dynamic > (size_t)f->dynamic_shared) return 0;
  int blocks = 1024 / ((threads + 31) / 32 * 32);
  if (dynamic) blocks = std::min<int>(blocks, (228 << 10) / (dynamic + 1024));
  return std::min(blocks, 32);
}

// launch checks a launch as the driver does, copies its parameter and enqueues it.
static CUresult launch(Function* f, const unsigned* blocks, const unsigned* threads, unsigned dynamic, CUstream handle,
                       void** parameters, void** extra, bool cooperative) {
  Stream* s;
  if (CUresult r = ready()) return r;
  if (CUresult r = find(handle, &s)) return r;
  if (!f) return InvalidHandle;
  if (CUresult r = injected(Calls::Launch, s->device)) return r;
  if (blocks[1] != 1 || blocks[2] != 1 || threads[1] != 1 || threads[2] != 1 || !blocks[0] || !threads[0])
    return InvalidValue;
  if (blocks[0] > 0x7FFFFFFF || threads[0] > 1024 || dynamic > (unsigned)f->dynamic_shared) return InvalidValue;
  if (threads[0] > f->threads) return OutOfResources;
  if (cooperative && blocks[0] > settings().processors * most_blocks(f, threads[0], dynamic))
    return CooperativeTooLarge;
  const void* given = parameter(f, parameters, extra);
  if (!given) return InvalidValue;
  auto* at = (const char*)given;
  std::vector<u64> copy((f->bytes + 7) / 8);
  memcpy(copy.data(), at, f->bytes);
  Launch l{f->name.c_str(), f->kernel, nullptr, blocks[0], threads[0], (dynamic + 15) / 16 * 16, cooperative};
  CUresult fault = injected(Calls::Kernel, s->device);
  return enqueue(s, [l, copy, s, fault]() -> CUresult {
    if (fault) {
      say("kernel %s is made to fail", l.name);
      return fault;
    }
    for (u64 word : copy)
      if (!allowed(s->device, word, 1)) {
        say("%s got memory of another device without access", l.name);
        return IllegalAddress;
      }
    Launch now = l;
    now.parameters = copy.data();
    return run_launch(now);
  });
}

}  // namespace emulated

using namespace emulated;

DRIVER_API CUresult cuModuleLoadData(Module** module, const void* image) {
  if (CUresult r = ready()) return r;
  if (!module || !image) return InvalidValue;
  void* library = nullptr;
  if (size_t bytes = host_image(image)) {
    library = open_image(image, bytes);
    if (!library) return InvalidImage;
  } else if (!device_image(image)) {
    return InvalidImage;
  }
  *module = new Module{library, {}};
  return Success;
}

DRIVER_API CUresult cuModuleLoadDataEx(Module** m, const void* image, unsigned, int*, void**) {
  return cuModuleLoadData(m, image);
}
DRIVER_API CUresult cuModuleLoadFatBinary(Module** m, const void* image) { return cuModuleLoadData(m, image); }

DRIVER_API CUresult cuModuleUnload(Module* m) {
  if (CUresult r = ready()) return r;
  if (!m) return InvalidHandle;
  synchronize(current());
  for (auto& [name, f] : m->functions) delete f;
  if (m->library) dlclose(m->library);
  delete m;
  return Success;
}

DRIVER_API CUresult cuModuleGetFunction(Function** f, Module* m, const char* name) {
  if (CUresult r = ready()) return r;
  if (!f || !m || !name) return InvalidValue;
  std::lock_guard<std::mutex> lock(state().gate);
  return function_of(m, name, f);
}

DRIVER_API CUresult cuFuncGetAttribute(int* value, int attribute, Function* f) {
  if (CUresult r = ready()) return r;
  if (!f) return InvalidHandle;
  switch (attribute) {
    case 0:
      *value = (int)f->threads;
      break;
    case 4:
      *value = 32;
      break;
    case 5:
    case 6:
      *value = 90;
      break;
    case 8:
      *value = f->dynamic_shared;
      break;
    default:
      *value = 0;
  }
  return Success;
}

DRIVER_API CUresult cuFuncSetAttribute(Function* f, int attribute, int value) {
  if (CUresult r = ready()) return r;
  if (!f) return InvalidHandle;
  if (attribute == 8) {
    if (value < 0 || value > 227 << 10) return InvalidValue;
    f->dynamic_shared = value;
  }
  return Success;
}

DRIVER_API CUresult cuFuncSetCacheConfig(Function*, int) { return ready(); }
DRIVER_API CUresult cuFuncSetSharedMemConfig(Function*, int) { return ready(); }

DRIVER_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function* f, int threads, size_t dynamic) {
  if (CUresult r = ready()) return r;
  if (!f) return InvalidHandle;
  *blocks = most_blocks(f, threads, dynamic);
  return Success;
}

DRIVER_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Function* f, int threads,
                                                                         size_t dynamic, unsigned) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, threads, dynamic);
}

DRIVER_API CUresult cuLaunchKernel(Function* f, unsigned bx, unsigned by, unsigned bz, unsigned tx, unsigned ty,
                                   unsigned tz, unsigned shared, CUstream s, void** parameters, void** extra) {
  const unsigned blocks[] = {bx, by, bz}, threads[] = {tx, ty, tz};
  return launch(f, blocks, threads, shared, s, parameters, extra, false);
}

DRIVER_API CUresult cuLaunchCooperativeKernel(Function* f, unsigned bx, unsigned by, unsigned bz, unsigned tx,
                                              unsigned ty, unsigned tz, unsigned shared, CUstream s,
                                              void** parameters) {
  const unsigned blocks[] = {bx, by, bz}, threads[] = {tx, ty, tz};
  return launch(f, blocks, threads, shared, s, parameters, nullptr, true);
}
