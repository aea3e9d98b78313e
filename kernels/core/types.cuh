// Types, and what differs between the two compilers that read these files: NVRTC for a GPU, a C++ compiler for tests
// without one (ND_HOST). No header of a C library is included under NVRTC.
#pragma once

#ifdef ND_HOST
#define ND_FN inline __attribute__((always_inline))
#define ND_COLD __attribute__((noinline, cold))
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

// Quad is what one load of 16 bytes brings, Pair of 8.
struct alignas(16) Quad { u32 x, y, z, w; };
struct alignas(8) Pair { u32 x, y; };

}  // namespace nd
