// Written by package kernels/entry from its table.
#include "driver/compact.cuh"
#include "driver/neighborhood.cuh"

using namespace nd;

ND_KERNEL_OF(512, neighborhood_sampled, Neighborhood) { neighborhood(a); }
ND_KERNEL_OF(512, neighborhood_compacted, Neighborhood) { compact(a); }
