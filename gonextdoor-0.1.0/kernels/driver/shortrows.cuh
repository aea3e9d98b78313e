// Short rows, which a lane weighs by itself, for second-order biases. The lane caches the end points of the row in
// shared memory: at the next step they are the row of the previous vertex, so each row is read from device memory once.
// Both rows are sorted, so candidates are looked up by merging them: O(degree + previous degree) per step.
#pragma once
#include "driver/proposals.cuh"
#include "driver/weigh.cuh"

namespace nd {

constexpr u32 CachedEdges = 32;  // the length of the longest row that is cached

// LaneRows is the cache of a lane: its present and its previous row in shared memory. Element i of neighbouring lanes
// is adjacent, so lanes never conflict on a bank.
template <u32 Threads> struct LaneRows {
  u32* cells;         // 2 * CachedEdges * Threads, shared by the block
  u32 length = None;  // of the previous row; None: it is not cached
  u32 now = 0;        // which of the two halves has the present row

  ND_FN u32& present(u32 i) { return cells[(now * CachedEdges + i) * Threads + thread_index()]; }
  ND_FN u32 previous(u32 i) const { return cells[((now ^ 1) * CachedEdges + i) * Threads + thread_index()]; }
  // step makes the present row, of which `cached` elements were stored, the previous one.
  ND_FN void step(u32 cached) {
    length = cached;
    now ^= 1;
  }
};

// UnalignedReader reads a column four elements at a time from any position, by aligned loads of four elements. Each
// load is made once, and one step ahead.
template <class T> struct UnalignedReader {
  T now[Four], next[Four];

  ND_FN void begin(const T* column, u64 first, u64 edges) { load_four(column, first / Four * Four, edges, next); }
  // step returns the elements at ... at+3 in out. The row ends before `end`; elements past it are arbitrary.
  ND_FN void step(const T* column, u64 at, u64 end, u64 edges, T (&out)[Four]) {
    u64 following = at / Four * Four + Four;
    u32 shift = (u32)(at % Four);
    for (u32 j = 0; j < Four; j++) now[j] = next[j];
    if (following < end) load_four(column, following, edges, next);
    T some[6];  // a shift by 0 or 1 first, then by 0 or 2: indices into registers must be constants
    for (u32 j = 0; j < 6; j++) {
      T here = j < Four ? now[j] : next[j - Four], there = j + 1 < Four ? now[(j + 1) % Four] : next[j + 1 - Four];
      some[j] = shift & 1 ? there : here;
    }
    for (u32 j = 0; j < Four; j++) out[j] = shift & 2 ? some[j + 2] : some[j];
  }
};

// weigh_short chooses an edge of a row of at most CachedEdges edges, with a reservoir, and caches the row. If the
// previous row is not cached, it is searched per candidate. One lane.
template <class Rows, class Rule, u32 Threads>
ND_FN Picked weigh_short(const Graph& g, Rule& rule, const Walker& w, typename Rows::Row row,
                         LaneRows<Threads>& cache) {
  // 1. Prepare the reservoir, the previous row and the readers.
  Reserve<Lane> reservoir(derived_key(w.key, slot_of(w.step, MaxTries), 0));
  Picked p{None, None};
  bool second = w.previous != None, cached = !second || cache.length != None;
  auto previous = row;
  if (!cached) previous = Rows::of(g, w.previous);
  u32 i = 0,
      length = second && cached ? cache.length : 0;  // the merge is at element i of the previous row, of `length`
  u32 there = length > 0 ? cache.previous(0) : None;
  u64 end = (u64)row.first + row.degree;
  UnalignedReader<u32> ends;
  UnalignedReader<typename Rule::Read> reads;
  ends.begin(g.indices, row.first, g.edges);
  if constexpr (Rule::column) reads.begin(rule.words(), row.first, g.edges);
  for (u32 first = 0; first < row.degree; first += Four) {
    // 2. Read four candidates.
    u32 dst[Four];
    typename Rule::Read read[Four];
    ends.step(g.indices, (u64)row.first + first, end, g.edges, dst);
    if constexpr (Rule::column) {
      reads.step(rule.words(), (u64)row.first + first, end, g.edges, read);
    } else {
      for (u32 j = 0; j < Four; j++)
        if (first + j < row.degree) read[j] = rule.read(w, row.first + first + j, dst[j]);
    }
    // 3. Look them up in the previous row, and offer them to the reservoir.
    for (u32 j = 0; j < Four; j++) {
      if (first + j >= row.degree) break;
      cache.present(first + j) = dst[j];
      while (there < dst[j]) there = ++i < length ? cache.previous(i) : None;
      bool near = cached ? there == dst[j] : in_row(g, previous, dst[j]);
      u32 words = reservoir.words;
      reservoir.give(first + j, rule.bias(w, read[j], row.first + first + j, dst[j], Known{near}));
      if (reservoir.words != words) p = {first + j, dst[j]};  // the reservoir took the candidate
      rule.note(true);
    }
  }
  rule.settle(w);
  return p;
}

}  // namespace nd
