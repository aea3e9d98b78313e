// Test kernels that draw candidates by 64-bit biases, by each form of selector/scanwithout.cuh and by selector/
// prefixsums.cuh with replacement, so that a test compares them with package selector.
#pragma once
#include "selector/scanwithout.cuh"
#include "testkernels/args.cuh"

namespace nd {

// ScanForm is the form that makes the choices, Scans::form.
enum ScanForm : u64 { Without, ByTree, ByRing, WithReplacement };

// scan_one makes a choice by a group and returns the number of its picks.
template <class G> ND_FN u32 scan_one(const Scans& a, u64 i, u64* memory) {
  u64 key = a.keys[i], from = a.froms[i], begin = a.begins[i];
  u32 k = a.takes[i], n = (u32)(a.begins[i + 1] - begin), *picks = a.picks + i * a.capacity;
  auto bias = [&](u32 c) { return fetch(a.biases + begin + c); };
  auto drop = [](SumTree<G>& tree, u32 c) { tree.remove(c); };
  switch (a.form) {
    case Without:
      return scan_without<G>(key, from, k, n, memory, bias, picks);
    case ByTree:
      return scan_without_dropping<G>(key, from, k, n, memory, bias, picks, drop);
    case ByRing:
      return scan_without_alike<G>(key, from, k, n, memory, bias, a.alike + begin, picks);
    default:
      prefix_sums<G>(memory, n, bias);
      return scan_picks<G>(key, from, k, memory, n, picks);
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
