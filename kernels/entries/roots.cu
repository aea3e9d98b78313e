// Written by package kernels/entry from its table.
#include "driver/roots.cuh"

using namespace nd;

ND_KERNEL(roots_drawn, Draw) { draw_roots(a); }
