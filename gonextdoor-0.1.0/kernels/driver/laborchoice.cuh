// LaborChoice chooses by the random numbers of end points, which all nodes of a hop share (LABOR). A node takes the
// edges whose end points have the smallest numbers, divided by the biases if the choice is weighted, or all edges below
// a limit (Poisson sampling). The twin of takeLabor in gonextdoor/app.
//
// A choice reads the complete row, and with Poisson sampling the number of edges is known only then. So the choices of
// a step are made before its edges get places: see driver/laborselect.cuh, which stores the picks of each node, and
// driver/laborlist.cuh, which makes almost all choices. This file has the candidates of a row, and the choice that
// searches the row itself, for the rare rows in which a list fails.
#pragma once
#include "core/number.cuh"
#include "driver/choicekey.cuh"
#include "driver/hopfrontier.cuh"
#include "driver/rangechoice.cuh"
#include "selector/sequentialpoisson.cuh"

namespace nd {

// NeighborSampler::labor_counters has the counters, in separate sectors, then the lists of driver/laborselect.cuh. The
// first counter is of the memory for picks.
constexpr u32 LaborCounterStride = 8, LaborCounterWords = 128;

// LaborNode is a frontier node: its row, the random numbers of its end points, and what it takes.
struct LaborNode {
  RowOf<u64> row;
  u64 stream;     // the stream of the random numbers of its end points
  u64 limit;      // unless searches: the edges at or below the limit are taken
  u64 at;         // the node's index in NeighborSampler::nodes
  u32 eligible;   // edges that are not excluded and have a positive bias
  u32 takes;      // edges that the node takes; unknown with Poisson sampling if scans
  bool scans;     // the row is read
  bool searches;  // the limit is searched
};

// poisson_limit returns the largest word that selects an index below k of n, 0 < k < n: (k * 2^64 - 1) / n.
ND_FN u64 poisson_limit(u32 k, u32 n) {
  u64 high = (u64)(k - 1) << 32 | None, low = high % n << 32 | None;
  return high / n << 32 | low / n;
}

// labor_node returns the node with a local id of a batch.
ND_FN LaborNode labor_node(const NeighborSampler& a, const Step& step, u32 batch, u32 id) {
  LaborNode n{};
  n.at = node_at(a, step.destination, batch, id);
  u32 v = a.nodes[n.at];
  n.row = row_of(step.g, v);
  EdgeRange range(step, n.row);
  u32 candidates = n.row.degree - range.excluded;
  n.eligible = candidates;
  if (step.weighted) {
    n.eligible = fetch(step.g.biased + v);
    if (range.excluded) n.eligible -= (u32)(range.excluded_biased(range.excluded) - range.excluded_biased(0));
  }
  n.stream = hop_stream(a, batch, step.source, step.hop);
  n.limit = ~0ull;
  n.takes = takes_of(step, n.eligible);
  bool all = n.takes == n.eligible;
  n.scans = n.takes > 0 && n.takes < n.row.degree;
  n.searches = !all && !step.poisson;
  if (step.poisson && !all && n.takes > 0) n.limit = poisson_limit((u32)step.fanout, candidates);
  return n;
}

// RowPart is the part of a row that the calling warp of a group reads. It is a Source.
struct RowPart {
  const Step& step;
  EdgeRange range;
  u64 stream;
  u32 begin, end;

  // of returns the part of the calling warp of G.
  template <class G> ND_FN static RowPart of(const Step& step, const LaborNode& n) {
    constexpr u32 warps = G::size / WarpSize;
    u64 warp = G::rank() / WarpSize;
    return {step, EdgeRange(step, n.row), n.stream, (u32)(n.row.degree * warp / warps),
            (u32)(n.row.degree * (warp + 1) / warps)};
  }

  // ratio returns the candidate at an index of the row. Excluded edges have the bias 0.
  ND_FN Ratio ratio(u32 i) const {
    if (range.excluded && range.is_excluded(i)) return {0, 0};
    return {number_of(stream, fetch(step.g.indices + range.row.first + i)),
            step.weighted ? fetch(step.g.biases + range.row.first + i) : 1};
  }
  template <class Visit> ND_FN void each(Visit visit) const {
    for (u32 from = begin; from < end; from += WarpSize) {
      u32 i = from + lane_index();
      visit(i < end ? ratio(i) : Ratio{0, 0}, i);
    }
  }
  template <class G, class Yes> ND_FN u32 count(Yes yes) const {
    u64 n = 0;
    each([&](const Ratio& r, u32) { n += yes(r); });
    return (u32)G::sum(n);
  }

  // bias_sum returns the sum of the biases of the row.
  template <class G> ND_FN u64 bias_sum() const {
    u64 sum = 0;
    for (u32 i = begin + lane_index(); i < end; i += WarpSize) sum += fetch(step.g.biases + range.row.first + i);
    return G::sum(sum);
  }
};

// PickSpace allocates memory for picks. A warp takes it in chunks, so that few atomic operations are needed. At most
// half of a chunk is wasted: gonextdoor/engine/gpu/internal/neighbor/launch.go allocates NeighborSampler::picks
// accordingly.
struct PickSpace {
  static constexpr u32 chunk = 256;
  const NeighborSampler& a;
  u32 phase;
  u64 at = 0, end = 0;

  // take returns memory for `count` picks of a warp, or 0 if there is none left, which it reports.
  ND_FN u32* take(u32 count) {
    if (count > chunk / 2) return take_alone<Warp>(a, phase, count);
    if (end - at < count) {
      u32* first = take_alone<Warp>(a, phase, chunk);
      if (!first) return nullptr;
      at = (u64)(first - a.picks);
      end = at + chunk;
    }
    at += count;
    return a.picks + at - count;
  }
  // take_alone is take for a group G, outside of chunks.
  template <class G> ND_FN static u32* take_alone(const NeighborSampler& a, u32 phase, u32 count) {
    u64 first = 0;
    if (G::rank() == 0) first = add_atomic(a.labor_counters, (u64)count);
    first = G::from(first, 0);
    if (first + count <= a.pick_capacity) return a.picks + first;
    if (G::rank() == 0) report_fault(a, phase, FaultEdges, a.edge_capacity + 1);
    return nullptr;
  }
};

// store_choice stores the number of edges that a node takes, and the address of its picks.
ND_FN void store_choice(const NeighborSampler& a, const LaborNode& n, u32 count, const u32* picks) {
  a.choice_counts[n.at] = count;
  a.choice_picks[n.at] = (u64)picks;
}

// choose_by_search makes the choice of a node whose row is read, by the group G, and stores it. It reads the row once
// per trial limit, without a list.
template <class G> ND_COLD void choose_by_search(const NeighborSampler& a, const Step& step, LaborNode n, u32 phase) {
  RowPart part = RowPart::of<G>(step, n);
  u32 k = n.takes;
  Cut cut;
  cut.limit = n.limit;
  if (n.searches) {
    u64 sum = step.weighted ? part.bias_sum<G>() : n.eligible;
    cut = cut_at<G>(part, step.weighted, k, Bound{~0ull, n.eligible, 0}, limit_for((f32)k + 0.5f, sum), true);
  } else {
    k = part.count<G>([&](const Ratio& r) { return r.bias != 0 && r.within(cut.limit); });
  }
  u32* to = PickSpace::take_alone<G>(a, phase, k);
  if (!to) return;
  write_taken<G>(part, cut, to);
  if (G::rank() == 0) store_choice(a, n, k, to);
}

struct LaborChoice {
  using Few = Warp;
  static constexpr bool may_reject = false, has_long_draws = false, queues_choices = false, selects_ahead = true;
  static constexpr bool inserts = true;

  // is_stored returns whether the choices of a step were made ahead. Otherwise nodes take complete rows.
  ND_FN static bool is_stored(const Step& step) {
    return step.fanout != NoEdge || step.weighted || step.excluded_count;
  }
  ND_FN static Candidates candidates(const NeighborSampler& a, const Step& step, u32 v, u32, u64 at) {
    Candidates c{row_of(step.g, v), 0, 0};
    c.count = c.row.degree;
    c.takes = is_stored(step) ? a.choice_counts[at] : c.count;
    return c;
  }
  // key returns the address of the node's picks, or 0 if it takes its complete row.
  ND_FN static u64 key(const NeighborSampler& a, const Step& step, u32, u32, u32, u64 at) {
    return is_stored(step) ? a.choice_picks[at] : 0;
  }

  ND_FN static bool is_drawn(const Step&) { return false; }
  ND_FN static bool bounds_tiles(const Step&) { return false; }
  ND_FN static bool takes_all(const Step&, const Candidates& c) { return c.takes == c.count; }
  ND_FN static u32 draw(const Step&, const Candidates&, u64, u32, u32) { return 0; }  // steps are not drawn
  ND_FN static u32 in_order(const Step&, const Candidates&, u64 key, u32 j) { return key ? ((const u32*)key)[j] : j; }
  ND_FN static u64 position_of(const Step&, const Candidates& c, u32 number) { return c.row.first + number; }
  template <class G> ND_FN static u32 again(const NeighborSampler&, const Step&, const Candidates& c, u64, u32*) {
    return c.takes;
  }
};

}  // namespace nd
