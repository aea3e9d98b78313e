// Membership of candidates in the row of the previous vertex, which biases of second order ask for.
#pragma once
#include "core/group.cuh"
#include "graph/edgeset.cuh"

namespace nd {

// A row that is MuchLonger times as long as the candidates' is searched per candidate: merging would read more.
constexpr u32 MuchLonger = 8;  // a row that is so many times as long is searched: going along it would take longer

// PreviousRow answers for the candidates of a row in ascending order. A warp merges both sorted rows: it reads 32
// elements of the previous row at a time, by whole sectors, each lane finds its element among the candidates and marks
// the candidate in shared memory. Other groups, and much longer rows, search for each candidate.
template <class G> struct PreviousRow {
  const Graph& g;
  RowOf<u64> row{0, 0};
  u32* marks = nullptr;  // of each thread: bit j, candidate j is there
  u32 at = 0;            // what lies before is below all candidates to come
  u32 latest = None;     // the last candidate so far
  bool along = false;

  // begin begins with a row of `degree` candidates. cells is shared memory of zeros, one for each thread of the block.
  template <class Row> ND_FN void begin(Row of, u32 degree, u32* cells) {
    row = {of.first, of.degree}, marks = cells;
    along = G::size == WarpSize && of.degree / MuchLonger <= degree;
  }

  // among returns, for a rank's four candidates that are not None, a bit each that tells whether the row holds it. All
  // ranks of G call it.
  ND_FN u32 among(const u32 (&dst)[4]) {
    if (row.degree == 0) return 0;
    if constexpr (G::size == WarpSize) {
      if (along) return walk(dst);
    }
    u32 bits = 0;
    for (u32 j = 0; j < 4; j++)
      if (dst[j] != None && in_row(g, row, dst[j])) bits |= 1u << j;
    return bits;
  }

 private:
  // walk is among by merging. A candidate that occurs in two lanes' fours or in two chunks is marked in only one of
  // them: if an edge occurs several times, candidates are searched for instead.
  ND_FN u32 walk(const u32 (&dst)[4]) {
    u32 own = dst[3] != None ? dst[3] : dst[2] != None ? dst[2] : dst[1] != None ? dst[1] : dst[0];
    u32 lanes = Warp::vote(own != None), left = Warp::from(own, Warp::rank() > 0 ? Warp::rank() - 1 : 0);
    u32 first = dst[0] != None ? dst[0] : dst[1] != None ? dst[1] : dst[2] != None ? dst[2] : dst[3];
    if (Warp::rank() == 0) left = latest;
    bool twice = Warp::vote(first != None && first == left) != 0;
    if (lanes == 0) return 0;
    u32 last = latest = Warp::from(own, 63 - leading_zeros(lanes));
    bool found = false;
    for (u32 behind = 0; behind == 0;) {
      u32 x = at + Warp::rank() < row.degree ? fetch(g.indices + row.first + at + Warp::rank()) : None;
      behind = Warp::vote(x > last);
      if (behind & 1) break;
      if (find(dst, own, x <= last ? x : None)) found = true;
      at += behind ? lowest_bit(behind) : WarpSize;
    }
    u32 near = 0;
    if (Warp::vote(found)) {
      Warp::sync();
      near = marks[thread_index()];
      if (near) marks[thread_index()] = 0;
      Warp::sync();
    }
    if (!twice) return near;
    near = 0;
    for (u32 j = 0; j < 4; j++)
      if (dst[j] != None && in_row(g, row, dst[j])) near |= 1u << j;
    return near;
  }

  // find marks element x, if it is a candidate, in the cell of the lane that holds that. own are the lanes' last
  // candidates.
  ND_FN u32 find(const u32 (&dst)[4], u32 own, u32 x) {
    u32 lane = 0, bits = 0;
    for (u32 half = WarpSize / 2; half > 0; half /= 2)
      if (Warp::from(own, lane + half - 1) < x) lane += half;
    for (u32 j = 0; j < 4; j++)
      if (Warp::from(dst[j], lane) == x) bits |= 1u << j;
    if (x == None || bits == 0) return 0;
    or_atomic(marks + (thread_index() / WarpSize * WarpSize + lane), bits);
    return bits;
  }
};

}  // namespace nd
