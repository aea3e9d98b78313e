// The id map of the neighbour sampler: from nodes to local ids (`number` below), which follow the order of first
// appearance in the result. A node is a tree, a type and a vertex. The map has one of two forms:
//
//   direct   a number per vertex of each tree and type, if that takes little memory
//   hashed   a hash table with open addressing. The nodes of a batch begin in one part of the table, so the working set
//            of the blocks at a time fits the L2 cache.
//
// The place of an edge is its index in the order of the result. A known node has its local id. A node that the present
// step discovers has the least place of all edges that lead to it, with the bit Place set: any local id is less. So the
// first edge in order determines the local id, in whatever order threads insert. The bitmap `fresh` has the bits of
// these first edges. A thread that lowers the place of a node moves its bit, by additions; these commute.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"
#include "driver/tiles.cuh"

namespace nd {

constexpr u64 NoNode = ~0ull;
constexpr u32 KnownNode = 1u << 31;  // in slots: the rest is a local id

// NeighborFault is the reason why a launch ended early: a bad seed node, or an array that is too small. For the latter,
// the host allocates more and repeats the launch.
enum NeighborFault : u32 { FaultNone, FaultSeeds, FaultEdges, FaultOffsets, FaultTable, FaultNodes };

// The report to the host, in 32-bit words: the fault, the capacity that it needs (two words), a flag that is set once
// the report is complete, then the counts in `known` and `edge_at`, from ReportHead on.
constexpr u32 ReportDone = 3, ReportHead = 4;

// report_fault records a fault of a phase. If several threads report one, any of them is kept.
ND_COLD void report_fault(const NeighborSampler& a, u32 phase, u32 fault, u64 need) {
  write_for_all(a.status, phase + 1);
  a.report[0] = fault;
  a.report[1] = (u32)need;
  a.report[2] = (u32)(need >> 32);
}

// report_counts copies to the host the counts that the first `steps` steps have recorded, except for the nodes after
// the last of them. Thread number `first` of `each` threads writes every each-th. The kernel does that once, after the
// last grid barrier: barriers may wait for earlier writes to host memory.
ND_FN void report_counts(const NeighborSampler& a, u64 steps, u64 first, u64 each) {
  u64 lists = a.types * a.batches, nodes = steps * lists, all = nodes + steps * (a.batches + 1);
  u32 *known = a.report + ReportHead, *edge_at = known + (a.step_count + 1) * lists;
  for (u64 i = first; i < all; i += each) {
    if (i < nodes) known[i] = a.known[i];
    else edge_at[i - nodes] = a.edge_at[i - nodes];
  }
}

// reports_early returns whether the block with the last tile of the last step completes the report: there is one list,
// and the step has edges. The host then reads the report while nodes are appended. Otherwise compact completes it.
ND_FN bool reports_early(const NeighborSampler& a) {
  const u32* edge_at = a.edge_at + (a.step_count - 1) * (a.batches + 1);
  return a.types * a.batches == 1 && edge_at[1] > edge_at[0];
}

// report_done tells the host that the report is complete. The thread's block has written it, or earlier launches have.
ND_FN void report_done(const NeighborSampler& a) {
  fence_host();
  write_for_all(a.report + ReportDone, 1u);
}

// failed returns whether a phase or an earlier one had a fault. After a grid barrier it returns the same to all
// threads, even if another thread is in the next phase already and reports a fault there.
ND_FN bool failed(const NeighborSampler& a, u32 phase) {
  u32 status = read_shared_by_all(a.status);
  return status != 0 && status <= phase + 1;
}

// NodeTable is the id map. phase is that of the faults that it reports. Slots identify nodes.
struct NodeTable {
  static constexpr u32 LocalProbes = 16;  // probes in the batch's part of the table, before the search goes elsewhere
  static constexpr u32 MostProbes = 512;  // probes in total, before the table counts as full

  // A record of the hash table has 16 bytes: the key, then the local id or the place. A free record has all bits set.
  struct alignas(16) Record {
    u64 key;
    u32 number, unused;
  };
  const NeighborSampler& a;
  u32 phase;

  ND_FN bool direct() const { return a.table_stride != 0; }
  ND_FN Record& at(u32 slot) const { return ((Record*)a.table)[slot]; }
  // number_at returns the address of a node's local id or place.
  template <bool Direct> ND_FN u32* number_in(u32 slot) const {
    return Direct ? (u32*)a.table + slot : &at(slot).number;
  }
  ND_FN u32* number_at(u32 slot) const { return direct() ? number_in<true>(slot) : number_in<false>(slot); }

  // key distinguishes vertices of different trees and types. key_at is the key of a node.
  ND_FN u64 key(u32 tree, u32 type, u32 v) const { return ((u64)tree * a.types + type) << 32 | v; }
  ND_FN u64 key_at(u32 slot) const {
    if (!direct()) return at(slot).key;
    u32 stride = (u32)a.table_stride, row = slot / stride;
    return (u64)row << 32 | (slot - row * stride);
  }

  // clear empties the map. All threads of the grid call it; a grid barrier must follow.
  ND_FN void clear() const {
    Quad* to = a.table;
    for (u64 i = thread_of_grid(); i <= a.table_mask; i += threads_of_grid()) to[i] = {~0u, ~0u, ~0u, ~0u};
    for (u64 i = thread_of_grid(); i <= a.edge_capacity / WarpSize + 1; i += threads_of_grid()) a.fresh[i] = 0;
  }

  // Inserted is the slot of a node, and whether this call added it.
  struct Inserted {
    u32 slot;
    bool first;
  };
  // find returns the record of a node of a batch in the hash table, and adds it if it is missing. It costs a
  // compare-and-swap per probe. Concurrent calls are safe.
  ND_FN Inserted find(u32 batch, u64 key) const {
    u64 hash = key * Gamma;
    u32 mask = (u32)a.table_mask, part = (u32)a.table_part,
        slot = (batch * part + ((u32)(hash >> 32) & (part - 1))) & mask;
    for (u32 probe = 0; probe < MostProbes; probe++, slot = (slot + 1) & mask) {
      if (probe == LocalProbes) slot = (u32)(hash >> 16) & mask;  // the part is full here: continue anywhere
      u64 there = swap_atomic(&at(slot).key, NoNode, key);
      if (there == NoNode || there == key) return {slot, there == NoNode};
    }
    report_fault(a, phase, FaultTable, 0);
    return {slot, true};
  }
  // direct_slot returns the slot of a node in a direct map.
  ND_FN u32 direct_slot(u64 key) const { return (u32)(key >> 32) * (u32)a.table_stride + (u32)key; }

  // insert_seed inserts a seed node of a batch with its local id. Concurrent calls are safe.
  ND_FN Inserted insert_seed(u32 batch, u64 key, u32 id) const {
    if (direct()) return {direct_slot(key), min_atomic(number_in<true>(direct_slot(key)), id) == None};
    Inserted found = find(batch, key);
    min_atomic(number_in<false>(found.slot), id);
    return found;
  }

  // move_fresh moves the bit of a node's first edge from that with number `old`, None if there was none, to that at
  // `place`.
  ND_FN void move_fresh(u32 old, u32 place) const {
    u32 bit = 1u << place % WarpSize;
    if (old != None) {
      u32 before = old & ~Place, off = 0 - (1u << before % WarpSize);
      if (before / WarpSize == place / WarpSize) bit += off;
      else add_atomic(a.fresh + before / WarpSize, off);
    }
    add_atomic(a.fresh + place / WarpSize, bit);
  }

  // insert inserts the sources of N edges of a batch, by their keys, and skips those with has[i] = false. places[i] is
  // the place of edge i. slots[i] becomes the source's slot or, if the source has a local id already, KnownNode | id.
  // Concurrent calls are safe. A direct map costs an atomic minimum per edge that is the first so far to lead to its
  // source; the loads of all edges are in flight together. A hash table costs a compare-and-swap per probe, and an
  // atomic minimum per edge.
  template <bool Direct, u32 N>
  ND_FN void insert(u32 batch, const bool (&has)[N], const u64 (&keys)[N], const u32 (&places)[N],
                    u32 (&slots)[N]) const {
    // 1. Find the slots. In a direct map, read the numbers.
    u32 seen[N];
#pragma unroll
    for (u32 i = 0; i < N; i++) {
      if constexpr (Direct) slots[i] = direct_slot(keys[i]);
      else slots[i] = has[i] ? find(batch, keys[i]).slot : 0;
      seen[i] = Direct ? read_shared_by_all(number_in<true>(slots[i])) : None;
    }
    // 2. Lower the numbers. seen becomes the number before.
#pragma unroll
    for (u32 i = 0; i < N; i++)
      if (has[i] && seen[i] > (Place | places[i])) seen[i] = min_atomic(number_in<Direct>(slots[i]), Place | places[i]);
    // 3. Move the bits of the first edges.
#pragma unroll
    for (u32 i = 0; i < N; i++) {
      if (has[i] && seen[i] > (Place | places[i])) move_fresh(seen[i], places[i]);
      if (seen[i] < Place) slots[i] = KnownNode | seen[i];
    }
  }
};

}  // namespace nd
