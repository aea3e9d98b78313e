// Written by package kernels/entry from its table.
#include "driver/several.cuh"
#include "selector/alias.cuh"
#include "selector/uniform.cuh"

using namespace nd;

ND_KERNEL(several_uniform_packed, Walk) { several<Uniform<PackedRows>>(a); }
ND_KERNEL(several_uniform_plain, Walk) { several<Uniform<PlainRows>>(a); }
ND_KERNEL(several_alias_packed, Walk) { several<Alias<PackedRows>>(a); }
ND_KERNEL(several_alias_plain, Walk) { several<Alias<PlainRows>>(a); }
