// The id map of the neighbour sampler: a hash table with open addressing in device memory, keyed by tree, type and
// vertex. It maps nodes to local ids (`number` below), which follow the order of first appearance in the result.
//
// The place of an edge is its index in the order of the result. The record of a known node has its local id. The record
// of a node that the present step discovers has the least place of all edges that lead to it, with the bit Place set:
// any local id is less. So the first edge in order determines the local id, in whatever order threads insert.
//
// The nodes of a batch begin in one part of the table, so the working set of the blocks at a time fits the L2 cache.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"
#include "driver/tiles.cuh"

namespace nd {

constexpr u64 NoNode = ~0ull;

// NeighborFault is the reason why a launch ended early: a bad seed node, or an array that is too small. For the latter,
// the host allocates more and repeats the launch. gonextdoor/engine/gpu/neighborcapacity.go has the same numbers.
enum NeighborFault : u32 { FaultNone, FaultSeeds, FaultEdges, FaultOffsets, FaultTable, FaultNodes };

// The report to the host, in 32-bit words: the fault, the capacity that it needs (two words), a flag that is set once
// the report is complete, then the counts that record_nodes and record_edges write, from ReportHead on.
constexpr u32 ReportDone = 3, ReportHead = 4;

// report_fault records a fault of a phase. If several threads report one, any of them is kept.
ND_COLD void report_fault(const NeighborSampler& a, u32 phase, u32 fault, u64 need) {
  write_for_all(a.status, phase + 1);
  a.report[0] = fault;
  a.report[1] = (u32)need;
  a.report[2] = (u32)(need >> 32);
}

// failed returns whether a phase or an earlier one had a fault. After a grid barrier it returns the same to all
// threads, even if another thread is in the next phase already and reports a fault there.
ND_FN bool failed(const NeighborSampler& a, u32 phase) {
  u32 status = read_shared_by_all(a.status);
  return status != 0 && status <= phase + 1;
}

// NodeTable is the id map. phase is that of the faults that it reports.
struct NodeTable {
  static constexpr u32 LocalProbes = 16;  // probes in the batch's part of the table, before the search goes elsewhere
  static constexpr u32 MostProbes = 512;  // probes in total, before the table counts as full

  // A record has 16 bytes: the key, then the local id or the place. A free record has all bits set.
  struct alignas(16) Record {
    u64 key;
    u32 number, unused;
  };
  const NeighborSampler& a;
  u32 phase;

  ND_FN Record& at(u32 slot) const { return ((Record*)a.table)[slot]; }

  // key distinguishes vertices of different trees and types.
  ND_FN u64 key(u32 tree, u32 type, u32 v) const { return ((u64)tree * a.types + type) << 32 | v; }

  // clear empties the table. All threads of the grid call it; a grid barrier must follow.
  ND_FN void clear() const {
    Quad* to = a.table;
    for (u64 i = thread_of_grid(); i <= a.table_mask; i += threads_of_grid()) to[i] = {~0u, ~0u, ~0u, ~0u};
  }
  // insert returns the slot of a node of a batch, and whether this call added the node. `number` is its local id, or
  // the place of an edge with Place set; the record keeps the least of all. It costs a compare-and-swap per probe and
  // an atomic minimum. Concurrent calls are safe.
  struct Inserted {
    u32 slot;
    bool first;
  };
  ND_FN Inserted insert(u32 batch, u64 key, u32 number) const {
    u64 hash = key * Gamma;
    u32 mask = (u32)a.table_mask, part = (u32)a.table_part,
        slot = (batch * part + ((u32)(hash >> 32) & (part - 1))) & mask;
    for (u32 probe = 0; probe < MostProbes; probe++, slot = (slot + 1) & mask) {
      if (probe == LocalProbes) slot = (u32)(hash >> 16) & mask;  // the part is full here: continue anywhere
      u64 there = swap_atomic(&at(slot).key, NoNode, key);
      if (there != NoNode && there != key) continue;
      min_atomic(&at(slot).number, number);
      return {slot, there == NoNode};
    }
    report_fault(a, phase, FaultTable, 0);
    return {slot, true};
  }
};

}  // namespace nd
