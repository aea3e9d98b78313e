// Construction of the layouts on the GPU, from rows and biases. The result does not depend on the number of threads.
// All functions are kernels (entries/layouts.cu), with a thread per element unless they say otherwise. They document
// their elements and the arrays that they write.
#pragma once
#include "graph/edgeset.cuh"
#include "graph/packed.cuh"
#include "graph/wide.cuh"

namespace nd {

// build_packed writes the records begin ... end-1, of four vertices each, to quads.
ND_FN void build_packed(const Build& a) {
  for (u64 i = a.begin + thread_of_grid(); i < a.end; i += threads_of_grid()) {
    u64 v = i * PackedVertices, first = fetch(a.g.indptr + v), at = first;
    u32 degrees[PackedVertices];
    for (u32 k = 0; k < PackedVertices; k++) {
      u64 next = v + k < a.g.vertices ? fetch(a.g.indptr + v + k + 1) : at;
      degrees[k] = (u32)(next - at);
      at = next;
    }
    a.quads[i] = PackedRows::pack((u32)first, degrees);
  }
}

// narrow_row returns the row of a vertex in a graph of less than 2^32 edges; it is empty for None.
ND_FN RowOf<u32> narrow_row(const Graph& g, u32 v) {
  if (v == None) return {0, 0};
  auto row = PlainRows::of(g, v);
  return {(u32)row.first, row.degree};
}

// build_wide writes the records of edges begin ... end-1 to quads.
ND_FN void build_wide(const Build& a) {
  for (u64 p = a.begin + thread_of_grid(); p < a.end; p += threads_of_grid()) {
    u32 v = read_once(a.g.indices + p);
    auto row = narrow_row(a.g, v);
    u32 id = !a.g.ids ? (u32)p : a.g.id_size == 4 ? read_once((const u32*)a.g.ids + p) : 0;
    a.quads[p] = {v, row.first, row.degree, id};
  }
}

// build_wide_alias writes the records of edges begin ... end-1 to quads, from the alias table.
ND_FN void build_wide_alias(const Build& a) {
  for (u64 p = a.begin + thread_of_grid(); p < a.end; p += threads_of_grid()) {
    auto slot = AliasSlot::at(a.g, p);
    auto row = narrow_row(a.g, slot.vertex), other = narrow_row(a.g, slot.other);
    a.quads[2 * p] = {slot.threshold, slot.vertex, row.first, row.degree};
    a.quads[2 * p + 1] = {slot.other, other.first, other.degree, slot.place};
  }
}

// build_bloom sets the bits of the edges of vertices begin ... end-1 in words, which are zero before. A warp per row.
// If every edge has its mirror, only one direction is entered.
ND_FN void build_bloom(const Build& a) {
  for (u64 v = a.begin + thread_of_grid() / WarpSize; v < a.end; v += threads_of_grid() / WarpSize) {
    auto row = PlainRows::of(a.g, (u32)v);
    for (u32 i = lane_index(); i < row.degree; i += WarpSize) {
      u32 w = read_once(a.g.indices + row.first + i);
      if (a.g.mirrored && w < v) continue;
      BloomPlace at = bloom_place(a.g, (u32)v, w);
      or_atomic(a.words + at.word, at.bits);
    }
  }
}

// build_unmirrored sets words[0] if an edge of the vertices begin ... end-1 has no mirror. A warp per row.
ND_FN void build_unmirrored(const Build& a) {
  for (u64 v = a.begin + thread_of_grid() / WarpSize; v < a.end; v += threads_of_grid() / WarpSize) {
    auto row = PlainRows::of(a.g, (u32)v);
    for (u32 i = lane_index(); i < row.degree; i += WarpSize) {
      u32 w = read_once(a.g.indices + row.first + i);
      if (!in_row(a.g, PlainRows::of(a.g, w), (u32)v)) or_atomic(a.words, 1);
    }
  }
}

// build_biased writes, for the vertices begin ... end-1, the number of edges with a positive bias to words. A warp per
// row.
ND_FN void build_biased(const Build& a) {
  for (u64 v = a.begin + thread_of_grid() / WarpSize; v < a.end; v += threads_of_grid() / WarpSize) {
    auto row = PlainRows::of(a.g, (u32)v);
    u32 some = 0;
    for (u32 i = lane_index(); i < row.degree; i += WarpSize) some += read_once(a.g.biases + row.first + i) > 0;
    some = add_lanes(some);
    if (lane_index() == 0) a.words[v] = some;
  }
}

// power_of_two returns 2^e, for e from -1022 to 1023.
ND_FN f64 power_of_two(i32 e) {
  union {
    u64 bits;
    f64 value;
  } x;
  x.bits = (u64)(e + 1023) << 52;
  return x.value;
}

// weight_of returns bias * 2^scale, as graph.Weight. Scaling in two halves avoids overflow of the factor; the first
// product is exact, and the second is rounded once.
ND_FN f64 weight_of(u32 bias, i32 scale) {
  f64 half = bias * power_of_two(scale / 2);
  return half * power_of_two(scale - scale / 2);
}

// build_weights writes the weights of the vertices begin ... end-1, their largest weights and their prefix sums, as far
// as the arrays exist. A thread per row, since floating-point sums depend on their order.
ND_FN void build_weights(const Build& a) {
  for (u64 v = a.begin + thread_of_grid(); v < a.end; v += threads_of_grid()) {
    auto row = PlainRows::of(a.g, (u32)v);
    i32 scale = a.scales[v];
    f64 largest = 0, sum = 0;
    for (u64 p = row.first; p < row.first + row.degree; p++) {
      f64 weight = weight_of(fetch(a.g.biases + p), scale);
      largest = weight > largest ? weight : largest;
      sum += weight;
      if (a.weights) a.weights[p] = weight;
      if (a.prefix) a.prefix[p] = sum;
    }
    if (a.largest) a.largest[v] = largest;
  }
}

}  // namespace nd
