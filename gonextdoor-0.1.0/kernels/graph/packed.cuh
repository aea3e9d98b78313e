// Packed rows: the rows of four vertices in 16 bytes, instead of 8 bytes per vertex in indptr. A record has the
// position of the first vertex's first edge in 32 bits, then the four degrees in 24 bits each. So the table of four
// million vertices takes 16 MB instead of 32, which leaves space in the L2 cache for edges. Only for graphs of less
// than 2^32 edges, and degrees below 2^24.
#pragma once
#include "graph/row.cuh"

namespace nd {

constexpr u32 PackedVertices = 4;
constexpr u32 PackedDegree = (1u << 24) - 1;

// PackedRows reads a row by one load of 16 bytes.
struct PackedRows {
  using Row = RowOf<u32>;
  ND_FN static Row of(const Graph& g, u32 v) { return in(fetch(g.packed + v / PackedVertices), v % PackedVertices); }

  // in returns the row of the k-th vertex of a record.
  ND_FN static Row in(Quad q, u32 k) {
    u32 d0 = q.y & PackedDegree, d1 = q.y >> 24 | (q.z & 0xffff) << 8, d2 = q.z >> 16 | (q.w & 0xff) << 16,
        d3 = q.w >> 8;
    return {q.x + (k > 0 ? d0 : 0) + (k > 1 ? d1 : 0) + (k > 2 ? d2 : 0), k < 2 ? (k ? d1 : d0) : (k == 2 ? d2 : d3)};
  }
  // pack returns the record of four vertices with degrees d.
  ND_FN static Quad pack(u32 first, const u32 (&d)[PackedVertices]) {
    return {first, d[0] | d[1] << 24, d[1] >> 8 | d[2] << 16, d[2] >> 16 | d[3] << 8};
  }
};

}  // namespace nd
