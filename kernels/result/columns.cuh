// Results on the GPU lie step by step: element (row, slot) stands at slot*stride + row. These kernels turn them to
// what others read: rows, 64-bit vertices, counts. A missing element is all ones in every size.
#pragma once
#include "core/device.cuh"

namespace nd {

// Columns is the parameter of all kernels here.
struct Columns {
  const void* from;
  void* to;
  u64 rows, width, stride;
  u64 first;     // rows_of_columns: the row that is written first
  u64 across;    // check_roots: how far the integers of a row lie apart, as stride is for rows
  u64 vertices;  // check_roots: of the graph
  u64* fault;    // check_roots: the first place of what is no vertex
};

ND_FN i64 wide(u32 v) { return v == None ? -1 : (i64)v; }
ND_FN i64 wide(i64 v) { return v; }
template <class To, class From> ND_FN To element(From v) {
  if constexpr (sizeof(To) > sizeof(From)) return wide(v);
  else return (To)v;
}

// rows_of_columns writes the rows one behind the other. It is
//   for r in rows: for s in width: to[r*width + s] = from[s*stride + first + r]
// TileRows x TileSlots elements at a time go through shared memory, so that both sides are read and written in runs.
constexpr u32 TileRows = 32, TileSlots = 128;

template <class From, class To> ND_FN void rows_of_columns(const Columns& a) {
  ND_SHARED(From, tile, TileRows * (TileSlots + 1));
  u64 across = (a.width + TileSlots - 1) / TileSlots, tiles = (a.rows + TileRows - 1) / TileRows * across;
  const From* from = (const From*)a.from + a.first;
  To* to = (To*)a.to;
  for (u64 t = block_index(); t < tiles; t += grid_size()) {
    u64 row = t / across * TileRows, slot = t % across * TileSlots;
    u32 rows = a.rows - row < TileRows ? (u32)(a.rows - row) : TileRows;
    u32 slots = a.width - slot < TileSlots ? (u32)(a.width - slot) : TileSlots;
    u32 pitch = slots | 1;  // odd: a column's elements fall into different banks
    for (u32 i = thread_index(); i < slots * TileRows; i += block_size()) {
      u32 s = i / TileRows, r = i % TileRows;
      if (r < rows) tile[r * pitch + s] = read_once(from + (slot + s) * a.stride + row + r);
    }
    sync_block();
    for (u32 i = thread_index(); i < rows * slots; i += block_size()) {
      u32 r = i / slots, s = i - r * slots;
      to[(row + r) * a.width + slot + s] = element<To>(tile[r * pitch + s]);
    }
    sync_block();
  }
}

// widen keeps the order and makes vertices of 64 bits.
ND_FN void widen(const Columns& a) {
  u64 n = a.width * a.stride;
  for (u64 i = thread_of_grid(); i < n; i += threads_of_grid())
    write_once((i64*)a.to + i, wide(read_once((const u32*)a.from + i)));
}

// count_lengths counts each row's vertices, missing ones left out.
ND_FN void count_lengths(const Columns& a) {
  for (u64 r = thread_of_grid(); r < a.rows; r += threads_of_grid()) {
    i64 n = 0;
    for (u64 s = 0; s < a.width; ++s) n += read_once((const u32*)a.from + s * a.stride + r) != None;
    ((i64*)a.to)[r] = n;
  }
}

// count_visits adds to one u64 a vertex how often it stands in the columns.
ND_FN void count_visits(const Columns& a) {
  for (u64 r = thread_of_grid(); r < a.rows; r += threads_of_grid())
    for (u64 s = 0; s < a.width; ++s) {
      u32 v = read_once((const u32*)a.from + s * a.stride + r);
      if (v != None) add_atomic((u64*)a.to + v, 1);
    }
}

// check_roots makes 32-bit vertices of another library's integers, and finds the first that is no vertex.
template <class T> ND_FN void check_roots(const Columns& a) {
  u64 n = a.rows * a.width;
  for (u64 i = thread_of_grid(); i < n; i += threads_of_grid()) {
    T v = ((const T*)a.from)[(i64)(i / a.width) * (i64)a.stride + (i64)(i % a.width) * (i64)a.across];
    if (v < 0 || (u64)v >= a.vertices) min_atomic(a.fault, i);
    else ((u32*)a.to)[i] = (u32)v;
  }
}

}  // namespace nd
