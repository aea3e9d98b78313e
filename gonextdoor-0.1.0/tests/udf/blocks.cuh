// Users' hooks as the CPU engine calls them, over the text that a GPU runs: a loop over the choices of a block around
// each function of Hooks. So both of an app's compilers run under one engine, and are compared there.
#include "app/ctx.cuh"

namespace nd {

struct Run {  // package hook's
  u64 indptr, indices, weights, labels, times, ids, largest, prefix, slots, fault, vertices, edges, first, id_size;
  u64 set_buckets, set_bits, set_shift, mirrored;
  u64 params[32];
  Array arrays[16];
};

struct Block {
  const Run* run;
  i64 count, step;
  const u64* row;
  const u32 *transit, *prev;
  const u64* prev_edge;
  const u32 *slot, *size;
  const u64 *key, *words;
  const u32* const* sample;
  const i32* const* ends;
  const u32* roots;
  const u64* edge;
  const u32* dst;
  u32* out;
};

template <class T> T column(const T* of, i64 i) { return of ? of[i] : T(); }  // what no hook reads is not there

template <class F> void each(const Block& b, F f) {
  const Run& r = *b.run;
  Graph g = {};
  g.indptr = (const u64*)r.indptr, g.indices = (const u32*)r.indices, g.weights = (const f64*)r.weights;
  g.labels = (const i32*)r.labels, g.times = (const i64*)r.times, g.ids = (const u64*)r.ids, g.id_size = r.id_size;
  g.largest = (const f64*)r.largest, g.prefix = (const f64*)r.prefix;
  g.vertices = r.vertices, g.edges = r.edges;
  User user = {(u64*)r.fault, {}, {}};
  for (int i = 0; i < 32; i++) user.params[i] = r.params[i];
  for (int i = 0; i < 16; i++) user.arrays[i] = r.arrays[i];
  for (i64 i = 0; i < b.count; i++) {
    const i32* ends = column(b.ends, i);
    Ctx<PlainRows> c{g, user, r.first + column(b.row, i), b.step, column(b.transit, i), column(b.prev, i),
          column(b.prev_edge, i), column(b.slot, i),
          column(b.key, i), column(b.words, i), column(b.sample, i), 1, column(b.roots, i), 1, ends};
    f(c, i);
    if (c.wrong != kind::Nothing) min_atomic(user.fault, column(b.row, i) << 24 | ((u64)b.step & 0xffff) << 8 | c.wrong);
  }
}

template <class C> u32 biased(C& c, u64 edge, u32 dst) {
  return Hooks::edge_bias(c, edge, dst, [&] { return has_edge<PlainRows>(c.g, c.prev, dst); });
}

}  // namespace nd

using namespace nd;

#define BLOCKS(name, call)                                                   \
  extern "C" void name(const Block& b) {                                     \
    each(b, [&](auto& c, i64 i) { b.out[i] = call; });                        \
  }
