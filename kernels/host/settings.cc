// Reads the settings from the environment, and gives tests access to them.
#include "settings.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace emulated {

static u64 number(const char* name, u64 otherwise) {
  const char* text = getenv(name);
  return text && *text ? strtoull(text, nullptr, 10) : otherwise;
}

static Settings from_environment() {
  Settings s{};
  s.devices = number("GONEXTDOOR_HOST_DEVICES", 2);
  s.memory = number("GONEXTDOOR_HOST_MEMORY", 2ull << 30);
  s.seed = number("GONEXTDOOR_HOST_SEED", 1);
  s.threads = number("GONEXTDOOR_HOST_THREADS", std::clamp(std::thread::hardware_concurrency(), 1u, 2u));
  s.seconds = number("GONEXTDOOR_HOST_SECONDS", 120);
  s.processors = number("GONEXTDOOR_HOST_PROCESSORS", 2);
  s.fail = number("GONEXTDOOR_HOST_FAIL", 0);
  s.peers = number("GONEXTDOOR_HOST_PEERS", 1);
  s.granularity = number("GONEXTDOOR_HOST_GRANULARITY", 2 << 20);
  return s;
}

Settings& settings() {
  static Settings s = from_environment();
  return s;
}

static u64* field(const char* name) {
  Settings& s = settings();
  struct {
    const char* name;
    u64* at;
  } fields[] = {
      {"memory", &s.memory},
      {"seed", &s.seed},
      {"threads", &s.threads},
      {"seconds", &s.seconds},
      {"fail", &s.fail},
      {"allocations", &s.allocations},
      {"launches", &s.launches},
      {"peers", &s.peers},
      {"granularity", &s.granularity},
      {"chunks", &s.chunks},
      {"fail_chunk", &s.fail_chunk},
      {"grants", &s.grants},
  };
  for (auto& f : fields)
    if (!strcmp(f.name, name)) return f.at;
  return nullptr;
}

}  // namespace emulated

// emulated_get and emulated_set read and change a setting by its name. An unknown name is ~0, or NotFound.
DRIVER_API u64 emulated_get(const char* name) {
  u64* at = emulated::field(name);
  return at ? *at : ~0ull;
}

DRIVER_API CUresult emulated_set(const char* name, u64 value) {
  u64* at = emulated::field(name);
  if (!at) return NotFound;
  *at = value;
  return Success;
}
