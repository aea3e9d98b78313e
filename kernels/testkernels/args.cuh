// The parameters of test kernels. testkernels/args.go mirrors them in Go, as kernels/args.go does those of
// core/args.cuh.
#pragma once
#include "core/args.cuh"

namespace nd {

// Choices is the parameter of the kernels of testkernels/choices.cuh: count choices, of up to `capacity` picks each.
struct Choices {
  Graph g;
  const u64* keys;      // of each choice
  const u32* vertices;  // the vertex whose row is chosen from, or the number of candidates
  const u32* takes;     // the picks wanted of each choice
  u32* picks;           // those of choice i begin at i*capacity
  u32* got;             // the number of picks of each choice
  u64 count, capacity;
  u64 selector;  // Selector of testkernels/choices.cuh
};

}  // namespace nd
