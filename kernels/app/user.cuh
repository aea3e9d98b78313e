// The data of users' hooks that is neither graph nor sample: parameters, arrays and the fault. The twin of the last
// fields of hook.Run; kernels/driverargs.go mirrors them.
#pragma once
#include "core/args.cuh"

namespace nd {

// Array is a user's array in device memory, which the host owns.
struct Array {
  u64 address, length;
};

// User is the user's data.
struct User {
  u64* fault;      // the lowest fault of the run: row << 24 | step << 8 | kind, or all ones
  u64 params[32];  // each an int64, or the bits of a float64
  Array arrays[16];
};

// Hooked is the parameter of kernels with users' hooks.
struct Hooked {
  Walk w;
  User user;
  u64* last_edges;  // like Trace::ends, the edge that led to the present vertex of each walker; 0: no hook reads it
  u64* pool_edges;  // like Walk::pool, the edge that led to each vertex
};

// HookedSample is the parameter of kernels that make samples of users' apps one at a time, see driver/hookedsample.cuh.
// The workspaces of its arrays are as those of Layered.
struct HookedSample {
  Layered l;
  User user;
  const u64* fanouts;  // picks per step, the last one for all later steps; NoEdge: all candidates
  u64 fanout_count;
  u64 steps;         // 0: unbounded
  u32* nexts;        // the vertex from which each vertex of a sample continues; None: it is no transit
  u64* spans;        // per transit of a collective choice the number of candidates up to its last
  u32* biases;       // of the candidates of a choice
  u64* sums;         // the sums of tiles of them; see selector/remaining.cuh
  u64 sum_capacity;  // elements of sums per workspace
  u32* to_vertices;  // samples of one width: slot k of row r is at k*stride + r; 0: samples are staged
  i64* to_edges;     // likewise, from the first slot after the roots; 0: no edges
  u64 stride;
};

static_assert(sizeof(HookedSample) == sizeof(Layered) + sizeof(User) + 11 * 8, "no gaps");
static_assert(sizeof(User) == 8 * (1 + 32 + 2 * 16) && sizeof(Hooked) == sizeof(Walk) + sizeof(User) + 16, "no gaps");

}  // namespace nd
