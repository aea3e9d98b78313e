// Grid is the group of all threads of a cooperative launch, in blocks of N: it makes one large choice, where Block
// would leave most of the GPU idle. It has the members of a group (core/group.cuh) that large choices need. Its size
// depends on the launch. A barrier of the grid takes about as long as two accesses to device memory; scan, sum and from
// have one each.
#pragma once
#include "core/group.cuh"

namespace nd {

// GridSize is the number of threads of the launch.
struct GridSize {
  ND_FN operator u32() const { return grid_size() * block_size(); }
};

template <u32 N> struct Grid {
  using OwnBlock = Block<N>;
  static constexpr GridSize size{};
  ND_FN static u32 rank() { return (u32)thread_of_grid(); }

  // words returns the length of the memory of a grid: the counter of barriers, two cells per block, and `memory`.
  ND_FN static u64 words(u64 blocks) { return 1 + 2 * blocks + 2 * blocks * N; }
  // begin gives the grid its memory, whose first word is 0. All threads call it, before any other function.
  ND_FN static void begin(u64* memory) {
    if (thread_index() == 0) state() = {memory, 0};
    sync_block();
  }
  // memory returns two words per rank, for any use.
  ND_FN static u64* memory() { return state().memory + 1 + 2 * grid_size(); }

  ND_FN static u64 scan(u64 x) {
    x = OwnBlock::scan(x);
    return x + sums(OwnBlock::from(x, N - 1)).before;
  }
  ND_FN static u64 sum(u64 x) { return sums(OwnBlock::sum(x)).all; }
  template <class T> ND_FN static T from(T x, u32 giver) {
    sync_block();  // all threads have changed the cells
    u64* of = cells();
    if (rank() == giver) write_for_all(of, (u64)x);
    sync();
    x = (T)read_shared_by_all(of);
    change();
    return x;
  }
  ND_FN static void sync() { sync_grid((u32*)state().memory); }

 private:
  struct State {
    u64* memory;
    u32 odd;  // the cells that are in use: those of odd functions, or of even ones
  };
  ND_FN static State& state() {
    ND_SHARED(State, of, 1);
    return of[0];
  }
  // cells returns a cell per block. Successive functions use different ones, since a block may read those of a function
  // while another block has begun the next. A barrier of the block precedes it, and one of the grid follows.
  ND_FN static u64* cells() { return state().memory + 1 + state().odd * grid_size(); }
  ND_FN static void change() {
    if (thread_index() == 0) state().odd ^= 1;
  }

  // sums adds up a number per block: those of the blocks before, and of all.
  struct Sums {
    u64 before, all;
  };
  ND_FN static Sums sums(u64 of_block) {
    u64* of = cells();
    if (thread_index() == 0) write_for_all(of + block_index(), of_block);
    sync();
    u64 before = 0, all = 0;
    for (u32 b = lane_index(); b < grid_size(); b += WarpSize) {
      u64 x = read_shared_by_all(of + b);
      all += x;
      if (b < block_index()) before += x;
    }
    change();
    return {Warp::sum(before), Warp::sum(all)};
  }
};

template <class G> constexpr bool is_grid = false;
template <u32 N> constexpr bool is_grid<Grid<N>> = true;

}  // namespace nd
