// VertexSet is the set of the vertices of one sample: a hash table with open addressing in the workspace of a group of
// threads. It maps each vertex to its place in the sample, which is that of its first appearance in the definition.
//
// A record has 8 bytes: the vertex in the upper half, its number in the lower one. Threads insert vertices in any
// order. Each insertion has a number that grows in the order of the definition, and the record keeps the least. So the
// result does not depend on the order of insertion.
#pragma once
#include "core/draw.cuh"
#include "core/group.cuh"

namespace nd {

constexpr u64 FreeRecord = ~0ull;
constexpr u32 FreshNumber = 1u << 31;  // the flag of numbers that are not places yet; places are less

template <class G> struct VertexSet {
  u64* table;
  u64 mask;  // the number of records, less 1

  ND_FN u64 home(u32 v) const { return (v * Gamma >> 32) & mask; }

  // insert adds a vertex with a number, or lowers the number of its record to that. It returns the slot. The table must
  // have a free record.
  ND_FN u32 insert(u32 v, u32 number) const {
    u64 record = (u64)v << 32 | number;
    for (u64 slot = home(v);; slot = (slot + 1) & mask) {
      u64 there = swap_atomic(table + slot, FreeRecord, record);
      if (there != FreeRecord && there >> 32 != v) continue;
      if (there != FreeRecord) min_atomic(table + slot, record);
      return (u32)slot;
    }
  }

  // number returns the number of the record in a slot.
  ND_FN u32 number(u32 slot) const { return (u32)read_shared_by_all(table + slot); }

  // place returns the place of a vertex, or None if it is not in the set. No vertex may be without a place.
  ND_FN u32 place(u32 v) const {
    for (u64 slot = home(v);; slot = (slot + 1) & mask) {
      u64 there = read_shared_by_all(table + slot);
      if (there == FreeRecord) return None;
      if (there >> 32 == v) return (u32)there;
    }
  }

  // known_place is place while no thread changes the set.
  ND_FN u32 known_place(u32 v) const {
    u32 place = 0;
    find<1>(&v, &place);
    return place;
  }

  // find replaces the elements of `places` that are not None by the places of N vertices, or None if they are not in
  // the set. No thread may change the set. The first records are loaded together.
  template <u32 N> ND_FN void find(const u32* vertices, u32* places) const {
    u64 slots[N], there[N];
#pragma unroll
    for (u32 i = 0; i < N; i++) {
      slots[i] = home(vertices[i]);
      there[i] = places[i] == None ? FreeRecord : table[slots[i]];
    }
#pragma unroll
    for (u32 i = 0; i < N; i++) {
      while (there[i] != FreeRecord && there[i] >> 32 != vertices[i]) {
        slots[i] = (slots[i] + 1) & mask;
        there[i] = table[slots[i]];
      }
      places[i] = (u32)there[i];  // None in a free record
    }
  }

  // clear frees the records in the given slots, which are all that are in use.
  ND_FN void clear(const u32* slots, u32 count) const {
    for (u32 i = G::rank(); i < count; i += G::size) write_for_all(table + slots[i], FreeRecord);
  }
};

}  // namespace nd
