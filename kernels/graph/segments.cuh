// Sums of segments, the twin of index.Segments: the sum of the biases of each row, and per 32 edges, at positions
// 32k ... 32k+31, the sum of the biases before them within the row of the first. They take a quarter of a byte per edge
// and 8 bytes per vertex.
#pragma once
#include "core/group.cuh"
#include "graph/row.cuh"

namespace nd {

constexpr u32 SegmentEdges = 32;
constexpr u32 SectorEdges = 8;  // of which a thread loads the biases at once, also past the last edge

// search_row returns the first position of a row at which the sum of the biases from the begin of the row exceeds r. r
// is less than the sum of all biases of the row.
template <class Place> ND_FN Place search_row(const Graph& g, RowOf<Place> row, u64 r) {
  // 1. Find the segment. The sums of segments after the first one are those of this row.
  Place at = row.first, low = at / SegmentEdges, high = (at + row.degree - 1) / SegmentEdges;
  u64 before = 0;
  while (low < high) {
    Place middle = (low + high + 1) / 2;
    u64 sum = fetch(g.segments + middle);
    if (sum <= r) {
      low = middle;
      before = sum;
    } else {
      high = middle - 1;
    }
  }
  if (low > at / SegmentEdges) at = low * SegmentEdges;
  // 2. Find the sector, and the edge in it.
  for (u64 left = r - before;;) {
    Place begin = at / SectorEdges * SectorEdges;
    const Quad* quads = (const Quad*)(g.biases + begin);
    Quad a = fetch(quads), b = fetch(quads + 1);
    u32 biases[SectorEdges] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}, skipped = (u32)(at - begin);
    u64 sum = 0;
#pragma unroll
    for (u32 i = 0; i < SectorEdges; i++) {
      if (i < skipped) biases[i] = 0;
      sum += biases[i];
    }
    at = begin + SectorEdges;
    if (left >= sum) {
      left -= sum;
      continue;
    }
    u32 found = 0;
#pragma unroll
    for (u32 i = 0; i + 1 < SectorEdges; i++) {
      bool past = found == i && left >= biases[i];
      if (past) left -= biases[i];
      found += past;
    }
    return begin + found;
  }
}

// sum_segments writes the sums of the segments that begin in a row, and the sum of the biases of the row to total. A
// warp calls it.
ND_FN void sum_segments(const u32* biases, RowOf<u64> row, u64* segments, u64* total) {
  constexpr u32 ahead = 4;  // segments whose loads are in flight together
  u64 end = row.first + row.degree, sum = 0;
  for (u64 at = row.first / SegmentEdges * SegmentEdges; at < end; at += ahead * SegmentEdges) {
    u32 some[ahead];
#pragma unroll
    for (u32 k = 0; k < ahead; k++) {
      u64 p = at + k * SegmentEdges + lane_index();
      some[k] = p >= row.first && p < end ? read_once(biases + p) : 0;
    }
#pragma unroll
    for (u32 k = 0; k < ahead; k++) {
      u64 p = at + k * SegmentEdges;
      if (lane_index() == 0 && p >= row.first && p < end) segments[p / SegmentEdges] = sum;
      sum += Warp::sum(some[k]);
    }
  }
  if (lane_index() == 0) *total = sum;
}

// build_segments writes the sums of the biases of the vertices begin ... end-1 to offsets, and those of the segments
// that begin in their rows. A warp per row.
ND_FN void build_segments(const Build& a) {
  for (u64 v = a.begin + thread_of_grid() / WarpSize; v < a.end; v += threads_of_grid() / WarpSize)
    sum_segments(a.g.biases, PlainRows::of(a.g, (u32)v), a.segments, a.offsets + v);
}

// build_label_biases writes the biases of the edges begin ... end-1 of the rows partitioned by label to words.
ND_FN void build_label_biases(const Build& a) {
  for (u64 i = a.begin + thread_of_grid(); i < a.end; i += threads_of_grid())
    a.words[i] = fetch(a.g.biases + fetch(a.g.label_positions + i));
}

// build_label_segments is build_segments for those biases. The edges of a vertex with one label are a row.
ND_FN void build_label_segments(const Build& a) {
  u64 kinds = a.g.label_kinds;
  for (u64 v = a.begin + thread_of_grid() / WarpSize; v < a.end; v += threads_of_grid() / WarpSize)
    for (u32 k = 0; k < kinds; k++)
      sum_segments(a.words, label_row(a.g, (u32)v, k), a.segments, a.offsets + (v * kinds + k));
}

}  // namespace nd
