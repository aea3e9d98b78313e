// Sequential Poisson sampling: the k candidates with the smallest ratios of word and bias, the first ones in row order
// among equals. The twin of selector.SequentialPoisson.
//
// The choice is found as a Cut, a bound on the ratios, by counting the candidates below trial bounds. A trial bound is
// interpolated between two others, as if the ratios were uniform. So a few passes over the candidates suffice, without
// memory for them and without sorting, for any number of candidates and picks. Rounding of the trial bounds changes the
// number of passes only.
//
// A Source of candidates has two members, which all threads of a group call:
//
//   each(visit)     calls visit(ratio, place) in each thread for its candidates; a bias of 0 marks a missing one.
//                   Consecutive candidates are in consecutive lanes, later warps have later candidates
//   count<G>(yes)   returns the number of candidates for which yes(ratio) holds, to all threads of the group
#pragma once
#include "core/draw.cuh"
#include "core/group.cuh"

namespace nd {

// Ratio is a candidate: its random word divided by its bias, which is 1 if the choice is unweighted. A candidate of
// bias 0 is never taken.
struct Ratio {
  u64 word;
  u32 bias;

  // within returns whether the integer part of the ratio is at most limit: word < (limit + 1) * bias.
  ND_FN bool within(u64 limit) const {
    if (bias == 1) return word <= limit;
    u64 low = limit * bias, upto = low + bias;
    return high_product(limit, bias) + (upto < low) != 0 || word < upto;
  }
  // fraction_within returns whether the ratio's fraction, times 2^64 and rounded down, is at most limit. part is the
  // ratio's integer part. Two ratios with equal parts and equal rounded fractions are equal, since biases have 32 bits.
  ND_FN bool fraction_within(u64 part, u64 limit) const {
    u64 rest = word - part * bias, low = limit * bias, upto = low + bias,
        high = high_product(limit, bias) + (upto < low);
    return rest < high || (rest == high && upto > 0);
  }
};

enum Standing : u32 { Beyond, Tied, Taken };

// Cut is a bound on the ratios of a choice. Candidates with an integer part below limit are taken. Those whose integer
// part is limit are taken by `rule`: all, those with a fraction of at most `fraction`, or also of these with equal
// fractions only the first `ties`.
struct Cut {
  enum Rule : u32 { All, ByFraction, ByOrder };
  u64 limit = ~0ull, fraction = 0;
  u32 ties = 0, rule = All;

  ND_FN Standing of(const Ratio& r) const {
    if (!r.within(limit)) return Beyond;
    if (rule == All || (limit > 0 && r.within(limit - 1))) return Taken;
    if (!r.fraction_within(limit, fraction)) return Beyond;
    return rule == ByFraction || (fraction > 0 && r.fraction_within(limit, fraction - 1)) ? Taken : Tied;
  }
};

// Bound is the result of search_bound: a limit at or below which are `upto` candidates. Either that is the number
// wanted, or it is more, and only `below` candidates are below the limit.
struct Bound {
  u64 limit;
  u32 upto, below;
};

// search_bound searches a limit at or below which are k candidates. `upto` are at or below b.limit, more than k or
// exactly k. count(limit) returns the number at or below a limit. guess is the first limit to be tried. open is whether
// b.limit bounds all numbers, so that it tells nothing about those of the candidates.
template <class Count> ND_FN Bound search_bound(u32 k, Bound b, u64 guess, bool open, Count count) {
  constexpr u32 interpolated = 8;  // passes, before the interval is halved
  u64 from = 0;
  for (u32 pass = 0; b.upto != k && from < b.limit; pass++) {
    // 1. Count the candidates at or below a limit.
    u64 at = guess < from ? from : guess < b.limit ? guess : b.limit - 1;
    u32 n = count(at);
    if (n < k) {
      from = at + 1;
      b.below = n;
    } else {
      b.limit = at;
      b.upto = n;
      open = false;
    }
    // 2. Choose the next limit.
    u64 width = b.limit - from, more = open ? at / (n + 1) * (k - n + 1) : 0;
    f32 share = rough_quotient((f32)(k - b.below) + 0.5f, (f32)(b.upto - b.below) + 1);
    if (pass >= interpolated || (open && more > width)) guess = from + width / 2;
    else guess = open ? at + more : from + high_product(width, (u64)(share * 4294967296.0f) << 32);
  }
  return b;
}

// limit_for returns a limit at or below which about `expected` candidates are, if the sum of all biases is `sum`.
ND_FN u64 limit_for(f32 expected, u64 sum) {
  f32 share = rough_quotient(expected, (f32)sum);
  return share < 0.99f ? (u64)(share * 18446744073709551616.0f) : ~0ull - 1;
}

// cut_at returns the cut that takes k of the candidates of a source. b and open are those of search_bound.
template <class G, class Source>
ND_FN Cut cut_at(const Source& source, bool weighted, u32 k, Bound b, u64 guess, bool open) {
  // 1. By the integer parts.
  b = search_bound(k, b, guess, open, [&](u64 limit) {
    return source.template count<G>([&](const Ratio& r) { return r.within(limit); });
  });
  Cut cut;
  cut.limit = b.limit;
  if (b.upto == k) return cut;
  // 2. By the fractions of those with equal integer parts.
  cut.ties = k - b.below;
  cut.rule = Cut::ByOrder;
  if (!weighted) return cut;
  auto inside = [&](const Ratio& r, u64 fraction) {
    return r.within(b.limit) && !(b.limit > 0 && r.within(b.limit - 1)) && r.fraction_within(b.limit, fraction);
  };
  Bound f = search_bound(cut.ties, Bound{~0ull, b.upto - b.below, 0}, ~0ull / 2, false, [&](u64 fraction) {
    return source.template count<G>([&](const Ratio& r) { return inside(r, fraction); });
  });
  cut.fraction = f.limit;
  // 3. Equal ratios are taken in row order.
  if (f.upto == cut.ties) cut.rule = Cut::ByFraction;
  cut.ties -= f.below;
  return cut;
}

// earlier returns the sum of n over the warps of G before that of the calling thread. n is equal in all lanes of a
// warp.
template <class G> ND_FN u32 earlier(u32 n) {
  if constexpr (G::size == WarpSize) return 0;
  else return (u32)G::scan(lane_index() == 0 ? n : 0) - n;
}

// write_taken writes the places of the candidates that a cut takes, in order.
template <class G, class Source> ND_FN void write_taken(const Source& source, const Cut& cut, u32* to) {
  u32 tied = 0, got = 0;
  // 1. Count those of earlier warps.
  if constexpr (G::size > WarpSize) {
    u32 taken = 0, ties = 0;
    source.each([&](const Ratio& r, u32) {
      Standing s = cut.of(r);
      taken += count_bits(ballot(~0u, s == Taken));
      ties += count_bits(ballot(~0u, s == Tied));
    });
    tied = earlier<G>(ties);
    u32 left = cut.ties > tied ? cut.ties - tied : 0;
    got = earlier<G>(taken + (left < ties ? left : ties));
  }
  // 2. Write.
  source.each([&](const Ratio& r, u32 place) {
    Standing s = cut.of(r);
    u32 ties = ballot(~0u, s == Tied);
    bool takes = s == Taken || (s == Tied && tied + lanes_below(ties) < cut.ties);
    u32 taken = ballot(~0u, takes);
    if (takes) to[got + lanes_below(taken)] = place;
    tied += count_bits(ties);
    got += count_bits(taken);
  });
}

}  // namespace nd
