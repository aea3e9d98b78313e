// Written by package kernels/entry from its table.
#include "app/importancelayers.cuh"

using namespace nd;

ND_KERNEL(fastgcn_warp_packed, Layered) { layered<Warp, FastGCN<Warp, PackedRows>>(a); }
ND_KERNEL(fastgcn_warp_plain, Layered) { layered<Warp, FastGCN<Warp, PlainRows>>(a); }
ND_KERNEL(fastgcn_warp_gathered, Layered) { layered<Warp, FastGCN<Warp, GatheredRows>>(a); }
ND_KERNEL(fastgcn_block_packed, Layered) { layered<LayeredBlock, FastGCN<LayeredBlock, PackedRows>>(a); }
ND_KERNEL(fastgcn_block_plain, Layered) { layered<LayeredBlock, FastGCN<LayeredBlock, PlainRows>>(a); }
ND_KERNEL(fastgcn_block_gathered, Layered) { layered<LayeredBlock, FastGCN<LayeredBlock, GatheredRows>>(a); }
ND_KERNEL(ladies_warp_packed, Layered) { layered<Warp, LADIES<Warp, PackedRows>>(a); }
ND_KERNEL(ladies_warp_plain, Layered) { layered<Warp, LADIES<Warp, PlainRows>>(a); }
ND_KERNEL(ladies_warp_gathered, Layered) { layered<Warp, LADIES<Warp, GatheredRows>>(a); }
ND_KERNEL(ladies_block_packed, Layered) { layered<LayeredBlock, LADIES<LayeredBlock, PackedRows>>(a); }
ND_KERNEL(ladies_block_plain, Layered) { layered<LayeredBlock, LADIES<LayeredBlock, PlainRows>>(a); }
ND_KERNEL(ladies_block_gathered, Layered) { layered<LayeredBlock, LADIES<LayeredBlock, GatheredRows>>(a); }
ND_KERNEL(fastgcn_grid_packed, Layered) { layered<LayeredGrid, FastGCN<LayeredGrid, PackedRows>>(a); }
ND_KERNEL(fastgcn_grid_plain, Layered) { layered<LayeredGrid, FastGCN<LayeredGrid, PlainRows>>(a); }
ND_KERNEL(ladies_grid_packed, Layered) { layered<LayeredGrid, LADIES<LayeredGrid, PackedRows>>(a); }
ND_KERNEL(ladies_grid_plain, Layered) { layered<LayeredGrid, LADIES<LayeredGrid, PlainRows>>(a); }
