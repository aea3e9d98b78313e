// The table of a launch's nodes: open addressing, keyed by tree, type and vertex. A known node's record holds its
// number. A node that the present step discovers holds the least place of all edges that lead to it, with the bit Place
// set: any number is less. So the edge that counts is the first in order, whichever thread comes first, and nodes are
// numbered by first appearance.
//
// The nodes of a batch share a part of the table, so that what is worked on at a time stays in the L2 cache.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"
#include "driver/tiles.cuh"

namespace nd {

constexpr u64 NoNode = ~0ull;

// NeighborFault is why a launch ended early. The host makes room and repeats the launch.
enum NeighborFault : u32 { FaultNone, FaultSeeds, FaultEdges, FaultOffsets, FaultTable, FaultNodes };

// The report to the host is a word for the fault, two for the capacity that it needs, one that is set once the report
// is complete, then the numbers.
constexpr u32 ReportDone = 3, ReportHead = 4;

// report_fault records one of the faults of a phase.
ND_COLD void report_fault(const NeighborSampler& a, u32 phase, u32 fault, u64 need) {
  write_for_all(a.status, phase + 1);
  a.report[0] = fault, a.report[1] = (u32)need, a.report[2] = (u32)(need >> 32);
}

// failed tells whether a phase had a fault. Called after a grid barrier, it returns the same to all threads, even if
// another thread is in the next phase already and reports a fault there.
ND_FN bool failed(const NeighborSampler& a, u32 phase) {
  u32 status = read_shared_by_all(a.status);
  return status != 0 && status <= phase + 1;
}

struct NodeTable {
  static constexpr u32 Near = 16;      // records that are tried in the batch's part of the table
  static constexpr u32 Patience = 512;  // records that are tried in all, before the table counts as full

  // A record has 16 bytes, all ones where there is no node: key, then number or place.
  struct alignas(16) Record { u64 key; u32 number, unused; };
  const NeighborSampler& a;
  u32 phase;

  ND_FN Record& at(u32 slot) const { return ((Record*)a.table)[slot]; }

  // key distinguishes vertices of different trees and types.
  ND_FN u64 key(u32 tree, u32 type, u32 v) const { return ((u64)tree * a.types + type) << 32 | v; }

  // clear empties the table; a grid barrier follows.
  ND_FN void clear() const {
    Quad* to = a.table;
    for (u64 i = thread_of_grid(); i <= a.table_mask; i += threads_of_grid()) to[i] = {~0u, ~0u, ~0u, ~0u};
  }
  // enter returns the record of a node of a batch, and whether the node is new. `number` is its number, or the place of
  // an edge with Place set; the record keeps the least. Probing costs one compare-and-swap per record.
  struct Entered { u32 slot; bool first; };
  ND_FN Entered enter(u32 batch, u64 key, u32 number) const {
    u64 hash = key * Gamma;
    u32 mask = (u32)a.table_mask, part = (u32)a.table_part, slot = (batch * part + ((u32)(hash >> 32) & (part - 1))) & mask;
    for (u32 tried = 0; tried < Patience; tried++, slot = (slot + 1) & mask) {
      if (tried == Near) slot = (u32)(hash >> 16) & mask;
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
