// Reject proposes until a proposal is accepted, and after a number of refusals leaves the choice to a scan of all. The
// twin of selector.Reject.
#pragma once
#include "core/draw.cuh"
#include "selector/pickededge.cuh"

namespace nd {

// reject gives the first of so many proposals that is accepted, and says whether there is one. No candidate at all is
// accepted.
template <class Propose, class Accepts>
ND_FN bool reject(const Graph& g, typename Propose::Row row, u64 key, u64 step, u32 tries, Accepts accepts, PickedEdge& e) {
  u64 term = (slot_of(step, 0) + 1) * Gamma;  // the words are those of word_of, without a product each
  for (u32 t = 0; t < tries; t++, term += Gamma) {
    e = Propose::among(g, row, mix(key ^ term));
    if (e.vertex == None || accepts(e)) return true;
  }
  return false;
}

}  // namespace nd
