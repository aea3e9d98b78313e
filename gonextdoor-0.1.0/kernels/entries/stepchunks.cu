// Written by package kernels/entry from its table.
#include "driver/interleaved.cuh"
#include "driver/stepchunks.cuh"

using namespace nd;

ND_KERNEL(stepchunks_sums, StepChunks) { sum_lengths(a); }
ND_KERNEL_OF(1024, stepchunks_tops, StepChunks) { sum_tops(a); }
ND_KERNEL(stepchunks_first, StepChunks) { compact_first(a); }
ND_KERNEL(stepchunks_more, StepChunks) { compact_more(a); }
ND_KERNEL_TILED(interleaved_first, StepChunks) { compact_interleaved(a); }
ND_KERNEL(interleaved_more, StepChunks) { compact_interleaved_more(a); }
