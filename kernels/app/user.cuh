// The data of users' hooks that is neither graph nor sample: parameters, arrays and the fault. The twin of the last
// fields of hook.Run; kernels.User mirrors it in Go.
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
};

static_assert(sizeof(User) == 8 * (1 + 32 + 2 * 16) && sizeof(Hooked) == sizeof(Walk) + sizeof(User), "no gaps");

}  // namespace nd
