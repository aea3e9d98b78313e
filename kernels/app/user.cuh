// What users' hooks read beside the graph and the sample: the twin of hook.Run's last fields, mirrored in Go by
// kernels.User.
#pragma once
#include "core/args.cuh"

namespace nd {

// Array is an array of the user's.
struct Array { u64 address, length; };

// User is what users' hooks read beside the graph and the sample.
struct User {
  u64* fault;       // the lowest of the run: row << 24 | step << 8 | kind, or all ones
  u64 params[32];   // each an int64, or the bits of a float64
  Array arrays[16];
};

// Hooked is the parameter of kernels with users' hooks.
struct Hooked {
  Walk w;
  User user;
};

static_assert(sizeof(User) == 8 * (1 + 32 + 2 * 16) && sizeof(Hooked) == sizeof(Walk) + sizeof(User), "no gaps");

}  // namespace nd
