// Where the edges of a vertex with a label begin, in 16 bytes a vertex: the position of the first one in the order of
// labels in 32 bits, then each label's number of edges in as many bits as 96 have for all. One access where label_rows
// takes one and a half, in a table less than half as large. For graphs of less than 2^32 edges.
#pragma once
#include "graph/row.cuh"

namespace nd {

constexpr u32 PackedLabelBits = 96;

// PlainLabels reads label_rows.
struct PlainLabels {
  using Row = RowOf<u64>;
  ND_FN static Row of(const Graph& g, u32 v, u32 kind) { return label_row(g, v, kind); }
};

struct PackedLabels {
  using Row = RowOf<u32>;

  ND_FN static u32 bits(const Graph& g) {
    u32 each = PackedLabelBits / (u32)g.label_kinds;
    return each < 31 ? each : 31;
  }
  // of reads the record; where some number is too large for its bits all are set, and label_rows tells.
  ND_FN static Row of(const Graph& g, u32 v, u32 kind) {
    Quad q = fetch(g.packed_labels + v);
    if ((q.y & q.z & q.w) == ~0u) {
      auto row = label_row(g, v, kind);
      return {(u32)row.first, row.degree};
    }
    u64 low = (u64)q.z << 32 | q.y, high = q.w;
    u32 each = bits(g), mask = (1u << each) - 1, at = q.x;
    for (u32 k = 0; k < kind; k++) {
      at += (u32)low & mask;
      low = low >> each | high << (64 - each), high >>= each;
    }
    return {at, (u32)low & mask};
  }
  // pack makes the record of a vertex.
  ND_FN static Quad pack(const Graph& g, u64 v) {
    const u64* rows = g.label_rows + v * g.label_kinds;
    u64 first = fetch(rows), end = fetch(rows + g.label_kinds), low = 0, high = 0;
    u32 each = bits(g);
    for (u32 k = (u32)g.label_kinds; k-- > 0;) {
      u64 begin = fetch(rows + k), count = end - begin;
      if (count >> each) return {(u32)first, ~0u, ~0u, ~0u};
      high = high << each | low >> (64 - each), low = low << each | count;
      end = begin;
    }
    return {(u32)first, (u32)low, (u32)(low >> 32), (u32)high};
  }
};

}  // namespace nd
