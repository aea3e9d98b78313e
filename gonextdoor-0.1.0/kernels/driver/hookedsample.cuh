// Samples of users' apps of any kind, one at a time per group of threads: the twin of app.StepProgram. Samples of one
// width are written to the result's matrix; others are staged as layered samples (driver/layered.cuh). Walks have
// faster drivers: driver/hooked.cuh and driver/computed.cuh.
//
// The transits of a step choose one after the other, and the ranks of the group share each choice: its candidates, its
// draws, or its picks. Kernels are compiled at run time (python/gonextdoor/udf/image.py).
#pragma once
#include "driver/adjacencylinks.cuh"
#include "driver/growthchoice.cuh"
#include "driver/inducedlinks.cuh"

namespace nd {

constexpr u64 MostSteps = 65535;  // of a sample without a limit: hook.MaxSteps

template <class G, class Rows, class H, class P> struct ProgramSample : GrowthChoice<G, Rows, H, P> {
  using Base = GrowthChoice<G, Rows, H, P>;
  using Base::a, Base::s, Base::step, Base::from, Base::end, Base::own, Base::made, Base::nexts, Base::context,
      Base::append, Base::pad, Base::report, Base::picking;
  using Base::Base;
  using typename Base::Context;
  u32 pooled = 0;  // vertices of the pool; 0 if the walk has ended

  // pool returns the places of the pool's vertices in the sample.
  ND_FN u32* pool() const { return a.l.before + s.first; }

  // add_roots begins the sample.
  ND_FN void add_roots() {
    u32 width = (u32)s.a.b.width;
    for (u32 at = 0; at < width; at += G::size) {
      u32 i = at + G::rank(), v = i < width ? root_of(s.a.b, s.row, i) : None;
      if (i < width) {
        s.vertices[i] = nexts[i] = v;
        s.positions[i] = NoEdge;
        s.parents[i] = -1;
        if constexpr (H::has_vertex_bias) pool()[i] = i;
      }
      if constexpr (P::per_sample) this->exclude(i < width, v);
    }
    s.count = width;
    pooled = H::has_vertex_bias ? width : 0;
    s.end_step();
    G::sync();
  }

  ND_FN u64 fanout_at(u64 of) const { return fetch(a.fanouts + (of < a.fanout_count ? of : a.fanout_count - 1)); }

  // choose makes the choice of c, whose candidates have begun.
  ND_FN void choose(Context& c) {
    u64 k;
    if constexpr (H::has_sample_size) k = H::sample_size(c);
    else k = fanout_at(step);
    report(c.wrong);
    c.wrong = kind::Nothing;
    if constexpr (H::has_next) {
      for (u64 first = 0; first < k && !s.full; first += G::size) {
        u64 j = first + G::rank();
        Context of = picking(c, own, (u32)j);
        u32 v = j < k ? H::next(of) : None;
        report(of.wrong);
        of.wrong = kind::Nothing;
        append(j < k && (v != None || a.to_vertices), v, NoEdge, own.place, of);
      }
    } else {
      this->pick(c, k);
      if (a.to_vertices && !s.full) pad(k - made);
    }
    G::sync();
  }

  // stopped returns whether the hook stop ends a choice.
  ND_FN bool stopped(Context& c) const {
    bool yes = H::stop(c);
    report(c.wrong);
    c.wrong = kind::Nothing;
    return yes;
  }

  // expand makes the choice of transit t of the step.
  ND_FN void expand(u64 t, const Transit& of) {
    Context c = context(t, of);
    if (of.vertex == None || stopped(c)) return pad(fanout_at(step));
    this->begin_row(of);
    choose(c);
  }

  // expand_together makes the choice of all transits.
  ND_FN void expand_together() {
    bool some = this->begin_all();
    Context c = context(0, Transit());
    if (s.full) return;
    if (!some || stopped(c)) return pad(fanout_at(step));
    choose(c);
  }

  // expand_pool expands a vertex of the pool, which the picked vertex replaces. The pool is empty once none is picked.
  ND_FN void expand_pool() {
    Context c = context(0, Transit());
    u32 wrong = kind::Nothing, begin = s.count;
    u32 at = scan<G>(word_of(s.key, slot_of(step, PoolTry)), pooled, [&](u32 i) -> u64 {
      Context of = this->with(c, Transit());
      u64 found = H::vertex_bias(of, nexts[pool()[i]]);
      wrong = of.wrong < wrong ? of.wrong : wrong;
      return found;
    });
    report(wrong);
    if (at == None) {
      pooled = 0;
      return pad(1);
    }
    expand(0, this->transit_at(pool()[at]));
    G::sync();
    if (s.full || s.count == begin || nexts[begin] == None) pooled = 0;
    else if (G::rank() == 0) pool()[at] = begin;
    G::sync();
  }

  // grow makes all steps.
  ND_FN void grow() {
    add_roots();
    u32 begin = 0;
    for (; (a.steps == 0 || step < a.steps) && !s.full; step++) {
      if (a.steps == 0 && step == MostSteps) return report(kind::NeverEnds);
      if constexpr (P::per_step) this->forget();
      from = begin;
      begin = end = s.count;
      this->alive = false;
      if constexpr (H::has_vertex_bias) {
        expand_pool();
      } else if constexpr (P::collective) {
        expand_together();
      } else {
        for (u32 t = from; t < end && !s.full; t++) expand(t - from, this->transit_at(t));
      }
      if (s.full) return;
      if (s.count > end) s.end_step();
      G::sync();
      if (G::first(this->alive) == None && !a.to_vertices) return;
    }
  }

  // write writes a complete sample to the matrix.
  ND_FN void write() const {
    u32 width = (u32)s.a.b.width;
    for (u32 i = G::rank(); i < s.count; i += G::size) {
      write_once(a.to_vertices + (i * a.stride + s.row), s.vertices[i]);
      if (a.to_edges && i >= width)
        write_once(a.to_edges + ((i - width) * a.stride + s.row), edge_id(s.a.g, s.positions[i]));
    }
  }
};

// ProgramApp is a user's app for driver/layered.cuh.
template <class G, class Rows, class H, class P> struct ProgramApp {
  const HookedSample& a;

  ND_FN void grow(Sample<G>& s) const {
    ProgramSample<G, Rows, H, P> sample(a, s);
    sample.grow();
    sample.forget();
    if (s.full) return;
    if (a.to_vertices) sample.write();
    if constexpr (P::links == Induced) enter_all(s);
  }
  ND_FN u32* alike(const Sample<G>& s) const { return a.l.before + s.first; }
  ND_FN u64 links(Sample<G>& s) const {
    if constexpr (P::links == Adjacency) return AdjacencyLinks<G, Rows>::count(s, alike(s));
    if constexpr (P::links == Induced) return InducedLinks<G, Rows>::count(s);
    return 0;
  }
  ND_FN void write_links(Sample<G>& s, const StagedSample& to) const {
    if constexpr (P::links == Adjacency) AdjacencyLinks<G, Rows>::write(s, alike(s), to);
    if constexpr (P::links == Induced) InducedLinks<G, Rows>::write(s, to);
  }
};

// hooked_samples makes the samples of a launch.
template <class G, class Rows, class H, class P> ND_FN void hooked_samples(const HookedSample& a) {
  layered<G>(a.l, ProgramApp<G, Rows, H, P>{a});
}

}  // namespace nd
