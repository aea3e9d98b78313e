// The choices of samples of users' apps, by the selector that StepProgram.Selector names. A group makes one choice at a
// time. A hook is called for the same candidates as by the serial definition, so its faults are the same.
#pragma once
#include "driver/growing.cuh"
#include "selector/alias.cuh"
#include "selector/permutelist.cuh"
#include "selector/propose.cuh"
#include "selector/reservoir.cuh"
#include "selector/successive.cuh"
#include "selector/uniform.cuh"

namespace nd {

template <class G, class Rows, class H, class P> struct GrowthChoice : Growing<G, Rows, H, P> {
  using Base = Growing<G, Rows, H, P>;
  using Base::a, Base::s, Base::n, Base::own, Base::first, Base::picks, Base::made, Base::at, Base::vertex, Base::bias,
      Base::name, Base::excluded, Base::exclude, Base::give, Base::give_all, Base::report, Base::nexts, Base::from,
      Base::end, Base::spans;
  using Base::Base;
  using typename Base::Context;
  // The lanes that share a reservoir. The warps of a block make the same choice, each by itself.
  using Pack = Tile<(G::size < WarpSize ? G::size : WarpSize)>;
  static constexpr bool stored = !H::has_edge_bias;  // biases are stored or equal

  // fits returns whether the workspace has memory for a number of elements; if not, the sample is full.
  ND_FN bool fits(u64 elements) {
    s.full |= elements > s.a.capacity;
    return !s.full;
  }

  // pick selects k of the candidates, NoEdge for all, and appends the picks.
  ND_FN void pick(Context& c, u64 k) {
    if (n == 0) return;
    if constexpr (P::single) {
      one(c);
    } else if (k == NoEdge || (n <= k && P::excludes)) {
      all(c);
    } else if constexpr ((P::unique && stored) || H::has_bound) {
      distinct(c, k);
    } else if constexpr (!stored) {
      weighed(c, k);
    } else if constexpr (P::replace) {
      with_replacement(c, k);
    } else {
      without_replacement(c, k);
    }
    if constexpr (P::excludes && !P::unique) this->forget();
  }

  // ---- one pick, as of a walker

  ND_FN void one(Context& c) {
    u64 first_word = this->walks() ? slot_of(this->step, 0) : 0;
    u64 i = NoEdge;
    if constexpr (stored) {
      u32 unused = kind::Nothing;
      if (!draw(c, word_of(c.key, first_word), 0, i, unused)) i = NoEdge;
    } else {
      i = proposed(c, first_word);
      if (i == NoEdge) i = kept(c, first_word);
    }
    if (i != NoEdge) give(c, G::rank() == 0, i);
  }

  // proposed returns the candidate that is accepted under the bound, or NoEdge.
  ND_FN u64 proposed(Context& c, u64 first_word) {
    if constexpr (!H::has_bound) return NoEdge;
    u64 bound = H::bound(c);
    report(c.wrong);
    u32 most = tries((u32)n);
    for (u32 t = 0; t < most; t += G::size) {
      u32 wrong = kind::Nothing;
      u64 i = NoEdge;
      bool yes = t + G::rank() < most && draw(c, word_of(c.key, first_word + t + G::rank()), bound, i, wrong);
      u32 taken = G::first(yes);
      if (G::rank() <= taken) report(wrong);  // later tries are not made
      if (taken != None) return G::from(i, taken);
    }
    return NoEdge;
  }

  // kept returns the candidate that a reservoir keeps of all, or NoEdge.
  ND_FN u64 kept(const Context& c, u64 first_word) {
    Reserve<Pack> reservoir(derived_key(c.key, first_word + MaxTries, 0));
    u32 wrong = kind::Nothing;
    for (u32 chunk = 0; chunk < n; chunk += Pack::size) {
      u32 i = chunk + Pack::rank(), biases[1][1] = {{0}};
      if (i < n) {
        auto e = at(i);
        biases[0][0] = bias(c, e, vertex(e), wrong);
      }
      reservoir.template offer<1, 1>(chunk, biases);
    }
    report(wrong);
    return reservoir.held == None ? NoEdge : (u64)reservoir.held;
  }

  // draw draws a candidate by a word: under the bound, by weight or uniformly. It returns false if there is none.
  ND_FN bool draw(const Context& c, u64 word, u64 bound, u64& i, u32& wrong) const {
    if constexpr (H::has_bound) {
      auto p = propose(word, (u32)n, bound);
      auto e = at(p.index);
      u64 found = bias(c, e, vertex(e), wrong);
      i = p.index;
      if (found > bound) wrong = kind::AboveBound < wrong ? kind::AboveBound : wrong;
      return found > p.level && found <= bound;
    } else if constexpr (P::weighted) {
      auto e = Alias<Rows>::among(s.a.g, row(), word);
      i = e.position - first;
      return e.vertex != None;
    } else {
      i = below(word, n).index;
      return true;
    }
  }
  ND_FN typename Rows::Row row() const { return {(decltype(Rows::Row::first))first, (u32)n}; }

  // ---- several picks

  // all takes every candidate that has a bias and is not excluded.
  ND_FN void all(const Context& c) {
    u32 wrong = kind::Nothing;
    for (u64 chunk = 0; chunk < n && !s.full; chunk += G::size) {
      u64 i = chunk + G::rank();
      bool has = false;
      u32 dst = None;
      if (i < n) {
        auto e = at(i);
        dst = vertex(e);
        has = bias(c, e, dst, wrong) > 0;
      }
      if constexpr (P::unique) has = exclude(has, dst);
      give(c, has, i);
    }
    report(wrong);
  }

  // distinct draws until k picks are made, at most AttemptsPerPick*k times: selector.Distinct. Each rank makes a draw.
  ND_FN void distinct(Context& c, u64 k) {
    u64 bound = 0;
    if constexpr (H::has_bound) {
      bound = H::bound(c);
      report(c.wrong);
    }
    u64 attempt = 0, most = AttemptsPerPick * k;
    while (attempt < most && made < k && !s.full) {
      // 1. Draw. `open` draws may be picks, unless an earlier rank has the same name.
      u64 i = 0, left = k - made;
      u32 wrong = kind::Nothing, of = None;
      bool open = attempt + G::rank() < most && draw(c, word_of(c.key, attempt + G::rank()), bound, i, wrong);
      if (open && P::excludes) {
        of = name(i, P::unique ? vertex(at(i)) : 0);
        open = !excluded(of);
      }
      // 2. Draws from the one on that follows enough open ones are made again, if picks are still missing then.
      u64 upto = G::scan(open);
      u32 cut = G::first(open && upto > left);
      bool fresh = exclude(open && upto <= left, of);
      upto = G::scan(fresh);
      u32 last = G::first(fresh && upto == left);
      give(c, fresh, i);
      u32 until = last != None ? last + 1 : cut;  // the draws that the definition makes
      if (G::rank() < until) report(wrong);
      attempt += cut == None ? G::size : cut;
    }
    if (made < k && !s.full) rest(c, most, k - made);
  }

  // weighed computes all biases, and draws by them.
  ND_FN void weighed(const Context& c, u64 k) { rest(c, 0, k); }

  // rest computes the biases of all candidates that are not excluded, and draws up to k picks in proportion to them.
  // Pick j uses word first_word + j.
  ND_FN void rest(const Context& c, u64 first_word, u64 k) {
    if (!fits(n) || (P::excludes && !fits(k < n ? k : n))) return;
    Remaining<G> left{a.biases + s.first, a.sums + s.first / s.a.capacity * a.sum_capacity, n};
    u32 wrong = kind::Nothing, count = 0;
    left.fill(!P::excludes, [&](u64 i) -> u32 {
      auto e = at(i);
      u32 dst = vertex(e), found = bias(c, e, dst, wrong);
      return excluded(name(i, dst)) ? 0 : found;
    });
    report(wrong);
    if constexpr (!P::excludes) {
      for (u64 chunk = 0; chunk < k && left.total > 0 && !s.full; chunk += G::size) {
        u64 j = chunk + G::rank();
        give(c, j < k, j < k ? left.draw_alone(word_of(c.key, first_word + j)) : 0);
      }
      return;
    }
    while (count < k && left.total > 0) {
      u64 i = left.draw(word_of(c.key, first_word + count));
      if (G::rank() == 0) picks[count] = i;
      count++;
      G::sync();
      if constexpr (P::unique) drop_alike(left, i);
      else if constexpr (P::excludes) left.total -= G::sum(G::rank() == 0 ? left.drop(i) : 0);
      G::sync();
      if (s.full) return;
    }
    give_all(c, count);
  }

  // drop_alike drops all candidates with the end point of candidate i, and excludes that.
  ND_FN void drop_alike(Remaining<G>& left, u64 i) {
    u32 v = vertex(at(i));
    u64 dropped = 0;
    u32 rows = P::collective ? end - from : 1;
    for (u32 r = G::rank(); r < rows; r += G::size) {
      u64 begin = P::collective && r > 0 ? spans[r - 1] : 0, count = (P::collective ? spans[r] : n) - begin;
      if (count > 0) each_edge_to(s.a.g, at(begin).position, count, v, [&](u64 i) { dropped += left.drop(begin + i); });
    }
    left.total -= G::sum(dropped);
    exclude(G::rank() == 0, v);
  }

  // with_replacement makes k picks uniformly or by weight, each by its own word.
  ND_FN void with_replacement(const Context& c, u64 k) {
    for (u64 chunk = 0; chunk < k && !s.full; chunk += G::size) {
      u64 i = 0, j = chunk + G::rank();
      u32 unused = kind::Nothing;
      bool has = j < k && draw(c, word_of(c.key, j), 0, i, unused);
      give(c, has, i);
    }
  }

  // without_replacement makes k < n picks by Permute or Successive.
  ND_FN void without_replacement(const Context& c, u64 k) {
    if (!fits(k)) return;
    u32 count = (u32)k;
    if constexpr (P::weighted) {
      count = successive<G>(s.a.g, row(), c.key, count, picks);
    } else {
      const Layered& l = s.a;
      PermuteList<G> list{
          n,       count,       l.drawn + s.first, picks, l.attached + s.first, l.before + s.first, l.trees + s.first,
          s.slots, s.set.table, s.set.mask};
      list.choose(c.key);
    }
    give_all(c, count);
  }
};

}  // namespace nd
