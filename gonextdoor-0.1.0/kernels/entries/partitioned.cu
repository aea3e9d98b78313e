// Written by package kernels/entry from its table.
#include "driver/partitionedwalk.cuh"
#include "selector/alias.cuh"
#include "selector/uniform.cuh"

using namespace nd;

ND_KERNEL_OF(1024, partitioned_roots, PartitionedWalk) { count_roots(a); }
ND_KERNEL_OF(1024, partitioned_exact, PartitionedWalk) { allocate_exactly(a); }
ND_KERNEL_OF(1024, partitioned_enter, PartitionedWalk) { place_walkers(a); }
ND_KERNEL_OF(1024, partitioned_place, PartitionedWalk) { prepare_step(a); }
ND_KERNEL_OF(1024, partitioned_end, PartitionedWalk) { write_ends(a); }
ND_KERNEL_OF(1024, partitioned_uniform, PartitionedWalk) { step_partitions<Uniform<PackedRows>, Visits::None>(a); }
ND_KERNEL_OF(1024, partitioned_uniform_shared, PartitionedWalk) {
  step_partitions<Uniform<PackedRows>, Visits::Shared>(a);
}
ND_KERNEL_OF(1024, partitioned_uniform_memory, PartitionedWalk) {
  step_partitions<Uniform<PackedRows>, Visits::Memory>(a);
}
ND_KERNEL_OF(1024, partitioned_uniform_recount, PartitionedWalk) { recount_partitions<Uniform<PackedRows>>(a); }
ND_KERNEL_OF(1024, partitioned_uniform_again, PartitionedWalk) { repeat_step<Uniform<PackedRows>>(a); }
ND_KERNEL_OF(1024, partitioned_alias, PartitionedWalk) { step_partitions<Alias<PackedRows>, Visits::None>(a); }
ND_KERNEL_OF(1024, partitioned_alias_shared, PartitionedWalk) { step_partitions<Alias<PackedRows>, Visits::Shared>(a); }
ND_KERNEL_OF(1024, partitioned_alias_memory, PartitionedWalk) { step_partitions<Alias<PackedRows>, Visits::Memory>(a); }
ND_KERNEL_OF(1024, partitioned_alias_recount, PartitionedWalk) { recount_partitions<Alias<PackedRows>>(a); }
ND_KERNEL_OF(1024, partitioned_alias_again, PartitionedWalk) { repeat_step<Alias<PackedRows>>(a); }
ND_KERNEL_OF(1024, partitioned_count_shared, PartitionedWalk) { count_last_visits<Visits::Shared>(a); }
ND_KERNEL_OF(1024, partitioned_count_memory, PartitionedWalk) { count_last_visits<Visits::Memory>(a); }
