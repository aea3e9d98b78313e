// Packed rows by label: a vertex's ranges of all labels in 16 bytes. A record has the index of the first edge in the
// order of labels in 32 bits, then the number of edges of each label in 96 / label_kinds bits. It takes one access
// instead of 1.5 on average for label_rows, in a table less than half as large. Only for graphs of less than 2^32
// edges.
#pragma once
#include "graph/row.cuh"

namespace nd {

constexpr u32 PackedLabelBits = 96;

// PlainLabels reads label_rows.
struct PlainLabels {
  using Row = RowOf<u64>;
  ND_FN static Row of(const Graph& g, u32 v, u32 kind) { return label_row(g, v, kind); }
};

// PackedLabels reads a range by one load of 16 bytes.
struct PackedLabels {
  using Row = RowOf<u32>;

  // bits returns the number of bits per label.
  ND_FN static u32 bits(const Graph& g) {
    u32 each = PackedLabelBits / (u32)g.label_kinds;
    return each < 31 ? each : 31;
  }
  // of returns the range of a kind. If one of the vertex's numbers does not fit its bits, the record has all bits set,
  // and label_rows is read instead.
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
      low = low >> each | high << (64 - each);
      high >>= each;
    }
    return {at, (u32)low & mask};
  }
  // pack returns the record of a vertex.
  ND_FN static Quad pack(const Graph& g, u64 v) {
    const u64* rows = g.label_rows + v * g.label_kinds;
    u64 first = fetch(rows), end = fetch(rows + g.label_kinds), low = 0, high = 0;
    u32 each = bits(g);
    for (u32 k = (u32)g.label_kinds; k-- > 0;) {
      u64 begin = fetch(rows + k), count = end - begin;
      if (count >> each) return {(u32)first, ~0u, ~0u, ~0u};
      high = high << each | low >> (64 - each);
      low = low << each | count;
      end = begin;
    }
    return {(u32)first, (u32)low, (u32)(low >> 32), (u32)high};
  }
};

}  // namespace nd
