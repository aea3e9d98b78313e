// The runtime of users' hooks on a GPU: the context that drivers pass to them, the report of faults, and the bias rule
// of walks by a user's edge_bias. Callers: the code that python/gonextdoor/udf/image.py generates, and
// driver/hooked.cuh.
#pragma once
#include "app/ctx.cuh"
#include "driver/rows.cuh"
#include "driver/walker.cuh"

namespace nd {

// Place identifies the choice that a hook is called for.
struct Place {
  u64 row;     // counted from Batch::row
  u64 column;  // of the trace
  u32 walker;  // its number among the sample's walkers
  u64 step;
  u64 key, words;  // the key of the choice's words, and the slot of the hook's word 0
};

// ctx_at returns the context of a hook call. side is the number of walkers of a sample. The context refers to h, which
// must outlive it.
template <class Rows, bool kinds = true>
ND_FN Ctx<Rows, kinds> ctx_at(const Hooked& h, const Place& at, u32 transit, u32 prev, u64 prev_edge, u32 side) {
  const Batch& b = h.w.b;
  return {h.w.g,  h.user,   b.first + b.row + at.row,   (i64)at.step, transit,      prev, prev_edge, 0,
          at.key, at.words, h.w.t.vertices + at.column, h.w.t.stride, (u32)b.width, side, nullptr};
}

// report records a fault of a step by an atomic minimum, so the host reads the lowest one in the order of rows and
// steps, whatever the order of threads.
ND_FN void report(const Hooked& h, u64 row, u64 step, u32 wrong) {
  if (wrong != kind::Nothing) min_atomic(h.user.fault, (h.w.b.row + row) << 24 | (step & 0xffff) << 8 | wrong);
}

// HookRule is the rule of walks by a user's edge_bias, from one root, for driver/computed.cuh; see driver/walker.cuh
// for its interface. H is the generated struct of hooks.
template <class Rows, class H> struct HookRule {
  static constexpr bool bounded = H::has_bound, second = H::second, ends = true, trusted = false;
  static constexpr u64 most = ~0u;
  static constexpr bool groups = !bounded;  // after tries few rows are weighed, and each group costs compilation time
  static constexpr bool lockstep = bounded;
  const Hooked& h;
  u32 limit = 0;              // the bound of the latest proposal
  u32 wrong = kind::Nothing;  // the fault of the latest candidate
  u32 worst = kind::Nothing;  // the lowest fault of the candidates that the definition weighs

  ND_FN explicit HookRule(const Hooked& h) : h(h) {}

  template <bool kinds = true> ND_FN Ctx<Rows, kinds> at(const Walker& w) const {
    Place place{w.row, w.place, 0, w.step, w.key, slot_of(w.step, HookTry)};
    return ctx_at<Rows, kinds>(h, place, w.vertex, w.previous, NoEdge, 1);  // such hooks do not read prev_edge
  }
  ND_FN void report(const Walker& w, u32 what) const { nd::report(h, w.row, w.step, what); }

  ND_FN bool stops(const Walker& w) const {
    if constexpr (!H::has_stop) return false;
    auto c = at(w);
    bool yes = H::stop(c);
    report(w, c.wrong);
    return yes;
  }

  ND_FN Proposed propose(const Walker& w, u64 word, u32 d) {
    auto c = at(w);
    limit = H::bound(c);
    report(w, c.wrong);
    return nd::propose(word, d, limit);
  }

  ND_FN u32 tries(const Walker&, u32 d) const { return nd::tries(d); }

  // Hooks read the graph themselves, but the drivers prefetch the weights of a row.
  static constexpr bool column = true;
  using Read = f64;
  ND_FN const f64* words() const { return h.w.g.weights; }
  template <class Near> ND_FN u32 bias(const Walker& w, Read weight, u64 position, u32 dst, Near near) {
    auto c = at(w);
    c.here = position;
    c.here_weight = weight;
    u32 found = H::edge_bias(c, position, dst, near);
    wrong = c.wrong;
    return found;
  }

  // weigh returns the bias of a candidate of a hook that is not second, and sets faulty if the hook has a fault. The
  // kinds of faults take half of the instructions of a simple hook.
  ND_FN u32 weigh(const Walker& w, Read weight, u64 position, u32 dst, bool& faulty) const {
    auto c = at<false>(w);
    c.here = position;
    c.here_weight = weight;
    u32 found = H::edge_bias(c, position, dst, Known{false});
    faulty = faulty || c.wrong != kind::Nothing;
    return found;
  }

  // accepts evaluates the bias for both answers of near(), and looks the edge up only if they decide differently: a
  // lookup is a memory access, a second bias is not.
  template <class Near> ND_FN bool accepts(const Walker& w, Candidate& candidate, u64 level, Near near) {
    u64 position = candidate.position;
    u32 dst = candidate.vertex();
    f64 weight = words() ? fetch_far(words() + position) : 1;
    u32 yes = bias(w, weight, position, dst, Known{true}), wrong_yes = wrong;
    u32 no = second ? bias(w, weight, position, dst, Known{false}) : yes;
    bool same = (yes > level) == (no > level) && valid(yes, wrong_yes) && valid(no, wrong);
    if (second && !same && near()) {
      no = yes;
      wrong = wrong_yes;
    }
    if (no > limit) wrong = wrong < kind::AboveBound ? wrong : kind::AboveBound;
    return no > level && no <= limit;
  }
  ND_FN bool valid(u32 bias, u32 what) const { return bias <= limit && what == kind::Nothing; }

  ND_FN void note(bool counts) {
    if (counts && wrong < worst) worst = wrong;
    wrong = kind::Nothing;
  }
  ND_FN void settle(const Walker& w) {
    report(w, worst);
    worst = kind::Nothing;
  }

  ND_FN u32 update(const Walker& w, u64 position, u32 dst) const {
    if constexpr (!H::has_update) return dst;
    auto c = at(w);
    u32 next = H::update(c, position, dst);
    report(w, c.wrong);
    return next;
  }

  ND_FN void cut(const Walker& w) const { report(w, kind::NeverEnds); }
};

}  // namespace nd
