// Choices among edges in order of time, the nearest first: the twins of selector.Uniform, selector.Rank and
// selector.Decay. Each returns the index of a candidate; there is at least one.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"
#include "graph/temporalrows.cuh"

namespace nd {

// UniformInTime chooses uniformly at random.
struct UniformInTime {
  template <class Row> ND_FN static u32 among(const Graph&, Row row, u64 word) { return below(word, row.degree).index; }
};

// LinearInTime chooses candidate i of n in proportion to n - i. The last k candidates weigh k*(k+1)/2, so the rest of
// the sum after the drawn number gives i by a square root, which is approximate and corrected by exact integers.
struct LinearInTime {
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

// ExponentialInTime chooses by sums of weights: a search in steps that double, then a binary search. The first
// candidates weigh most, so few sums are read, most of them from one sector.
struct ExponentialInTime {
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
