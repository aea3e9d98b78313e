// The combined neighbourhood of several transits: their edges, row after row, numbered from 0. It is never copied. The
// number of a candidate is located by a binary search in the prefix sums of the degrees of the transits.
#pragma once
#include "driver/layered.cuh"
#include "driver/rowsearch.cuh"
#include "graph/packed.cuh"

namespace nd {

constexpr u32 SharedTransits = 4;  // per thread of a group: the transits whose prefix sums fit the shared memory

// Candidate is an edge of a neighbourhood.
struct Candidate {
  u32 transit;  // counted from the first of the neighbourhood
  u64 position;
};

template <class G, class Rows> struct Neighborhood {
  u32 transits;
  u64 n;         // candidates
  u64* ends;     // per transit: the end of its candidates
  u64* origins;  // per transit: the position that candidate 0 of all would have in its row

  // of returns the neighbourhood of the vertices first ... end-1 of a sample. It leaves the group synchronised.
  ND_FN static Neighborhood of(const Sample<G>& s, u32 first, u32 end) {
    ND_SHARED(u64, ends_of_block, SharedTransits * LayeredThreads);
    ND_SHARED(u64, origins_of_block, SharedTransits * LayeredThreads);
    u32 own = thread_index() / G::size * G::size * SharedTransits;
    Neighborhood h{end - first, 0, ends_of_block + own, origins_of_block + own};
    if (h.transits > SharedTransits * G::size) {
      h.ends = s.a.starts + 2 * s.first;
      h.origins = h.ends + s.a.capacity;
    }
    // Rows are read before the prefix sums, so that their loads are in flight together.
    for (u32 from = 0; from < h.transits; from += SharedTransits * G::size) {
      RowOf<u64> rows[SharedTransits];
#pragma unroll
      for (u32 i = 0; i < SharedTransits; i++) {
        u32 t = from + i * G::size + G::rank();
        rows[i] = {0, 0};
        if (t >= h.transits) continue;
        auto row = Rows::of(s.a.g, s.vertices[first + t]);
        rows[i] = {row.first, row.degree};
      }
#pragma unroll
      for (u32 i = 0; i < SharedTransits; i++) {
        u32 t = from + i * G::size + G::rank();
        if (from + i * G::size >= h.transits) continue;
        u64 upto = h.n + G::scan(rows[i].degree);
        if (t < h.transits) {
          h.ends[t] = upto;
          h.origins[t] = rows[i].first - (upto - rows[i].degree);
        }
        h.n = G::from(upto, G::size - 1);
      }
    }
    G::sync();
    return h;
  }

  // at returns candidate i.
  ND_FN Candidate at(u64 i) const {
    u32 low = 0;
    for (u32 high = transits - 1; low < high;) {
      u32 middle = (low + high) / 2;
      if (ends[middle] > i) high = middle;
      else low = middle + 1;
    }
    return {low, origins[low] + i};
  }

  // each_with_end calls visit(i, candidate) for all candidates whose end point is v, by any ranks. Rows are sorted by
  // end point, so each is searched.
  template <class Visit> ND_FN void each_with_end(const Graph& g, u32 v, Visit visit) const {
    for (u32 t = G::rank(); t < transits; t += G::size) {
      u64 begin = t > 0 ? ends[t - 1] : 0, first = origins[t] + begin;
      each_edge_to(g, first, ends[t] - begin, v, [&](u64 i) { visit(begin + i, Candidate{t, first + i}); });
    }
  }
};

}  // namespace nd
