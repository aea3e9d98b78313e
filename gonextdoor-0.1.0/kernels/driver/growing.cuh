// A sample of a user's app while a group of threads makes it: its transits, the context of a choice, its candidates,
// and the vertices that are appended. The twin of app.partialSample; driver/growthchoice.cuh makes the choices, and
// driver/hookedsample.cuh takes the steps.
#pragma once
#include "app/hookruntime.cuh"
#include "driver/layered.cuh"
#include "driver/rowsearch.cuh"
#include "selector/remaining.cuh"

namespace nd {

enum ProgramLinks : u32 { NoLinks, Adjacency, Induced };

// Program is the part of an app.StepProgram that selects code. Single: each transit makes one pick, which does not
// depend on the other picks. Weighted: choices without edge_bias follow the biases of the graph.
template <bool Single, bool Collective, bool PerStep, bool PerSample, bool Replace, bool Weighted, u32 Links>
struct Program {
  static constexpr bool single = Single, collective = Collective, per_step = PerStep, per_sample = PerSample,
                        replace = Replace, weighted = Weighted;
  static constexpr bool unique = PerStep || PerSample;
  static constexpr bool excludes = unique || !Replace;  // a pick excludes candidates from later picks
  static constexpr u32 links = Links;
};

// Transit is a vertex that is expanded, or no vertex.
struct Transit {
  u32 vertex = None, previous = None;
  i32 place = -1;  // in the sample
  u64 edge = NoEdge;
};

// RowEdge is a candidate: an edge, and the place of its transit in the sample.
struct RowEdge {
  u32 place;
  u64 position;
};

// Growing is the state of a group. All ranks have the same values, apart from `alive`.
template <class G, class Rows, class H, class P> struct Growing {
  using Context = Ctx<Rows>;
  const HookedSample& a;
  Sample<G>& s;
  u32* nexts;          // as in HookedSample, of this workspace
  u64* spans;          // likewise
  u64* picks;          // the numbers of the candidates that are picked
  u64 step = 0;        // the present step
  u32 from = 0;        // its transits are the vertices from ... end-1
  u32 end = 0;         // and the end of those
  bool alive = false;  // this rank appended a transit of the next step
  Transit own;         // the transit that chooses; none if all choose together
  u64 first = 0;       // the position of its first edge
  u64 n = 0;           // the number of candidates
  u32 made = 0;        // picks of the present choice so far

  ND_FN Growing(const HookedSample& a, Sample<G>& s)
      : a(a), s(s), nexts(a.nexts + s.first), spans(a.spans + s.first), picks(a.l.picks + s.first) {}

  // ---- transits and contexts

  ND_FN Transit transit_at(u32 place) const {
    i32 parent = s.parents[place];
    return {nexts[place], parent < 0 ? None : nexts[parent], (i32)place, s.positions[place]};
  }

  // walks returns whether the sample is one walk, whose choices are keyed by the sample.
  ND_FN bool walks() const { return P::single && (H::has_vertex_bias || s.a.b.width == 1); }

  // context returns the context of the choice of transit t of the step.
  ND_FN Context context(u64 t, const Transit& of) const {
    const Batch& b = s.a.b;
    u64 key = walks() ? s.key : derived_key(s.key, step, t), words = walks() ? slot_of(step, HookTry) : HookSlot;
    return {s.a.g,        a.user,     b.first + b.row + s.row,
            (i64)step,    of.vertex,  of.previous,
            of.edge,      0,          key,
            words,        s.vertices, 1,
            (u32)b.width, 1,          s.ends};
  }
  // with returns the context of the same choice for another transit, and without faults.
  ND_FN static Context with(const Context& c, const Transit& of) {
    Context other = c;
    other.transit = of.vertex;
    other.prev = of.previous;
    other.prev_edge = of.edge;
    other.wrong = kind::Nothing;
    return other;
  }
  // picking returns the context of pick j, which has separate random words.
  ND_FN static Context picking(const Context& c, const Transit& of, u32 j) {
    Context other = with(c, of);
    other.slot = j;
    other.words += (u64)j * UserWords;
    return other;
  }

  // report records a fault of the present step.
  ND_FN void report(u32 wrong) const {
    const Batch& b = s.a.b;
    if (wrong != kind::Nothing) min_atomic(a.user.fault, (b.row + s.row) << 24 | (step & 0xffff) << 8 | wrong);
  }

  // ---- candidates

  // begin_row makes the edges of a transit the candidates.
  ND_FN void begin_row(const Transit& of) {
    own = of;
    auto row = Rows::of(s.a.g, of.vertex);
    first = row.first;
    n = row.degree;
    made = 0;
  }

  // begin_all makes the edges of all transits of the step the candidates, and returns whether there is a transit.
  ND_FN bool begin_all() {
    own = Transit();
    n = made = 0;
    bool found = false;
    for (u32 at = from; at < end; at += G::size) {
      u32 place = at + G::rank(), v = place < end ? nexts[place] : None;
      found |= v != None;
      u64 upto = n + G::scan(v == None ? 0 : (u64)Rows::of(s.a.g, v).degree);
      if (place < end) spans[place - from] = upto;
      n = G::from(upto, G::size - 1);
    }
    s.full |= n >> 31;  // numbers of candidates have 31 bits
    G::sync();
    return G::first(found) != None;
  }

  // at returns a candidate by its number.
  ND_FN RowEdge at(u64 i) const {
    if constexpr (!P::collective) return {(u32)own.place, first + i};
    u32 low = 0;
    for (u32 high = end - from - 1; low < high;) {
      u32 middle = (low + high) / 2;
      if (spans[middle] > i) high = middle;
      else low = middle + 1;
    }
    return {from + low, Rows::of(s.a.g, nexts[from + low]).first + (i - (low > 0 ? spans[low - 1] : 0))};
  }
  ND_FN u32 vertex(const RowEdge& e) const { return fetch(s.a.g.indices + e.position); }
  ND_FN Transit source(const RowEdge& e) const {
    if constexpr (P::collective) return transit_at(e.place);
    else return own;
  }

  // bias returns the bias of a candidate with end point dst. `wrong` is lowered to the fault of the hook.
  ND_FN u32 bias(const Context& c, const RowEdge& e, u32 dst, u32& wrong) const {
    if constexpr (H::has_edge_bias) {
      Context of = with(c, source(e));
      u32 prev = of.prev, found = H::edge_bias(of, e.position, dst, [&] { return has_edge<Rows>(s.a.g, prev, dst); });
      wrong = of.wrong < wrong ? of.wrong : wrong;
      return found;
    } else if constexpr (P::weighted) {
      return fetch(s.a.g.biases + e.position);
    } else {
      return 1;
    }
  }

  // ---- exclusions: the sample's set has the names of excluded candidates

  // name returns what a pick of a candidate excludes: its end point if vertices are unique, else its number.
  ND_FN static u32 name(u64 i, u32 dst) { return P::unique ? dst : (u32)i; }
  ND_FN bool excluded(u32 name) const {
    if constexpr (P::excludes) return s.set.place(name) != None;
    else return false;
  }

  // exclude excludes the names of the ranks with `has`. It returns whether the rank's name was eligible, and the rank
  // is the first with it.
  ND_FN bool exclude(bool has, u32 name) {
    if constexpr (!P::excludes) return has;
    u32 mark = FreshNumber | G::rank(), slot = has ? s.set.insert(name, mark) : 0;
    G::sync();
    bool fresh = has && s.set.number(slot) == mark;
    u32 upto = (u32)G::scan(fresh), all = G::from(upto, G::size - 1);
    bool fits = s.slot_count + all <= s.a.capacity;
    if (fresh) write_for_all(s.set.table + slot, fits ? (u64)name << 32 : FreeRecord);
    if (fresh && fits) s.slots[s.slot_count + upto - 1] = slot;
    if (fits) s.slot_count += all;
    s.full |= !fits;
    G::sync();
    return fresh && fits;
  }

  // forget empties the set.
  ND_FN void forget() {
    G::sync();
    if (s.slot_count == 0) return;
    s.set.clear(s.slots, s.slot_count);
    s.slot_count = 0;
    G::sync();
  }

  // ---- appended vertices

  // append appends a vertex for each rank with `has`, in the order of the ranks: dst, or what update returns for it.
  // dst is None for a missing vertex. c is the context of the pick.
  ND_FN void append(bool has, u32 dst, u64 position, i32 parent, Context c) {
    u32 to = dst, next = dst;
    if constexpr (H::has_update) {
      if (has && dst != None) {
        next = H::update(c, position, dst);
        if (next != None) to = next;
        if (to != dst) position = NoEdge;
        report(c.wrong);
      }
    }
    u32 upto = (u32)G::scan(has), all = G::from(upto, G::size - 1), place = s.count + upto - 1;
    s.full |= (u64)s.count + all > s.a.capacity;
    if (s.full) return;
    if (has) {
      s.vertices[place] = to;
      s.positions[place] = position;
      s.parents[place] = parent;
      nexts[place] = next;
      alive |= next != None;
    }
    s.count += all;
  }

  // give appends the picks of the ranks with `has`: candidate i.
  ND_FN void give(const Context& c, bool has, u64 i) {
    u32 upto = (u32)G::scan(has), all = G::from(upto, G::size - 1);
    RowEdge e{0, 0};
    Transit of;
    if (has) {
      e = at(i);
      of = source(e);
    }
    append(has, has ? vertex(e) : None, e.position, of.place, picking(c, of, made + upto - 1));
    made += all;
  }

  // give_all appends the first `count` picks.
  ND_FN void give_all(const Context& c, u32 count) {
    G::sync();
    for (u32 at = 0; at < count && !s.full; at += G::size) {
      u32 j = at + G::rank();
      give(c, j < count, j < count ? picks[j] : 0);
    }
  }

  // pad appends missing vertices, if samples have one width.
  ND_FN void pad(u64 count) {
    if (!a.to_vertices) return;
    Context c = context(0, Transit());
    for (u64 at = 0; at < count && !s.full; at += G::size) append(at + G::rank() < count, None, NoEdge, -1, c);
  }
};

}  // namespace nd
