// Test kernels that draw candidates by 64-bit biases, by each form of selector/scanwithout.cuh, by
// selector/prefixsums.cuh with replacement, by selector/race.cuh, and with the bitmaps of selector/pickedbits.cuh, so
// that a test compares them with package selector.
#pragma once
#include "selector/pickedbits.cuh"
#include "selector/race.cuh"
#include "selector/scanwithout.cuh"
#include "testkernels/args.cuh"

namespace nd {

// ScanForm is the form that makes the choices, Scans::form.
enum ScanForm : u64 { Without, ByRegion, ByTree, WithReplacement, Racing, Strided, Contiguous };

// regions is region search if the group has registers for all regions, and a tree of sums otherwise.
template <class G, class Bias> ND_FN u32 regions(u64 key, u64 from, u32 k, u32 n, u64* memory, Bias bias, u32* picks) {
  using Team = typename WithinWarp<G>::type;
  if (k > RemovedRegions<Team>::capacity) return scan_without<G>(key, from, k, n, memory, bias, picks);
  prefix_sums<G>(memory, n, bias);
  return by_team<G>([&] { return region_picks<Team>(key, from, k, memory, n, picks); });
}

// SumDraws are draws from all candidates by their prefix sums.
struct SumDraws {
  const u64* sums;
  u32 n;
  u64 key, from, total;
  ND_FN AliasDraw at(u64 attempt) const {
    return {candidate_at<Lane>(sums, n, high_product(word_of(key, from + attempt), total)), 0};
  }
};

// draw_distinct makes draws with a bitmap, which has the memory after the sums. It returns None if the bitmap is not
// empty after the choice.
template <class G, class Bits> ND_FN u32 draw_distinct(const SumDraws& draws, u32 k, u32* words, u32* picks) {
  using Team = typename WithinWarp<G>::type;
  u32 count = Bits::words_of(draws.n), left = 0;
  for (u32 i = G::rank(); i < count; i += G::size) words[i] = 0;
  G::sync();
  u32 got = by_team<G>(
      [&] { return distinct_draws<Team>(draws, draws.total > 0 ? 2 * k : 0, k, Bits::of(words, draws.n), picks); });
  for (u32 i = G::rank(); i < count; i += G::size) left |= words[i];
  return G::first(left != 0) == None ? got : None;
}

// scan_one makes a choice by a group and returns the number of its picks.
template <class G> ND_FN u32 scan_one(const Scans& a, u64 i, u64* memory) {
  u64 key = a.keys[i], from = a.slots[i], begin = a.begins[i];
  u32 k = a.takes[i], n = (u32)(a.begins[i + 1] - begin), *picks = a.picks + i * a.capacity;
  auto bias = [&](u32 c) { return fetch(a.biases + begin + c); };
  switch (a.form) {
    case Without:
      return scan_without<G>(key, from, k, n, memory, bias, picks);
    case ByRegion:
      return regions<G>(key, from, k, n, memory, bias, picks);
    case ByTree:
      return scan_by_tree<G>(key, from, k, n, memory, bias, picks);
    case WithReplacement:
      prefix_sums<G>(memory, n, bias);
      return scan_picks<G>(key, from, k, memory, n, picks);
    case Racing:
      return race<G>(key, k, n, memory, bias, picks);
    case Strided:
      return draw_distinct<G, PickedBits<true>>({memory, n, key, from, prefix_sums<G>(memory, n, bias)}, k,
                                                (u32*)(memory + n), picks);
    default:
      return draw_distinct<G, PickedBits<false>>({memory, n, key, from, prefix_sums<G>(memory, n, bias)}, k,
                                                 (u32*)(memory + n), picks);
  }
}

// scans makes all choices of a launch, a group per choice.
template <class G> ND_FN void scans(const Scans& a) {
  u64 group = thread_of_grid() / G::size;
  for (u64 i = group; i < a.count; i += threads_of_grid() / G::size) {
    u32 got = scan_one<G>(a, i, a.memory + group * a.words);
    if (G::rank() == 0) a.got[i] = got;
    G::sync();  // before the next choice uses the memory
  }
}

}  // namespace nd
