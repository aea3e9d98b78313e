// Written by package kernels/entry from its table.
#include "driver/roots.cuh"

using namespace nd;

ND_KERNEL(roots_draw, Draw) { draw_roots(a); }
