// Written by package kernels/entry from its table.
#include "driver/crowd.cuh"
#include "selector/alias.cuh"
#include "selector/uniform.cuh"

using namespace nd;

ND_KERNEL_OF(1024, crowd_roots, Crowd) { count_roots(a); }
ND_KERNEL_OF(1024, crowd_exact, Crowd) { exact_crowd(a); }
ND_KERNEL_OF(1024, crowd_enter, Crowd) { enter_crowd(a); }
ND_KERNEL_OF(1024, crowd_place, Crowd) { place_crowd(a); }
ND_KERNEL_OF(1024, crowd_end, Crowd) { end_crowd(a); }
ND_KERNEL_OF(1024, crowd_uniform, Crowd) { step_crowd<Uniform<PackedRows>, Visits::None>(a); }
ND_KERNEL_OF(1024, crowd_uniform_shared, Crowd) { step_crowd<Uniform<PackedRows>, Visits::Shared>(a); }
ND_KERNEL_OF(1024, crowd_uniform_memory, Crowd) { step_crowd<Uniform<PackedRows>, Visits::Memory>(a); }
ND_KERNEL_OF(1024, crowd_uniform_recount, Crowd) { recount_crowd<Uniform<PackedRows>>(a); }
ND_KERNEL_OF(1024, crowd_uniform_again, Crowd) { again_crowd<Uniform<PackedRows>>(a); }
ND_KERNEL_OF(1024, crowd_alias, Crowd) { step_crowd<Alias<PackedRows>, Visits::None>(a); }
ND_KERNEL_OF(1024, crowd_alias_shared, Crowd) { step_crowd<Alias<PackedRows>, Visits::Shared>(a); }
ND_KERNEL_OF(1024, crowd_alias_memory, Crowd) { step_crowd<Alias<PackedRows>, Visits::Memory>(a); }
ND_KERNEL_OF(1024, crowd_alias_recount, Crowd) { recount_crowd<Alias<PackedRows>>(a); }
ND_KERNEL_OF(1024, crowd_alias_again, Crowd) { again_crowd<Alias<PackedRows>>(a); }
ND_KERNEL_OF(1024, crowd_count_shared, Crowd) { count_crowd<Visits::Shared>(a); }
ND_KERNEL_OF(1024, crowd_count_memory, Crowd) { count_crowd<Visits::Memory>(a); }
