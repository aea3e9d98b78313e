// The parameters of the kernel of driver/hostends.cuh, as those of core/args.cuh. kernels/hostendsargs.go mirrors them.
#pragma once
#include "core/args.cuh"

namespace nd {

// HostEnds is the parameter of the kernel that draws mini-batches whose end points the host reads. Launch number `step`
// of a draw completes the step before, and chooses the edges of that step. See driver/hostends.cuh.
struct HostEnds {
  NeighborSampler n;
  u64 step;
  const u32* ends;    // per edge its end point; None: it is in device memory, at the edge's position
  u64* positions;     // host memory: per edge its position
  u64 position_size;  // 4 or 8 bytes
};

}  // namespace nd
