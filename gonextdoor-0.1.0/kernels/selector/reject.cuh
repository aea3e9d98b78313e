// Reject draws proposals until one is accepted. After a limited number of rejections it gives up, and the caller scans
// all candidates. The twin of selector.Reject.
#pragma once
#include "core/draw.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// reject stores the first accepted proposal in e and returns true, or returns false if `tries` proposals were rejected.
// An empty row counts as accepted: e is then no edge. One thread; expected tries are 1/acceptance rate.
template <class Propose, class Accepts>
ND_FN bool reject(const Graph& g, typename Propose::Row row, u64 key, u64 step, u32 tries, Accepts accepts,
                  PickedEdge& e) {
  u64 term = (slot_of(step, 0) + 1) * Gamma;  // the words are those of word_of, without a product each
  for (u32 t = 0; t < tries; t++, term += Gamma) {
    e = Propose::among(g, row, mix(key ^ term));
    if (e.vertex == None || accepts(e)) return true;
  }
  return false;
}

}  // namespace nd
