// Scan selects i with probability bias(i)/sum by inverse transform: the twin of selector.Scan. Biases may use all 64
// bits, so sums need 128. It costs O(n / G::size) in two passes, and no memory.
#pragma once
#include "core/draw.cuh"
#include "core/group.cuh"

namespace nd {

// Sum is the sum of up to 2^32 64-bit numbers. It keeps the sums of the high and of the low halves apart, so that a
// group reduces each as a 64-bit number, without carries between lanes.
struct Sum {
  u64 high = 0, low = 0;

  ND_FN void add(u64 x) {
    high += x >> 32;
    low += (u32)x;
  }
  ND_FN Sum plus(Sum other) const { return {high + other.high, low + other.low}; }
  ND_FN Sum minus(Sum part) const { return {high - part.high, low - part.low}; }
  ND_FN u64 top() const { return (high + (low >> 32)) >> 32; }  // the number's bits from 64 on
  ND_FN u64 bottom() const { return (high << 32) + low; }
};

// Target is the running sum that a word selects: word * sum / 2^64, a 128-bit number below the sum.
struct Target {
  u64 top, bottom;

  ND_FN static Target of(u64 word, Sum all) {
    u64 part = high_product(word, all.bottom()), rest = word * all.top() + part;
    return {high_product(word, all.top()) + (rest < part), rest};
  }
  ND_FN bool below(Sum sum) const { return sum.top() != top ? sum.top() > top : sum.bottom() > bottom; }
};

template <class G> ND_FN Sum sum_of(Sum x) { return {G::sum(x.high), G::sum(x.low)}; }
template <class G> ND_FN Sum scan_of(Sum x) { return {G::scan(x.high), G::scan(x.low)}; }
template <class G> ND_FN Sum from(Sum x, u32 rank) { return {G::from(x.high, rank), G::from(x.low, rank)}; }

// scan returns the number of the candidate that word selects among n, or None if no bias is positive. bias(i) is called
// twice per i and must return the same. All ranks of G call it and get the same result.
template <class G, class Bias> ND_FN u32 scan(u64 word, u32 n, Bias bias) {
  // 1. Sum all biases.
  Sum all;
  for (u32 i = G::rank(); i < n; i += G::size) all.add(bias(i));
  all = sum_of<G>(all);
  if ((all.top() | all.bottom()) == 0) return None;
  Target target = Target::of(word, all);
  // 2. Find the first candidate whose running sum exceeds the target, G::size candidates at a time.
  Sum before;
  for (u32 first = 0; first < n; first += G::size) {
    u32 i = first + G::rank();
    Sum here;
    if (i < n) here.add(bias(i));
    here = before.plus(scan_of<G>(here));
    u32 r = G::first(i < n && target.below(here));
    if (r != None) return first + r;
    if constexpr (G::size == 1) before = here;
    else before = from<G>(here, G::size - 1);
  }
  return None;
}

}  // namespace nd
