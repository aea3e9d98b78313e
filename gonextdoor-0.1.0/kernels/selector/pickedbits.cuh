// PickedBits is the set of the candidates that a choice has picked, a bit for each: C-SAW's bitmap. It tells whether a
// draw repeats an earlier pick, in O(1) for any number of picks. If it is strided, adjacent candidates have their bits
// in different words, so that ranks which pick adjacent candidates do not wait for each other. C-SAW's words have 8
// bits, these 32.
#pragma once
#include "core/draw.cuh"
#include "core/group.cuh"
#include "selector/successive.cuh"

namespace nd {

template <bool Strided> struct PickedBits {
  u32* words;  // in shared or device memory; all are 0 before and after a choice
  u32 shift;   // there are 2^shift words

  // words_of returns the number of words for n candidates, a power of two.
  ND_FN static u32 words_of(u32 n) {
    u32 words = 1;
    while (words * 32ull < n) words *= 2;
    return words;
  }
  // of returns the set of n candidates.
  ND_FN static PickedBits of(u32* words, u32 n) { return {words, lowest_bit(words_of(n))}; }

  ND_FN bool has(u32 i) const { return words[word(i)] & bit(i); }
  // add adds a candidate, and returns whether it was in the set.
  ND_FN bool add(u32 i) const { return or_atomic(words + word(i), bit(i)) & bit(i); }
  // forget removes all candidates of a word.
  ND_FN void forget(u32 i) const { words[word(i)] = 0; }

 private:
  ND_FN u32 word(u32 i) const { return Strided ? i & ((1u << shift) - 1) : i / 32; }
  ND_FN u32 bit(u32 i) const { return 1u << (Strided ? i >> shift : i % 32); }
};

// distinct_draws makes up to `attempts` draws by a tile of lanes, until there are k distinct picks, and returns the
// number of picks: tile_draws, with a bitmap in place of the comparison with all picks. It leaves the bitmap empty.
template <class G, class Draws, class Bits>
ND_FN u32 distinct_draws(const Draws& draws, u32 attempts, u32 k, const Bits& bits, u32* picks) {
  u32 got = 0;
  for (u32 attempt = 0, now; attempt < attempts && got < k; attempt += now) {
    now = attempts - attempt < G::size ? attempts - attempt : G::size;
    // 1. Draw, and reject the draws that were picked before.
    AliasDraw d{0, 0};
    bool fresh = G::rank() < now;
    if (fresh) d = draws.at(attempt + G::rank());
    fresh = fresh && !bits.has(d.place);
    G::sync();
    // 2. Of equal draws, that of the lowest rank counts.
    bool equal = fresh && bits.add(d.place);
    if (G::first(equal) != None) {
      for (u32 r = 0; r + 1 < now; r++) {
        u32 other = G::from(fresh ? d.place : None, r);
        if (r < G::rank() && other == d.place) fresh = false;
      }
    }
    // 3. Append them.
    u32 taken = G::vote(fresh), at = got + count_bits(taken & ((1u << G::rank()) - 1));
    if (fresh && at < k) picks[at] = d.place;
    got = got + count_bits(taken) < k ? got + count_bits(taken) : k;
    G::sync();
    if (fresh && at >= k) bits.forget(d.place);  // the choice is complete
  }
  for (u32 j = G::rank(); j < got; j += G::size) bits.forget(picks[j]);
  G::sync();
  return got;
}

}  // namespace nd
