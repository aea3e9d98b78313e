// Conversion of results on the GPU. They are stored step by step: element (row, slot) is at slot*stride + row. These
// kernels convert them to rows, 64-bit vertices and counts, and check roots that another library made. A missing
// element has all bits set, in every size. All kernels are bound by memory bandwidth.
#pragma once
#include "core/group.cuh"

namespace nd {

// Columns is the parameter of the kernels that convert results and check roots.
struct Columns {
  const void* from;
  void* to;
  u64 rows, width, stride;
  u64 first;     // rows_of_columns: the first row to be written; add_number: the number
  u64 across;    // rows_of_columns: the distance between rows of the result; check_roots: between integers of a row
  u64 vertices;  // check_roots: of the graph
  u64* fault;    // check_roots: the least index of an integer that is no vertex
};

// wide converts an element to 64 bits, and None to -1.
ND_FN i64 wide(u32 v) { return v == None ? -1 : (i64)v; }
ND_FN i64 wide(i64 v) { return v; }

// element converts an element to the type of the result.
template <class To, class From> ND_FN To element(From v) {
  if constexpr (sizeof(To) > sizeof(From)) return wide(v);
  else return (To)v;
}

constexpr u32 TileRows = 32, TileSlots = 128;

// rows_of_columns transposes the result into rows. Columns of rows are rows of columns, so it makes a result of rows,
// too. It is
//   for r in rows: for s in width: to[r*across + s] = from[s*stride + first + r]
// A block transposes TileRows x TileSlots elements at a time in shared memory, so both sides are accessed in runs.
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
    // Each thread now writes elements that others have read.
    sync_block();
    for (u32 i = thread_index(); i < rows * slots; i += block_size()) {
      u32 r = i / slots, s = i - r * slots;
      to[(row + r) * a.across + slot + s] = element<To>(tile[r * pitch + s]);
    }
    sync_block();
  }
}

// widen converts vertices to 64 bits, in the same order.
ND_FN void widen(const Columns& a) {
  u64 n = a.width * a.stride;
  for (u64 i = thread_of_grid(); i < n; i += threads_of_grid())
    write_once((i64*)a.to + i, wide(read_once((const u32*)a.from + i)));
}

// count_lengths writes the number of vertices of each row, without missing ones. A thread per row.
ND_FN void count_lengths(const Columns& a) {
  for (u64 r = thread_of_grid(); r < a.rows; r += threads_of_grid()) {
    i64 n = 0;
    for (u64 s = 0; s < a.width; ++s) n += read_once((const u32*)a.from + s * a.stride + r) != None;
    ((i64*)a.to)[r] = n;
  }
}

// count_filled adds the number of vertices of all rows to a u64, without missing ones.
ND_FN void count_filled(const Columns& a) {
  u64 n = 0;
  for (u64 r = thread_of_grid(); r < a.rows; r += threads_of_grid())
    for (u64 s = 0; s < a.width; ++s) n += read_once((const u32*)a.from + s * a.stride + r) != None;
  n = Warp::sum(n);
  if (lane_index() == 0 && n) add_atomic((u64*)a.to, n);
}

// count_visits adds the number of occurrences of each vertex to an array of u64, by atomic additions.
ND_FN void count_visits(const Columns& a) {
  for (u64 r = thread_of_grid(); r < a.rows; r += threads_of_grid())
    for (u64 s = 0; s < a.width; ++s) {
      u32 v = read_once((const u32*)a.from + s * a.stride + r);
      if (v != None) add_atomic((u64*)a.to + v, 1);
    }
}

// add_number adds Columns::first to consecutive 64-bit integers.
ND_FN void add_number(const Columns& a) {
  for (u64 i = thread_of_grid(); i < a.rows; i += threads_of_grid()) ((u64*)a.to)[i] += a.first;
}

// add_numbers adds an array of u64 to another.
ND_FN void add_numbers(const Columns& a) {
  for (u64 i = thread_of_grid(); i < a.rows; i += threads_of_grid())
    ((u64*)a.to)[i] += read_once((const u64*)a.from + i);
}

// check_roots converts the integers of another library to 32-bit vertices, and finds the first that is no vertex.
template <class T> ND_FN void check_roots(const Columns& a) {
  u64 n = a.rows * a.width;
  for (u64 i = thread_of_grid(); i < n; i += threads_of_grid()) {
    T v = ((const T*)a.from)[(i64)(i / a.width) * (i64)a.stride + (i64)(i % a.width) * (i64)a.across];
    if (v < 0 || (u64)v >= a.vertices) min_atomic(a.fault, i);
    else ((u32*)a.to)[i] = (u32)v;
  }
}

}  // namespace nd
