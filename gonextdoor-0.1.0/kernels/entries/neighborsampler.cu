// Written by package kernels/entry from its table.
#include "driver/compact.cuh"
#include "driver/neighborsampler.cuh"

using namespace nd;

ND_KERNEL_OF(512, neighborsampler_draw, NeighborSampler) { draw_neighbors<RowChoice>(a); }
ND_KERNEL_OF(512, neighborsampler_compact, NeighborSampler) { compact(a); }
