// Trees with fan-outs: at each step, every vertex of the previous step (a transit) takes a number of its edges. The
// twin of app.KHop. The host (gonextdoor/engine/gpu/internal/tree/tree.go) launches one kernel per step and range of
// rows:
//
//   tree_picks         A thread per transit. Pick j depends on the transit and j alone: choices with replacement, and
//                      fan-outs that no degree exceeds.
//   tree_choices       A group of threads per transit, with its picks in shared memory: choices without replacement.
//                      The group is the smallest one whose share of the shared memory has space for the picks.
//   postponed_choices  Follows the weighted tree_choices: a block per transit whose alias draws did not suffice, so
//                      that its row must be scanned, which is long.
//   long_choices       A block per transit, with its picks in device memory: choices without replacement of more picks
//                      than fit the shared memory.
//   biased_edges       A warp per transit, which takes all edges with a positive bias.
//
// Each kernel has two orders of execution, which the class Task determines. TreeTask is sample order: the threads of a
// block have a few adjacent rows, and the transits of these rows. Adjacent lanes write adjacent elements of a column.
// The transits of one row are often equal, or few, so their edges are read from the L1 cache. SortedTask
// (driver/transit.cuh) is transit order. A choice depends on the sample's id, the step and the number of the transit,
// never on the order, the launch or the thread.
#pragma once
#include "driver/rows.cuh"
#include "graph/packed.cuh"
#include "selector/longpicks.cuh"
#include "selector/permute.cuh"
#include "selector/successive.cuh"
#include "selector/uniform.cuh"

namespace nd {

constexpr u32 TreeThreads = 256;    // per block of tree_picks
constexpr u32 ChoiceThreads = 128;  // per block of the other kernels
constexpr u32 PicksAhead = 10;      // picks of a thread whose loads are in flight together
constexpr u32 DrawsAhead = 5;       // the same of alias draws, some of which are rejected
constexpr u32 FewChoices = 8;       // at most that many weighted choices of a warp are made by all its lanes
constexpr u32 ScanEdges = 32;       // a group scans a row of at most that many edges per thread; a block scans others

// Children is the slots of a transit's picks in the result.
struct Children {
  u32* vertices;
  i64* edges;

  // write writes an edge of a row, or None, as pick j.
  template <class Row> ND_FN void write(const Tree& a, u32 j, Row row, AliasDraw e) const {
    write_once(vertices + j * a.stride, e.vertex);
    if (edges) write_once(edges + j * a.stride, edge_id(a.g, e.vertex == None ? NoEdge : row.first + e.place));
  }
};

// TreeTask is the work of a worker: a transit of a row, or a piece of its picks.
struct TreeTask {
  u64 row;
  u32 transit, piece;
  bool exists;  // false past the last row, and past the last transit
  static constexpr bool sorted = false;

  // of returns the task of a worker in a unit. `workers` is the number of workers in a block.
  ND_FN static TreeTask of(const Tree& a, u32 unit, u32 worker, u32 workers) {
    u32 across = (u32)a.across, rows = (u32)(a.b.rows - a.b.from);
    u32 downs = (u32)a.units / ((rows + (1u << across) - 1) >> across), column = unit / downs;
    u32 row = (column << across) + (worker & ((1u << across) - 1));
    u32 transit = (unit - column * downs) * (workers >> across) + (worker >> across), piece = 0;
    if (a.pieces > 1) {
      u32 at = transit, pieces = (u32)a.pieces;
      transit = at / pieces;
      piece = at - transit * pieces;
    }
    return {a.b.from + row, (u32)a.begin + transit, piece, row < rows && a.begin + transit < a.end};
  }

  // vertex returns the vertex of the transit. At step 0, the first piece writes the root to the result.
  ND_FN u32 vertex(const Tree& a) const {
    u32 v = vertex_again(a);
    if (a.step == 0 && piece == 0) write_once(a.vertices + (a.slot + transit) * a.stride + row, v);
    return v;
  }
  // vertex_again returns the same and writes nothing.
  ND_FN u32 vertex_again(const Tree& a) const {
    if (a.step == 0) return root_of(a.b, row, transit);
    return read_once(a.vertices + (a.slot + transit) * a.stride + row);
  }
  // key returns the key of the transit's choice.
  ND_FN u64 key(const Tree& a) const { return derived_key(sample_key(a.b, row), a.step, transit); }
  // children returns the slots of the transit's picks.
  ND_FN Children children(const Tree& a) const {
    u64 slot = a.slot + a.transits + transit * a.fanout;
    return {a.vertices + slot * a.stride + row, a.edges ? a.edges + (slot - a.b.width) * a.stride + row : nullptr};
  }
};

// row_of_transit returns the row of a vertex; that of None is empty.
template <class Rows> ND_FN typename Rows::Row row_of_transit(const Graph& g, u32 v) {
  typename Rows::Row row{0, 0};
  if (v != None) row = Rows::of(g, v);
  return row;
}

// The picks of tree_picks. An end point is read through the L1 cache, unlike in walks: the picks of a transit are in
// one row, which is often no longer than a few sectors.

// Uniformly makes each pick uniformly at random, with replacement.
struct Uniformly {
  template <class Row> ND_FN static AliasDraw pick(const Graph& g, Row row, u64 key, u32 j) {
    if (row.degree == 0) return {0, None};
    u32 place = uniform_draw(word_of(key, j), row.degree);
    return {place, fetch(g.indices + row.first + place)};
  }
};

// ByAlias makes each pick in proportion to the biases, with replacement.
struct ByAlias {
  template <class Row> ND_FN static AliasDraw pick(const Graph& g, Row row, u64 key, u32 j) {
    if (row.degree == 0) return {0, None};
    return near_alias_draw(g, row, word_of(key, j));
  }
};

// Everything takes edge j as pick j, for rows of at most as many edges as picks are wanted.
struct Everything {
  template <class Row> ND_FN static AliasDraw pick(const Graph& g, Row row, u64, u32 j) {
    if (j >= row.degree) return {0, None};
    return {j, fetch(g.indices + row.first + j)};
  }
};

// tree_picks makes the picks of a step, a thread per piece of a transit's picks.
template <class Rows, class Picks, class Task = TreeTask> ND_FN void tree_picks(const Tree& a) {
  for (u32 unit = block_index(); unit < a.units; unit += grid_size()) {
    Task task = Task::of(a, unit, thread_index(), TreeThreads);
    if (!task.exists) continue;
    auto row = row_of_transit<Rows>(a.g, task.vertex(a));
    u64 key = task.key(a);
    auto to = task.children(a);
    u32 first = task.piece * (u32)a.share, end = first + (u32)a.share < a.fanout ? first + (u32)a.share : (u32)a.fanout;
    for (u32 j = first; j < end; j += PicksAhead) {
      AliasDraw e[PicksAhead];
#pragma unroll
      for (u32 i = 0; i < PicksAhead; i++)
        if (j + i < end) e[i] = Picks::pick(a.g, row, key, j + i);
#pragma unroll
      for (u32 i = 0; i < PicksAhead; i++)
        if (j + i < end) to.write(a, j + i, row, e[i]);
    }
  }
}

// LanePicks is the picks of a lane in shared memory: pick j of adjacent lanes is in adjacent banks.
struct LanePicks {
  u32* at;
  ND_FN u32& operator[](u32 j) const { return at[j * ChoiceThreads]; }
};

// LaneDraws is LanePicks with the end points, which alias draws have read already.
struct LaneDraws : LanePicks {
  u32* ends;
  ND_FN u32& end(u32 j) const { return ends[j * ChoiceThreads]; }
};
ND_FN void put(LaneDraws picks, u32 at, AliasDraw d) {
  picks[at] = d.place;
  picks.end(at) = d.vertex;
}

// picked returns pick j of a choice with its end point.
template <class Row, class Picks> ND_FN AliasDraw picked(const Graph& g, Row row, Picks picks, u32 j) {
  u32 place = picks[j];
  return {place, fetch(g.indices + row.first + place)};
}
template <class Row> ND_FN AliasDraw picked(const Graph&, Row, LaneDraws picks, u32 j) {
  return {picks[j], picks.end(j)};
}

// write_choice writes the first `got` picks of a choice, and None after them. All ranks of G call it.
template <class G, class Task, class Row, class Picks>
ND_FN void write_choice(const Tree& a, const Task& task, Row row, Picks picks, u32 got) {
  auto to = task.children(a);
  u32 k = (u32)a.fanout;
  for (u32 first = G::rank(); first < k; first += PicksAhead * G::size) {
    AliasDraw e[PicksAhead];
#pragma unroll
    for (u32 i = 0; i < PicksAhead; i++) {
      e[i] = {0, None};
      if (first + i * G::size < got) e[i] = picked(a.g, row, picks, first + i * G::size);
    }
#pragma unroll
    for (u32 i = 0; i < PicksAhead; i++)
      if (first + i * G::size < k) to.write(a, first + i * G::size, row, e[i]);
  }
}

// Permuted chooses uniformly at random without replacement.
struct Permuted {
  static constexpr bool postpones = false, by_warps = false;

  // picks returns the picks of the calling group in the block's shared memory.
  template <class G> ND_FN static auto picks(const Tree& a, u32* memory) {
    if constexpr (G::size == 1) return LanePicks{memory + thread_index()};
    else return memory + thread_index() / G::size * a.fanout;
  }
  template <class G, class Row, class Picks>
  ND_FN static u32 choose(const Tree& a, Row row, u64 key, Picks picks, bool&) {
    return permute<G>(key, (u32)a.fanout, row.degree, picks);
  }
};

// PermutedFew is Permuted for lanes, and for a fan-out that is known at compile time.
template <u32 Fanout> struct PermutedFew : Permuted {
  template <class G, class Row, class Picks>
  ND_FN static u32 choose(const Tree&, Row row, u64 key, Picks picks, bool&) {
    return permute_few<Fanout>(key, Fanout, row.degree, picks);
  }
};

// Successively chooses in proportion to the biases without replacement. Groups below a block postpone the choices for
// which a long row must be scanned: at a hub, a scan takes a lane many times as long as all other choices of its warp.
struct Successively {
  static constexpr bool postpones = true, by_warps = true;

  template <class G> ND_FN static auto picks(const Tree& a, u32* memory) {
    if constexpr (G::size == 1)
      return LaneDraws{{memory + thread_index()}, memory + thread_index() + a.fanout * ChoiceThreads};
    else return memory + thread_index() / G::size * a.fanout;
  }
  template <class G, class Row, class Picks>
  ND_FN static u32 choose(const Tree& a, Row row, u64 key, Picks picks, bool& postponed) {
    u32 k = (u32)a.fanout;
    if constexpr (G::size > WarpSize) return successive<G>(a.g, row, key, k, picks);
    if (row.degree <= k) {
      u32 got = all_with_bias<G>(a.g, row, picks);
      read_ends(a.g, row, picks, 0, got);
      return got;
    }
    // 1. Draw. Nothing was drawn if no edge has a bias.
    u32 drawn = draws<G>(a.g, row, key, k, picks);
    if (drawn == k || drawn == 0) return drawn;
    // 2. Scan the row for the other picks.
    return scanned<G>(a, row, key, drawn, picks, postponed);
  }

  // choose_by_warp makes the choices of the lanes of a warp. All lanes call it. If few rows have more edges than picks,
  // all lanes draw for each of them together.
  template <class Row>
  ND_FN static u32 choose_by_warp(const Tree& a, Row row, u64 key, LaneDraws picks, bool& postponed) {
    u32 k = (u32)a.fanout, got = 0;
    bool draw = row.degree > k, many = count_bits(Warp::vote(draw)) > FewChoices;
    // 1. Each lane chooses by itself.
    if (row.degree > 0 && (many || !draw)) got = choose<Lane>(a, row, key, picks, postponed);
    if (many) return got;
    // 2. All lanes draw.
    u32 drawn = 0;
    for (u32 waiting = Warp::vote(draw); waiting; waiting &= waiting - 1) {
      u32 lane = lowest_bit(waiting);
      Row other{Warp::from(row.first, lane), Warp::from(row.degree, lane)};
      LaneDraws list{{picks.at + lane - lane_index()}, picks.ends + lane - lane_index()};
      AliasDraws<Row> draws{a.g, other, Warp::from(key, lane)};
      u32 all = tile_draws<Warp>(draws, AttemptsPerPick * k, k, list);
      if (lane_index() == lane) drawn = all;
    }
    if (draw) got = drawn == k || drawn == 0 ? drawn : scanned<Lane>(a, row, key, drawn, picks, postponed);
    return got;
  }

 private:
  // scanned adds the picks that are missing after `drawn` draws by a scan of the row, unless that is postponed.
  template <class G, class Row, class Picks>
  ND_FN static u32 scanned(const Tree& a, Row row, u64 key, u32 drawn, Picks picks, bool& postponed) {
    postponed = row.degree > ScanEdges * G::size;
    if (postponed) return drawn;
    u32 got = successive_rest<G>(a.g, row, key, (u32)a.fanout, drawn, picks);
    read_ends(a.g, row, picks, drawn, got);
    return got;
  }
  template <class G, class Row, class Picks>
  ND_FN static u32 draws(const Graph& g, Row row, u64 key, u32 k, Picks picks) {
    if constexpr (G::size == 1) return lane_draws<DrawsAhead>(g, row, key, k, picks);
    else return successive_draws<G>(g, row, key, k, picks);
  }
  // read_ends reads the end points of the picks first ... end-1 if the list keeps them.
  template <class Row> ND_FN static void read_ends(const Graph&, Row, u32*, u32, u32) {}
  template <class Row> ND_FN static void read_ends(const Graph& g, Row row, LaneDraws picks, u32 first, u32 end) {
    for (u32 j = first; j < end; j++) picks.end(j) = fetch(g.indices + row.first + picks[j]);
  }
};

// tree_choices makes the choices of a step without replacement, a group G per transit.
template <class Rows, class Chosen, class G, class Task = TreeTask> ND_FN void tree_choices(const Tree& a) {
  ND_DYNAMIC_SHARED(u32, memory);
  constexpr u32 workers = ChoiceThreads / G::size;
  auto picks = Chosen::template picks<G>(a, memory);
  for (u32 unit = block_index(); unit < a.units; unit += grid_size()) {
    Task task = Task::of(a, unit, thread_index() / G::size, workers);
    bool postponed = false;
    // 1. Choose. Rank 0 reads the transit, since at step 0 it also writes the root.
    u32 v = task.exists && G::rank() == 0 ? task.vertex(a) : None, got = 0;
    auto row = row_of_transit<Rows>(a.g, G::from(v, 0));
    if constexpr (Chosen::by_warps && G::size == 1 && !Task::sorted)
      got = Chosen::choose_by_warp(a, row, task.key(a), picks, postponed);
    else if (row.degree > 0) got = Chosen::template choose<G>(a, row, task.key(a), picks, postponed);
    // 2. Write the picks.
    if (task.exists && !postponed) write_choice<G>(a, task, row, picks, got);
    G::sync();  // the next choice overwrites them
    // 3. Mark the choices that are postponed.
    if constexpr (Chosen::postpones && G::size <= WarpSize) {
      u32 marks = Warp::vote(postponed && G::rank() == 0);
      if (lane_index() == 0) a.postponed[((u64)unit * ChoiceThreads + thread_index()) / WarpSize] = marks;
    }
  }
}

// postponed_choices makes the choices that tree_choices postponed, a block per transit. Workers is the number of groups
// in its blocks.
template <class Rows, u32 Workers, class Task = TreeTask> ND_FN void postponed_choices(const Tree& a) {
  using G = Block<ChoiceThreads>;
  ND_DYNAMIC_SHARED(u32, picks);
  constexpr u32 lanes = ChoiceThreads / Workers;
  u64 words = a.units * ChoiceThreads / WarpSize, rounds = (words + ChoiceThreads - 1) / ChoiceThreads;
  for (u64 round = block_index(); round < rounds; round += grid_size()) {
    // 1. Each thread reads a word of marks. Adjacent words, which may be marks of one hub, are for different blocks.
    u64 word = (u64)thread_index() * rounds + round;
    u32 marks = word < words ? a.postponed[word] : 0;
    // 2. The block makes the marked choices, one after another.
    for (u32 giver; (giver = G::first(marks != 0)) != None;) {
      u32 bit = lowest_bit(G::from(marks, giver));
      u64 thread = ((u64)giver * rounds + round) * WarpSize + bit;
      Task task = Task::of(a, (u32)(thread / ChoiceThreads), (u32)(thread % ChoiceThreads) / lanes, Workers);
      auto row = Rows::of(a.g, task.vertex_again(a));
      u32 got = successive<G>(a.g, row, task.key(a), (u32)a.fanout, picks);
      write_choice<G>(a, task, row, picks, got);
      if (thread_index() == giver) marks &= marks - 1;
      G::sync();
    }
  }
}

// long_choices makes the choices of a step without replacement, a block per transit, in device memory.
template <class Rows, bool weighted> ND_FN void long_choices(const Tree& a) {
  using G = Block<ChoiceThreads>;
  u32 k = (u32)a.fanout, *numbers = a.long_numbers + 3 * (u64)k * block_index(), *picks = numbers + 2 * (u64)k;
  LongMemory memory{numbers, numbers + k, a.long_table + 2 * (u64)k * block_index()};
  for (u32 unit = block_index(); unit < a.units; unit += grid_size()) {
    TreeTask task = TreeTask::of(a, unit, 0, 1);
    u32 v = G::rank() == 0 ? task.vertex(a) : None;
    auto row = row_of_transit<Rows>(a.g, G::from(v, 0));
    u32 got = row.degree < k ? row.degree : k, *from = picks;
    if (row.degree <= k && weighted) {
      got = all_with_bias<G>(a.g, row, picks);
    } else if (row.degree <= k) {
      for (u32 i = G::rank(); i < got; i += G::size) picks[i] = i;
      G::sync();
    } else if (weighted) {
      u64* sums = a.leaf_sums + leaf_sum_words(a.leaves) * block_index();
      got = long_successive<G>(a.g, row, task.key(a), k, k, memory, sums, a.leaves);
      from = memory.draws;
    } else {
      long_permutation<G>(memory, task.key(a), k, row.degree, [&](u32 j, u32 pick) { picks[j] = pick; });
    }
    write_choice<G>(a, task, row, from, got);
    G::sync();  // the next choice overwrites the picks
  }
}

// biased_edges takes all edges with a positive bias, in their order, a warp per transit: for fan-outs that no degree
// exceeds, of any size.
template <class Rows, class Task = TreeTask> ND_FN void biased_edges(const Tree& a) {
  constexpr u32 workers = ChoiceThreads / WarpSize;
  for (u32 unit = block_index(); unit < a.units; unit += grid_size()) {
    Task task = Task::of(a, unit, thread_index() / WarpSize, workers);
    if (!task.exists) continue;
    u32 v = lane_index() == 0 ? task.vertex(a) : None;
    auto row = row_of_transit<Rows>(a.g, Warp::from(v, 0));
    auto to = task.children(a);
    // 1. Write the edges with a bias.
    u32 got = 0;
    for (u32 first = 0; first < row.degree; first += WarpSize) {
      u32 i = first + lane_index();
      bool has = i < row.degree && fetch(a.g.biases + row.first + i) > 0;
      u32 taken = Warp::vote(has);
      if (has) to.write(a, got + lanes_below(taken), row, {i, fetch(a.g.indices + row.first + i)});
      got += count_bits(taken);
    }
    // 2. Write None to the other slots.
    for (u32 j = got + lane_index(); j < a.fanout; j += WarpSize) to.write(a, j, row, {0, None});
  }
}

}  // namespace nd
