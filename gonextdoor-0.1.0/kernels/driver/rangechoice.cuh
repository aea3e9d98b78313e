// RangeChoice chooses among a range of a row: the edges in the period of the node's tree, in rows ordered by time, or
// the complete row. It serves all steps that RowChoice does not: those with times, those by weight with excluded edges,
// and those with more draws per node than fit shared memory.
//
// Weighted choices read prefix sums over the edges of the graph, Graph::bias_sums and bias_counts, and over the
// excluded edges, Step::excluded_sums and excluded_biased. So the biases of a range have a sum in O(1), and a draw
// is a binary search. Without times, draws are by the alias table of the row, and those of excluded edges are rejected.
// The twin of takeTemporal in gonextdoor/app, and of selector.Excluding.
#pragma once
#include "driver/candidates.cuh"
#include "driver/choicekey.cuh"
#include "selector/permute.cuh"
#include "selector/successive.cuh"
#include "selector/uniform.cuh"

namespace nd {

// search_sums returns the least i below n for which upto(i + 1) exceeds r. upto is ascending, and upto(n) exceeds r.
template <class Upto> ND_FN u32 search_sums(u32 n, u64 r, Upto upto) {
  u32 low = 0;
  for (u32 high = n - 1; low < high;) {
    u32 middle = low + (high - low) / 2;
    if (upto(middle + 1) <= r) low = middle + 1;
    else high = middle;
  }
  return low;
}

// EdgeRange is a range of a row and the excluded edges in it. An index of an edge counts from the begin of the range.
struct EdgeRange {
  const Step& step;
  RowOf<u64> row;
  u64 first_excluded = 0;  // the index of the first one in step.excluded
  u32 excluded = 0;        // the number of excluded edges in the range

  ND_FN EdgeRange(const Step& step, RowOf<u64> row) : step(step), row(row) {
    if (!step.excluded_count) return;
    first_excluded = excluded_before(step, row.first);
    excluded = (u32)(excluded_before(step, row.first + row.degree) - first_excluded);
  }

  // sum returns the sum of the biases of the first n edges that are not excluded, `gone` of which are; biased returns
  // the number of those with a positive bias.
  ND_FN u64 sum(u32 n, u32 gone) const {
    u64 all = fetch(step.g.bias_sums + row.first + n) - fetch(step.g.bias_sums + row.first);
    return gone ? all - (excluded_sum(gone) - excluded_sum(0)) : all;
  }
  ND_FN u32 biased(u32 n, u32 gone) const {
    u32 all = fetch(step.g.bias_counts + row.first + n) - fetch(step.g.bias_counts + row.first);
    return gone ? all - (u32)(excluded_biased(gone) - excluded_biased(0)) : all;
  }
  ND_FN u64 sum() const { return sum(row.degree, excluded); }
  ND_FN u32 biased() const { return biased(row.degree, excluded); }
  ND_FN u64 excluded_sum(u32 i) const { return fetch(step.excluded_sums + first_excluded + i); }
  ND_FN u64 excluded_biased(u32 i) const { return fetch(step.excluded_biased + first_excluded + i); }

  // gone returns the number of excluded edges among the first n.
  ND_FN u32 gone(u32 n) const { return excluded ? (u32)(excluded_before(step, row.first + n) - first_excluded) : 0; }
  ND_FN u64 bias(u32 i) const {
    return fetch(step.g.bias_sums + row.first + i + 1) - fetch(step.g.bias_sums + row.first + i);
  }
  ND_FN bool is_excluded(u32 i) const {
    u32 before = gone(i);
    return before < excluded && fetch(step.excluded + first_excluded + before) == row.first + i;
  }

  // search_sum returns the edge at which the running sum of the biases exceeds r; search_biased the r-th edge with a
  // positive bias. Excluded edges have none. First the excluded edges before the edge are found: the sum before
  // excluded edge i is at most r for these alone.
  ND_FN u32 search_sum(u64 r) const {
    if (excluded) {
      u32 before = excluded_up_to([&](u32 n, u32 i) { return sum(n, i) <= r; });
      r += excluded_sum(before) - excluded_sum(0);
    }
    return search_sums(row.degree, r, [&](u32 n) { return sum(n, 0); });
  }
  ND_FN u32 search_biased(u32 r) const {
    if (excluded) {
      u32 before = excluded_up_to([&](u32 n, u32 i) { return biased(n, i) <= r; });
      r += (u32)(excluded_biased(before) - excluded_biased(0));
    }
    return search_sums(row.degree, r, [&](u32 n) { return (u64)biased(n, 0); });
  }

 private:
  // excluded_up_to returns the number of excluded edges i, in order, for which `precedes` of the edges before i and of
  // i holds.
  template <class Precedes> ND_FN u32 excluded_up_to(Precedes precedes) const {
    u32 low = 0;
    for (u32 high = excluded; low < high;) {
      u32 middle = low + (high - low) / 2;
      if (precedes((u32)(fetch(step.excluded + first_excluded + middle) - row.first), middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
};

// count_times returns the number of times for which `early` holds, the first ones of n.
template <class Early> ND_FN u32 count_times(const i64* times, u32 n, Early early) {
  u32 low = 0;
  for (u32 high = n; low < high;) {
    u32 middle = low + (high - low) / 2;
    if (early(fetch(times + middle))) low = middle + 1;
    else high = middle;
  }
  return low;
}

// period_of returns the edges of a row in the period of a tree, both ends included.
ND_FN RowOf<u64> period_of(const NeighborSampler& a, const i64* times, RowOf<u64> row, u32 tree) {
  i64 last = fetch(a.tree_times + tree);
  row.degree = count_times(times + row.first, row.degree, [&](i64 time) { return time <= last; });
  if (a.tree_begins) {
    i64 first = fetch(a.tree_begins + tree);
    u32 before = count_times(times + row.first, row.degree, [&](i64 time) { return time < first; });
    row.first += before;
    row.degree -= before;
  }
  return row;
}

// RangeDraws are the weighted draws of a choice in a range. An edge that was drawn is its index.
struct RangeDraws {
  static constexpr bool may_reject = true;
  EdgeRange range;
  u64 key, sum;

  ND_FN RangeDraws(const Step& step, const Candidates& c, u64 key) : range(step, c.row), key(key), sum(range.sum()) {}
  ND_FN bool distinct() const { return !range.step.replace; }
  ND_FN AliasDraw at(u64 attempt) const {
    u64 word = word_of(key, attempt);
    if (range.step.g.times) return {range.search_sum(high_product(word, sum)), 0};
    AliasDraw d = alias_draw(range.step.g, range.row, word);
    if (range.excluded && range.is_excluded(d.place)) d.place = None;
    return d;
  }

  // rest adds the picks that are missing after the first `got` of k, and returns the number of all. Their words follow
  // those of all attempts. A pick is found by binary search in the running sums without the earlier picks, whose biases
  // the group G adds up: O(k log(degree) / G::size).
  template <class G, class Picks> ND_FN u32 rest(u32 got, u32 k, Picks picks) const {
    u64 left = sum;
    bool once = distinct();
    if (once) left -= picked<G>(range.row.degree, got, picks);
    for (u64 attempt = AttemptsPerPick * range.step.fanout; got < k && left > 0; attempt++) {
      u64 r = high_product(word_of(key, attempt), left);
      u32 i = search_sums(range.row.degree, r,
                          [&](u32 n) { return range.sum(n, range.gone(n)) - (once ? picked<G>(n, got, picks) : 0); });
      if (G::rank() == 0) picks[got] = i;
      G::sync();
      got++;
      if (once) left -= range.bias(i);
    }
    return got;
  }

 private:
  // picked returns the sum of the biases of the picks among the first n edges.
  template <class G, class Picks> ND_FN u64 picked(u32 n, u32 got, Picks picks) const {
    u64 sum = 0;
    for (u32 j = G::rank(); j < got; j += G::size)
      if (picks[j] < n) sum += range.bias(picks[j]);
    return G::sum(sum);
  }
};

struct RangeChoice {
  using Few = Warp;
  static constexpr bool may_reject = true, has_long_draws = true, queues_choices = false, selects_ahead = false;
  static constexpr bool inserts = true;

  ND_FN static Candidates candidates(const NeighborSampler& a, const Step& step, u32 v, u32 tree, u64) {
    Candidates c{row_of(step.g, v), 0, 0};
    if (step.g.times) c.row = period_of(a, step.g.times, c.row, tree);
    EdgeRange range(step, c.row);
    c.count = c.row.degree - range.excluded;
    c.takes = takes_of(step, step.weighted ? range.biased() : c.count);
    return c;
  }

  ND_FN static u64 key(const NeighborSampler& a, const Step& step, u32 batch, u32 tree, u32 v, u64) {
    return key_of_choice(a, step, batch, tree, v);
  }

  // depends returns whether the draws of a node depend on one another: they must be distinct, or some are rejected.
  ND_FN static bool depends(const Step& step) {
    return step.fanout != NoEdge && !step.latest &&
           (!step.replace || (step.weighted && step.excluded_count && !step.g.times));
  }
  ND_FN static bool is_drawn(const Step& step) { return depends(step) && !step.long_draws; }
  ND_FN static bool bounds_tiles(const Step& step) { return depends(step); }
  ND_FN static bool takes_all(const Step& step, const Candidates& c) { return !step.replace && c.count <= step.fanout; }

  // An unweighted draw is the number of a candidate; a weighted one is the index of an edge in the range.
  ND_FN static u32 draw(const Step& step, const Candidates& c, u64 key, u32 j, u32 k) {
    if (step.weighted) return RangeDraws(step, c, key).at(j).place;
    return uniform_draw(word_of(key, j), step.replace ? c.count : permute_bound(k, c.count, j));
  }
  ND_FN static u32 in_order(const Step& step, const Candidates& c, u64, u32 j) {
    if (!step.weighted) return step.latest ? c.count - c.takes + j : j;
    EdgeRange range(step, c.row);
    return range.search_biased(step.latest ? range.biased() - c.takes + j : j);
  }
  ND_FN static u64 position_of(const Step& step, const Candidates& c, u32 number) {
    return step.excluded_count && !step.weighted ? search_position(step, c, number) : c.row.first + number;
  }

  template <class G>
  ND_FN static u32 again(const NeighborSampler&, const Step& step, const Candidates& c, u64 key, u32* picks) {
    u32 k = (u32)step.fanout;
    if (!step.weighted) {
      settle<G>(k, c.count, picks);
      return k;
    }
    RangeDraws draws(step, c, key);
    return draws.rest<G>(tile_draws<G>(draws, AttemptsPerPick * k, c.takes, picks), c.takes, picks);
  }
};

}  // namespace nd
