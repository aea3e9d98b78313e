// Written by package kernels/entry from its table.
#include "driver/layerparts.cuh"
#include "graph/gatheredrows.cuh"

using namespace nd;

ND_KERNEL(layered_offsets, StepChunks) { write_offsets(a); }
ND_KERNEL(layered_vertices, LayerParts) { place_vertices(a); }
ND_KERNEL(layered_ends, LayerParts) { place_ends(a); }
ND_KERNEL(layered_links, LayerParts) { place_links(a); }
ND_KERNEL(layered_rows, Gathered) { enter_rows(a); }
