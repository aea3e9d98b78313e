// The choice of a row by LABOR from a list, by a warp:
//
//   1. list_part     List the edges whose ratio is at or below a limit, which slightly more edges than wanted are
//                    expected to be. O(row / warp size), a random word per edge.
//   2. least         Rank the listed edges. The k least are taken.
//   3. write_listed  Write their indices in row order.
//
// The rank of an edge is the high half of its number, or with weights 32 bits of the ratio of number and bias. If equal
// ranks leave the choice open, or the list does not fit, driver/laborchoice.cuh searches the row itself. So ranks and
// limits affect the speed and never the choice.
#pragma once
#include "driver/choose.cuh"
#include "driver/laborchoice.cuh"

namespace nd {

constexpr u32 WarpListed = 128;     // listed edges per warp
constexpr u32 ListedPicks = 40;     // the largest number of picks that is searched in a list
constexpr u32 ReadsAhead = 8;       // edges of a lane that are read together: loads in flight
constexpr u32 LongRow = 1024;       // edges of a row that takes long to read again
constexpr u32 SampledBiases = 256;  // biases of a row from which their sum is estimated

// ListLimit is the limit on the ratios of a list. The ratios at or below it have ranks of 32 bits.
struct ListLimit {
  u64 limit;
  u32 factor, shift;  // limit < factor << shift, and factor has at most 32 bits
  bool weighted;

  ND_FN ListLimit(u64 limit, bool weighted) : limit(limit), weighted(weighted) {
    u32 bits = 64 - leading_zeros(limit);
    shift = bits > 31 ? bits - 31 : 0;
    factor = (u32)(limit >> shift) + 1;
  }
  // may_include returns false only if no number with this high half, divided by the bias, is at or below the limit.
  ND_FN bool may_include(u32 high, u32 bias) const {
    if (!weighted) return high <= (u32)(limit >> 32);
    u64 least = shift < 32 ? (u64)high << (32 - shift) : high >> (shift - 32);
    return least < (u64)factor * bias;
  }
  // includes returns whether an edge that may be included is, and its rank.
  ND_FN bool includes(u64 stream, u32 vertex, u32 high, u32 bias, u32& rank) const {
    if (!weighted) {
      rank = high;
      return high < (u32)(limit >> 32) || (u32)limit == None || (u32)key_of(stream, vertex) <= (u32)limit;
    }
    Ratio r{number_of(stream, vertex), bias};
    u32 bits = 64 - leading_zeros(limit);
    rank = (u32)((bits > 32 ? r.word >> (bits - 32) : r.word) / bias);
    return r.within(limit);
  }
};

// EdgeList is a list of edges in any order, in shared memory of the calling warp.
struct EdgeList {
  u32 *ranks, *places;  // WarpListed numbers each
  u32* count;           // one number: the edges that are listed, or do not fit

  // shared returns the list of the calling warp. An expansion is not in use while edges are selected.
  ND_FN static EdgeList shared() {
    static_assert(2 * WarpListed * Team::warps <= TilePicks, "the lists fit the picks");
    Expansion x = Expansion::shared();
    u32 warp = thread_index() / WarpSize;
    u32* at = x.picks + warp * (2 * WarpListed);
    return {at, at + WarpListed, x.counts + warp};
  }
  // clear empties the list. All lanes call it, after the earlier list has been read.
  ND_FN void clear() const {
    Warp::sync();
    if (lane_index() == 0) *count = 0;
    Warp::sync();
  }
  // add adds an edge at a place of the list.
  ND_FN void add(u32 at, u32 rank, u32 place) const {
    if (at >= WarpListed) return;
    ranks[at] = rank;
    places[at] = place;
  }
};

// four_at returns four elements of the indices, 16 bytes at a multiple of 16. An element past the last one is None.
ND_FN Quad four_at(const Graph& g, u64 position) {
  if (position + 4 <= g.edges + 1) return fetch_far((const Quad*)(g.indices + position));
  u32 x[4];
  for (u32 i = 0; i < 4; i++) x[i] = position + i < g.edges ? fetch_far(g.indices + position + i) : None;
  return {x[0], x[1], x[2], x[3]};
}

// is_plain returns whether the choices of a step are unweighted, without excluded edges, and its indices aligned.
ND_FN bool is_plain(const Step& step) {
  return !step.weighted && !step.excluded_count && (u64)step.g.indices % sizeof(Quad) == 0;
}

// list_plain is list_part for a plain step. A lane reads four edges at once.
ND_FN void list_plain(const RowPart& part, const ListLimit& limit, EdgeList to) {
  constexpr u32 quads = ReadsAhead / 4;
  u64 row = part.range.row.first, end = row + part.end;
  u32 high_limit = (u32)(limit.limit >> 32);
  for (u64 from = (row + part.begin) & ~3ull; from < end; from += quads * 4 * WarpSize) {
    // 1. Read the end points.
    u32 vertex[4 * quads], hits = 0;
    u64 at = from + 4 * lane_index();
#pragma unroll
    for (u32 j = 0; j < quads; j++) {
      Quad q = at + j * 4 * WarpSize < end ? four_at(part.step.g, at + j * 4 * WarpSize) : Quad{};
      vertex[4 * j] = q.x;
      vertex[4 * j + 1] = q.y;
      vertex[4 * j + 2] = q.z;
      vertex[4 * j + 3] = q.w;
    }
    // 2. Mark those with small numbers, most often none.
#pragma unroll
    for (u32 j = 0; j < 4 * quads; j++) {
      vertex[j] = high_of(part.stream, vertex[j]);
      if (vertex[j] <= high_limit) hits |= 1u << j;
    }
    if (!Warp::vote(hits)) continue;
    // 3. Add those of the part to the list.
    u32 first = (u32)(at - row);  // may wrap around before the row
#pragma unroll
    for (u32 j = 0; j < 4 * quads; j++) {
      u32 i = first + j % 4 + j / 4 * 4 * WarpSize;
      if (i - part.begin >= part.end - part.begin) hits &= ~(1u << j);
    }
    if ((u32)limit.limit != None) {  // a limit of Poisson sampling
#pragma unroll
      for (u32 j = 0; j < 4 * quads; j++) {
        u64 p = at + j % 4 + j / 4 * 4 * WarpSize;
        if ((hits >> j & 1) && vertex[j] == high_limit &&
            number_of(part.stream, fetch(part.step.g.indices + p)) > limit.limit)
          hits &= ~(1u << j);
      }
    }
    if (!hits) continue;
    u32 place = add_atomic(to.count, count_bits(hits));
#pragma unroll
    for (u32 j = 0; j < 4 * quads; j++)
      if (hits >> j & 1) to.add(place++, vertex[j], first + j % 4 + j / 4 * 4 * WarpSize);
  }
}

// list_any is list_part for any choice, but for the exact comparison: it lists all edges that may be below the limit,
// with their end points as ranks.
ND_FN void list_any(const RowPart& part, const ListLimit& limit, EdgeList to) {
  constexpr u32 reads = 4;
  const u32 *ends = part.step.g.indices + part.range.row.first, *biases = part.step.g.biases + part.range.row.first;
  for (u32 from = part.begin; from < part.end; from += reads * WarpSize) {
    u32 vertex[reads], bias[reads];
#pragma unroll
    for (u32 j = 0; j < reads; j++) {
      u32 i = from + j * WarpSize + lane_index();
      vertex[j] = i < part.end ? fetch_far(ends + i) : 0;
      bias[j] = i >= part.end ? 0 : part.step.weighted ? fetch_far(biases + i) : 1;
    }
#pragma unroll
    for (u32 j = 0; j < reads; j++) {
      u32 i = from + j * WarpSize + lane_index();
      if (bias[j] != 0 && limit.may_include(high_of(part.stream, vertex[j]), bias[j]))
        to.add(add_atomic(to.count, 1u), vertex[j], i);
    }
  }
}

// keep_included removes the edges that are not below the limit, or excluded, from a list of list_any, and returns the
// number of the others. It writes the ranks of these.
ND_FN u32 keep_included(const RowPart& part, const ListLimit& limit, EdgeList l, u32 count) {
  u32 got = 0;
#pragma unroll 1
  for (u32 from = 0; from < count; from += WarpSize) {
    u32 i = from + lane_index(), place = 0, rank = 0;
    bool in = i < count;
    if (in) {
      u32 vertex = l.ranks[i], bias = 1;
      place = l.places[i];
      if (part.step.weighted) bias = fetch(part.step.g.biases + part.range.row.first + place);
      in = limit.includes(part.stream, vertex, high_of(part.stream, vertex), bias, rank) &&
           !(part.range.excluded && part.range.is_excluded(place));
    }
    u32 votes = ballot(~0u, in);
    Warp::sync();
    if (in) l.add(got + lanes_below(votes), rank, place);
    got += count_bits(votes);
  }
  Warp::sync();
  return got;
}

// list_part lists the edges of a part of a row that are at or below a limit, as many as fit, and returns the number of
// all. Plain is whether the step is.
template <bool Plain> ND_FN u32 list_part(const RowPart& part, const ListLimit& limit, EdgeList to) {
  to.clear();
  if constexpr (Plain) list_plain(part, limit, to);
  else list_any(part, limit, to);
  Warp::sync();
  u32 count = *to.count;
  return Plain || count > WarpListed ? count : keep_included(part, limit, to, count);
}

// limit_of returns a limit at or below which about `expected` edges of a row are. The sum of the biases of a long row
// is estimated.
ND_FN u64 limit_of(const RowPart& part, const LaborNode& n, f32 expected) {
  if (expected >= (f32)n.eligible) return ~0ull;
  if (!part.step.weighted) return limit_for(expected, n.eligible) | None;  // which the high half decides
  u32 degree = n.row.degree, some = min_of(degree, SampledBiases);
  u64 sum = 0;
  for (u32 i = lane_index(); i < some; i += WarpSize)
    sum += fetch(part.step.g.biases + n.row.first + (u64)i * degree / some);
  return limit_for(expected * rough_quotient((f32)some, (f32)degree), Warp::sum(sum));
}

// least marks the k edges of least rank among the n edges of a list: bit l of votes[j] is edge j * WarpSize + l. It
// returns false if equal ranks leave the choice open. Each is the number of edges per lane.
template <u32 Each> ND_FN bool least(EdgeList l, u32 n, u32 k, u32* votes) {
  constexpr u32 step = 4;  // ranks that are read together
  u32 mine[Each], upto[Each] = {}, all = 0;
  if (lane_index() < step && n + lane_index() < WarpListed) l.ranks[n + lane_index()] = None;
  Warp::sync();
#pragma unroll
  for (u32 j = 0; j < Each; j++)
    mine[j] = j * WarpSize + lane_index() < n ? l.ranks[j * WarpSize + lane_index()] : None;
  for (u32 i = 0; i < n; i += step) {
#pragma unroll
    for (u32 m = 0; m < step; m++) {
      u32 other = l.ranks[i + m];
#pragma unroll
      for (u32 j = 0; j < Each; j++) upto[j] += other <= mine[j];
    }
  }
#pragma unroll
  for (u32 j = 0; j < Each; j++) {
    votes[j] = ballot(~0u, j * WarpSize + lane_index() < n && upto[j] <= k);
    all += count_bits(votes[j]);
  }
  return all == k;
}

// write_listed writes the places of the marked edges of a list, in row order.
template <u32 Each> ND_FN void write_listed(EdgeList l, const u32* votes, u32* to) {
  u32 got = 0, *taken = l.ranks;  // the ranks are not needed any more
  Warp::sync();
#pragma unroll
  for (u32 j = 0; j < Each; j++) {
    if (votes[j] >> lane_index() & 1) taken[got + lanes_below(votes[j])] = l.places[j * WarpSize + lane_index()];
    got += count_bits(votes[j]);
  }
  Warp::sync();
  for (u32 i = lane_index(); i < got; i += WarpSize) {
    u32 mine = taken[i], before = 0;
    for (u32 other = 0; other < got; other++) before += taken[other] < mine;
    to[before] = mine;
  }
}

// take_listed makes the choice of a node from a list of `count` edges, and stores it. It returns false if the list does
// not suffice. take_some is the same for a list of at most Each edges per lane.
template <u32 Each>
ND_FN bool take_some(const NeighborSampler& a, const LaborNode& n, EdgeList l, u32 count, PickSpace& space) {
  u32 votes[Each], k = n.searches ? n.takes : count;
  if (!least<Each>(l, count, k, votes)) return false;
  u32* to = space.take(k);
  if (!to) return true;  // reported
  write_listed<Each>(l, votes, to);
  if (lane_index() == 0) store_choice(a, n, k, to);
  return true;
}
ND_FN bool take_listed(const NeighborSampler& a, const LaborNode& n, EdgeList l, u32 count, PickSpace& space) {
  if (count > WarpListed || (n.searches && count < n.takes)) return false;
  return count <= WarpSize ? take_some<1>(a, n, l, count, space)
                           : take_some<WarpListed / WarpSize>(a, n, l, count, space);
}

// expected_listed returns the number of edges that the list of a row is expected to have. One list in several hundred
// has fewer edges than are wanted, or hardly any of the rows that take long to read again.
ND_FN f32 expected_listed(const LaborNode& n, bool surely) {
  return (f32)(surely ? n.takes + n.takes / 2 + 24 : n.takes + n.takes / 4 + 9);
}

// choose_row makes the choice of a node whose row is read, by a warp, and stores it.
template <bool Plain>
ND_FN void choose_row(const NeighborSampler& a, const Step& step, const LaborNode& n, EdgeList l, PickSpace& space) {
  RowPart part = RowPart::of<Warp>(step, n);
  f32 expected = expected_listed(n, n.row.degree > LongRow);
#pragma unroll 1
  for (u32 tries = 0; tries < 4; tries++) {
    ListLimit limit(n.searches ? limit_of(part, n, expected) : n.limit, step.weighted);
    u32 count = list_part<Plain>(part, limit, l);
    if (take_listed(a, n, l, count, space)) return;
    if (!n.searches) break;
    expected *= count < n.takes ? 2.0f : 0.6f;
  }
  choose_by_search<Warp>(a, step, n, space.phase);
}

}  // namespace nd
