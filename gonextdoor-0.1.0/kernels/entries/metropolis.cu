// Written by package kernels/entry from its table.
#include "app/metropolis.cuh"
#include "driver/walk.cuh"
#include "graph/packed.cuh"

using namespace nd;

ND_KERNEL(metropolis_packed, Walk) { walk<Proposal<PackedRows>, Metropolis>(a); }
ND_KERNEL(metropolis_plain, Walk) { walk<Proposal<PlainRows>, Metropolis>(a); }
