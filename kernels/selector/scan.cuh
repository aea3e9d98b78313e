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
  ND_FN u64 top() const { return (high + (low >> 32)) >> 32; }  // the number's bits from 64 on
  ND_FN u64 bottom() const { return (high << 32) + low; }
  ND_FN bool exceeds(u64 top_of, u64 bottom_of) const {
    return top() != top_of ? top() > top_of : bottom() > bottom_of;
  }
};

template <class G> ND_FN Sum sum_of(Sum x) { return {G::sum(x.high), G::sum(x.low)}; }
template <class G> ND_FN Sum scan_of(Sum x) { return {G::scan(x.high), G::scan(x.low)}; }

// scan returns the number of the candidate that word selects among n, or None if no bias is positive. bias(i) is called
// twice per i and must return the same. All ranks of G call it and get the same result.
template <class G, class Bias> ND_FN u32 scan(u64 word, u32 n, Bias bias) {
  // 1. Sum all biases.
  Sum all;
  for (u32 i = G::rank(); i < n; i += G::size) all.add(bias(i));
  all = sum_of<G>(all);
  u64 top = all.top(), bottom = all.bottom();
  if ((top | bottom) == 0) return None;
  // 2. Scale: (over, rest) = word * all / 2^64, a 128-bit number below the sum.
  u64 part = high_product(word, bottom), rest = word * top + part;
  u64 over = high_product(word, top) + (rest < part);
  // 3. Find the first candidate whose running sum exceeds that, G::size candidates at a time.
  Sum before;
  for (u32 first = 0; first < n; first += G::size) {
    u32 i = first + G::rank();
    Sum here;
    if (i < n) here.add(bias(i));
    here = before.plus(scan_of<G>(here));
    u32 r = G::first(i < n && here.exceeds(over, rest));
    if (r != None) return first + r;
    if constexpr (G::size == 1) before = here;
    else before = {G::from(here.high, G::size - 1), G::from(here.low, G::size - 1)};
  }
  return None;
}

}  // namespace nd
