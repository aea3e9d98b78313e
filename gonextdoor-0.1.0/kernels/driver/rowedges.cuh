// The edges of the rows of several vertices, in order, divided evenly among the ranks of a group, whatever the lengths
// of the rows.
#pragma once
#include "driver/layered.cuh"
#include "graph/packed.cuh"

namespace nd {

// ElementRanges are the elements of up to G::size lists, one per rank, list after list. They are in shared memory,
// or in that of a grid. LayeredThreads threads per block.
template <class G> struct ElementRanges {
  u64* ends;    // of each list among the elements of all
  u64* begins;  // of each list the position that element 0 of all would have

  ND_FN static ElementRanges here() {
    if constexpr (is_grid<G>) return {G::memory(), G::memory() + G::size};
    ND_SHARED(u64, ends_of_block, LayeredThreads);
    ND_SHARED(u64, begins_of_block, LayeredThreads);
    u32 group = thread_index() / G::size * G::size;
    return {ends_of_block + group, begins_of_block + group};
  }

  // set sets the list of the calling rank, and returns the number of elements of all. It leaves the group synchronised.
  ND_FN u64 set(RowOf<u64> list) const {
    u64 upto = G::scan(list.degree);
    G::sync();  // all ranks have read the arrays
    ends[G::rank()] = upto;
    begins[G::rank()] = list.first - (upto - list.degree);
    G::sync();
    return ends[G::size - 1];
  }

  // list_with returns the list that has element `at` of all. It is `low` or a later one. In long lists that costs one
  // read.
  ND_FN u32 list_with(u64 at, u32 low) const {
    if (ends[low] > at) return low;
    low++;
    for (u32 high = G::size - 1; low < high;) {
      u32 middle = (low + high) / 2;
      if (ends[middle] > at) high = middle;
      else low = middle + 1;
    }
    return low;
  }
};

// each_element calls visit(has, list, element) for the elements of `count` lists, list after list, G::size at a time.
// lists(i) returns the begin and the length of list i, as RowOf<u64>. Ranks without an element have has = false. All
// ranks call it, and visit may contain barriers of the group.
template <class G, class Lists, class Visit> ND_FN void each_element(u32 count, Lists lists, Visit visit) {
  ElementRanges<G> ranges = ElementRanges<G>::here();
  for (u32 first = 0; first < count; first += G::size) {
    u32 i = first + G::rank(), list = 0;
    u64 all = ranges.set(i < count ? lists(i) : RowOf<u64>{0, 0});
    for (u64 at = G::rank(); at - G::rank() < all; at += G::size) {
      bool has = at < all;
      if (has) list = ranges.list_with(at, list);
      visit(has, first + list, has ? ranges.begins[list] + at : 0);
    }
  }
}

}  // namespace nd
