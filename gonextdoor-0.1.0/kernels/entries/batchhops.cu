// Written by package kernels/entry from its table.
#include "app/batchhops.cuh"

using namespace nd;

ND_KERNEL(batchhops_warp_packed, Layered) { layered<Warp, BatchHops<Warp, PackedRows>>(a); }
ND_KERNEL(batchhops_warp_plain, Layered) { layered<Warp, BatchHops<Warp, PlainRows>>(a); }
ND_KERNEL(batchhops_warp_gathered, Layered) { layered<Warp, BatchHops<Warp, GatheredRows>>(a); }
ND_KERNEL(batchhops_block_packed, Layered) { layered<LayeredBlock, BatchHops<LayeredBlock, PackedRows>>(a); }
ND_KERNEL(batchhops_block_plain, Layered) { layered<LayeredBlock, BatchHops<LayeredBlock, PlainRows>>(a); }
ND_KERNEL(batchhops_block_gathered, Layered) { layered<LayeredBlock, BatchHops<LayeredBlock, GatheredRows>>(a); }
ND_KERNEL(frontierhops_warp_packed, Layered) { layered<Warp, FrontierHops<Warp, PackedRows>>(a); }
ND_KERNEL(frontierhops_warp_plain, Layered) { layered<Warp, FrontierHops<Warp, PlainRows>>(a); }
ND_KERNEL(frontierhops_warp_gathered, Layered) { layered<Warp, FrontierHops<Warp, GatheredRows>>(a); }
ND_KERNEL(frontierhops_block_packed, Layered) { layered<LayeredBlock, FrontierHops<LayeredBlock, PackedRows>>(a); }
ND_KERNEL(frontierhops_block_plain, Layered) { layered<LayeredBlock, FrontierHops<LayeredBlock, PlainRows>>(a); }
ND_KERNEL(frontierhops_block_gathered, Layered) { layered<LayeredBlock, FrontierHops<LayeredBlock, GatheredRows>>(a); }
