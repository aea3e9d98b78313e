// Trees in transit order: the transits of a launch are sorted by vertex, and make their picks in this order. Threads
// that run together then read the rows of a few vertices, which stay in the L1 and L2 caches. In sample order each pick
// is an access of device memory, if the graph is large. This is the transit-parallel execution of NextDoor (Jangda et
// al., EuroSys'21), for any number of transits per vertex.
//
// The picks of adjacent transits of the sorted list belong to rows that are far apart. Writes of single picks to the
// result would cost more than the reads save. So the picks are staged in the order of the list, and then copied to the
// result tile by tile. The host (gonextdoor/engine/gpu/internal/tree/transit.go) launches, per step and range of rows:
//
//   1. count_transits       Count the transits of each partition: the vertices with the same v >> shift.
//      allocate_exactly     Allocate the partitions (driver/partitionedwalk.cuh).
//      sort_transits        A block per tile of transits sorts them by partition, and writes them to the partitions.
//   2. kernels of tree.cuh  Make the picks of SortedTask: a lane, 8 lanes, a warp or a block per transit, as many as
//                           the fan-out needs. Pick j of adjacent transits is in adjacent elements.
//      few_choices          The same for choices of a few picks. The picks of a transit are in adjacent elements.
//   3. write_sorted         A block per tile of transits copies their picks to the result.
//
// Transits without a vertex are not sorted. Transits have numbers: those of 2^Tree::across adjacent rows are
// adjacent, and within them those of one transit of a row, so that the lanes of a warp write adjacent elements of a
// column.
#pragma once
#include "driver/partitionedwalk.cuh"
#include "driver/tree.cuh"

namespace nd {

constexpr u32 FewTransits = 1024;  // adjacent ones of a block of few_choices

// numbered returns the task of transit number i.
ND_FN TreeTask numbered(const Tree& a, u32 i) {
  u32 across = (u32)a.across, pair = i >> across, transits = (u32)(a.end - a.begin), group = pair / transits;
  u64 row = a.b.from + ((u64)group << across) + (i & ((1u << across) - 1));
  return {row, (u32)a.begin + pair - group * transits, 0, row < a.b.rows};
}

// StagedPicks is the places of a sorted transit's picks: pick j of adjacent transits is in adjacent elements.
struct StagedPicks {
  u32* ends;
  i64* edges;

  template <class Row> ND_FN void write(const Tree& a, u32 j, Row row, AliasDraw e) const {
    write_once(ends + j * a.ends_stride, e.vertex);
    if (edges) write_once(edges + j * a.ends_stride, edge_id(a.g, e.vertex == None ? NoEdge : row.first + e.place));
  }
};

// SortedTask is the work of a worker in transit order: transit `at` of the sorted list. If the graph is copied to the
// GPU part by part (gonextdoor/engine/gpu/internal/tree/parts.go), a launch has the transits whose rows are in one
// part. They are a range of the list and, in the partitions at its ends, those of a range of vertices.
struct SortedTask : TreeTask {
  static constexpr bool sorted = true;
  u32 at, v;

  ND_FN static SortedTask of(const Tree& a, u32 unit, u32 worker, u32 workers) {
    return in(a, fetch(a.sorted_begin) + unit * workers + worker, fetch(a.sorted_end));
  }
  // in returns the task of a place in the list before `end`.
  ND_FN static SortedTask in(const Tree& a, u32 at, u32 end) {
    if (at >= end) return {{0, 0, 0, false}, at, None};
    u64 w = read_once(a.sorted + at);
    SortedTask task{numbered(a, row_of(w)), at, vertex_of(w)};
    task.exists = task.exists && a.row_begin <= task.v && task.v < a.row_end;
    return task;
  }
  ND_FN u32 vertex(const Tree&) const { return v; }
  ND_FN u32 vertex_again(const Tree&) const { return v; }
  ND_FN StagedPicks children(const Tree& a) const { return {a.ends + at, a.end_edges ? a.end_edges + at : nullptr}; }
};

// choose_few makes the choices of up to WarpSize adjacent transits of the list, a lane per transit. The lanes then read
// and write adjacent picks together. All lanes call it. `list` is the positions of the warp's picks, in shared memory.
template <class Rows, u32 Fanout, class Position>
ND_FN void choose_few(const Tree& a, u32 at, u32 end, Position* list) {
  constexpr Position none = (Position)NoEdge;
  u32 lane = lane_index(), picks[Fanout], got = 0;
  // 1. Choose.
  SortedTask task = SortedTask::in(a, at + lane, end);
  auto row = row_of_transit<Rows>(a.g, task.exists ? task.v : None);
  if (row.degree > 0) got = permute_few<Fanout>(task.key(a), Fanout, row.degree, picks);
#pragma unroll
  for (u32 j = 0; j < Fanout; j++) list[lane * Fanout + j] = j < got ? row.first + picks[j] : none;
  u32 exist = Warp::vote(task.exists);
  Warp::sync();
  // 2. Read the end points and write them. All are in flight together, unless a transit of the warp does not exist.
  u64 to = (u64)at * Fanout;
  auto end_of = [&](u32 i) { return list[i] == none ? None : fetch(a.g.indices + list[i]); };
  if (exist == ~0u) {
    u32 ends[Fanout];
#pragma unroll
    for (u32 j = 0; j < Fanout; j++) ends[j] = end_of(j * WarpSize + lane);
#pragma unroll
    for (u32 j = 0; j < Fanout; j++) write_once(a.ends + to + j * WarpSize + lane, ends[j]);
  } else {
#pragma unroll 1
    for (u32 i = lane; i < WarpSize * Fanout; i += WarpSize)
      if (exist >> i / Fanout & 1) write_once(a.ends + to + i, end_of(i));
  }
  // 3. Write the edges.
  if (a.end_edges) {
#pragma unroll 1
    for (u32 i = lane; i < WarpSize * Fanout; i += WarpSize)
      if (exist >> i / Fanout & 1)
        write_once(a.end_edges + to + i, edge_id(a.g, list[i] == none ? NoEdge : (u64)list[i]));
  }
  Warp::sync();  // the next choices overwrite the list
}

// few_choices is the kernels transit_permute_few: choices uniformly at random without replacement. A block has
// FewTransits adjacent places of the list, and ChoiceThreads of them at a time. The launch has blocks for all numbers,
// but those without a vertex are not in the list. So blocks are long, and those past the end of the list cost little.
template <class Rows, u32 Fanout> ND_FN void few_choices(const Tree& a) {
  using Position = decltype(Rows::Row::first);
  ND_DYNAMIC_SHARED(u64, positions);
  constexpr u32 each = FewTransits / ChoiceThreads;
  // One variable and no unrolling: the loop takes few registers.
#pragma unroll 1
  for (u32 turn = block_index() * each;; turn += (turn + 1) % each ? 1 : 1 + (grid_size() - 1) * each) {
    u32 warp = thread_index() / WarpSize * WarpSize, first = turn * ChoiceThreads + warp;
    u32 begin = fetch(a.sorted_begin), end = fetch(a.sorted_end);
    if (first >= end - begin) return;
    choose_few<Rows, Fanout>(a, begin + first, end, (Position*)positions + warp * Fanout);
  }
}

// by_fours returns whether four adjacent rows of a column, from a multiple of four on, are in 16 aligned bytes.
ND_FN bool by_fours(const Tree& a) {
  return (a.stride | a.b.from | a.b.rows) % 4 == 0 && ((u64)a.vertices | (u64)a.edges) % sizeof(Quad) == 0;
}

// first_number returns the first of the four adjacent numbers that a thread has in a tile.
ND_FN u32 first_number(u32 tile) {
  static_assert(WalkersPerThread == 4, "a Quad per thread");
  return tile * WalkerTileSize + thread_index() * WalkersPerThread;
}

// read_transits reads the vertices of the thread's transits in a tile; v[k] is None if transit k does not exist.
ND_FN void read_transits(const TransitOrder& a, u32 tile, u32 (&v)[WalkersPerThread]) {
  u32 first = first_number(tile);
  const Tree& t = a.t;
  bool together = t.step > 0 && by_fours(t);
  Quad q{None, None, None, None};
  TreeTask task = numbered(t, first);
  if (together && first < a.count && task.exists)
    q = fetch((const Quad*)(t.vertices + (t.slot + task.transit) * t.stride + task.row));
  v[0] = q.x, v[1] = q.y, v[2] = q.z, v[3] = q.w;
  if (together) return;
  for (u32 k = 0; k < WalkersPerThread; k++) {
    task = numbered(t, first + k);
    if (first + k < a.count && task.exists) v[k] = task.vertex(t);
  }
}

// count_transits is the kernel transit_count. It sets overflow, so that allocate_exactly allocates the partitions.
ND_FN void count_transits(const TransitOrder& a) {
  ND_SHARED(u32, sizes, MostPartitions);
  for (u32 k = thread_index(); k < MostPartitions; k += block_size()) sizes[k] = 0;
  sync_block();
  for (u64 tile = block_index(); tile * WalkerTileSize < a.count; tile += grid_size()) {
    u32 v[WalkersPerThread];
    read_transits(a, (u32)tile, v);
#pragma unroll
    for (u32 k = 0; k < WalkersPerThread; k++)
      if (v[k] != None) add_atomic(sizes + (v[k] >> a.p.shift), 1u);
  }
  sync_block();
  for (u32 k = thread_index(); k < MostPartitions; k += block_size())
    if (sizes[k]) add_atomic(a.p.recounted + k * SizeStride, sizes[k]);
  if (thread_of_grid() == 0) *a.p.overflow = 1;
}

// TransitTile is the sorted transits of a tile: the end of each partition in the tile, and the distance from an index
// in the tile to that in the list.
struct TransitTile {
  u32 *ends, *offsets;
  ND_FN static TransitTile of(const TransitOrder& a, u32 tile) {
    u32* at = a.tiles + (u64)tile * 2 * MostPartitions;
    return {at, at + MostPartitions};
  }
};

// sort_transits is the kernel transit_sort, a block per tile.
ND_FN void sort_transits(const TransitOrder& a) {
  ND_BINS(bins);
  ND_DYNAMIC_SHARED(u64, staged);
  u32 v[WalkersPerThread], number[WalkersPerThread], rank[WalkersPerThread];
  bins.begin();
  read_transits(a, block_index(), v);
  sync_block();
  // 1. Count the transits of each partition.
#pragma unroll
  for (u32 k = 0; k < WalkersPerThread; k++) {
    number[k] = first_number(block_index()) + k;
    if (v[k] != None) rank[k] = add_atomic(bins.sizes + (v[k] >> a.p.shift), 1u);
  }
  sync_block();
  // 2. Reserve ranges of the partitions, and keep them for write_sorted.
  bins.claim(a.p);
  sync_block();
  TransitTile tile = TransitTile::of(a, block_index());
  for (u32 k = thread_index(); k < MostPartitions; k += block_size()) {
    tile.ends[k] = bins.firsts[k] + bins.sizes[k];
    tile.offsets[k] = bins.offsets[k];
  }
  // 3. Write the transits.
  scatter(a.p, bins, v, number, rank, alive_of(bins), staged);
}

// find_transits writes to `places`, per transit of the tile in the order of their numbers, its place in the list, or
// None. All threads of the block call it.
ND_FN void find_transits(const TransitOrder& a, u32* places) {
  ND_SHARED(u32, ends, MostPartitions);
  ND_SHARED(u32, offsets, MostPartitions);
  TransitTile tile = TransitTile::of(a, block_index());
  for (u32 k = thread_index(); k < MostPartitions; k += block_size()) {
    ends[k] = fetch(tile.ends + k);
    offsets[k] = fetch(tile.offsets + k);
  }
  for (u32 i = thread_index(); i < WalkerTileSize; i += block_size()) places[i] = None;
  sync_block();
  for (u32 i = thread_index(); i < ends[MostPartitions - 1]; i += block_size()) {
    u32 low = 0, high = MostPartitions - 1;  // the partition is the first one that ends after i
    while (low < high) {
      u32 middle = (low + high) / 2;
      if (ends[middle] > i) high = middle;
      else low = middle + 1;
    }
    u32 at = offsets[low] + i;
    places[row_of(fetch(a.t.sorted + at)) - block_index() * WalkerTileSize] = at;
  }
  sync_block();
}

// write_adjacent writes four adjacent elements of a column, the first of which is at a multiple of 16 bytes.
ND_FN void write_adjacent(u32* to, const u32 (&x)[4]) { write_once((Quad*)to, Quad{x[0], x[1], x[2], x[3]}); }
ND_FN void write_adjacent(i64* to, const i64 (&x)[4]) {
  for (u32 k = 0; k < 4; k += 2) {
    u64 a = (u64)x[k], b = (u64)x[k + 1];
    write_once((Quad*)(to + k), Quad{(u32)a, (u32)(a >> 32), (u32)b, (u32)(b >> 32)});
  }
}

// SortedWriter is the transits of a thread that copies staged picks to the result. If `adjacent` is set, they are those
// of four adjacent rows, whose picks are written together; else, adjacent lanes have those of adjacent rows. `few` is
// set if few_choices has staged the picks.
template <bool adjacent, bool few> struct SortedWriter {
  u32 at[WalkersPerThread];
  u64 slot[WalkersPerThread];  // of each transit's first pick, from that of the first transit of row 0; NoEdge: none

  ND_FN SortedWriter(const TransitOrder& a, const u32* places) {
    const Tree& t = a.t;
#pragma unroll
    for (u32 k = 0; k < WalkersPerThread; k++) {
      u32 within = adjacent ? thread_index() * WalkersPerThread + k : k * PartitionedThreads + thread_index();
      u64 i = (u64)block_index() * WalkerTileSize + within;
      at[k] = places[within];
      slot[k] = NoEdge;
      if (i >= a.count) continue;
      TreeTask task = numbered(t, (u32)i);
      if (task.exists) slot[k] = task.transit * t.fanout * t.stride + task.row;
    }
  }

  // write copies the picks. Those of missing transits are `none`.
  template <class T> ND_FN void write(const Tree& t, const T* staged, T* column, T none) const {
    for (u32 j = 0; j < t.fanout; j++) {
      T picks[WalkersPerThread];
#pragma unroll
      for (u32 k = 0; k < WalkersPerThread; k++) {
        picks[k] = none;
        if (at[k] != None) picks[k] = fetch(staged + (few ? at[k] * t.fanout + j : j * t.ends_stride + at[k]));
      }
      T* to = column + j * t.stride;
      if constexpr (adjacent) {
        if (slot[0] != NoEdge) write_adjacent(to + slot[0], picks);
      } else {
#pragma unroll
        for (u32 k = 0; k < WalkersPerThread; k++)
          if (slot[k] != NoEdge) write_once(to + slot[k], picks[k]);
      }
    }
  }

  ND_FN void write(const Tree& t) const {
    write<u32>(t, t.ends, t.vertices + (t.slot + t.transits) * t.stride, None);
    if (t.end_edges) write<i64>(t, t.end_edges, t.edges + (t.slot + t.transits - t.b.width) * t.stride, -1);
  }
};

// write_sorted is the kernels transit_write and transit_write_few, a block per tile. Transits of one partition are
// adjacent in the list. Their staged picks are in few sectors, which the block reads from the L1 cache after the first
// access.
template <bool few> ND_FN void write_sorted(const TransitOrder& a) {
  ND_DYNAMIC_SHARED(u32, places);
  find_transits(a, places);
  const Tree& t = a.t;
  if (by_fours(t)) SortedWriter<true, few>(a, places).write(t);
  else SortedWriter<false, few>(a, places).write(t);
}

}  // namespace nd
