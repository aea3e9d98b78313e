// Written by package kernels/entry from its table.
#include "driver/multiroot.cuh"
#include "selector/alias.cuh"
#include "selector/uniform.cuh"

using namespace nd;

ND_KERNEL(multiroot_uniform_packed, Walk) { multi_root<Uniform<PackedRows>>(a); }
ND_KERNEL(multiroot_uniform_plain, Walk) { multi_root<Uniform<PlainRows>>(a); }
ND_KERNEL(multiroot_alias_packed, Walk) { multi_root<Alias<PackedRows>>(a); }
ND_KERNEL(multiroot_alias_plain, Walk) { multi_root<Alias<PlainRows>>(a); }
