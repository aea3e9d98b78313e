// The parts of layered samples in the arrays of the result, row after row: vertices with edges and parents, ends of
// steps, and links. The offsets of the rows are prefix sums of the sizes, by driver/sampleoffsets.cuh. A warp copies
// LayerTile elements of the result, of as many rows as they belong to, so long and short samples take equal time per
// element.
#pragma once
#include "driver/rows.cuh"
#include "driver/sampleoffsets.cuh"
#include "driver/staged.cuh"

namespace nd {

constexpr u64 LayerTile = 512;

// write_offsets writes the offsets of all rows, after sum_lengths and sum_tops: kernel layered_offsets, a block per
// OffsetRows rows, a thread per row.
ND_FN void write_offsets(const StepChunks& a) {
  ND_SHARED(i64, warps, OffsetRows / WarpSize);
  u64 row = (u64)block_index() * OffsetRows + thread_index();
  i64 all, length = length_of(a, row), begin = part_begins(a, block_index()) + block_before(length, warps, all);
  if (row < a.b.rows) a.offsets[row] = begin;
  if (row + 1 == a.b.rows) a.offsets[row + 1] = begin + length;
}

// row_with returns the row that has an element of the result, by binary search. Rows without elements are skipped.
ND_FN u64 row_with(const i64* offsets, u64 rows, u64 element) {
  u64 low = 0;
  for (u64 high = rows; high - low > 1;) {
    u64 middle = (low + high) / 2;
    if ((u64)fetch(offsets + middle) <= element) low = middle;
    else high = middle;
  }
  return low;
}

// staged_sample returns the sample of a row.
ND_FN StagedSample staged_sample(const LayerParts& a, u64 row) {
  return {(u64*)fetch(a.staged + row), fetch(a.vertex_counts + row), fetch(a.end_counts + row),
          fetch(a.link_counts + row),  a.to_edges ? 1u : 0u,         a.values};
}

// place_elements calls place(sample, i, at) for each of the `count` elements of all rows: element i of a sample is
// element `at` of the result.
template <class Place> ND_FN void place_elements(const LayerParts& a, const i64* offsets, u64 count, Place place) {
  u64 warps = threads_of_grid() / WarpSize;
  for (u64 first = thread_of_grid() / WarpSize * LayerTile; first < count; first += warps * LayerTile) {
    u64 end = first + LayerTile < count ? first + LayerTile : count;
    for (u64 at = first; at < end;) {
      u64 row = row_with(offsets, a.rows, at), begin = (u64)fetch(offsets + row), last = (u64)fetch(offsets + row + 1);
      if (last > end) last = end;
      StagedSample sample = staged_sample(a, row);
      for (u64 i = at + lane_index(); i < last; i += WarpSize) place(sample, i - begin, i);
      at = last;
    }
  }
}

// place_vertices writes vertices, parents and edges: kernel layered_vertices.
ND_FN void place_vertices(const LayerParts& a) {
  place_elements(a, a.offsets, a.vertices, [&](const StagedSample& s, u64 i, u64 at) {
    write_once(a.to_vertices + at, read_once(s.vertices() + i));
    write_once(a.to_parents + at, read_once(s.parents() + i));
    if (!a.to_edges) return;
    write_once(a.to_edges + at, edge_id(a.g, read_once(s.positions() + i)));
  });
}

// place_ends writes the ends of steps: kernel layered_ends.
ND_FN void place_ends(const LayerParts& a) {
  place_elements(a, a.ends_from, a.ends,
                 [&](const StagedSample& s, u64 i, u64 at) { write_once(a.to_ends + at, read_once(s.ends() + i)); });
}

// place_links writes the links: kernel layered_links.
ND_FN void place_links(const LayerParts& a) {
  place_elements(a, a.links_from, a.links, [&](const StagedSample& s, u64 i, u64 at) {
    write_once(a.to_sources + at, read_once(s.sources() + i));
    write_once(a.to_targets + at, read_once(s.targets() + i));
    write_once(a.to_link_edges + at, edge_id(a.g, read_once(s.link_positions() + i)));
    write_once(a.to_values + at, a.values ? read_once(s.link_values() + i) : 1.0);
  });
}

}  // namespace nd
