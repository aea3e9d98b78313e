// Written by package kernels/entry from its table.
#include "driver/negatives.cuh"

using namespace nd;

ND_KERNEL(negatives_packed, Negatives) { negatives<PackedRows>(a); }
ND_KERNEL(negatives_plain, Negatives) { negatives<PlainRows>(a); }
