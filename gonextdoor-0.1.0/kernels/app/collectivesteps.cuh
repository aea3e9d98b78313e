// Samples whose transits choose together at each step: the twin of app.Layer. Step s takes its words under the key that
// is derived from the sample's key, s and 0. The candidates are the combined neighbourhood of the transits, of which
// only the edges that are drawn, or have a computed bias, are read.
#pragma once
#include "driver/distinctdraws.cuh"
#include "driver/neighborhood.cuh"
#include "selector/permutelist.cuh"
#include "selector/leafsums.cuh"

namespace nd {

// CollectiveBy is Layered::bias: the quantity that biases a choice.
enum CollectiveBy : u64 { CollectiveUniform, CollectiveWeight, CollectiveDegree };

constexpr u32 CollectiveUnitBits = 8;  // unitBits of gonextdoor/app/persample.go
constexpr u32 SharedRecords = 8;       // per thread of a group: the records of a vertex set in shared memory

template <class G, class Rows> struct CollectiveSteps {
  using Hood = Neighborhood<G, Rows>;

  // Step is a step of a sample, whose set has the vertices of this step only.
  struct Step {
    Sample<G>& s;
    const Hood& hood;
    u32 begin, end;  // the places of the transits

    ND_FN DrawnEdge edge(u64 i) const {
      Candidate c = hood.at(i);
      return {begin + c.transit, c.position};
    }
    ND_FN u32 vertex(u64 i) const { return fetch(s.a.g.indices + hood.at(i).position); }

    // bias_of returns the bias of a candidate, as app.CollectiveBias.Of does.
    ND_FN u64 bias_of(Candidate c) const {
      const Graph& g = s.a.g;
      if (s.a.bias == CollectiveDegree) return degree_of<Rows>(g, fetch(g.indices + c.position));
      if (s.a.bias != CollectiveWeight) return 1;
      u64 bias = fetch(g.biases + c.position);
      u32 shift = (u32)((i32)s.a.top_scale - (i32)fetch(s.a.scales + s.vertices[begin + c.transit]));
      u64 scaled = shift < 64 ? bias << CollectiveUnitBits >> shift : 0;
      return bias > 0 && scaled == 0 ? 1 : scaled;
    }

    // excluded returns whether a candidate cannot be picked any more: its end, or the candidate itself, is in the set.
    ND_FN bool excluded(u64 i, Candidate c) const {
      return s.set.place(s.a.unique ? fetch(s.a.g.indices + c.position) : (u32)i) != None;
    }

    // append adds an edge after the present vertices. Ranks with has = false add none.
    ND_FN void append(bool has, DrawnEdge edge) const {
      u32 upto = (u32)G::scan(has), place = s.count + upto - 1;
      if (has) write(place, edge);
      s.count += G::from(upto, G::size - 1);
    }
    ND_FN void write(u32 place, DrawnEdge edge) const {
      s.vertices[place] = fetch(s.a.g.indices + edge.position);
      s.positions[place] = edge.position;
      s.parents[place] = (i32)edge.from;
    }

    // take_all takes all candidates that have a bias, in order.
    ND_FN void take_all() const {
      for (u64 first = 0; first < hood.n; first += G::size) {
        u64 i = first + G::rank();
        Candidate c{0, 0};
        bool has = i < hood.n;
        if (has) c = hood.at(i);
        has = has && bias_of(c) > 0;
        if (s.a.unique) visit_end(s, has, {begin + c.transit, c.position});
        else append(has, {begin + c.transit, c.position});
      }
      G::sync();
    }

    // permute takes k candidates uniformly at random.
    ND_FN void permute(u64 key, u32 k) const {
      const Layered& a = s.a;
      u64* picks = a.picks + s.first;
      PermuteList<G> list{
          hood.n,  k,           a.drawn + s.first, picks, a.attached + s.first, a.before + s.first, a.trees + s.first,
          s.slots, s.set.table, s.set.mask};
      list.choose(key);
      for (u32 j = G::rank(); j < k; j += G::size) write(s.count + j, edge(picks[j]));
      s.count += k;
      G::sync();
    }

    // pick_without takes k candidates in proportion to their biases, by the words of the key from slot `from` on. H is
    // the group that makes the picks: all ranks, which exclude the other edges to the same vertex, or the first warp.
    template <class H> ND_FN void pick_without(const LeafSums<G>& sums, u64 key, u64 from, u64 k) const {
      for (u64 j = 0; j < k; j++) {
        u32 i = None;
        if (H::rank() < WarpSize) {
          i = sums.find(word_of(key, from + j), [&](u64 at) -> u64 {
            Candidate c = hood.at(at);
            return excluded(at, c) ? 0 : bias_of(c);
          });
        }
        i = H::from(i, 0);
        if (i == None) return;
        Candidate c = hood.at(i);
        u32 v = fetch(s.a.g.indices + c.position), place = s.count++;
        if (H::rank() == 0) {
          write(place, {begin + c.transit, c.position});
          s.slots[place] = s.set.insert(s.a.unique ? v : i, place);
          if (!s.a.unique) sums.remove(i, bias_of(c));
        }
        s.slot_count = s.count;
        if (s.a.unique) hood.each_with_end(s.a.g, v, [&](u64 at, Candidate same) { sums.remove(at, bias_of(same)); });
        H::sync();
      }
    }

    // weigh takes k candidates by pick_without. If there are too many candidates, the sample ends without any step.
    ND_FN void weigh(u64 key, u64 from, u64 k) const {
      if (hood.n >= None) {
        s.end_count = 0;
        return;
      }
      auto sums = LeafSums<G>::of(leaf_sums(s), s.a.leaves, hood.n);
      sums.build([&](u64 i) -> u64 {
        Candidate c = hood.at(i);
        return excluded(i, c) ? 0 : bias_of(c);
      });
      if (s.a.unique) return pick_without<G>(sums, key, from, k);
      if (G::rank() < WarpSize) pick_without<Warp>(sums, key, from, k);
      s.count = s.slot_count = G::from(s.count, 0);
      G::sync();
    }

    // choose makes the choice of the step: up to k candidates.
    ND_FN void choose(u64 key, u64 k) const {
      if (hood.n <= k) return take_all();
      bool uniform = s.a.bias == CollectiveUniform;
      if (uniform && !s.a.unique) return permute(key, (u32)k);
      u64 left = k;
      if (uniform) left = distinct_draws(s, key, k, [&](u64 word) { return edge(below(word, hood.n).index); });
      if (left > 0 && !s.full) weigh(key, uniform ? DistinctAttempts * k : 0, left);
    }
  };

  // step_set returns the set for the vertices of steps of k edges: in shared memory if it is at most half full there.
  ND_FN static VertexSet<G> step_set(const Sample<G>& s, u64 k) {
    ND_SHARED(u64, records, SharedRecords * LayeredThreads);
    constexpr u32 size = SharedRecords * G::size;
    if (2 * k > size) return s.set;
    VertexSet<G> set{records + thread_index() / G::size * size, size - 1};
    for (u32 i = G::rank(); i < size; i += G::size) set.table[i] = FreeRecord;
    return set;
  }

  ND_FN static void grow(Sample<G>& s) {
    const Layered& a = s.a;
    // 1. Begin with the roots.
    u32 width = (u32)a.b.width, begin = 0;
    add_roots(s);
    VertexSet<G> workspace = s.set;
    s.set = step_set(s, a.step_size < a.most ? a.step_size : a.most);
    G::sync();
    // 2. Take the steps. A step without vertices is omitted.
    for (u64 step = 0; !s.full; step++) {
      u32 end = s.count;
      Hood hood = Hood::of(s, begin, end);
      u64 left = a.most - (end - width), k = left < a.step_size ? left : a.step_size;
      if (hood.n == 0 || k == 0) break;
      s.full = end + (hood.n < k ? hood.n : k) > a.capacity;
      if (s.full) break;
      s.slot_count = end;
      Step{s, hood, begin, end}.choose(derived_key(s.key, step, 0), k);
      s.set.clear(s.slots + end, s.slot_count - end);
      G::sync();
      if (s.count == end || s.end_count == 0) break;
      s.end_step();
      begin = end;
    }
    s.set = workspace;
    s.slot_count = 0;
  }

  // links returns NoEdge, which no arena has memory for, if a step had too many candidates.
  ND_FN static u64 links(const Sample<G>& s) { return s.end_count == 0 ? NoEdge : 0; }
  ND_FN static void write_links(const Sample<G>&, const StagedSample&) {}
};

}  // namespace nd
