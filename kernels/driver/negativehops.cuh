// Vertices at a number of hops from the root, drawn uniformly. The twin of apps.Negatives with Hops. A block makes a
// sample:
//
//   1. search   Breadth-first, in bitmaps of the vertices that the block has in device memory. A warp reads a row at a
//               time, and the block the long rows.
//   2. choose   The word of slot 0 chooses among the vertices at the distance that are ends, in ascending order.
//
// A summary has a bit per chunk of 1,024 vertices in which a bitmap is not 0, so that small searches do not read whole
// bitmaps. Successive samples with one root share a search. Cost: an access of a bitmap per edge of all vertices that
// are nearer than the distance, and O(vertices / 2^15) per level.
#pragma once
#include "core/group.cuh"
#include "driver/negatives.cuh"

namespace nd {

constexpr u32 HopThreads = 1024;
constexpr u32 LongRow = 1024;  // edges from which a block reads a row together
constexpr u32 LongRows = 256;  // of a level; the others are read by warps
constexpr u32 ChunkWords = 32;

// HopSearch is the breadth-first search of a block.
template <class Rows> struct HopSearch {
  using Team = Block<HopThreads>;

  const Negatives& a;
  u32 *seen, *level, *next;  // bitmaps: the vertices of all levels before the next, the present level, the next one
  u32* touched;              // a bit per chunk in which a bitmap is not 0
  u32 *long_rows, *count;    // shared memory: vertices with long rows, and how many they are

  // words returns the length of a bitmap, and summary that of the summary.
  ND_FN static u64 words(u64 vertices) { return (vertices + 32 * ChunkWords - 1) / (32 * ChunkWords) * ChunkWords; }
  ND_FN static u64 summary(u64 vertices) { return (words(vertices) / ChunkWords + 31) / 32; }
  // bytes returns the memory of a search, which begins as zeros.
  ND_FN static u64 bytes(u64 vertices) { return 4 * (3 * words(vertices) + summary(vertices)); }

  // each_word calls f with the lane's word of each chunk that was touched, in the order of chunks within a warp. Warps
  // have consecutive parts of the summary.
  template <class F> ND_FN void each_word(F f) const {
    u32 all = (u32)summary(a.g.vertices), each = (all + Team::warps - 1) / Team::warps;
    u32 from = thread_index() / WarpSize * each, end = from + each < all ? from + each : all;
    for (u32 s = from; s < end; s++) {
      // Other warps may set bits meanwhile, so one lane reads for all.
      for (u32 chunks = Warp::from(touched[s], 0); chunks; chunks &= chunks - 1)
        f((s * 32 + lowest_bit(chunks)) * ChunkWords + lane_index());
    }
  }

  // mark adds a vertex to the next level, unless it was seen.
  ND_FN void mark(u32 v) const {
    u32 word = v / 32, bit = 1u << v % 32;
    if ((seen[word] | next[word]) & bit) return;
    if (or_atomic(next + word, bit) == 0) or_atomic(touched + word / ChunkWords / 32, 1u << word / ChunkWords % 32);
  }

  // read marks the ends of the edges of a vertex: those that the calling rank of `ranks` has.
  ND_FN void read(u32 v, u32 rank, u32 ranks) const {
    auto row = Rows::of(a.g, v);
    for (u64 k = rank; k < row.degree; k += ranks) mark(fetch(a.g.indices + row.first + k));
  }

  // expand reads the rows of the vertices of a level, or leaves long ones to the block.
  ND_FN void expand() const {
    each_word([&](u32 word) {
      u32 mine = level[word];
      for (u32 owners = Warp::vote(mine != 0); owners; owners = Warp::vote(mine != 0)) {
        u32 owner = lowest_bit(owners), v = Warp::from(word * 32 + (mine ? lowest_bit(mine) : 0), owner),
            place = LongRows;
        if (lane_index() == owner) {
          mine &= mine - 1;
          if (Rows::of(a.g, v).degree >= LongRow) place = add_atomic(count, 1u);
          if (place < LongRows) long_rows[place] = v;
        }
        if (Warp::from(place, owner) >= LongRows) read(v, lane_index(), WarpSize);
      }
    });
    sync_block();
    u32 most = *count < LongRows ? *count : LongRows;
    for (u32 i = 0; i < most; i++) read(long_rows[i], thread_index(), HopThreads);
    sync_block();
    if (thread_index() == 0) *count = 0;
  }

  // run searches from a root. The memory of the last search is cleared.
  ND_FN void run(u32 root) const {
    clear();
    if (thread_index() == 0) {
      next[root / 32] = 1u << root % 32;
      touched[root / 32 / ChunkWords / 32] = 1u << root / 32 / ChunkWords % 32;
    }
    sync_block();
    for (u64 h = 0;; h++) {
      // The next level becomes the present one.
      each_word([&](u32 word) {
        seen[word] |= level[word] = next[word];
        next[word] = 0;
      });
      sync_block();
      if (h == a.hops) return;
      expand();
    }
  }

  // clear removes all vertices.
  ND_FN void clear() const {
    sync_block();  // all ranks have chosen
    each_word([&](u32 word) { seen[word] = level[word] = next[word] = 0; });
    sync_block();
    for (u64 s = thread_index(); s < summary(a.g.vertices); s += HopThreads) touched[s] = 0;
    sync_block();
  }

  // ends returns the vertices of a word of the level that are ends.
  ND_FN u32 ends(u32 word) const {
    u64 first = (u64)word * 32;
    if (first >= a.ends) return 0;
    return level[word] & (a.ends - first < 32 ? (1u << (a.ends - first)) - 1 : ~0u);
  }

  // choose returns the end that a word chooses, or None if there is none, to one rank: that with `mine`.
  ND_FN u32 choose(u64 random, bool& mine) const {
    // 1. Count the ends of the parts of the warps.
    u32 own = 0;
    each_word([&](u32 word) { own += count_bits(ends(word)); });
    u32 of_warp = add_lanes(own);
    u64 upto = Team::scan(lane_index() == 0 ? of_warp : 0), all = Team::from(upto, HopThreads - 1);
    mine = all == 0 && thread_index() == 0;
    if (all == 0) return None;
    // 2. The warp that has the place counts again, up to it.
    u64 place = below(random, all).index, before = Warp::from(upto, 0) - of_warp;
    u32 chosen = None;
    if (place < before || place >= before + of_warp) return None;
    each_word([&](u32 word) {
      u32 bits = ends(word), n = count_bits(bits);
      u64 end = before + Warp::scan(n);
      if (place < end && place >= end - n) {
        for (u64 k = place - (end - n); k > 0; k--) bits &= bits - 1;
        chosen = word * 32 + lowest_bit(bits);
      }
      before = Warp::from(end, WarpSize - 1);
    });
    mine = chosen != None;
    return chosen;
  }
};

// negatives_at_hops makes the samples of a launch, Negatives::each successive rows by a block.
template <class Rows> ND_FN void negatives_at_hops(const Negatives& a) {
  ND_SHARED(u32, rows, LongRows + 1);
  using Search = HopSearch<Rows>;
  u64 words = Search::words(a.g.vertices);
  u32* memory = (u32*)((u8*)a.searches + block_index() * Search::bytes(a.g.vertices));
  Search search{a, memory, memory + words, memory + 2 * words, memory + 3 * words, rows, rows + LongRows};
  if (thread_index() == 0) *search.count = 0;
  const Trace& t = a.t;
  u32 last = None;
  for (u64 begin = a.b.from + block_index() * a.each; begin < a.b.rows; begin += grid_size() * a.each) {
    u64 end = begin + a.each < a.b.rows ? begin + a.each : a.b.rows;
    for (u64 i = begin; i < end; i++) {
      u32 root = root_of(a.b, i);
      if (root != last) search.run(root);
      last = root;
      bool mine;
      u32 v = search.choose(word_of(sample_key(a.b, i), 0), mine);
      if (!mine) continue;
      write_once(t.vertices + i, root);
      write_once(t.vertices + t.stride + i, v);
      if (t.edges) write_once(t.edges + i, (i64)-1);
    }
  }
}

}  // namespace nd
