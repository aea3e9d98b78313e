// The row of the vertex before, in which biases of second order look candidates up.
#pragma once
#include "core/group.cuh"
#include "graph/edgeset.cuh"

namespace nd {

constexpr u32 MuchLonger = 8;  // a row that is so many times as long is searched: going along it would take longer

// PreviousRow goes along that row while the candidates' is gone along: both are sorted, so it is read once, and by whole
// sectors. Each lane of a warp finds one of its elements among the candidates, 32 at a time, and tells the lane whose
// candidate it is. A group of another size, and where the row is much longer, searches it for each candidate.
template <class G> struct PreviousRow {
  const Graph& g;
  RowOf<u64> row{0, 0};
  u32* marks = nullptr;  // of each thread: bit j, candidate j is there
  u32 at = 0;            // what lies before is below all candidates to come
  u32 latest = None;     // the last candidate so far
  bool along = false;

  template <class Row> ND_FN void begin(Row of, u32 degree, u32* cells) {
    row = {of.first, of.degree}, marks = cells;
    along = G::size == WarpSize && of.degree / MuchLonger <= degree;
  }

  // among gives for each of a rank's four candidates, where it is not None, a bit that says whether it is there.
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
  // walk is among by going along. A candidate that stands in two lanes' fours, or in two chunks, is found in one of them
  // alone: where an edge is there several times, candidates are looked up.
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

  // find marks a vertex, if it is one, with the lane that has it among its candidates. own are the lanes' last ones.
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
