// Walks along edges in order of time. A thread takes all steps of a row, as in driver/walk.cuh, but its state is the
// last edge: the edges that may follow depend on its time, which the vertex does not tell.
#pragma once
#include "driver/rows.cuh"
#include "selector/timebias.cuh"

namespace nd {

// Unlimited are walks without limits in time.
struct Unlimited {
  ND_FN Unlimited(const Walk&, u64) {}
  ND_FN RowOf<u32> from_start(u32, RowOf<u32> row) const { return row; }
  ND_FN RowOf<u32> until_end(u32, RowOf<u32> row, u64) const { return row; }
};

// TimeRange are the limits of the walk in a row in time: app.TimeRange.
struct TimeRange {
  const Graph& g;
  i64 start, first_end, end, flip;

  ND_FN TimeRange(const Walk& a, u64 row) : g(a.g), flip(-(i64)a.backward) {
    u64 root = a.b.row + row;
    if (a.b.repeat != 1) root /= a.b.repeat;
    const i64* at = a.time_limits + root * a.limit_stride;
    start = fetch(at), first_end = fetch(at + 1), end = fetch(at + 2);
  }
  // count returns how many edges of u's row, of those in `row`, are before a time along the walk, or also `at` it.
  ND_FN u32 count(u32 u, RowOf<u32> row, i64 time, bool at) const {
    if (row.degree == 0) return 0;  // u may be None
    u64 first = fetch(g.indptr + u);
    u32 low = 0, high = row.degree;
    while (low < high) {
      u32 middle = low + (high - low) / 2;
      i64 is = fetch(g.times + first + fetch_far(g.temporal_places + row.first + middle)) ^ flip;
      if (is < time || (at && is == time)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  // from_start returns the edges of u's row from the start on.
  ND_FN RowOf<u32> from_start(u32 u, RowOf<u32> row) const {
    u32 before = count(u, row, start, false);
    return {row.first + before, row.degree - before};
  }
  // until_end returns the candidates of step s among the edges that may follow.
  ND_FN RowOf<u32> until_end(u32 u, RowOf<u32> row, u64 s) const {
    return {row.first, count(u, row, s == 0 ? first_end : end, true)};
  }
};

// temporal_walk takes steps by choices of Bias, within Limits. A launch that does not begin at step 0 reads the last
// edge of each row from last_edges, which the launch before it wrote.
template <class Bias, class Limits> ND_FN void temporal_walk(const Walk& a) {
  const Trace& t = a.t;
  for (u64 row = a.b.from + thread_of_grid(); row < a.b.rows; row += threads_of_grid()) {
    const Limits limits(a, row);
    // 1. Restore the walker: its vertex and the edges that may follow.
    u32* out = t.vertices + t.begin * t.stride + row;
    i64* edges = t.edges + t.begin * t.stride + row;
    u32 v, last = None;
    RowOf<u32> next{0, 0};
    if (t.begin == 0) {
      v = root_of(a.b, row);
      write_once(out, v);
      auto all = PlainRows::of(a.g, v);
      next = limits.from_start(v, {(u32)all.first, all.degree});
    } else {
      v = read_once(out);
      last = a.last_edges[row];
      if (last != None) next = TemporalEdge::at(a.g, last).next;
    }
    u64 key = sample_key(a.b, row);
    // 2. Take the steps. A walk has ended when no edge may follow.
    for (u64 s = t.begin; s < t.end; ++s) {
      i64 id = -1;
      auto candidates = limits.until_end(v, next, s);
      if (candidates.degree > 0) {
        u64 word = word_of(key, slot_of(s, 0));
        if (candidates.degree < next.degree) word = Bias::before(a.g, next.first, candidates.degree, word);
        last = next.first + Bias::among(a.g, candidates, word);
        if (t.edges) id = edge_id(a.g, temporal_position(a.g, v, last));
        TemporalEdge e = TemporalEdge::at(a.g, last);
        v = e.vertex;
        next = e.next;
      } else {
        v = last = None;
        next.degree = 0;
      }
      out += t.stride;
      write_once(out, v);
      if (t.edges) {
        write_once(edges, id);
        edges += t.stride;
      }
    }
    // 3. Leave the last edge to the next launch.
    a.last_edges[row] = last;
  }
}

}  // namespace nd
