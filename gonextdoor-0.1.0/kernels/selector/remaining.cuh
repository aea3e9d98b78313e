// Candidates with 32-bit biases in memory, from which picks are drawn by Scan: the twin of selector.ScanAt (with
// replacement) and of selector.ScanWithoutAt. The sums of tiles of candidates find the tile of a pick. Without
// replacement a group makes a pick together, in O((n / RemainingTile + RemainingTile) / G::size). With replacement each
// rank makes one, in O(log n + RemainingTile).
#pragma once
#include "core/draw.cuh"
#include "core/group.cuh"

namespace nd {

constexpr u32 RemainingTile = 256;

template <class G> struct Remaining {
  u32* biases;    // n elements
  u64* sums;      // an element per tile: its sum, or with replacement the sum up to its end
  u64 n;          // below 2^32, so that no sum exceeds 64 bits
  u64 total = 0;  // the sum of all biases; equal in all ranks

  ND_FN u64 tiles() const { return (n + RemainingTile - 1) / RemainingTile; }

  // fill sets the bias of each candidate to bias(i), and the sums. It leaves the group synchronised.
  template <class Bias> ND_FN void fill(bool replace, Bias bias) {
    total = 0;
    for (u64 tile = 0; tile < tiles(); tile++) {
      u64 mine = 0;
      for (u64 i = tile * RemainingTile + G::rank(); i < (tile + 1) * RemainingTile && i < n; i += G::size) {
        u32 b = bias(i);
        biases[i] = b;
        mine += b;
      }
      u64 sum = G::sum(mine);
      total += sum;
      if (G::rank() == 0) sums[tile] = replace ? total : sum;
    }
    G::sync();
  }

  // find returns the candidate at which the running sum exceeds r, which is below the total. All ranks call it.
  ND_FN u64 find(u64 r) const {
    // 1. The tile.
    u64 tile = search(tiles(), r, [&](u64 t) { return read_shared_by_all(sums + t); });
    // 2. The candidate within the tile.
    u64 first = tile * RemainingTile, count = n - first < RemainingTile ? n - first : RemainingTile;
    return first + search(count, r, [&](u64 i) { return (u64)read_shared_by_all(biases + first + i); });
  }

  // draw returns the candidate that a word selects. The total must be positive.
  ND_FN u64 draw(u64 word) const { return find(high_product(word, total)); }

  // draw_alone is draw of one rank, with replacement.
  ND_FN u64 draw_alone(u64 word) const {
    u64 r = high_product(word, total), low = 0;
    for (u64 high = tiles() - 1; low < high;) {
      u64 middle = (low + high) / 2;
      if (sums[middle] > r) high = middle;
      else low = middle + 1;
    }
    if (low > 0) r -= sums[low - 1];
    u64 i = low * RemainingTile;
    for (; r >= biases[i]; i++) r -= biases[i];
    return i;
  }

  // drop sets the bias of a candidate to 0 in memory, and returns what it was. The caller subtracts that from the total
  // of all ranks. One rank calls it per candidate; several ranks may drop different candidates.
  ND_FN u64 drop(u64 i) const {
    u32 b = read_shared_by_all(biases + i);
    if (b == 0) return 0;
    write_for_all(biases + i, 0u);
    add_atomic(sums + i / RemainingTile, 0 - (u64)b);
    return b;
  }

 private:
  // search returns the first i for which the sum of value(0) ... value(i) exceeds r, and subtracts the sum before it.
  template <class Value> ND_FN static u64 search(u64 count, u64& r, Value value) {
    for (u64 first = 0; first < count; first += G::size) {
      u64 i = first + G::rank(), mine = i < count ? value(i) : 0, upto = G::scan(mine);
      u32 giver = G::first(upto > r);
      if (giver != None) {
        r -= G::from(upto - mine, giver);
        return first + giver;
      }
      r -= G::from(upto, G::size - 1);
    }
    return count - 1;  // unreachable: r is below the sum of all
  }
};

}  // namespace nd
