// Written by package kernels/entry from its table.
#include "testkernels/choices.cuh"

using namespace nd;

ND_KERNEL_OF(128, choices_1, Choices) { choices<Lane>(a); }
ND_KERNEL_OF(128, choices_8, Choices) { choices<Tile<8>>(a); }
ND_KERNEL_OF(128, choices_32, Choices) { choices<Warp>(a); }
ND_KERNEL_OF(128, choices_block, Choices) { choices<Block<ChoicesThreads>>(a); }
