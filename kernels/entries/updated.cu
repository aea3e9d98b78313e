// Written by package kernels/entry from its table.
#include "result/updated.cuh"

using namespace nd;

ND_KERNEL(updated_marks, Touched) { mark_touched(a); }
ND_KERNEL(updated_rows, Placed) { place_rows<u32>(a); }
ND_KERNEL(updated_edges, Placed) { place_rows<i64>(a); }
