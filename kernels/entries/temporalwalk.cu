// Written by package kernels/entry from its table.
#include "driver/temporalwalk.cuh"

using namespace nd;

ND_KERNEL(temporalwalk_uniform, Walk) { temporal_walk<UniformInTime, Unlimited>(a); }
ND_KERNEL(temporalwalk_linear, Walk) { temporal_walk<LinearInTime, Unlimited>(a); }
ND_KERNEL(temporalwalk_exponential, Walk) { temporal_walk<ExponentialInTime, Unlimited>(a); }
ND_KERNEL(temporalwalk_limited_uniform, Walk) { temporal_walk<UniformInTime, TimeRange>(a); }
ND_KERNEL(temporalwalk_limited_linear, Walk) { temporal_walk<LinearInTime, TimeRange>(a); }
ND_KERNEL(temporalwalk_limited_exponential, Walk) { temporal_walk<ExponentialInTime, TimeRange>(a); }
