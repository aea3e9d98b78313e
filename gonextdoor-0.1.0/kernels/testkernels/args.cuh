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

// Scans is the parameter of the kernels of testkernels/scanwithout.cuh: count choices by 64-bit biases.
struct Scans {
  const u64* keys;    // of each choice
  const u64* slots;   // the slot of its first word
  const u64* begins;  // its first candidate; then the end of all
  const u64* biases;
  const u32* takes;  // the picks wanted of each choice
  u64* memory;       // of all groups, `words` each
  u32* picks;        // those of choice i begin at i*capacity
  u32* got;          // the number of picks of each choice
  u64 count, capacity, words;
  u64 form;  // ScanForm of testkernels/scanwithout.cuh
};

}  // namespace nd
