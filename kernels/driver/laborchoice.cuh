// LaborChoice chooses by the random numbers of end points, which all nodes of a hop share (LABOR). A node takes the
// edges whose end points have the smallest numbers, divided by the biases if the choice is weighted, or all edges below
// a limit (Poisson sampling). The twin of takeLabor in gonextdoor/app.
//
// A choice reads the complete row, and with Poisson sampling the number of edges is known only then. So the choices of
// a step are made before its edges get places: see driver/laborselect.cuh, which stores the picks of each node. This
// file makes the choice of one row, by a group of threads. Per warp of the group:
//
//   1. list      List the edges of the warp's part of the row that are below a limit, which slightly more edges than
//                wanted are expected to be. O(part / warp size), a word per edge.
//   2. cut_at    Search the cut among the listed edges, which are in registers (selector/sequentialpoisson.cuh).
//   3. write     Write the edges up to the cut, in row order.
//
// If more edges are wanted than fit the lists, or a list overflows repeatedly, the cut is searched in the row itself.
#pragma once
#include "driver/choicekey.cuh"
#include "driver/hopfrontier.cuh"
#include "driver/rangechoice.cuh"
#include "selector/sequentialpoisson.cuh"

namespace nd {

constexpr u32 LaneListed = 2;                      // listed edges per lane, in registers
constexpr u32 WarpListed = LaneListed * WarpSize;  // listed edges per warp
constexpr u32 ListedPicks = 40;                    // the largest number of picks that is searched in lists
constexpr u32 ReadsAhead = 8;                      // edges of a lane that are read together: loads in flight

// NeighborSampler::labor_counters has the counters, in separate sectors, then the lists of driver/laborselect.cuh. The
// first counter is of the memory for picks.
constexpr u32 LaborCounterStride = 8, LaborCounterWords = 128;

// LaborNode is a frontier node: its row, the random numbers of its end points, and what it takes.
struct LaborNode {
  RowOf<u64> row;
  u64 stream;     // the key of an end point in the stream is its random number
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

// ListedEdges are the edges that a warp has listed, in registers. They are a Source.
struct ListedEdges {
  Ratio ratios[LaneListed];
  u32 places[LaneListed];

  template <class Visit> ND_FN void each(Visit visit) const {
#pragma unroll
    for (u32 j = 0; j < LaneListed; j++) visit(ratios[j], places[j]);
  }
  template <class G, class Yes> ND_FN u32 count(Yes yes) const {
    u32 n = 0;
    each([&](const Ratio& r, u32) {
      if constexpr (G::size == WarpSize) n += count_bits(ballot(~0u, yes(r)));
      else n += yes(r);
    });
    if constexpr (G::size == WarpSize) return n;
    else return (u32)G::sum(n);
  }
};

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
    return {key_of(stream, fetch(step.g.indices + range.row.first + i)),
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

  // list writes the first WarpListed indices of the edges at or below a limit to `to`, and returns the number of all.
  ND_FN u32 list(u64 limit, u32* to) const {
    u32 got = 0;
    const u32 *ends = step.g.indices + range.row.first, *biases = step.g.biases + range.row.first;
    for (u32 from = begin; from < end; from += ReadsAhead * WarpSize) {
      u32 vertex[ReadsAhead], bias[ReadsAhead];
#pragma unroll
      for (u32 j = 0; j < ReadsAhead; j++) {
        u32 i = from + j * WarpSize + lane_index();
        vertex[j] = i < end ? fetch_far(ends + i) : 0;
        bias[j] = i >= end ? 0 : step.weighted ? fetch_far(biases + i) : 1;
      }
#pragma unroll
      for (u32 j = 0; j < ReadsAhead; j++) {
        u32 i = from + j * WarpSize + lane_index();
        Ratio r{key_of(stream, vertex[j]), bias[j]};
        bool in = bias[j] != 0 && r.within(limit) && !(range.excluded && range.is_excluded(i));
        u32 votes = ballot(~0u, in), at = got + lanes_below(votes);
        if (in && at < WarpListed) to[at] = i;
        got += count_bits(votes);
      }
    }
    return got;
  }

  // load reads the edges with `count` listed indices. If indices is 0, these are the first of the row.
  ND_FN ListedEdges load(const u32* indices, u32 count) const {
    ListedEdges l;
#pragma unroll
    for (u32 j = 0; j < LaneListed; j++) {
      u32 i = j * WarpSize + lane_index();
      bool has = i < count;
      l.places[j] = has && indices ? indices[i] : i;
      l.ratios[j] = has ? ratio(l.places[j]) : Ratio{0, 0};
    }
    return l;
  }
};

// ListedCount is the number of edges that the warps of a group have listed, and whether each list has room for them.
struct ListedCount {
  u32 all;
  bool fits;

  template <class G> ND_FN static ListedCount of(u32 mine) {
    if constexpr (G::size == WarpSize) return {mine, mine <= WarpListed};
    constexpr u64 full = 1ull << 40;
    u64 sum = G::sum(lane_index() == 0 ? mine + (mine > WarpListed ? full : 0) : 0);
    return {(u32)sum, sum < full};
  }
};

// PickSpace allocates memory for picks. A warp takes it in chunks, so that few atomic operations are needed. At most
// half of a chunk is wasted: gonextdoor/engine/gpu/neighborlaunch.go allocates NeighborSampler::picks accordingly.
struct PickSpace {
  static constexpr u32 chunk = 256;
  const NeighborSampler& a;
  u32 phase;
  u64 at = 0, end = 0;

  // take returns memory for `count` picks of a group G, or 0 if there is none left, which it reports.
  template <class G> ND_FN u32* take(u32 count) {
    bool shared = G::size == WarpSize && count <= chunk / 2;
    if (!shared || end - at < count) {
      u64 first = 0;
      if (G::rank() == 0) first = add_atomic(a.labor_counters, (u64)(shared ? chunk : count));
      first = G::from(first, 0);
      if (first + (shared ? chunk : count) > a.pick_capacity) {
        if (G::rank() == 0) report_fault(a, phase, FaultEdges, a.edge_capacity + 1);
        return nullptr;
      }
      if (!shared) return a.picks + first;
      at = first;
      end = first + chunk;
    }
    at += count;
    return a.picks + at - count;
  }
};

// search_row is cut_at for the row itself.
template <class G> ND_COLD Cut search_row(RowPart part, bool weighted, u32 k, u32 eligible, u64 guess) {
  return cut_at<G>(part, weighted, k, Bound{~0ull, eligible, 0}, guess, true);
}

// write_row is write_taken for the row itself.
template <class G> ND_COLD void write_row(RowPart part, Cut cut, u32* to) { write_taken<G>(part, cut, to); }

// choose_labor makes the choice of a node whose row is read, by the group G, and stores it. `listed` is memory of the
// calling warp for WarpListed numbers.
template <class G>
ND_FN void choose_labor(const NeighborSampler& a, const Step& step, const LaborNode& n, u32* listed, PickSpace& space) {
  RowPart part = RowPart::of<G>(step, n);
  bool weighted = step.weighted, fits = false;
  u32 k = n.takes, mine = 0;
  ListedEdges edges;
  Cut cut;
  G::sync();  // the earlier choice has read its list
  if (!n.searches) {
    // 1. The limit is known.
    cut.limit = n.limit;
    mine = part.list(cut.limit, listed);
    G::sync();
    ListedCount c = ListedCount::of<G>(mine);
    fits = c.fits;
    k = c.all;
    if (fits) edges = part.load(listed, mine);
  } else {
    // 2. Search it, in a list if possible.
    u64 sum = weighted ? part.bias_sum<G>() : n.eligible;
    if (G::size == WarpSize && n.row.degree <= WarpListed) {
      fits = true;
      edges = part.load(nullptr, n.row.degree);
      cut = cut_at<G>(edges, weighted, k, Bound{~0ull, n.eligible, 0}, limit_for((f32)k + 0.5f, sum), true);
    }
    f32 expected = (f32)(k + k / 4 + 9);
    for (u32 tries = 0; tries < 4 && !fits && k <= ListedPicks; tries++) {
      u64 limit = limit_for(expected, sum);
      mine = part.list(limit, listed);
      G::sync();
      ListedCount c = ListedCount::of<G>(mine);
      fits = c.fits && c.all >= k;
      if (fits) {
        edges = part.load(listed, mine);
        u64 guess = high_product(limit, (u64)(rough_quotient((f32)k + 0.5f, (f32)c.all + 1) * 4294967296.0f) << 32);
        cut = cut_at<G>(edges, weighted, k, Bound{limit, c.all, 0}, guess, false);
      }
      expected *= c.all < k ? 2.0f : 0.6f;
    }
    if (!fits) cut = search_row<G>(part, weighted, k, n.eligible, limit_for((f32)k + 0.5f, sum));
  }
  // 3. Write the picks.
  u32* to = space.take<G>(k);
  if (!to) return;
  if (fits) write_taken<G>(edges, cut, to);
  else write_row<G>(part, cut, to);
  if (G::rank() == 0) {
    a.choice_counts[n.at] = k;
    a.choice_picks[n.at] = (u64)to;
  }
}

struct LaborChoice {
  using Few = Warp;
  static constexpr bool may_reject = false, has_long_draws = false, queues_choices = false, selects_ahead = true;

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
