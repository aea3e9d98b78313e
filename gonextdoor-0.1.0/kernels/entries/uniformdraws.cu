// Written by package kernels/entry from its table.
#include "app/uniformdraws.cuh"

using namespace nd;

ND_KERNEL(nodes_warp_packed, Layered) { layered<Warp, RandomNodes<Warp, PackedRows>>(a); }
ND_KERNEL(nodes_warp_plain, Layered) { layered<Warp, RandomNodes<Warp, PlainRows>>(a); }
ND_KERNEL(nodes_warp_gathered, Layered) { layered<Warp, RandomNodes<Warp, GatheredRows>>(a); }
ND_KERNEL(nodes_block_packed, Layered) { layered<LayeredBlock, RandomNodes<LayeredBlock, PackedRows>>(a); }
ND_KERNEL(nodes_block_plain, Layered) { layered<LayeredBlock, RandomNodes<LayeredBlock, PlainRows>>(a); }
ND_KERNEL(nodes_block_gathered, Layered) { layered<LayeredBlock, RandomNodes<LayeredBlock, GatheredRows>>(a); }
ND_KERNEL(edges_warp_packed, Layered) { layered<Warp, RandomEdges<Warp, PackedRows>>(a); }
ND_KERNEL(edges_warp_plain, Layered) { layered<Warp, RandomEdges<Warp, PlainRows>>(a); }
ND_KERNEL(edges_warp_gathered, Layered) { layered<Warp, RandomEdges<Warp, GatheredRows>>(a); }
ND_KERNEL(edges_block_packed, Layered) { layered<LayeredBlock, RandomEdges<LayeredBlock, PackedRows>>(a); }
ND_KERNEL(edges_block_plain, Layered) { layered<LayeredBlock, RandomEdges<LayeredBlock, PlainRows>>(a); }
ND_KERNEL(edges_block_gathered, Layered) { layered<LayeredBlock, RandomEdges<LayeredBlock, GatheredRows>>(a); }
ND_KERNEL(clusters_warp_packed, Layered) { layered<Warp, Clusters<Warp, PackedRows>>(a); }
ND_KERNEL(clusters_warp_plain, Layered) { layered<Warp, Clusters<Warp, PlainRows>>(a); }
ND_KERNEL(clusters_warp_gathered, Layered) { layered<Warp, Clusters<Warp, GatheredRows>>(a); }
ND_KERNEL(clusters_block_packed, Layered) { layered<LayeredBlock, Clusters<LayeredBlock, PackedRows>>(a); }
ND_KERNEL(clusters_block_plain, Layered) { layered<LayeredBlock, Clusters<LayeredBlock, PlainRows>>(a); }
ND_KERNEL(clusters_block_gathered, Layered) { layered<LayeredBlock, Clusters<LayeredBlock, GatheredRows>>(a); }
