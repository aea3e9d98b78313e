// Rows of features: a batch reads rows by their ids, from GPU memory or the host, into one dense result.
//
// A warp takes a tile of up to 32 adjacent rows of the result. Lane i finds where row i is. Then all lanes copy the
// vectors of these rows, which are numbered through: vector e is vector e % n of row e / n, for n vectors per row. So
// all lanes copy, whatever the width of rows, narrow rows share a warp, and accesses to a row are adjacent. Each lane
// has FeaturesAhead loads in flight.
//
// Missed rows are listed. The kernel of write_features reads the first of the list from pinned host memory, and CPU
// threads gather the others. Their order in the list depends on timing; the result does not.
#pragma once
#include "core/device.cuh"
#include "core/featureargs.cuh"

namespace nd {

constexpr u32 FeaturesAhead = 4;  // loads of a lane that are in flight together

// id_at returns an integer of an array of 4 or 8 bytes each. Negative ones of 8 bytes are out of range, too.
ND_FN u64 id_at(const void* ids, u64 bytes, u64 i) {
  return bytes == 4 ? (u64)fetch((const u32*)ids + i) : fetch((const u64*)ids + i);
}

// load reads a vector. Rows of a tile are read once, so they are not kept in L1.
template <class V> ND_FN V load(const V* p) {
  if constexpr (sizeof(V) >= 4) return fetch_far(p);
  else return fetch(p);
}

// copy_vectors copies the rows of a tile: lane i has the addresses of row i, or from = 0 if the row is not copied.
// `span` numbers belong to a row, of which the first `vectors` are its vectors. All lanes call it.
template <class V> ND_FN void copy_vectors(u64 from, u64 to, u32 rows, u32 vectors, u32 span) {
  u32 all = rows * span;
  for (u32 begin = 0; begin < all; begin += WarpSize * FeaturesAhead) {
    V v[FeaturesAhead];
    u64 into[FeaturesAhead];
#pragma unroll
    for (u32 k = 0; k < FeaturesAhead; k++) {
      u32 e = begin + k * WarpSize + lane_index(), row = e / span, at = e - row * span;
      bool inside = row < rows && at < vectors;
      u64 source = shuffle(~0u, from, row % WarpSize);
      u64 target = shuffle(~0u, to, row % WarpSize);
      into[k] = inside && source ? target + (u64)at * sizeof(V) : 0;
      if (into[k]) v[k] = load((const V*)(source + (u64)at * sizeof(V)));
    }
#pragma unroll
    for (u32 k = 0; k < FeaturesAhead; k++)
      if (into[k]) *(V*)into[k] = v[k];
  }
}

// span_of returns how many numbers belong to a row. In device memory, they are as many as its vectors. A line of host
// memory is requested by each instruction that reads part of it, and requests are what limits the rate. So rows of the
// host begin at a power of two of lanes.
ND_FN u32 span_of(u32 vectors, bool host) {
  if (!host) return vectors;
  if (vectors >= WarpSize) return (vectors + WarpSize - 1) / WarpSize * WarpSize;
  u32 span = 1;
  while (span < vectors) span *= 2;
  return span;
}

// copy_rows is copy_vectors with accesses of `vector` bytes. host is set if rows are read from host memory.
ND_FN void copy_rows(u64 from, u64 to, u32 rows, u64 row_bytes, u64 vector, bool host) {
  u32 vectors = (u32)(row_bytes / vector), span = span_of(vectors, host);
  switch (vector) {
    case 16:
      return copy_vectors<Quad>(from, to, rows, vectors, span);
    case 8:
      return copy_vectors<Pair>(from, to, rows, vectors, span);
    case 4:
      return copy_vectors<u32>(from, to, rows, vectors, span);
    case 2:
      return copy_vectors<u16>(from, to, rows, vectors, span);
    default:
      return copy_vectors<u8>(from, to, rows, vectors, span);
  }
}

// slot_at returns the slot of row i of the result, or None. id is that of the row.
ND_FN u32 slot_at(const FeatureRead& r, u64 i, u64 id) {
  if (!r.slots) return None;
  if (r.known) return fetch(r.known + i);
  return r.places ? fetch(r.places + id) : (u32)id;
}

// list_missed counts the missed rows of a tile and lists them. All lanes call it.
ND_FN void list_missed(const FeatureRead& r, bool missed, u64 i, u64 id) {
  u32 votes = ballot(~0u, missed);
  if (!votes) return;
  u64 before = lane_index() == 0 ? add_atomic(r.report, count_bits(votes)) : 0;
  u64 at = shuffle(~0u, before, 0) + lanes_below(votes);
  if (!missed) return;
  if (!r.slots) at = i;
  if (r.missed) r.missed[at] = (u32)id;
  if (r.listed) r.listed[at] = (u32)id;
  if (r.missed_at) r.missed_at[at] = (u32)i;
}

// read_tile copies the rows of a tile that begins at a row of the result.
ND_FN void read_tile(const FeatureRead& r, u64 first) {
  u32 rows = r.count - first < r.tile ? (u32)(r.count - first) : (u32)r.tile;
  u64 i = first + lane_index(), id = 0, from = 0;
  bool missed = false;
  if (lane_index() < rows) {
    id = id_at(r.ids, r.id_bytes, i);
    u32 slot = None;
    if (id >= r.rows) {
      min_atomic(r.report + 1, i);
      if (!r.slots) {
        if (r.missed) r.missed[i] = 0;
        if (r.listed) r.listed[i] = 0;
      }
    } else {
      slot = slot_at(r, i, id);
      missed = slot == None;
      if (!missed) from = (u64)r.slots + slot * r.row_bytes;
    }
    if (r.found) r.found[i] = slot;
  }
  if (!r.known) list_missed(r, missed, i, id);
  if (r.out && r.slots) copy_rows(from, (u64)r.out + i * r.row_bytes, rows, r.row_bytes, r.vector, false);
}

// read_features makes all reads of a batch. A warp makes a tile at a time.
ND_FN void read_features(const FeatureBatch& a) {
  u64 warps = threads_of_grid() / WarpSize;
  for (u64 tile = thread_of_grid() / WarpSize; tile < a.tiles; tile += warps) {
    u32 number = 0;
    while (number + 1 < a.read_count && tile >= a.reads[number + 1].first_tile) number++;
    FeatureRead r = a.reads[number];
    read_tile(r, (tile - r.first_tile) * r.tile);
  }
}

// leading returns how many rows of a list are copied; see FeatureWrite.
ND_FN u64 leading(u64 count, const u32* limit, u64 share) {
  if (limit && *limit < count) count = *limit;
  return share ? count * share >> 16 : count;
}

// write_features copies rows within GPU memory, or from host memory.
ND_FN void write_features(const FeatureWrite& a) {
  u64 count = leading(a.count, a.limit, a.share);
  u64 tiles = (count + a.tile - 1) / a.tile, warps = threads_of_grid() / WarpSize;
  for (u64 tile = thread_of_grid() / WarpSize; tile < tiles; tile += warps) {
    u64 first = tile * a.tile, i = first + lane_index(), from = 0, to = 0;
    u32 rows = count - first < a.tile ? (u32)(count - first) : (u32)a.tile;
    if (lane_index() < rows) {
      u32 at = a.to ? fetch(a.to + i) : (u32)i;
      if (at != None) {
        from = (u64)a.rows + (a.from ? fetch(a.from + i) : i) * a.row_bytes;
        to = (u64)a.out + at * a.row_bytes;
      }
    }
    copy_rows(from, to, rows, a.row_bytes, a.vector, a.host);
  }
}

}  // namespace nd
