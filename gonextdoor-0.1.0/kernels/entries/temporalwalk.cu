// Written by package kernels/entry from its table.
#include "driver/temporalwalk.cuh"

using namespace nd;

ND_KERNEL(temporalwalk_uniform, Walk) { temporal_walk<UniformInTime>(a); }
ND_KERNEL(temporalwalk_linear, Walk) { temporal_walk<LinearInTime>(a); }
ND_KERNEL(temporalwalk_exponential, Walk) { temporal_walk<ExponentialInTime>(a); }
