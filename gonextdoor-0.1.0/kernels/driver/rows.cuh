// The rows of a launch (Batch of core/args.cuh) for every driver of walks: keys, roots, edge ids, and the list of rows
// that a later launch continues. A row is a sample. Its id is Batch::first + Batch::row + row, so the result does not
// depend on how a run is cut into batches and launches.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"
#include "graph/row.cuh"

namespace nd {

// rows_end returns the end of the launch's rows or, with a list, of its places in the list. They begin at Batch::from.
// The length of the list may be known on the GPU only.
ND_FN u64 rows_end(const Batch& b) {
  u64 count = b.alive_count ? fetch(b.alive_count) : b.rows;
  return count < b.rows ? count : b.rows;
}

// row_at returns the row at place i of the list, or row i without a list.
ND_FN u64 row_at(const Batch& b, u64 i) { return b.alive ? fetch(b.alive + i) : i; }

// sample_key returns the key of a row's sample, from which all its random words derive.
ND_FN u64 sample_key(const Batch& b, u64 row) { return key_of(b.stream, b.first + b.row + row); }

// root_of returns root k of a row. Batch::repeat consecutive rows share a root; without roots, row i begins at vertex
// i.
ND_FN u32 root_of(const Batch& b, u64 row, u64 k = 0) {
  u64 root = b.row + row;
  if (b.repeat != 1) root /= b.repeat;
  return b.roots ? fetch(b.roots + root * b.width + k) : (u32)root;
}

// edge_id returns the id of the edge at a position, or -1 for no edge.
ND_FN i64 edge_id(const Graph& g, u64 position) { return position == NoEdge ? -1 : (i64)id_at(g, position); }

// list_row adds a row to Trace::alive, the list of rows that a later launch continues. The active lanes of a warp share
// one atomic addition. The order of the list varies between runs; no result depends on it.
ND_FN void list_row(const Trace& t, u32 row) {
  u32 mask = active_lanes(), leader = lowest_bit(mask);
  u64 place = 0;
  if (lane_index() == leader) place = add_atomic(t.alive_count, (u64)count_bits(mask));
  place = shuffle(mask, place, leader) + lanes_below(mask);
  t.alive[place] = row;
}

}  // namespace nd
