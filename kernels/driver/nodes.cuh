// The nodes of mini-batches, found by tree and vertex: a table with open addressing. A node that is known has its number
// there; one that the present step meets, the least place of all edges that lead to it. So whoever comes first, the edge
// that counts is the first in order, and numbers go by first appearance.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"

namespace nd {

constexpr u64 NoNode = ~0ull;
constexpr u32 Place = 1u << 31;  // marks a place: any number is less

struct NodeTable {
  // A record has 16 bytes, all ones where there is no node: key, then number or place.
  struct alignas(16) Record { u64 key; u32 number, unused; };
  Record* records;
  u32 mask;

  ND_FN explicit NodeTable(const Neighborhood& a) : records((Record*)a.table), mask((u32)a.table_mask) {}

  // key tells vertices of different trees and types apart.
  ND_FN static u64 key(const Neighborhood& a, u32 tree, u32 type, u32 v) { return ((u64)tree * a.types + type) << 32 | v; }

  ND_FN void clear() const {
    Quad* to = (Quad*)records;
    for (u64 i = thread_of_grid(); i <= mask; i += threads_of_grid()) to[i] = {~0u, ~0u, ~0u, ~0u};
  }
  // enter gives the record of a node, and whether it had none before.
  struct Entered { u32 slot; bool first; };
  ND_FN Entered enter(u64 key, u32 number) const {
    bool first = false;
    u32 slot = (u32)(key * Gamma >> 32) & mask;
    for (;; slot = (slot + 1) & mask) {
      u64 at = read_shared_by_all(&records[slot].key);
      if (at == NoNode) {
        at = swap_atomic(&records[slot].key, NoNode, key);
        first = at == NoNode;
      }
      if (first || at == key) break;
    }
    min_atomic(&records[slot].number, number);
    return {slot, first};
  }
};

}  // namespace nd
