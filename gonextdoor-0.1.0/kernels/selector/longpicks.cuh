// Long choices without replacement: those with more picks than fit the shared memory of a block. A group makes one at a
// time, in device memory. long_permutation is the twin of selector.Permute, long_successive of selector.Successive. All
// ranks of the group call the functions below. Callers: driver/longchoice.cuh, driver/tree.cuh,
// driver/hopexpansion.cuh, app/mvs.cuh.
#pragma once
#include "selector/leafsums.cuh"
#include "selector/permute.cuh"
#include "selector/successive.cuh"

namespace nd {

// LongMemory is the memory of a choice of k picks.
struct LongMemory {
  u32* draws;    // k numbers: the draws of a permutation, or the picks of a weighted choice
  u32* parents;  // k numbers, for permutations
  u64* table;    // 2k numbers
};

// PickTable is a hash table with open addressing in device memory. It maps a draw to the least index that draws it. An
// entry is the draw in the upper half, the index in the lower; a free one has all bits set. The table has two slots per
// draw, so probes are short.
template <class G> struct PickTable {
  u64* at;
  u64 slots;

  ND_FN void clear() const {
    for (u64 i = G::rank(); i < slots; i += G::size) at[i] = NoEdge;
    G::sync();
  }
  // insert adds a draw. It costs a compare-and-swap per probe. Concurrent calls are safe.
  ND_FN void insert(u32 draw, u32 index) const {
    u64 entry = (u64)draw << 32 | index;
    for (u64 slot = first_slot(draw);; slot = slot + 1 < slots ? slot + 1 : 0) {
      u64 there = swap_atomic(at + slot, NoEdge, entry);
      if (there == NoEdge) return;
      if (there >> 32 != draw) continue;
      min_atomic(at + slot, entry);
      return;
    }
  }
  // index_of returns the least index of a draw, after a barrier of the group; None if it was not inserted.
  ND_FN u32 index_of(u32 draw) const {
    for (u64 slot = first_slot(draw);; slot = slot + 1 < slots ? slot + 1 : 0) {
      u64 there = read_shared_by_all(at + slot);
      if (there == NoEdge) return None;
      if (there >> 32 == draw) return (u32)there;
    }
  }

 private:
  ND_FN u64 first_slot(u32 draw) const { return high_product((draw + 1) * Gamma, slots); }
};

// Floyd is the forest of the picks of a permutation of k of n candidates. Draw i that equals an earlier pick is
// replaced by the last candidate of its range, n-k+i, which is inserted right before that pick: it is a child of the
// pick. So the picks in order are the post-order of the forest, whose roots are the draws that equal no earlier pick.
template <class G> struct Floyd {
  const u32* draws;
  PickTable<G> table;
  u32 k, n;

  // parent returns the index of the pick that draw i equals, or None. Draw i equals the last candidate of draw m, if m
  // was replaced by it; otherwise it can only equal the first draw of the same number.
  ND_FN u32 parent(u32 i) const {
    u32 m = last_of(i);
    if (m < i && is_replaced(m)) return m;
    u32 first = table.index_of(draws[i]);
    return first < i ? first : None;
  }
  // pick returns the pick of index i.
  ND_FN u32 pick(u32 i, bool replaced) const { return replaced ? n - k + i : draws[i]; }

 private:
  // last_of returns the index whose last candidate draw i is, which is at most i, or None.
  ND_FN u32 last_of(u32 i) const { return draws[i] >= n - k ? draws[i] - (n - k) : None; }
  ND_FN bool is_replaced(u32 i) const {
    for (;;) {
      if (table.index_of(draws[i]) < i) return true;
      u32 m = last_of(i);
      if (m >= i) return false;
      i = m;
    }
  }
};

// long_permutation draws k of n > k candidates uniformly at random, and calls write(j, pick) for each pick j.
// O(k log(k) / G::size) expected. The table is used twice: for the draws, then for the sizes and the links of the
// forest.
template <class G, class Write> ND_COLD void long_permutation(LongMemory memory, u64 key, u32 k, u32 n, Write write) {
  u32 *draws = memory.draws, *parents = memory.parents;
  Floyd<G> floyd{draws, {memory.table, 2 * (u64)k}, k, n};
  // 1. Draw.
  floyd.table.clear();
  for (u32 i = G::rank(); i < k; i += G::size) {
    draws[i] = (u32)below(word_of(key, i), permute_bound(k, n, i)).index;
    floyd.table.insert(draws[i], i);
  }
  G::sync();
  // 2. Find the parents.
  for (u32 i = G::rank(); i < k; i += G::size) parents[i] = floyd.parent(i);
  G::sync();
  u32 *sizes = (u32*)floyd.table.at, *children = sizes + k, *siblings = children + k, *before = siblings + k;
  for (u32 i = G::rank(); i < k; i += G::size) {
    sizes[i] = 1;
    children[i] = None;
  }
  G::sync();
  // 3. Count the nodes of each subtree, and link the children of each node.
  for (u32 i = G::rank(); i < k; i += G::size) {
    if (parents[i] != None) siblings[i] = exchange_atomic(children + parents[i], i);
    for (u32 up = parents[i]; up != None; up = parents[up]) add_atomic(sizes + up, 1u);
  }
  G::sync();
  // 4. before[i] is the number of nodes in the subtrees of earlier siblings, or of earlier roots.
  u32 roots = 0;
  for (u32 from = 0; from < k; from += G::size) {
    u32 i = from + G::rank(), size = i < k && parents[i] == None ? sizes[i] : 0;
    u32 upto = roots + (u32)G::scan(size);
    roots = G::from(upto, G::size - 1);
    if (i >= k) continue;
    u32 sum = upto - size;
    if (parents[i] != None) {
      sum = 0;
      for (u32 other = children[parents[i]]; other != None; other = siblings[other])
        if (other < i) sum += sizes[other];
    }
    before[i] = sum;
  }
  G::sync();
  // 5. A node is the last one of its subtree.
  for (u32 i = G::rank(); i < k; i += G::size) {
    u32 at = sizes[i] - 1;
    for (u32 up = i; up != None; up = parents[up]) at += before[up];
    write(at, floyd.pick(i, parents[i] != None));
  }
  G::sync();
}

// long_draws makes up to `attempts` weighted draws, until there are k picks, and returns the number of picks. It is
// tile_draws for any group: the table tells whether a draw is the first of its edge. If there are less than k picks,
// the table has them and no other draws.
template <class G, class Draws>
ND_FN u32 long_draws(const Draws& draws, u64 attempts, u32 k, PickTable<G> table, u32* picks) {
  u32 got = 0;
  u64 now;
  for (u64 attempt = 0; attempt < attempts && got < k; attempt += now) {
    // 1. Draw as many as are missing, and at least one per thread, unless the table is too small for that number.
    now = k - got > G::size ? k - got : G::size;
    if (now > table.slots - got) now = table.slots - got;
    if (now > attempts - attempt) now = attempts - attempt;
    for (u32 i = G::rank(); draws.distinct() && i < now; i += G::size) {
      u32 place = draws.at(attempt + i).place;
      if (place != None) table.insert(place, (u32)(attempt + i));
    }
    G::sync();
    // 2. Append the first draw of each edge, in order.
    for (u32 from = 0; from < now && got < k; from += G::size) {
      u32 i = from + G::rank(), place = i < now ? draws.at(attempt + i).place : None;
      bool fresh = place != None && (!draws.distinct() || table.index_of(place) == (u32)(attempt + i));
      u32 at = got + (u32)G::scan(fresh);
      if (fresh && at <= k) picks[at - 1] = place;
      at = G::from(at, G::size - 1);
      got = at < k ? at : k;
    }
    G::sync();
  }
  return got;
}

// LongAliasDraws are the draws of a choice by the alias table of a row. If no bias is positive, all are rejected.
template <class Row> struct LongAliasDraws {
  const Graph& g;
  Row row;
  u64 key;

  ND_FN bool distinct() const { return true; }
  ND_FN AliasDraw at(u64 attempt) const {
    AliasDraw d = alias_draw(g, row, word_of(key, attempt));
    if (d.vertex == None) d.place = None;
    return d;
  }
};

// long_successive draws up to k of the edges of a row in proportion to their biases, writes the picks to memory.draws
// and returns their number. There are less than k if all edges with a bias are picked. The row has more than `fanout`
// edges, and k is at most `fanout`: the limit of attempts follows from that. sums is the memory of `leaves` leaves.
template <class G, class Row>
ND_COLD u32 long_successive(const Graph& g, Row row, u64 key, u64 fanout, u32 k, LongMemory memory, u64* sums,
                            u64 leaves) {
  PickTable<G> table{memory.table, 2 * (u64)k};
  table.clear();
  u64 attempt = AttemptsPerPick * fanout;
  u32 got = long_draws<G>(LongAliasDraws<Row>{g, row, key}, attempt, k, table, memory.draws);
  if (got == k) return got;
  // The attempts ran out: scan the remaining biases.
  auto bias = [&](u64 i) -> u64 { return table.index_of((u32)i) != None ? 0 : (u64)fetch(g.biases + row.first + i); };
  auto rest = LeafSums<G>::of(sums, leaves, row.degree);
  rest.build(bias);
  for (; got < k; attempt++, got++) {
    u32 i = rest.draw(word_of(key, attempt), bias);
    if (i == None) break;
    if (G::rank() == 0) {
      memory.draws[got] = i;
      table.insert(i, got);
      rest.remove(i, fetch(g.biases + row.first + i));
    }
    G::sync();
  }
  return got;
}

}  // namespace nd
