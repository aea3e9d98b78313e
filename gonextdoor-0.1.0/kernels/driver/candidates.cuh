// The candidates of a node of the neighbour sampler: the edges that it may take.
#pragma once
#include "core/args.cuh"
#include "graph/packed.cuh"
#include "graph/row.cuh"

namespace nd {

// Candidates are the edges of a node that may be chosen: the edges of its row, or of a part of it, that are not
// excluded.
struct Candidates {
  RowOf<u64> row;
  u32 count;  // number of candidates
  u32 takes;  // number of edges that the step takes of them
};

// row_of returns the row of a vertex.
ND_FN RowOf<u64> row_of(const Graph& g, u32 v) {
  if (!g.packed) return PlainRows::of(g, v);
  auto row = PackedRows::of(g, v);
  return {row.first, row.degree};
}

// takes_of returns the number of edges that a step takes of `eligible` candidates.
ND_FN u32 takes_of(const Step& step, u32 eligible) {
  if (eligible == 0) return 0;
  if (step.replace) return (u32)step.fanout;
  return step.fanout < eligible ? (u32)step.fanout : eligible;
}

// excluded_before returns the number of excluded edges before a position, by binary search.
ND_FN u64 excluded_before(const Step& step, u64 position) {
  u64 low = 0;
  for (u64 high = step.excluded_count; low < high;) {
    u64 middle = (low + high) / 2;
    if (fetch(step.excluded + middle) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

// search_position returns the position of a candidate, given its number, by binary search among the excluded edges.
ND_COLD u64 search_position(const Step& step, Candidates c, u32 number) {
  u64 first = excluded_before(step, c.row.first), low = 0;
  for (u64 high = excluded_before(step, c.row.first + c.row.degree) - first; low < high;) {
    u64 middle = (low + high) / 2;
    if (fetch(step.excluded + first + middle) - c.row.first - middle <= number) low = middle + 1;
    else high = middle;
  }
  return c.row.first + number + low;
}

}  // namespace nd
