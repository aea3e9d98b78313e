// RowChoice chooses among the edges of complete rows: uniformly at random, with or without excluded edges, or in
// proportion to their biases by alias tables. driver/choose.cuh describes the members of a choice.
#pragma once
#include "driver/candidates.cuh"
#include "driver/choicekey.cuh"
#include "selector/permute.cuh"
#include "selector/successive.cuh"
#include "selector/uniform.cuh"

namespace nd {

// search_with_bias returns the index of the j-th positive bias, which must exist. O(degree).
ND_COLD u32 search_with_bias(const u32* biases, u32 j) {
  for (u32 i = 0;; i++)
    if (fetch(biases + i) && j-- == 0) return i;
}

struct RowChoice {
  using Few = Lane;
  static constexpr bool may_reject = false, has_long_draws = false, queues_choices = true, selects_ahead = false;
  static constexpr bool inserts = true;

  // candidates reads the row and, if the choice is weighted, the number of edges with a positive bias; it searches the
  // excluded edges if there are any.
  ND_FN static Candidates candidates(const NeighborSampler&, const Step& step, u32 v, u32, u64) {
    Candidates c{row_of(step.g, v), 0, 0};
    c.count = c.row.degree;
    if (step.excluded_count)
      c.count -= (u32)(excluded_before(step, c.row.first + c.row.degree) - excluded_before(step, c.row.first));
    c.takes = takes_of(step, step.weighted ? fetch(step.g.biased + v) : c.count);
    return c;
  }

  ND_FN static u64 key(const NeighborSampler& a, const Step& step, u32 batch, u32 tree, u32 v, u64) {
    return key_of_choice(a, step, batch, tree, v);
  }

  ND_FN static bool is_drawn(const Step& step) { return !step.replace && step.fanout != NoEdge; }
  ND_FN static bool bounds_tiles(const Step& step) { return !step.replace; }
  ND_FN static bool takes_all(const Step& step, const Candidates& c) { return c.count <= (u32)step.fanout; }

  // An unweighted draw is the number of a candidate; a weighted one is the place of an edge within the row, as weighted
  // steps exclude no edges.
  ND_FN static u32 draw(const Step& step, const Candidates& c, u64 key, u32 j, u32 k) {
    u64 word = word_of(key, j);
    if (!step.weighted) return uniform_draw(word, step.replace ? c.count : permute_bound(k, c.count, j));
    return alias_draw(step.g, c.row, word).place;
  }
  ND_FN static u32 in_order(const Step& step, const Candidates& c, u64, u32 j) {
    return step.weighted && c.takes < c.count ? search_with_bias(step.g.biases + c.row.first, j) : j;
  }
  ND_FN static u64 position_of(const Step& step, const Candidates& c, u32 number) {
    return step.excluded_count ? search_position(step, c, number) : c.row.first + number;
  }

  // again stops before it scans the row of a hub, if the step has a queue.
  template <class G>
  ND_FN static u32 again(const NeighborSampler& a, const Step& step, const Candidates& c, u64 key, u32* picks) {
    u32 k = (u32)step.fanout;
    if (!step.weighted) {
      settle<G>(k, c.count, picks);
      return k;
    }
    u32 got = successive_draws<G>(step.g, c.row, key, k, picks);
    if (got == c.takes || (step.hubs && c.count > a.hub_degree)) return got;
    return successive_rest<G>(step.g, c.row, key, k, got, picks);
  }
  // finish completes a choice that `again` has left incomplete after `got` picks.
  template <class G> ND_FN static void finish(const Step& step, const Candidates& c, u64 key, u32 got, u32* picks) {
    successive_rest<G>(step.g, c.row, key, (u32)step.fanout, got, picks);
  }
  // complete makes the choice of a node from the queue.
  ND_FN static void complete(const Step& step, const Candidates& c, u64 key, u32* picks) {
    successive<Team>(step.g, c.row, key, (u32)step.fanout, picks);
  }
};

}  // namespace nd
