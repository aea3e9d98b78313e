// Race takes the k of n candidates that arrive first: the twin of selector.Race. Candidate i arrives at a random time
// with an exponential distribution whose rate is its bias, so the picks have the distribution of ScanWithout, in their
// order. It is one pass over the biases, with a random word for each. All ranks of a group call the functions together,
// with the same arguments.
#pragma once
#include "core/draw.cuh"
#include "core/group.cuh"

namespace nd {

// arrival_time returns -log2(word / 2^64) with 57 fraction bits: the twin of selector.ArrivalTime.
ND_FN u64 arrival_time(u64 word) {
  constexpr u64 log_factors[30] = {
      0x12b803473f7ad0f, 0xa4d3c25e68dc58, 0x570068e7ef5a1e, 0x2cc7edf592262d, 0x16bad3758efd87, 0xb73cb42e16915,
      0x5bf942dbbc214,   0x2e1388daf558f,  0x170f83ff0a756,  0xb89329ba1fa3,   0x5c4f58bde55f,   0x2e291d854380,
      0x1714eb11fa53,    0xb8a8c9d8bea,    0x5c54c1400b9,    0x2e2a77b51f0,    0x1715419fdb9,    0xb8aa241419,
      0x5c5517cf5d,      0x2e2a8d5903,     0x17154708d6,     0xb8aa39b80,      0x5c551d386,      0x2e2a8eb34,
      0x1715475f6,       0xb8aa3b12,       0x5c551d8f,       0x2e2a8ec9,       0x17154765,       0xb8aa3b2,
  };
  if (word == 0) word = 1;
  u32 zeros = leading_zeros(word);
  u64 time = (u64)zeros << 57, y = word << zeros >> 1;
#pragma unroll
  for (u32 i = 0; i < 30; i++) {
    u64 grown = y + (y >> (i + 1));
    if (grown <= 1ull << 63) {
      y = grown;
      time += log_factors[i];
    }
  }
  return time + high_product((1ull << 63) - y, 0x5c551d94ae0bf86ull);
}

// arrives_after returns whether the time of a candidate is certainly after `last`, without computing it: a logarithm is
// at most 0.0861 above the line between powers of two, so the time is at least that of the line less 1/8.
ND_FN bool arrives_after(u64 word, u64 bias, f64 last) {
  u32 zeros = leading_zeros(word);
  if (zeros >= 63) return false;
  u64 below_one = (word << zeros << 1) >> 7;  // the fraction, with 57 bits
  u64 least = ((u64)(zeros + 1) << 57) - below_one, slack = 1ull << 54;
  return least > slack && (f64)(least - slack) > last * (f64)bias * 1.0000001;
}

// Arrivals is the first k arrivals so far, in their order. Times are the bits of floating-point numbers, which compare
// as integers since none is negative. Both arrays have min(k, n) elements in memory that all ranks share.
template <class G> struct Arrivals {
  u32* picks;
  u64* times;
  u32 k;
  u32 count = 0;

  // last returns the time before which a candidate must arrive to be inserted.
  ND_FN u64 last() const { return count < k ? ~0ull : times[k - 1]; }

  // insert adds candidate i, after those that arrive at the same time.
  ND_FN void insert(u32 i, u64 time) {
    u64 earlier = 0;
    for (u32 j = G::rank(); j < count; j += G::size) earlier += times[j] <= time;
    u32 at = (u32)G::sum(earlier);
    for (u32 end = count < k ? count : k - 1, moved; end > at; end -= moved) {  // from the last on, to the next place
      moved = end - at < G::size ? end - at : G::size;
      u32 j = end - moved + G::rank(), pick = 0;
      u64 of = 0;
      if (G::rank() < moved) {
        of = times[j];
        pick = picks[j];
      }
      G::sync();
      if (G::rank() < moved) {
        times[j + 1] = of;
        picks[j + 1] = pick;
      }
      G::sync();
    }
    if (G::rank() == 0) {
      times[at] = time;
      picks[at] = i;
    }
    if (count < k) count++;
    G::sync();
  }
};

// race makes up to k picks among n candidates, and returns their number. times has min(k, n) elements. bias(i) is
// called once per candidate.
template <class G, class Bias> ND_FN u32 race(u64 key, u32 k, u32 n, u64* times, Bias bias, u32* picks) {
  Arrivals<G> arrivals{picks, times, k};
  if (k == 0) return 0;
  u64 last = ~0ull;
  for (u64 first = 0; first < n; first += G::size) {
    u64 i = first + G::rank(), rate = i < n ? bias((u32)i) : 0, time = ~0ull;
    if (rate > 0) {
      u64 word = word_of(key, i);
      if (last == ~0ull || !arrives_after(word, rate, float_of_bits(last)))
        time = bits_of_float((f64)arrival_time(word) / (f64)rate);
    }
    for (;;) {
      u32 r = G::first(time < last);
      if (r == None) break;
      arrivals.insert((u32)(first + r), G::from(time, r));
      if (G::rank() == r) time = ~0ull;
      last = arrivals.last();
      G::sync();  // all ranks have read it
    }
  }
  return arrivals.count;
}

}  // namespace nd
