// Written by package kernels/entry from its table.
#include "testkernels/scanwithout.cuh"

using namespace nd;

ND_KERNEL_OF(128, scan_without_1, Scans) { scans<Lane>(a); }
ND_KERNEL_OF(128, scan_without_2, Scans) { scans<Tile<2>>(a); }
ND_KERNEL_OF(128, scan_without_4, Scans) { scans<Tile<4>>(a); }
ND_KERNEL_OF(128, scan_without_8, Scans) { scans<Tile<8>>(a); }
ND_KERNEL_OF(128, scan_without_16, Scans) { scans<Tile<16>>(a); }
ND_KERNEL_OF(128, scan_without_32, Scans) { scans<Warp>(a); }
ND_KERNEL_OF(128, scan_without_128, Scans) { scans<Block<128>>(a); }
