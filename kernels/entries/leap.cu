// Written by package kernels/entry from its table.
#include "app/leap.cuh"
#include "driver/walk.cuh"
#include "selector/alias.cuh"
#include "selector/uniform.cuh"

using namespace nd;

ND_KERNEL(leap_uniform_packed, Walk) { walk<Uniform<PackedRows>, Leap>(a); }
ND_KERNEL(leap_uniform_plain, Walk) { walk<Uniform<PlainRows>, Leap>(a); }
ND_KERNEL(leap_alias_packed, Walk) { walk<Alias<PackedRows>, Leap>(a); }
ND_KERNEL(leap_alias_plain, Walk) { walk<Alias<PlainRows>, Leap>(a); }
