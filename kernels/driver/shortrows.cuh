// Short rows, which a lane weighs by itself, for biases of second order. The lane keeps the row's end points in shared
// memory: at the next step they are the previous vertex's row, so that each row is read once. Both rows are sorted, and
// candidates are looked up by merging them.
#pragma once
#include "driver/proposals.cuh"
#include "driver/weigh.cuh"

namespace nd {

// KeptEdges is the length of the longest row that is kept.
constexpr u32 KeptEdges = 32;  // of a row that is kept at most

// LaneRows is a lane's present and previous row in shared memory. Elements of equal index of neighbouring lanes are
// adjacent, so that lanes use different banks.
template <u32 Threads> struct LaneRows {
  u32* cells;         // 2 * KeptEdges * Threads
  u32 length = None;  // of the row before; None: it was not kept
  u32 now = 0;        // which of the two is the present row's

  ND_FN u32& present(u32 i) { return cells[(now * KeptEdges + i) * Threads + thread_index()]; }
  ND_FN u32 before(u32 i) const { return cells[((now ^ 1) * KeptEdges + i) * Threads + thread_index()]; }
  // step makes the present row the one before.
  ND_FN void step(u32 kept) { length = kept, now ^= 1; }
};

// Along reads a column four elements at a time from any place on, by aligned loads of four: each load is made once, one
// ahead.
template <class T> struct Along {
  T now[Four], next[Four];

  ND_FN void begin(const T* column, u64 first, u64 edges) { four_of(column, first / Four * Four, edges, next); }
  // step gives the four from place at on; the row ends before end.
  ND_FN void step(const T* column, u64 at, u64 end, u64 edges, T (&out)[Four]) {
    u64 beyond = at / Four * Four + Four;
    u32 shift = (u32)(at % Four);
    for (u32 j = 0; j < Four; j++) now[j] = next[j];
    if (beyond < end) four_of(column, beyond, edges, next);
    T some[6];
    for (u32 j = 0; j < 6; j++) {
      T here = j < Four ? now[j] : next[j - Four], there = j + 1 < Four ? now[(j + 1) % Four] : next[j + 1 - Four];
      some[j] = shift & 1 ? there : here;
    }
    for (u32 j = 0; j < Four; j++) out[j] = shift & 2 ? some[j + 2] : some[j];
  }
};

// weigh_short chooses in a row of at most KeptEdges edges, with a reservoir, and keeps the row. One lane.
template <class Rows, class Rule, u32 Threads>
ND_FN Picked weigh_short(const Graph& g, Rule& rule, const Walker& w, typename Rows::Row row, LaneRows<Threads>& kept) {
  Reserve<Lane> held(derived_key(w.key, slot_of(w.step, MaxTries), 0));
  Picked p{None, None};
  bool second = w.previous != None, known = !second || kept.length != None;
  auto its = row;
  if (!known) its = Rows::of(g, w.previous);
  u32 along = 0, length = second && known ? kept.length : 0;
  u32 there = length > 0 ? kept.before(0) : None;
  u64 end = (u64)row.first + row.degree;
  Along<u32> ends;
  Along<typename Rule::Read> reads;
  ends.begin(g.indices, row.first, g.edges);
  if constexpr (Rule::column) reads.begin(rule.words(), row.first, g.edges);
  for (u32 first = 0; first < row.degree; first += Four) {
    u32 dst[Four];
    typename Rule::Read read[Four];
    ends.step(g.indices, (u64)row.first + first, end, g.edges, dst);
    if constexpr (Rule::column) {
      reads.step(rule.words(), (u64)row.first + first, end, g.edges, read);
    } else {
      for (u32 j = 0; j < Four; j++)
        if (first + j < row.degree) read[j] = rule.read(w, row.first + first + j, dst[j]);
    }
    for (u32 j = 0; j < Four; j++) {
      if (first + j >= row.degree) break;
      kept.present(first + j) = dst[j];
      while (there < dst[j]) there = ++along < length ? kept.before(along) : None;
      bool near = known ? there == dst[j] : in_row(g, its, dst[j]);
      u32 words = held.words;
      held.give(first + j, rule.bias(w, read[j], row.first + first + j, dst[j], Known{near}));
      if (held.words != words) p = {first + j, dst[j]};
      rule.note(true);
    }
  }
  rule.settle(w);
  return p;
}

}  // namespace nd
