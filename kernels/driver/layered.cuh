// Layered samples: a group of threads makes one sample at a time, in a workspace in device memory. The twin of
// engine/persample.
//
//   1. take    The group takes the next row. Rows are taken in order, but complete in any order.
//   2. grow    The app appends vertices, with the edges and places that they were reached from, and ends of steps.
//   3. count   The app counts the links.
//   4. stage   The group reserves a block of the arena for a sample of that size, and copies the sample there. The app
//              writes the links directly to the block.
//
// A sample that does not fit the workspace or the arena is discarded, and its row is listed in Layered::left. The host
// launches the kernel again for these rows, with more memory. A sample depends on its id alone, so this does not change
// it. So is a sample that has read a row that is not in GPU memory, see graph/gatheredrows.cuh: the host copies the
// row. driver/layerparts.cuh copies the staged samples to the result.
#pragma once
#include "driver/rows.cuh"
#include "driver/staged.cuh"
#include "driver/vertexset.cuh"
#include "core/grid.cuh"
#include "graph/gatheredrows.cuh"
#include "selector/leafsums.cuh"

namespace nd {

constexpr u32 LayeredThreads = 256;
using LayeredBlock = Block<LayeredThreads>;
using LayeredGrid = Grid<LayeredThreads>;  // for few large samples

// The counters of a launch.
enum LayeredCounter : u32 {
  LayeredTaken,    // rows that groups have taken
  LayeredUsed,     // words of the arena, with those of blocks that did not fit
  LayeredLeft,     // rows in Layered::left
  LayeredCramped,  // of these, the rows that did not fit the workspace
  LayeredMissed,   // of the rows in `left`, those whose samples read rows that are not in GPU memory
  LayeredNeeded,   // the complement of the longest block that did not fit the arena, in words
  LayeredCounters
};

// Sample is the sample that a group of threads makes. All ranks of the group have the same values.
template <class G> struct Sample {
  const Layered& a;
  VertexSet<G> set;
  u32* vertices;
  u64* positions;
  i32* parents;
  i32* ends;
  u32* slots;
  u64 first;  // the first element of the workspace in arrays of `capacity` elements
  u64 row, key;
  u32 count;       // vertices
  u32 end_count;   // ends of steps
  u32 slot_count;  // vertices of which slots has the slot
  bool full;       // the sample does not fit the workspace
  bool sorted;     // Layered::drawn has the vertices in order, see driver/inducedlinks.cuh

  // begin begins the sample of a row.
  ND_FN void begin(u64 of) {
    row = of;
    key = sample_key(a.b, row);
    count = end_count = slot_count = 0;
    full = sorted = false;
  }

  // end_step ends a step after the present vertices. A barrier must follow before another rank reads it.
  ND_FN void end_step() {
    if (G::rank() == 0) ends[end_count] = (i32)count;
    end_count++;
  }

  // end_only_step ends the only step of a sample without roots. A step without vertices is omitted.
  ND_FN void end_only_step() {
    if (G::rank() == 0) ends[0] = 0;
    end_count = 1;
    if (count > 0) end_step();
  }

  // visit returns the place of v, or None for a rank with has = false. If v is not in the sample, it is appended, and
  // fresh is set for the first rank with v, which then writes positions and parents. The order of new vertices is that
  // of the ranks. All ranks call it; if the workspace is too small, it sets full.
  ND_FN u32 visit(bool has, u32 v, bool& fresh) {
    u32 slot;
    fresh = enter(has, v, slot);
    append(fresh, v, slot);
    return has && !full ? set.number(slot) : None;
  }

  // enter inserts the vertices of the ranks with `has` into the set, and returns whether the calling rank's is new and
  // no lower rank has it. The record keeps the least rank; the place of a known vertex is less still. append or
  // withdraw must follow.
  ND_FN bool enter(bool has, u32 v, u32& slot) {
    slot = has ? set.insert(v, FreshNumber | G::rank()) : 0;
    G::sync();
    return has && set.number(slot) == (FreshNumber | G::rank());
  }

  // withdraw removes the vertices of enter from the set.
  ND_FN void withdraw(bool fresh, u32 slot) {
    if (fresh) write_for_all(set.table + slot, FreeRecord);
    G::sync();
  }

  // append appends the new vertices of enter in the order of the ranks, and returns their places. If the workspace is
  // too small, it withdraws them, and sets full and clears fresh.
  ND_FN u32 append(bool& fresh, u32 v, u32 slot) {
    u32 upto = (u32)G::scan(fresh), all = G::from(upto, G::size - 1), place = count + upto - 1;
    full = full || count + all > a.capacity;
    if (full) {
      withdraw(fresh, slot);
      fresh = false;
      return None;
    }
    if (fresh) {
      vertices[place] = v;
      slots[place] = slot;
      write_for_all(set.table + slot, (u64)v << 32 | place);
    }
    count += all;
    slot_count = count;
    G::sync();
    return place;
  }

  // leave lists the row as one that is not complete, and counts it by the reason: LayeredCramped or LayeredMissed, or
  // LayeredLeft if the arena was too small.
  ND_FN void leave(LayeredCounter reason) {
    if (G::rank() != 0) return;
    a.left[add_atomic(a.counters + LayeredLeft, (u64)1)] = (u32)row;
    if (reason != LayeredLeft) add_atomic(a.counters + reason, (u64)1);
  }

  // arena_full returns whether some sample did not fit the arena before. All ranks get the same.
  ND_FN bool arena_full() const {
    u32 full = 0;
    if (G::rank() == 0) full = read_shared_by_all(a.counters + LayeredNeeded) != ~0ull;
    return G::from(full, 0);
  }

  // reserve returns the begin of a block of the arena, or NoEdge if the arena is too small. One rank calls it. A block
  // that does not fit remains counted, so all later ones fail too. One addition instead of a compare-and-swap loop:
  // with thousands of groups, a loop succeeds once per round trip to the L2 cache.
  ND_FN u64 reserve(u64 words) const {
    if (words <= a.arena_words) {
      u64 used = add_atomic(a.counters + LayeredUsed, words);
      if (used <= a.arena_words - words) return used;
    }
    min_atomic(a.counters + LayeredNeeded, ~words);
    return NoEdge;
  }

  // stage copies the sample to the arena, with room for its links. It returns whether there was memory.
  ND_FN bool stage(StagedSample& to, u64 links) {
    to = {nullptr, count, end_count, links, a.edges, a.values};
    u64 at = 0;
    if (G::rank() == 0) at = links <= None ? reserve(to.words()) : reserve(~0ull);
    at = G::from(at, 0);
    if (at == NoEdge) return false;
    to.at = a.arena + at;
    for (u32 i = G::rank(); i < count; i += G::size) {
      if (a.edges) to.positions()[i] = gathered_id(a.g, positions[i]);
      to.vertices()[i] = vertices[i];
      to.parents()[i] = parents[i];
    }
    for (u32 i = G::rank(); i < end_count; i += G::size) to.ends()[i] = ends[i];
    if (G::rank() != 0) return true;
    a.staged[row] = (u64)to.at;
    a.vertex_counts[row] = count;
    a.end_counts[row] = end_count;
    a.link_counts[row] = (u32)links;
    return true;
  }
};

// sample_of returns the sample of a group, in its workspace.
template <class G> ND_FN Sample<G> sample_of(const Layered& a) {
  u64 workspace = thread_of_grid() / G::size, first = workspace * a.capacity;
  return {a,
          {a.table + workspace * (a.table_mask + 1), a.table_mask},
          a.vertices + first,
          a.positions + first,
          a.parents + first,
          a.ends + workspace * a.end_capacity,
          a.slots + first,
          first,
          0,
          0,
          0,
          0,
          0,
          false,
          false};
}

// leaf_sums returns the memory of a sample for the sums of biases.
template <class G> ND_FN u64* leaf_sums(const Sample<G>& s) {
  return s.a.leaf_sums + s.first / s.a.capacity * leaf_sum_words(s.a.leaves);
}

// add_roots begins a sample with its roots, which may be equal. It does not enter them in the set. It leaves the group
// synchronised.
template <class G> ND_FN void add_roots(Sample<G>& s) {
  u32 width = (u32)s.a.b.width;
  for (u32 i = G::rank(); i < width; i += G::size) {
    s.vertices[i] = root_of(s.a.b, s.row, i);
    s.positions[i] = NoEdge;
    s.parents[i] = -1;
  }
  s.count = width;
  s.end_step();
  G::sync();
}

// enter_all adds the vertices of a sample to its set, each with its first place.
template <class G> ND_FN void enter_all(Sample<G>& s) {
  for (u32 i = G::rank(); i < s.count; i += G::size) s.slots[i] = s.set.insert(s.vertices[i], i);
  s.slot_count = s.count;
  G::sync();
}

// finish stages a sample with its links, unless it must be made again.
template <class G, class App> ND_FN void finish(Sample<G>& s, App& app) {
  const Graph& g = s.a.g;
  u64 links = app.links(s);
  if (missed_rows<G>(g)) return s.leave(LayeredMissed);
  StagedSample to;
  if (!s.stage(to, links)) return s.leave(LayeredLeft);
  app.write_links(s, to);
  if (!g.gathered) return;
  G::sync();
  u64* positions = to.link_positions();
  for (u64 i = G::rank(); i < links; i += G::size) positions[i] = gathered_id(g, positions[i]);
}

// layered makes the samples of a launch. App is the app for this kind of group: grow(s) makes the vertices and steps,
// links(s) counts the links, and write_links(s, to) writes them. All ranks call each of them. If there is no array of
// staged samples, grow writes a complete sample to the result itself.
template <class G, class App> ND_FN void layered(const Layered& a, App app = App()) {
  if constexpr (is_grid<G>) G::begin(a.starts);
  Sample<G> s = sample_of<G>(a);
  for (;;) {
    u64 place = 0;
    if (G::rank() == 0) place = a.b.from + add_atomic(a.counters + LayeredTaken, (u64)1);
    place = G::from(place, 0);
    if (place >= a.b.rows) return;
    s.begin(row_at(a.b, place));
    if (s.arena_full()) {  // the sample would be discarded
      s.leave(LayeredLeft);
      continue;
    }
    app.grow(s);
    G::sync();
    if (missed_rows<G>(a.g)) s.leave(LayeredMissed);
    else if (s.full) s.leave(LayeredCramped);
    else if (a.staged) finish(s, app);
    G::sync();  // all ranks have read the sample and its set
    s.set.clear(s.slots, s.slot_count);
    G::sync();
  }
}

}  // namespace nd
