// Samples of a version of a graph, made from those of the graph: the search for samples that read a changed row, and the
// rows that replace them. Slot s of sample r is element s*stride + r, as in columns.cuh.
#pragma once
#include "core/group.cuh"

namespace nd {

// Touched is the parameter of mark_touched.
struct Touched {
  const u32* from;
  u64 rows, width, stride;  // slots from width on are not read
  const u64* set;           // bit v%64 of word v/64 is that of vertex v
  u64 words;                // of the set; vertices beyond them are not in it
  u8* marks;                // per row
};

// mark_touched marks the rows that have a vertex of a set by 1, the others by 0. A thread per row.
ND_FN void mark_touched(const Touched& a) {
  for (u64 r = thread_of_grid(); r < a.rows; r += threads_of_grid()) {
    u64 found = 0;
    for (u64 s = 0; s < a.width; ++s) {
      u32 v = read_once(a.from + s * a.stride + r);
      if (v != None && v / 64 < a.words) found |= fetch(a.set + v / 64) >> v % 64;
    }
    a.marks[r] = (u8)(found & 1);
  }
}

// Placed is the parameter of place_rows.
struct Placed {
  const void* from;   // rows of width elements, one after the other
  void* to;           // columns
  const u64* places;  // per row of from, its row of to
  u64 rows, width, stride;
};

// place_rows writes rows to places among the columns of a result.
template <class T> ND_FN void place_rows(const Placed& a) {
  u64 n = a.rows * a.width;
  for (u64 i = thread_of_grid(); i < n; i += threads_of_grid())
    ((T*)a.to)[i % a.width * a.stride + fetch(a.places + i / a.width)] = read_once((const T*)a.from + i);
}

}  // namespace nd
