// Long choices: those of nodes that draw more edges than fit the shared memory of a block. A block makes one at a time,
// in device memory, and writes the numbers of the edges to NeighborSampler::positions. The results are those of
// selector/permute.cuh and of RangeDraws::rest.
//
// The memory of a choice is indexed by the places of its edges: `slots` holds the draws, pick_table two numbers per
// edge. All threads of the block call the functions below.
#pragma once
#include "driver/choose.cuh"

namespace nd {

// PickTable is a hash table with open addressing in device memory. It maps a draw to the least index that draws it. An
// entry is the draw in the upper half, the index in the lower; a free one has all bits set. The table has two slots per
// draw, so probes are short.
struct PickTable {
  u64* at;
  u64 slots;

  ND_FN static PickTable of(const NeighborSampler& a, u32 place, u32 draws) {
    return {a.pick_table + 2 * (u64)place, 2 * (u64)draws};
  }
  ND_FN void clear() const {
    for (u64 i = thread_index(); i < slots; i += Team::size) at[i] = NoEdge;
    sync_block();
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
  // index_of returns the least index of a draw that was inserted, after a block barrier.
  ND_FN u32 index_of(u32 draw) const {
    for (u64 slot = first_slot(draw);; slot = slot + 1 < slots ? slot + 1 : 0) {
      u64 there = read_shared_by_all(at + slot);
      if (there >> 32 == draw) return (u32)there;
    }
  }

 private:
  ND_FN u64 first_slot(u32 draw) const { return high_product((draw + 1) * Gamma, slots); }
};

// Floyd is the forest of the picks of a permutation of k of n candidates. Draw i that equals an earlier pick is
// replaced by the last candidate of its range, n-k+i, which is inserted right before that pick: it is a child of the
// pick. So the picks in order are the post-order of the forest, whose roots are the draws that equal no earlier pick.
struct Floyd {
  const u32* draws;
  PickTable table;
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

// long_permutation draws k of c.count candidates without replacement, uniformly at random. O(k log(k) / Team::size)
// expected. The table is used twice: for the draws, then for the sizes and the links of the forest.
ND_COLD void long_permutation(const NeighborSampler& a, const Candidates& c, u64 key, u32 k, u32 place) {
  u32 *draws = a.slots + place, *parents = a.pick_parents + place;
  Floyd floyd{draws, PickTable::of(a, place, k), k, c.count};
  // 1. Draw.
  floyd.table.clear();
  for (u32 i = thread_index(); i < k; i += Team::size) {
    draws[i] = uniform_draw(word_of(key, i), permute_bound(k, c.count, i));
    floyd.table.insert(draws[i], i);
  }
  sync_block();
  // 2. Find the parents.
  for (u32 i = thread_index(); i < k; i += Team::size) parents[i] = floyd.parent(i);
  sync_block();
  u32 *sizes = (u32*)floyd.table.at, *children = sizes + k, *siblings = children + k, *before = siblings + k;
  for (u32 i = thread_index(); i < k; i += Team::size) {
    sizes[i] = 1;
    children[i] = None;
  }
  sync_block();
  // 3. Count the nodes of each subtree, and link the children of each node.
  for (u32 i = thread_index(); i < k; i += Team::size) {
    if (parents[i] != None) siblings[i] = exchange_atomic(children + parents[i], i);
    for (u32 up = parents[i]; up != None; up = parents[up]) add_atomic(sizes + up, 1u);
  }
  sync_block();
  // 4. before[i] is the number of nodes in the subtrees of earlier siblings, or of earlier roots.
  u32 roots = 0;
  for (u32 from = 0; from < k; from += Team::size) {
    u32 i = from + thread_index(), size = i < k && parents[i] == None ? sizes[i] : 0;
    u32 upto = roots + (u32)Team::scan(size);
    roots = Team::from(upto, Team::size - 1);
    if (i >= k) continue;
    u32 sum = upto - size;
    if (parents[i] != None) {
      sum = 0;
      for (u32 other = children[parents[i]]; other != None; other = siblings[other])
        if (other < i) sum += sizes[other];
    }
    before[i] = sum;
  }
  sync_block();
  // 5. A node is the last one of its subtree.
  for (u32 i = thread_index(); i < k; i += Team::size) {
    u32 at = sizes[i] - 1;
    for (u32 up = i; up != None; up = parents[up]) at += before[up];
    a.positions[place + at] = floyd.pick(i, parents[i] != None);
  }
  sync_block();
}

// long_draws makes up to `attempts` weighted draws, until there are k picks, and returns the number of picks. It is
// tile_draws for a block: the table tells whether a draw is the first of its edge.
ND_FN u32 long_draws(const RangeDraws& draws, u64 attempts, u32 k, PickTable table, u32* picks) {
  u32 got = 0;
  u64 now;
  for (u64 attempt = 0; attempt < attempts && got < k; attempt += now) {
    // 1. Draw as many as are missing, and at least one per thread, unless the table is too small for that number.
    now = k - got > Team::size ? k - got : Team::size;
    if (now > table.slots - got) now = table.slots - got;
    if (now > attempts - attempt) now = attempts - attempt;
    for (u32 i = thread_index(); draws.distinct() && i < now; i += Team::size) {
      u32 place = draws.at(attempt + i).place;
      if (place != None) table.insert(place, (u32)(attempt + i));
    }
    sync_block();
    // 2. Append the first draw of each edge, in order.
    for (u32 from = 0; from < now && got < k; from += Team::size) {
      u32 i = from + thread_index(), place = i < now ? draws.at(attempt + i).place : None;
      bool fresh = place != None && (!draws.distinct() || table.index_of(place) == (u32)(attempt + i));
      u32 at = got + (u32)Team::scan(fresh);
      if (fresh && at <= k) picks[at - 1] = place;
      at = Team::from(at, Team::size - 1);
      got = at < k ? at : k;
    }
    sync_block();
  }
  return got;
}

// long_weighted draws the edges of a weighted node, at most k.
ND_COLD void long_weighted(const NeighborSampler& a, const Step& step, const Candidates& c, u64 key, u32 place) {
  u32* picks = a.slots + place;
  u32 k = c.takes;
  RangeDraws draws(step, c, key);
  PickTable table = PickTable::of(a, place, k);
  table.clear();
  u32 got = long_draws(draws, AttemptsPerPick * step.fanout, k, table, picks);
  draws.rest<Team>(got, k, picks);
  sync_block();
  for (u32 j = thread_index(); j < k; j += Team::size) a.positions[place + j] = picks[j];
  sync_block();
}

// choose_long makes the long choices of the nodes of a tile, one after the other. task is the task of the tile's first
// node.
template <class Choice> ND_FN void choose_long(const NeighborSampler& a, const Step& step, u32 nodes, HubTask task) {
  Expansion x = Expansion::shared();
  for (u32 node = 0; node < nodes; node++) {
    Candidates c = x.of(node);
    u32 place = task.place + x.offsets[node];
    if (c.takes == 0 || Choice::takes_all(step, c)) continue;
    if (step.weighted) long_weighted(a, step, c, x.keys[node], place);
    else long_permutation(a, c, x.keys[node], (u32)step.fanout, place);
  }
}

}  // namespace nd
