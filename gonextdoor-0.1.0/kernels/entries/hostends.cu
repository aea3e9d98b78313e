// Written by package kernels/entry from its table.
#include "driver/hostends.cuh"

using namespace nd;

ND_KERNEL_OF(512, hostends_draw, HostEnds) { draw_step(a); }
