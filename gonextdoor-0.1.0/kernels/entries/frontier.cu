// Written by package kernels/entry from its table.
#include "driver/frontier.cuh"
#include "graph/packed.cuh"

using namespace nd;

ND_KERNEL(frontier_1_packed, Walk) { frontier<Lane, PackedRows>(a); }
ND_KERNEL(frontier_1_plain, Walk) { frontier<Lane, PlainRows>(a); }
ND_KERNEL(frontier_8_packed, Walk) { frontier<Tile<8>, PackedRows>(a); }
ND_KERNEL(frontier_8_plain, Walk) { frontier<Tile<8>, PlainRows>(a); }
ND_KERNEL(frontier_32_packed, Walk) { frontier<Warp, PackedRows>(a); }
ND_KERNEL(frontier_32_plain, Walk) { frontier<Warp, PlainRows>(a); }
