// The search for the edges to a vertex in a row, whose edges are in order of their ends.
#pragma once
#include "core/args.cuh"

namespace nd {

// each_edge_to calls visit(i) for the edges first + i that lead to v, among `count` edges of one row.
template <class Visit> ND_FN void each_edge_to(const Graph& g, u64 first, u64 count, u32 v, Visit visit) {
  u64 low = 0;
  for (u64 high = count; low < high;) {
    u64 middle = (low + high) / 2;
    if (fetch(g.indices + first + middle) < v) low = middle + 1;
    else high = middle;
  }
  for (; low < count && fetch(g.indices + first + low) == v; low++) visit(low);
}

}  // namespace nd
