// Written by package kernels/entry from its table.
#include "driver/neighborsampler.cuh"

using namespace nd;

ND_KERNEL_OF(512, neighborlabor_draw, NeighborSampler) { draw_neighbors<LaborChoice>(a); }
