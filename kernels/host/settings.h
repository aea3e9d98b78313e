// What environment variables say; tests change some of it while they run.
#pragma once
#include "abi.h"

namespace emulated {

struct Settings {
  u64 devices;      // GONEXTDOOR_HOST_DEVICES: how many there are
  u64 memory;       // GONEXTDOOR_HOST_MEMORY: bytes of each device
  u64 seed;         // GONEXTDOOR_HOST_SEED: in which order blocks, warps and lanes run; 0: by their numbers
  u64 threads;      // GONEXTDOOR_HOST_THREADS: of the operating system, for the blocks of a launch
  u64 seconds;      // GONEXTDOOR_HOST_SECONDS: a launch that takes longer is stuck
  u64 processors;   // GONEXTDOOR_HOST_PROCESSORS: of a device
  u64 fail;         // GONEXTDOOR_HOST_FAIL: the allocation that fails, counted from 1; 0: none
  u64 allocations;  // how many were made
  u64 launches;     // how many kernels ran
};

Settings& settings();

}  // namespace emulated
