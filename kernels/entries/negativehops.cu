// Written by package kernels/entry from its table.
#include "driver/negativehops.cuh"

using namespace nd;

ND_KERNEL_OF(1024, negativehops_packed, Negatives) { negatives_at_hops<PackedRows>(a); }
ND_KERNEL_OF(1024, negativehops_plain, Negatives) { negatives_at_hops<PlainRows>(a); }
