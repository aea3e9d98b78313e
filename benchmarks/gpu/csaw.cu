// The kernels of benchmarks/gpu/csaw.py: k of the edges of each row, by each form of selection without replacement.
// All rows have the same degree. A group of threads makes the choice of a row, and writes its picks in their order.
#include "selector/pickedbits.cuh"
#include "selector/race.cuh"
#include "selector/scanwithout.cuh"

namespace nd {

// Selection is the parameter of all kernels, in device memory. All fields have 8 bytes.
struct Selection {
  const Quad* alias;  // as in Graph
  const u32* biases;
  u64* memory;  // of all groups, `words` each
  u32* picks;   // k of each row
  u64 words, rows, degree, k, stream;
  u64 bits;  // words of a group's bitmap, in shared memory
};

// SumDraws are draws from all candidates by their prefix sums.
struct SumDraws {
  const u64* sums;
  u32 n;
  u64 key;
  ND_FN AliasDraw at(u64 attempt) const {
    return {candidate_at<Lane>(sums, n, high_product(word_of(key, attempt), sums[n - 1])), 0};
  }
};

// Choice is what a method gets: a row, its key, and the memory of the group.
struct Choice {
  const Graph& g;
  RowOf<u64> row;
  u64 key;
  u64* memory;
  u32* bitmap;
  u32* picks;
  u32 k;
  ND_FN u64 bias(u32 i) const { return fetch(g.biases + row.first + i); }
  ND_FN u32 n() const { return row.degree; }
};

struct ByRegion {
  template <class G> ND_FN static void pick(const Choice& c) {
    using Team = typename WithinWarp<G>::type;
    prefix_sums<G>(c.memory, c.n(), [&](u32 i) { return c.bias(i); });
    by_team<G>([&] { return region_picks<Team>(c.key, 0, c.k, c.memory, c.n(), c.picks); });
  }
};

struct ByTree {
  template <class G> ND_FN static void pick(const Choice& c) {
    scan_by_tree<G>(c.key, 0, c.k, c.n(), c.memory, [&](u32 i) { return c.bias(i); }, c.picks);
  }
};

// Updated computes the prefix sums of the remaining biases before each pick.
struct Updated {
  template <class G> ND_FN static void pick(const Choice& c) {
    u32* left = (u32*)(c.memory + c.n());
    for (u32 i = G::rank(); i < c.n(); i += G::size) left[i] = (u32)c.bias(i);
    G::sync();
    for (u32 j = 0; j < c.k; j++) {
      u64 total = prefix_sums<G>(c.memory, c.n(), [&](u32 i) { return (u64)left[i]; });
      u32 i = candidate_at<G>(c.memory, c.n(), high_product(word_of(c.key, j), total));
      if (G::rank() == 0) {
        c.picks[j] = i;
        left[i] = 0;
      }
      G::sync();
    }
  }
};

// Repeated draws from all prefix sums again if a draw was picked before.
template <bool Strided> struct Repeated {
  template <class G> ND_FN static void pick(const Choice& c) {
    using Team = typename WithinWarp<G>::type;
    prefix_sums<G>(c.memory, c.n(), [&](u32 i) { return c.bias(i); });
    by_team<G>([&] {
      SumDraws draws{c.memory, c.n(), c.key};
      return distinct_draws<Team>(draws, ~0u - WarpSize, c.k, PickedBits<Strided>::of(c.bitmap, c.n()), c.picks);
    });
  }
};

// ByAlias draws by the alias table again if a draw was picked before.
template <bool Strided> struct ByAlias {
  template <class G> ND_FN static void pick(const Choice& c) {
    using Team = typename WithinWarp<G>::type;
    by_team<G>([&] {
      AliasDraws<RowOf<u64>> draws{c.g, c.row, c.key};
      return distinct_draws<Team>(draws, ~0u - WarpSize, c.k, PickedBits<Strided>::of(c.bitmap, c.n()), c.picks);
    });
  }
};

// ByList is ByAlias with the list of picks in place of a bitmap: the selector of KHop.
struct ByList {
  template <class G> ND_FN static void pick(const Choice& c) { successive<G>(c.g, c.row, c.key, c.k, c.picks); }
};

struct ByRace {
  template <class G> ND_FN static void pick(const Choice& c) {
    race<G>(c.key, c.k, c.n(), c.memory, [&](u32 i) { return c.bias(i); }, c.picks);
  }
};

template <class G, class Method> ND_FN void select(const Selection& a) {
  ND_DYNAMIC_SHARED(u32, bitmaps);
  Graph g{};
  g.alias = a.alias;
  g.biases = a.biases;
  u64 group = thread_of_grid() / G::size;
  u32* bitmap = bitmaps + thread_index() / G::size * a.bits;
  for (u64 i = G::rank(); i < a.bits; i += G::size) bitmap[i] = 0;
  G::sync();
  for (u64 v = group; v < a.rows; v += threads_of_grid() / G::size) {
    Choice c{g,
             {v * a.degree, (u32)a.degree},
             key_of(a.stream, v),
             a.memory + group * a.words,
             bitmap,
             a.picks + v * a.k,
             (u32)a.k};
    Method::template pick<G>(c);
    G::sync();
  }
}

}  // namespace nd

using namespace nd;

#define ND_SELECTION(name, Method)                                                      \
  extern "C" __global__ void __launch_bounds__(256) name##_warp(const Selection* at) {  \
    Selection a = *at;                                                                  \
    select<Warp, Method>(a);                                                            \
  }                                                                                     \
  extern "C" __global__ void __launch_bounds__(256) name##_block(const Selection* at) { \
    Selection a = *at;                                                                  \
    select<Block<256>, Method>(a);                                                      \
  }

ND_SELECTION(region, ByRegion)
ND_SELECTION(tree, ByTree)
ND_SELECTION(updated, Updated)
ND_SELECTION(repeated_strided, Repeated<true>)
ND_SELECTION(repeated_contiguous, Repeated<false>)
ND_SELECTION(alias_strided, ByAlias<true>)
ND_SELECTION(alias_contiguous, ByAlias<false>)
ND_SELECTION(alias_list, ByList)
ND_SELECTION(race, ByRace)
