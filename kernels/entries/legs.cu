// Written by package kernels/entry from its table.
#include "driver/legs.cuh"
#include "driver/offsets.cuh"

using namespace nd;

ND_KERNEL(legs_sums, Legs) { offsets_sums(a); }
ND_KERNEL(legs_blocks, Legs) { offsets_blocks(a); }
ND_KERNEL(legs_offsets, Legs) { offsets_add(a); }
ND_KERNEL_OF(128, legs_first, Legs) { lay_first(a); }
ND_KERNEL(legs_more, Legs) { lay_more(a); }
