// Written by package kernels/entry from its table.
#include "driver/legs.cuh"
#include "driver/woven.cuh"

using namespace nd;

ND_KERNEL(legs_sums, Legs) { sum_lengths(a); }
ND_KERNEL_OF(1024, legs_tops, Legs) { sum_tops(a); }
ND_KERNEL(legs_first, Legs) { lay_first(a); }
ND_KERNEL(legs_more, Legs) { lay_more(a); }
ND_KERNEL(woven_first, Legs) { lay_woven(a); }
ND_KERNEL(woven_more, Legs) { lay_woven_more(a); }
