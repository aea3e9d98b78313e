// Types and function attributes. Two compilers read the kernels: NVRTC for GPUs, and a C++ compiler for the emulated
// driver (ND_HOST). Headers of the C library are not available under NVRTC.
//
// ND_FN marks device functions, which are always inlined. ND_COLD marks rarely called ones, which are never inlined:
// their registers do not count towards the occupancy of the common path.
#pragma once

#ifdef ND_HOST
#define ND_FN inline __attribute__((always_inline))
#define ND_COLD inline __attribute__((noinline, cold))
#else
#define ND_FN __device__ __forceinline__
#define ND_COLD __device__ __noinline__
#endif

namespace nd {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i8 = signed char;
using i16 = short;
using i32 = int;
using i64 = long long;
using f32 = float;
using f64 = double;

constexpr u32 None = ~0u;      // no vertex; as an int32 -1
constexpr u64 NoEdge = ~0ull;  // no edge; as an int64 -1

// Quad and Pair are read by one load of 16 and 8 bytes.
struct alignas(16) Quad {
  u32 x, y, z, w;
};
struct alignas(8) Pair {
  u32 x, y;
};

}  // namespace nd
