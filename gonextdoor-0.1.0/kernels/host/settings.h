// Settings from environment variables, which tests can change at run time, and counters.
#pragma once
#include "abi.h"

namespace emulated {

struct Settings {
  u64 devices;      // GONEXTDOOR_HOST_DEVICES: the number of devices
  u64 memory;       // GONEXTDOOR_HOST_MEMORY: bytes of each device
  u64 seed;         // GONEXTDOOR_HOST_SEED: determines the order of blocks, warps and lanes; 0: in numerical order
  u64 threads;      // GONEXTDOOR_HOST_THREADS: CPU threads for the blocks of a launch
  u64 seconds;      // GONEXTDOOR_HOST_SECONDS: the time limit of a launch
  u64 processors;   // GONEXTDOOR_HOST_PROCESSORS: SMs of a device
  u64 fail;         // GONEXTDOOR_HOST_FAIL: the number of the allocation that fails, counted from 1; 0: none
  u64 allocations;  // the number of allocations so far
  u64 launches;     // the number of launches so far
  u64 peers;        // GONEXTDOOR_HOST_PEERS: 1: each device can read the memory of the others; 0: none can
  u64 granularity;  // GONEXTDOOR_HOST_GRANULARITY: the sizes of chunks are multiples of it
  u64 chunks;       // the number of chunks created so far
  u64 fail_chunk;   // the number of the chunk that cannot be created, counted from 1; 0: none
  u64 grants;       // how often a device was given access to the memory of another
};

Settings& settings();

}  // namespace emulated
