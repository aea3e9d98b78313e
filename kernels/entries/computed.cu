// Written by package kernels/entry from its table.
#include "app/computedbias.cuh"
#include "driver/computed.cuh"
#include "graph/packed.cuh"

using namespace nd;

ND_KERNEL_OF(128, computed_degree_packed, Walk) { computed<PackedRows>(a, ByDegree<PackedRows>(a)); }
ND_KERNEL_OF(128, computed_degree_plain, Walk) { computed<PlainRows>(a, ByDegree<PlainRows>(a)); }
ND_KERNEL_OF(128, computed_second_packed, Walk) { computed<PackedRows>(a, SecondOrder(a)); }
ND_KERNEL_OF(128, computed_second_plain, Walk) { computed<PlainRows>(a, SecondOrder(a)); }
