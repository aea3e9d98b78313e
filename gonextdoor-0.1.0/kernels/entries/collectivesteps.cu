// Written by package kernels/entry from its table.
#include "app/collectivesteps.cuh"

using namespace nd;

ND_KERNEL(collective_warp_packed, Layered) { layered<Warp, CollectiveSteps<Warp, PackedRows>>(a); }
ND_KERNEL(collective_warp_plain, Layered) { layered<Warp, CollectiveSteps<Warp, PlainRows>>(a); }
ND_KERNEL(collective_warp_gathered, Layered) { layered<Warp, CollectiveSteps<Warp, GatheredRows>>(a); }
ND_KERNEL(collective_block_packed, Layered) { layered<LayeredBlock, CollectiveSteps<LayeredBlock, PackedRows>>(a); }
ND_KERNEL(collective_block_plain, Layered) { layered<LayeredBlock, CollectiveSteps<LayeredBlock, PlainRows>>(a); }
ND_KERNEL(collective_block_gathered, Layered) { layered<LayeredBlock, CollectiveSteps<LayeredBlock, GatheredRows>>(a); }
