// The nodes of mini-batches, found by tree and vertex: a table with open addressing. A node that is known has its
// number there; one that the present step meets, the least place of all edges that lead to it. So whoever comes first,
// the edge that counts is the first in order, and numbers go by first appearance. A place has the bit Place: any number
// is less.
//
// The nodes of a batch lie near each other: what is worked on at a time stays in the second-level cache.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"
#include "driver/tiles.cuh"

namespace nd {

constexpr u64 NoNode = ~0ull;

// NeighborhoodFault is why a launch ended before its time; the host makes room and starts again.
enum NeighborhoodFault : u32 { FaultNone, FaultSeeds, FaultEdges, FaultOffsets, FaultTable, FaultNodes };

// The report is a word for the fault, two for what would be needed, one that says that all is there, then the numbers.
constexpr u32 ReportDone = 3, ReportHead = 4;

// report_fault keeps one of the faults of a phase.
ND_COLD void report_fault(const Neighborhood& a, u32 phase, u32 fault, u64 need) {
  write_for_all(a.status, phase + 1);
  a.report[0] = fault, a.report[1] = (u32)need, a.report[2] = (u32)(need >> 32);
}

// failed says whether a phase had a fault, behind the grid's barrier: all threads see the same, those too that look
// when others are in the next phase and have one there.
ND_FN bool failed(const Neighborhood& a, u32 phase) {
  u32 status = read_shared_by_all(a.status);
  return status != 0 && status <= phase + 1;
}

struct NodeTable {
  static constexpr u32 Near = 16;      // records that are tried in a batch's own part of the table
  static constexpr u32 Patience = 512;  // and anywhere, before the table counts as full

  // A record has 16 bytes, all ones where there is no node: key, then number or place.
  struct alignas(16) Record { u64 key; u32 number, unused; };
  const Neighborhood& a;
  u32 phase;

  ND_FN Record& at(u32 slot) const { return ((Record*)a.table)[slot]; }

  // key tells vertices of different trees and types apart.
  ND_FN u64 key(u32 tree, u32 type, u32 v) const { return ((u64)tree * a.types + type) << 32 | v; }

  ND_FN void clear() const {
    Quad* to = a.table;
    for (u64 i = thread_of_grid(); i <= a.table_mask; i += threads_of_grid()) to[i] = {~0u, ~0u, ~0u, ~0u};
  }
  // enter gives the record of a batch's node, and whether it had none before.
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
