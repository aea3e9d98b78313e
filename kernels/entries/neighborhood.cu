// Written by package kernels/entry from its table.
#include "driver/laying.cuh"
#include "driver/neighborhood.cuh"

using namespace nd;

ND_KERNEL_OF(512, neighborhood_sampled, Neighborhood) { neighborhood(a); }
ND_KERNEL_OF(512, neighborhood_laid, Neighborhood) { lay(a); }
