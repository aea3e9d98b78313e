// Written by package kernels/entry from its table.
#include "app/teleport.cuh"
#include "driver/walk.cuh"
#include "selector/alias.cuh"
#include "selector/search.cuh"
#include "selector/uniform.cuh"

using namespace nd;

ND_KERNEL(walk_uniform_packed, Walk) { walk<Uniform<PackedRows>, Straight>(a); }
ND_KERNEL(walk_uniform_plain, Walk) { walk<Uniform<PlainRows>, Straight>(a); }
ND_KERNEL(walk_alias_packed, Walk) { walk<Alias<PackedRows>, Straight>(a); }
ND_KERNEL(walk_alias_plain, Walk) { walk<Alias<PlainRows>, Straight>(a); }
ND_KERNEL(walk_uniform_wide, Walk) { walk<WideUniform, Straight>(a); }
ND_KERNEL(walk_uniform_slim, Walk) { walk<SlimUniform, Straight>(a); }
ND_KERNEL(walk_alias_wide, Walk) { walk<WideAlias, Straight>(a); }
ND_KERNEL(walk_search_packed, Walk) { walk<Search<PackedRows>, Straight>(a); }
ND_KERNEL(walk_search_plain, Walk) { walk<Search<PlainRows>, Straight>(a); }
