// The rows of a launch: their keys, roots and ids, for every driver of walks.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"
#include "graph/row.cuh"

namespace nd {

// rows_end returns the end of the launch's rows, or of its places in the list. They begin at Batch::from.
ND_FN u64 rows_end(const Batch& b) {
  u64 count = b.alive_count ? fetch(b.alive_count) : b.rows;
  return count < b.rows ? count : b.rows;
}

// row_at returns the row at place i.
ND_FN u64 row_at(const Batch& b, u64 i) { return b.alive ? fetch(b.alive + i) : i; }

// sample_key returns the key of a row's sample.
ND_FN u64 sample_key(const Batch& b, u64 row) { return key_of(b.stream, b.first + b.row + row); }

// root_of returns root k of a row.
ND_FN u32 root_of(const Batch& b, u64 row, u64 k = 0) {
  u64 root = b.row + row;
  if (b.repeat != 1) root /= b.repeat;
  return b.roots ? fetch(b.roots + root * b.width + k) : (u32)root;
}

// edge_id returns the id of the edge at a position, -1 for no edge.
ND_FN i64 edge_id(const Graph& g, u64 position) { return position == NoEdge ? -1 : (i64)id_at(g, position); }

// goes_on adds a row to the list of rows that continue after the launch's last step. The active lanes of a warp share
// one atomic addition.
ND_FN void goes_on(const Trace& t, u32 row) {
  u32 mask = active_lanes(), leader = lowest_bit(mask);
  u64 place = 0;
  if (lane_index() == leader) place = add_atomic(t.alive_count, (u64)count_bits(mask));
  place = shuffle(mask, place, leader) + lanes_below(mask);
  t.alive[place] = row;
}

}  // namespace nd
