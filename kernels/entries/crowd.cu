// Written by package kernels/entry from its table.
#include "driver/crowd.cuh"
#include "selector/alias.cuh"
#include "selector/uniform.cuh"

using namespace nd;

ND_KERNEL_OF(1024, crowd_begin, Crowd) { begin_crowd(a); }
ND_KERNEL_OF(512, crowd_place, Crowd) { place_crowd(a); }
ND_KERNEL_OF(512, crowd_split, Crowd) { split_crowd(a); }
ND_KERNEL(crowd_end, Crowd) { end_crowd(a); }
ND_KERNEL_OF(1024, crowd_uniform, Crowd) { step_crowd<Uniform<PackedRows>, Visits::None>(a); }
ND_KERNEL_OF(1024, crowd_alias, Crowd) { step_crowd<Alias<PackedRows>, Visits::None>(a); }
ND_KERNEL_OF(1024, crowd_uniform_shared, Crowd) { step_crowd<Uniform<PackedRows>, Visits::Shared>(a); }
ND_KERNEL_OF(1024, crowd_alias_shared, Crowd) { step_crowd<Alias<PackedRows>, Visits::Shared>(a); }
ND_KERNEL_OF(1024, crowd_count_shared, Crowd) { count_crowd<Visits::Shared>(a); }
ND_KERNEL_OF(1024, crowd_uniform_memory, Crowd) { step_crowd<Uniform<PackedRows>, Visits::Memory>(a); }
ND_KERNEL_OF(1024, crowd_alias_memory, Crowd) { step_crowd<Alias<PackedRows>, Visits::Memory>(a); }
ND_KERNEL_OF(1024, crowd_count_memory, Crowd) { count_crowd<Visits::Memory>(a); }
