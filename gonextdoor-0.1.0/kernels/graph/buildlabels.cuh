// Construction of rows partitioned by label: in each row the edges of the first kind, then those of the second, and so
// on, each in the order of the row. A stable counting sort, a warp per row, in three phases:
//
//   1. count_kinds    Count the edges of each kind, and replace the counts by the begin of each kind.
//   2. scatter_kinds  Write each edge to the next place of its kind, which advances.
//   3. step_back      Restore the begins from the advanced places.
//
// It costs O(degree + label_kinds) per row. The counters are the row's part of the result, `offsets`.
#pragma once
#include "core/group.cuh"
#include "graph/build.cuh"
#include "graph/packedlabels.cuh"

namespace nd {

// kind_of returns the number of a label among those that occur, by binary search.
ND_FN u32 kind_of(const Build& a, i32 label) {
  u32 low = 0, high = (u32)a.g.label_kinds - 1;
  while (low < high) {
    u32 middle = (low + high) / 2;
    if (fetch(a.kinds + middle) < label) low = middle + 1;
    else high = middle;
  }
  return low;
}

// count_kinds writes the begin of each kind to the row's part of offsets, which is zero before.
ND_FN void count_kinds(const Build& a, RowOf<u64> row, u64* offsets) {
  u32 lane = lane_index(), kinds = (u32)a.g.label_kinds;
  for (u32 i = lane; i < row.degree; i += WarpSize)
    add_atomic(offsets + kind_of(a, read_once(a.g.labels + row.first + i)), (u64)1);
  fence();
  Warp::sync();
  u64 at = row.first;
  for (u32 k = 0; k < kinds; k += WarpSize) {
    u64 count = k + lane < kinds ? read_shared_by_all(offsets + k + lane) : 0, upto = Warp::scan(count);
    if (k + lane < kinds) offsets[k + lane] = at + upto - count;
    at += Warp::from(upto, WarpSize - 1);
  }
  fence();
  Warp::sync();
}

// scatter_kinds writes the row's edges to the places of their kinds, and advances offsets past them. Lanes with edges
// of the same kind share one update of its offset, which keeps the order.
ND_FN void scatter_kinds(const Build& a, RowOf<u64> row, u64* offsets) {
  u32 lane = lane_index();
  for (u32 i = lane; i - lane < row.degree; i += WarpSize) {
    bool there = i < row.degree;
    u64 p = row.first + i;
    u32 kind = there ? kind_of(a, read_once(a.g.labels + p)) : None;
    for (u32 open = Warp::vote(there); open;) {
      u32 leader = lowest_bit(open), leading = Warp::from(kind, leader), like = Warp::vote(kind == leading);
      u64 to = 0;
      if (lane == leader) {
        u64* at = offsets + kind;
        to = read_shared_by_all(at);
        *at = to + count_bits(like);
        fence();
      }
      to = Warp::from(to, leader) + count_bits(like & ((1u << lane) - 1));
      if (like >> lane & 1) {
        a.words[to] = read_once(a.g.indices + p);
        a.positions[to] = (u32)p;
      }
      open &= ~like;
      Warp::sync();
    }
  }
}

// step_back replaces the end of each kind in offsets by its begin, which is the end of the previous kind. It proceeds
// from the last kind to the first, so no end is overwritten before it is read.
ND_FN void step_back(const Build& a, RowOf<u64> row, u64* offsets) {
  u32 lane = lane_index(), kinds = (u32)a.g.label_kinds;
  for (u32 k = (kinds - 1) / WarpSize * WarpSize;; k -= WarpSize) {
    u64 begin = row.first;
    if (k + lane > 0 && k + lane < kinds) begin = read_shared_by_all(offsets + k + lane - 1);
    Warp::sync();
    if (k + lane < kinds) offsets[k + lane] = begin;
    if (k == 0) return;
  }
}

// build_by_label writes the partitioned rows of vertices begin ... end-1: offsets (zero before), words (the end points)
// and positions. A warp per row.
ND_FN void build_by_label(const Build& a) {
  for (u64 v = a.begin + thread_of_grid() / WarpSize; v < a.end; v += threads_of_grid() / WarpSize) {
    auto row = PlainRows::of(a.g, (u32)v);
    u64* offsets = a.offsets + v * a.g.label_kinds;
    count_kinds(a, row, offsets);
    scatter_kinds(a, row, offsets);
    step_back(a, row, offsets);
    if (v + 1 == a.g.vertices && lane_index() == 0) offsets[a.g.label_kinds] = a.g.edges;
  }
}

// build_packed_labels writes the records of vertices begin ... end-1 to quads, from the partitioned rows.
ND_FN void build_packed_labels(const Build& a) {
  for (u64 v = a.begin + thread_of_grid(); v < a.end; v += threads_of_grid()) a.quads[v] = PackedLabels::pack(a.g, v);
}

}  // namespace nd
