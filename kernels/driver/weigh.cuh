// The choice among all edges of a row by their biases, in one pass: by a lane, a tile, a warp or a block.
#pragma once
#include "driver/walker.cuh"
#include "selector/reservoir.cuh"

namespace nd {

// Before is the row of the vertex before, in which biases of second order look candidates up. Both rows are sorted, so a
// chunk of candidates concerns one stretch of it, which moves on with the chunks: what is looked up lies in few sectors.
template <class G> struct Before {
  const u32* row;
  u32 length;
  u32 begin = 0, end = 0;  // the stretch
  u32 mine = None;         // of a short one: the element of each rank

  ND_FN bool in(u32 at, u32 last) const { return at < length && fetch(row + at) <= last; }

  // behind gives the first place from at on with an element above last, or length.
  ND_FN u32 behind(u32 at, u32 last) const {
    u32 r = G::first(!in(at + G::rank(), last));
    if (r != None) return at + r;
    at += G::size;
    for (u32 limit = length; limit - at > G::size;) {
      u32 stride = (limit - at) / G::size;
      r = G::first(!in(at + (G::rank() + 1) * stride - 1, last));
      if (r == None) at += stride * G::size;
      else at += r * stride, limit = at + stride;
    }
    for (;; at += G::size) {
      r = G::first(!in(at + G::rank(), last));
      if (r != None) return at + r;
    }
  }

  // move takes the stretch to candidates between two vertices.
  ND_FN void move(u32 first, u32 last) {
    if constexpr (G::size == 1) {
      begin = 0, end = length;
    } else {
      begin = end > 0 && fetch(row + end - 1) == first ? end - 1 : end;  // an end point may be there several times
      end = behind(begin, last);
      if (end - begin <= G::size) mine = begin + G::rank() < end ? fetch(row + begin + G::rank()) : None;
    }
  }

  // has says whether a candidate is there. All ranks come here.
  ND_FN bool has(u32 v) const {
    if (end == begin) return false;
    if constexpr (G::size > 1 && G::size <= WarpSize) {
      if (end - begin <= G::size) {
        u32 at = 0;
        for (u32 half = G::size / 2; half > 0; half /= 2)
          if (G::from(mine, at + half - 1) < v) at += half;
        return G::from(mine, at) == v;
      }
    }
    u32 low = begin, high = end;
    while (low < high) {
      u32 middle = low + (high - low) / 2, at = fetch(row + middle);
      if (at == v) return true;
      if (at < v) low = middle + 1;
      else high = middle;
    }
    return false;
  }
};

// weigh gives the number of the edge that is chosen, or None. K candidates of each rank are weighed at once.
template <class G, u32 K, class Rows, class Rule>
ND_FN u32 weigh(const Graph& g, Rule& rule, const Walker& w, typename Rows::Row row) {
  Reserve<G> held(hung(w.key, slot_of(w.step, MaxTries), 0));
  Before<G> before{};
  if constexpr (Rule::second) {
    if (w.previous != None) {
      auto its = Rows::of(g, w.previous);
      before = {g.indices + its.first, its.degree};
    }
  }
  constexpr u32 chunk = K * G::size;
  for (u32 first = 0; first < row.degree; first += chunk) {
    u32 dst[K], biases[K], left = row.degree - first;
    typename Rule::Read read[K];
    u64 position = row.first + first + G::rank();
    for (u32 j = 0; j < K; j++) {
      bool there = j * G::size + G::rank() < left;
      dst[j] = there ? fetch(g.indices + position + j * G::size) : None;
      read[j] = {};
      if (there) read[j] = rule.read(w, position + j * G::size, dst[j]);
    }
    if constexpr (Rule::second) {
      const u32* row_at = g.indices + row.first + first;
      if (before.length > 0) before.move(fetch(row_at), fetch(row_at + (left < chunk ? left : chunk) - 1));
    }
    for (u32 j = 0; j < K; j++) {
      bool there = j * G::size + G::rank() < left, near = false;
      if constexpr (Rule::second) near = before.has(dst[j]);
      biases[j] = there ? rule.bias(w, read[j], position + j * G::size, dst[j], Known{near}) : 0;
      rule.note(w, there);
    }
    held.template offer<K>(first, biases);
    if (Rule::trusted && left > chunk && held.done((left - chunk) * Rule::most)) break;
  }
  return held.held;
}

}  // namespace nd
