// Written by package kernels/entry from its table.
#include "app/induceddraws.cuh"

using namespace nd;

ND_KERNEL(induced_warp_packed, Layered) { layered<Warp, InducedDraws<Warp, PackedRows>>(a); }
ND_KERNEL(induced_warp_plain, Layered) { layered<Warp, InducedDraws<Warp, PlainRows>>(a); }
ND_KERNEL(induced_warp_gathered, Layered) { layered<Warp, InducedDraws<Warp, GatheredRows>>(a); }
ND_KERNEL(induced_block_packed, Layered) { layered<LayeredBlock, InducedDraws<LayeredBlock, PackedRows>>(a); }
ND_KERNEL(induced_block_plain, Layered) { layered<LayeredBlock, InducedDraws<LayeredBlock, PlainRows>>(a); }
ND_KERNEL(induced_block_gathered, Layered) { layered<LayeredBlock, InducedDraws<LayeredBlock, GatheredRows>>(a); }
