// Membership of candidates in the row of the previous vertex, on which second-order biases depend.
#pragma once
#include "core/group.cuh"
#include "graph/edgeset.cuh"

namespace nd {

// MuchLonger is the ratio of lengths from which the previous row is searched per candidate: merging would read more.
constexpr u32 MuchLonger = 8;

// PreviousRow looks the candidates of a row up, which are passed in ascending order, four per rank at a time. A warp
// merges both sorted rows: it reads 32 elements of the previous row at a time, by whole sectors; each lane finds its
// element among the candidates by binary search over the lanes, and marks the candidate in shared memory. Other groups,
// and warps with much longer previous rows, search the row per candidate.
template <class G> struct PreviousRow {
  const Graph& g;
  RowOf<u64> row{0, 0};
  u32* marks = nullptr;  // an element per thread, zero between calls: bit j is set if candidate j is in the row
  u32 at = 0;            // the merge: all elements before this one are below all candidates to come
  u32 latest = None;     // the last candidate so far
  bool merges = false;

  // begin prepares for a row of `degree` candidates. cells is shared memory of zeros, an element per thread of the
  // block.
  template <class Row> ND_FN void begin(Row of, u32 degree, u32* cells) {
    row = {of.first, of.degree};
    marks = cells;
    merges = G::size == WarpSize && of.degree / MuchLonger <= degree;
  }

  // holds returns bit j for each of the rank's four candidates that is in the row; candidates that are None are not.
  // All ranks of G call it.
  ND_FN u32 holds(const u32 (&dst)[4]) {
    if (row.degree == 0) return 0;
    if constexpr (G::size == WarpSize) {
      if (merges) return merge(dst);
    }
    return search(dst);
  }

 private:
  // search is holds by a search per candidate: O(log degree) each.
  ND_FN u32 search(const u32 (&dst)[4]) {
    u32 bits = 0;
    for (u32 j = 0; j < 4; j++)
      if (dst[j] != None && in_row(g, row, dst[j])) bits |= 1u << j;
    return bits;
  }

  // merge is holds by merging. A candidate that occurs in the fours of two lanes, or in two calls, would be marked in
  // one of them only. So if an edge occurs several times, the candidates are searched instead.
  ND_FN u32 merge(const u32 (&dst)[4]) {
    // 1. The first and last candidate of each lane, and the last one of the warp. Is one equal to its predecessor?
    u32 own = dst[3] != None ? dst[3] : dst[2] != None ? dst[2] : dst[1] != None ? dst[1] : dst[0];
    u32 lanes = Warp::vote(own != None), left = Warp::from(own, Warp::rank() > 0 ? Warp::rank() - 1 : 0);
    u32 first = dst[0] != None ? dst[0] : dst[1] != None ? dst[1] : dst[2] != None ? dst[2] : dst[3];
    if (Warp::rank() == 0) left = latest;
    bool repeated = Warp::vote(first != None && first == left) != 0;
    if (lanes == 0) return 0;
    u32 last = latest = Warp::from(own, 63 - leading_zeros(lanes));
    // 2. Advance along the previous row until an element is beyond the last candidate, and mark the common ones.
    bool found = false;
    for (u32 beyond = 0; beyond == 0;) {
      u32 x = at + Warp::rank() < row.degree ? fetch(g.indices + row.first + at + Warp::rank()) : None;
      beyond = Warp::vote(x > last);
      if (beyond & 1) break;
      if (find(dst, own, x <= last ? x : None)) found = true;
      at += beyond ? lowest_bit(beyond) : WarpSize;
    }
    // 3. Collect the marks, and reset them.
    u32 near = 0;
    if (Warp::vote(found)) {
      Warp::sync();
      near = marks[thread_index()];
      if (near) marks[thread_index()] = 0;
      Warp::sync();
    }
    return repeated ? search(dst) : near;
  }

  // find marks x in the cell of the lane that has it as a candidate, if one has. own is the last candidate of the
  // calling lane. All lanes call it, each with another x.
  ND_FN u32 find(const u32 (&dst)[4], u32 own, u32 x) {
    u32 lane = 0, bits = 0;
    for (u32 half = WarpSize / 2; half > 0; half /= 2)  // the first lane whose last candidate is at least x
      if (Warp::from(own, lane + half - 1) < x) lane += half;
    for (u32 j = 0; j < 4; j++)
      if (Warp::from(dst[j], lane) == x) bits |= 1u << j;
    if (x == None || bits == 0) return 0;
    or_atomic(marks + (thread_index() / WarpSize * WarpSize + lane), bits);
    return bits;
  }
};

}  // namespace nd
