// Written by package kernels/entry from its table.
#include "app/teleport.cuh"
#include "driver/walk.cuh"
#include "selector/alias.cuh"
#include "selector/uniform.cuh"

using namespace nd;

ND_KERNEL(teleport_uniform_packed, Walk) { walk<Uniform<PackedRows>, Teleport>(a); }
ND_KERNEL(teleport_uniform_plain, Walk) { walk<Uniform<PlainRows>, Teleport>(a); }
ND_KERNEL(teleport_alias_packed, Walk) { walk<Alias<PackedRows>, Teleport>(a); }
ND_KERNEL(teleport_alias_plain, Walk) { walk<Alias<PlainRows>, Teleport>(a); }
