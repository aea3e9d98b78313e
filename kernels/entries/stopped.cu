// Written by package kernels/entry from its table.
#include "driver/stopped.cuh"
#include "selector/alias.cuh"
#include "selector/search.cuh"
#include "selector/uniform.cuh"

using namespace nd;

ND_KERNEL(stopped_uniform_packed, Walk) { stopped<Uniform<PackedRows>>(a); }
ND_KERNEL(stopped_uniform_plain, Walk) { stopped<Uniform<PlainRows>>(a); }
ND_KERNEL(stopped_alias_packed, Walk) { stopped<Alias<PackedRows>>(a); }
ND_KERNEL(stopped_alias_plain, Walk) { stopped<Alias<PlainRows>>(a); }
ND_KERNEL(stopped_uniform_wide, Walk) { stopped<WideUniform>(a); }
ND_KERNEL(stopped_uniform_slim, Walk) { stopped<SlimUniform>(a); }
ND_KERNEL(stopped_alias_wide, Walk) { stopped<WideAlias>(a); }
ND_KERNEL(stopped_search_packed, Walk) { stopped<Search<PackedRows>>(a); }
ND_KERNEL(stopped_search_plain, Walk) { stopped<Search<PlainRows>>(a); }
