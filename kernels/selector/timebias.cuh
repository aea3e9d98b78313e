// Choices among edges in order of time, the nearest first: the twins of selector.Uniform, selector.Rank and
// selector.Decay. `among` returns the index of a candidate; there is at least one. `before` returns the word for the
// choice among the first n edges of more from `first` on: selector.DecayBefore.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"
#include "graph/temporalrows.cuh"

namespace nd {

// UniformInTime chooses uniformly at random.
struct UniformInTime {
  ND_FN static u64 before(const Graph&, u64, u32, u64 word) { return word; }
  template <class Row> ND_FN static u32 among(const Graph&, Row row, u64 word) { return below(word, row.degree).index; }
};

// LinearInTime chooses candidate i of n in proportion to n - i. The last k candidates weigh k*(k+1)/2, so the rest of
// the sum after the drawn number gives i by a square root, which is approximate and corrected by exact integers.
struct LinearInTime {
  ND_FN static u64 before(const Graph&, u64, u32, u64 word) { return word; }
  template <class Row> ND_FN static u32 among(const Graph&, Row row, u64 word) {
    u64 n = row.degree, total = n * (n + 1) / 2, rest = total - 1 - high_product(word, total);
    u64 k = (u64)(square_root((f64)(2 * rest) + 0.25) - 0.5);
    while (k * (k + 1) / 2 > rest) k--;
    while ((k + 1) * (k + 2) / 2 <= rest) k++;
    return (u32)(n - 1 - k);
  }
};

// DecayMantissa is the number of bits of the mantissa of a DecaySum. Its leading bit is not stored.
constexpr u32 DecayMantissa = 36;

// decay_times returns a DecaySum times word / 2^64, rounded down: index.DecaySum.Times.
ND_FN u64 decay_times(u64 sum, u64 word) {
  constexpr u64 one = 1ull << DecayMantissa;
  constexpr u32 leading = 63 - DecayMantissa;  // zeros before a mantissa
  u64 mantissa = (sum & (one - 1)) | one, high = high_product(mantissa, word), low = mantissa * word;
  u32 zeros = 0;
  if (high == 0) high = low, low = 0, zeros = 64;
  if (high == 0) return 0;
  u32 shift = leading_zeros(high);
  zeros += shift;
  i64 exponent = (i64)(sum >> DecayMantissa) - (i64)zeros + leading;
  if (exponent < 1) return 0;
  if (shift > 0) high = high << shift | low >> (64 - shift);
  return (u64)exponent << DecayMantissa | (high >> leading & (one - 1));
}

// decay_above maps the words to those by which decay_times returns at least a sum that is less than `sum`:
// index.DecaySum.Above.
ND_FN u64 decay_above(u64 sum, u64 least, u64 word) {
  constexpr u64 one = 1ull << DecayMantissa;
  u64 first = 1, lower = (sum >> DecayMantissa) - (least >> DecayMantissa);
  if (lower <= 64) {
    // The quotient 2^(64-lower) * dividend / divisor, of which the first 64 - lower bits, by digits of at most 26 bits.
    u64 dividend = (least & (one - 1)) | one, divisor = (sum & (one - 1)) | one, rest = dividend % divisor;
    first = dividend / divisor;
    for (u32 left = 64 - (u32)lower; left > 0;) {
      u32 bits = left < 26 ? left : 26;
      rest <<= bits;
      first = first << bits | rest / divisor;
      rest %= divisor;
      left -= bits;
    }
    if (rest > 0) first++;
  }
  return first + high_product(word, 0 - first);
}

// ExponentialInTime chooses by sums of weights: a search in steps that double, then a binary search. The first
// candidates weigh most, so few sums are read, most of them from one sector.
struct ExponentialInTime {
  ND_FN static u64 before(const Graph& g, u64 first, u32 n, u64 word) {
    return decay_above(fetch(g.decay + first), fetch(g.decay + first + n), word);
  }
  template <class Row> ND_FN static u32 among(const Graph& g, Row row, u64 word) {
    const u64* sums = g.decay + row.first;
    u64 level = decay_times(fetch(sums), word);
    u64 reach = 1;
    while (reach < row.degree && fetch(sums + reach) > level) reach *= 2;
    u32 first = (u32)(reach / 2) + 1, last = reach < row.degree ? (u32)reach : row.degree;
    while (first < last) {  // the first sum that is at most the level
      u32 middle = first + (last - first) / 2;
      if (fetch(sums + middle) > level) first = middle + 1;
      else last = middle;
    }
    return first - 1;
  }
};

}  // namespace nd
