// What a choice takes: an edge, or none.
#pragma once
#include "core/types.cuh"

namespace nd {

struct PickedEdge {
  u32 vertex;    // the end point; None: there was no candidate
  u32 fraction;  // 32 bits of the choice's word that are not used up
  u64 position;  // of the edge; NoEdge where vertex is None
};

}  // namespace nd
