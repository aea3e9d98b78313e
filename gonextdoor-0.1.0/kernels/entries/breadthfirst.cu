// Written by package kernels/entry from its table.
#include "app/breadthfirst.cuh"

using namespace nd;

ND_KERNEL(breadthfirst_warp_packed, Layered) { layered<Warp, BreadthFirst<Warp, PackedRows>>(a); }
ND_KERNEL(breadthfirst_warp_plain, Layered) { layered<Warp, BreadthFirst<Warp, PlainRows>>(a); }
ND_KERNEL(breadthfirst_warp_gathered, Layered) { layered<Warp, BreadthFirst<Warp, GatheredRows>>(a); }
ND_KERNEL(breadthfirst_block_packed, Layered) { layered<LayeredBlock, BreadthFirst<LayeredBlock, PackedRows>>(a); }
ND_KERNEL(breadthfirst_block_plain, Layered) { layered<LayeredBlock, BreadthFirst<LayeredBlock, PlainRows>>(a); }
ND_KERNEL(breadthfirst_block_gathered, Layered) { layered<LayeredBlock, BreadthFirst<LayeredBlock, GatheredRows>>(a); }
