// The links of an induced subgraph: all edges between the vertices of a sample.
//
// The rows of the vertices are read twice, to count the links and to write them. A row is scanned, or searched:
//
//   scan    Each rank reads LinksAhead edges of the rows at a time, and looks their ends up. Most ends are not in the
//           sample. A filter in shared memory, one bit per hash, rejects nearly all of them. The others are looked up
//           in the sample's set.
//   search  A row with more than Layered::search_ratio edges per vertex of the sample is not read. Each rank finds one
//   vertex of
//           the sample in the row at a time, by binary search, in the order of the vertices: that is the order of the
//           row.
#pragma once
#include "core/sort.cuh"
#include "driver/rowedges.cuh"

namespace nd {

constexpr u32 LinksAhead = 8;                  // edges per rank whose loads are in flight together
constexpr u32 FilterWords = 8192;              // of a block; its groups share them evenly
constexpr u32 LinksTogether = 4;               // of these, the edges that are looked up together
constexpr u32 BitsOfSum = 64 / LinksTogether;  // of one of LinksTogether sums in a word
static_assert(LayeredThreads < 1 << BitsOfSum, "a sum of one flag per rank fits its bits");

// VertexFilter is a bit set in shared memory. It contains the hashes of the vertices of a group's sample.
template <class G> struct VertexFilter {
  static constexpr u32 words = FilterWords / (LayeredThreads / G::size);
  u32* of;

  ND_FN static VertexFilter here() {
    ND_SHARED(u32, of_block, FilterWords);
    return {of_block + thread_index() / G::size * words};
  }
  ND_FN static u32 bit(u32 v) { return (u32)(v * Gamma >> 32) >> (leading_zeros(32 * words - 1) - 32); }
  ND_FN bool may_have(u32 v) const { return of[bit(v) / 32] >> bit(v) % 32 & 1; }

  // fill makes the filter that of some vertices. It leaves the group synchronised.
  ND_FN void fill(const u32* vertices, u32 count) const {
    for (u32 i = G::rank(); i < words; i += G::size) of[i] = 0;
    G::sync();
    for (u32 i = G::rank(); i < count; i += G::size) or_atomic(of + bit(vertices[i]) / 32, 1u << bit(vertices[i]) % 32);
    G::sync();
  }
};

// LinkCount counts links: the calling rank's.
struct LinkCount {
  u64 links = 0;

  ND_FN void add(const u32*, const u32* targets, const u64*) {
    for (u32 u = 0; u < LinksTogether; u++) links += targets[u] != None;
  }
  ND_FN void add_equal(u32, u32, u64, u32 count) { links += count; }
};

// LinkWriter writes links. All ranks call each function together.
template <class G> struct LinkWriter {
  const StagedSample& to;
  u64 links = 0;  // of all ranks

  ND_FN void write(u64 at, u32 source, u32 target, u64 position) const {
    to.sources()[at] = (i32)source;
    to.targets()[at] = (i32)target;
    to.link_positions()[at] = position;
  }
  // add writes LinksTogether links per rank at most, those with a target: first one of each rank, then the next.
  ND_FN void add(const u32* sources, const u32* targets, const u64* positions) {
    constexpr u64 mask = (1ull << BitsOfSum) - 1;
    u64 mine = 0;
    for (u32 u = 0; u < LinksTogether; u++) mine |= (u64)(targets[u] != None) << u * BitsOfSum;
    u64 upto = G::scan(mine), all = G::from(upto, G::size - 1);
    for (u32 u = 0; u < LinksTogether; u++) {
      if (targets[u] != None) write(links + (upto >> u * BitsOfSum & mask) - 1, sources[u], targets[u], positions[u]);
      links += all >> u * BitsOfSum & mask;
    }
  }
  // add_equal writes the links of `count` parallel edges of the calling rank, from a position on.
  ND_FN void add_equal(u32 source, u32 target, u64 position, u32 count) {
    u64 upto = G::scan(count);
    for (u32 i = 0; i < count; i++) write(links + upto - count + i, source, target, position + i);
    links += G::from(upto, G::size - 1);
  }
};

// InducedLinks are the links in the order of their sources' places and of the edges of each row. A vertex that occurs
// at several places has its links at the first. Every vertex must be in the sample's set, and the workspace must have
// the arrays of draws. write is called after count.
template <class G, class Rows> struct InducedLinks {
  // scan passes the links among the edges first ... end-1 of the lists of `ranges`, of which list 0 is at place `from`.
  template <class To>
  ND_FN static void scan(const Sample<G>& s, const ElementRanges<G>& ranges, u32 from, u64 first, u64 end, To& to) {
    VertexFilter<G> filter = VertexFilter<G>::here();
    u32 list = 0;
    for (; first < end; first += LinksAhead * G::size) {
      u32 sources[LinksAhead], ends[LinksAhead], targets[LinksAhead];
      u64 positions[LinksAhead];
#pragma unroll
      for (u32 u = 0; u < LinksAhead; u++) {
        u64 at = first + u * G::size + G::rank();
        if (at < end) list = ranges.list_with(at, list);
        sources[u] = from + list;
        positions[u] = ranges.begins[list] + at;
        ends[u] = at < end ? fetch_far(s.a.g.indices + positions[u]) : 0;
        targets[u] = at < end ? 0 : None;
      }
#pragma unroll
      for (u32 u = 0; u < LinksAhead; u++)
        if (!filter.may_have(ends[u])) targets[u] = None;
#pragma unroll
      for (u32 u = 0; u < LinksAhead; u += LinksTogether) {
        s.set.template find<LinksTogether>(ends + u, targets + u);
        to.add(sources + u, targets + u, positions + u);
      }
    }
  }

  // search passes the links of the row of the vertex at place `source`.
  template <class To> ND_FN static void search(Sample<G>& s, u32 source, To& to) {
    u64* keys = s.a.drawn + s.first;
    if (!s.sorted) {
      for (u32 i = G::rank(); i < s.count; i += G::size) keys[i] = (u64)s.vertices[i] << 32 | i;
      G::sync();
      sort_keys<G>(keys, s.count);
      s.sorted = true;
    }
    auto row = Rows::of(s.a.g, s.vertices[source]);
    const u32* ends = s.a.g.indices + row.first;
    for (u32 first = 0; first < s.count; first += G::size) {
      u32 i = first + G::rank(), count = 0, low = 0;
      u64 key = i < s.count ? keys[i] : 0;
      if (i < s.count && (i == 0 || keys[i - 1] >> 32 != key >> 32)) {
        u32 v = (u32)(key >> 32);
        for (u32 high = row.degree; low < high;) {
          u32 middle = low + (high - low) / 2;
          if (fetch(ends + middle) < v) low = middle + 1;
          else high = middle;
        }
        while (low + count < row.degree && fetch(ends + low + count) == v) count++;
      }
      to.add_equal(source, (u32)key, row.first + low, count);
    }
  }

  // each passes all links to `to`.
  template <class To> ND_FN static void each(Sample<G>& s, To& to) {
    ElementRanges<G> ranges = ElementRanges<G>::here();
    for (u32 first = 0; first < s.count; first += G::size) {
      // 1. One row per rank. Rows to search have no elements.
      u32 place = first + G::rank();
      RowOf<u64> list{0, 0};
      if (place < s.count && s.set.known_place(s.vertices[place]) == place) {
        auto row = Rows::of(s.a.g, s.vertices[place]);
        list = {row.first, row.degree};
      }
      bool searched = list.degree > s.a.search_ratio * s.count;
      if (searched) list.degree = 0;
      u64 all = ranges.set(list);
      // 2. Scan the rows up to the next that is searched.
      for (u64 at = 0;;) {
        u32 next = G::first(searched);
        u64 end = next == None ? all : ranges.ends[next];
        scan(s, ranges, first, at, end, to);
        if (next == None) break;
        search(s, first + next, to);
        searched = searched && G::rank() != next;
        at = end;
      }
    }
  }

  ND_FN static u64 count(Sample<G>& s) {
    VertexFilter<G>::here().fill(s.vertices, s.count);
    LinkCount to;
    each(s, to);
    return G::sum(to.links);
  }
  ND_FN static void write(Sample<G>& s, const StagedSample& staged) {
    LinkWriter<G> to{staged};
    each(s, to);
  }
};

}  // namespace nd
