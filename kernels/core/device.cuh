// The primitives of the hardware: thread and block numbers, loads and stores with cache hints, communication among the
// lanes of a warp and the threads of a block, atomic operations. There are two implementations: ND_HOST is that of the
// emulated driver (kernels/host), the other is CUDA's. Atomic operations return the old value.
//
//   fetch              reads memory that no thread writes during the kernel, through the read-only cache
//   fetch_far          the same without allocation in L1, for data that is read once
//   read_once          reads memory that is used once, with the streaming hint; write_once likewise
//   read_shared_by_all reads memory that other blocks write, from L2; write_for_all likewise
//   ballot, shuffle    of the lanes in mask, which all call it
//   active_lanes       the lanes that execute together right now; it may be any subset of those that will
//   fence              orders this thread's accesses before and after it, as other blocks see them; fence_host: as the
//                      host sees them
#pragma once
#include "core/types.cuh"

namespace nd {

constexpr u32 WarpSize = 32;

#ifdef ND_HOST

namespace host {
u32 thread_index();
u32 block_index();
u32 block_size();
u32 grid_size();
u64 exchange(u32 mask, u64 value, u32 lane);  // every lane of mask passes a value, and gets that of `lane`
u32 vote(u32 mask, bool yes);                 // the lanes of mask with yes
void warp_barrier(u32 mask);
void block_barrier();
void grid_barrier();
void* shared(const void* declaration, u64 bytes);  // the block's memory for a declaration
void* dynamic_shared();
void glance();  // lets other threads run: called before accesses to memory that other threads write
struct KernelFacts {
  u64 bytes, threads;
};  // the size of the parameter, and the largest block
}  // namespace host

ND_FN u32 thread_index() { return host::thread_index(); }
ND_FN u32 block_index() { return host::block_index(); }
ND_FN u32 block_size() { return host::block_size(); }
ND_FN u32 grid_size() { return host::grid_size(); }

template <class T> ND_FN T fetch(const T* p) { return *p; }
template <class T> ND_FN T fetch_far(const T* p) { return *p; }
template <class T> ND_FN T read_once(const T* p) { return *p; }
template <class T> ND_FN void write_once(T* p, T x) { *p = x; }

ND_FN u32 ballot(u32 mask, bool yes) { return host::vote(mask, yes); }
template <class T> ND_FN T shuffle(u32 mask, T x, u32 lane) { return (T)host::exchange(mask, (u64)x, lane); }
ND_FN u32 add_lanes(u32 x) {  // the sum over the warp, to all lanes
  for (u32 d = 1; d < WarpSize; d *= 2) x += shuffle(~0u, x, (host::thread_index() ^ d) % WarpSize);
  return x;
}
ND_FN void sync_warp(u32 mask) { host::warp_barrier(mask); }
ND_FN void sync_block() { host::block_barrier(); }
ND_FN void sync_grid(u32*) { host::grid_barrier(); }
ND_FN u32 active_lanes() {
  return 1u << (host::thread_index() % WarpSize);
}  // a lane alone: the hardest case for callers

ND_FN u32 add_atomic(u32* p, u32 x) {
  host::glance();
  return __atomic_fetch_add(p, x, __ATOMIC_RELAXED);
}
ND_FN u64 add_atomic(u64* p, u64 x) {
  host::glance();
  return __atomic_fetch_add(p, x, __ATOMIC_RELAXED);
}
ND_FN u32 or_atomic(u32* p, u32 x) {
  host::glance();
  return __atomic_fetch_or(p, x, __ATOMIC_RELAXED);
}
ND_FN u32 exchange_atomic(u32* p, u32 x) {
  host::glance();
  return __atomic_exchange_n(p, x, __ATOMIC_ACQ_REL);
}
ND_FN u64 min_atomic(u64* p, u64 x) {
  u64 old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (x < old && !__atomic_compare_exchange_n(p, &old, x, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  return old;
}
ND_FN u32 min_atomic(u32* p, u32 x) {
  host::glance();
  u32 old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (x < old && !__atomic_compare_exchange_n(p, &old, x, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  return old;
}
ND_FN u64 swap_atomic(u64* p, u64 expected, u64 x) {
  host::glance();
  __atomic_compare_exchange_n(p, &expected, x, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  return expected;
}
ND_FN void fence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
ND_FN void fence_host() { fence(); }
template <class T> ND_FN T read_shared_by_all(const T* p) {
  host::glance();
  return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
template <class T> ND_FN void write_for_all(T* p, T x) {
  host::glance();
  __atomic_store_n(p, x, __ATOMIC_RELEASE);
}
ND_FN void pause() { host::glance(); }

ND_FN u64 high_product(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }
ND_FN u32 count_bits(u32 x) { return (u32)__builtin_popcount(x); }
ND_FN f64 float_of_bits(u64 x) {
  f64 value;
  __builtin_memcpy(&value, &x, sizeof x);
  return value;
}
ND_FN u64 bits_of_float(f64 x) {
  u64 bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}
ND_FN f64 square_root(f64 x) { return __builtin_sqrt(x); }
// in_units returns whether x * 2^16 is in [0, 2^32), and if so, sets units to it, rounded down.
ND_FN bool in_units(f64 x, u32& units) {
  f64 scaled = x * 0x1p16;
  bool fits = scaled >= 0 && scaled < 0x1p32;
  units = fits ? (u32)scaled : 0;
  return fits;
}
ND_FN u32 lowest_bit(u32 x) { return (u32)__builtin_ctz(x); }  // of x != 0
ND_FN u32 leading_zeros(u64 x) { return x ? (u32)__builtin_clzll(x) : 64; }
// rough_quotient may differ in its last bits between the two implementations, so it may only guide a search.
ND_FN f32 rough_quotient(f32 a, f32 b) { return a / b; }

#define ND_SHARED(T, name, count) \
  static char name##_declaration; \
  T* name = (T*)::nd::host::shared(&name##_declaration, sizeof(T) * (count))
#define ND_DYNAMIC_SHARED(T, name) T* name = (T*)::nd::host::dynamic_shared()
// The emulated driver finds a kernel by its name and passes the address of its parameter.
#define ND_KERNEL_OF(threads, name, Args)                               \
  extern "C" {                                                          \
  extern const ::nd::host::KernelFacts name##_facts;                    \
  const ::nd::host::KernelFacts name##_facts = {sizeof(Args), threads}; \
  }                                                                     \
  extern "C" void name(const Args& a)
#define ND_KERNEL(name, Args) ND_KERNEL_OF(256, name, Args)
#define ND_KERNEL_FULL(name, Args) ND_KERNEL_OF(256, name, Args)
#define ND_KERNEL_TILED(name, Args) ND_KERNEL_OF(256, name, Args)

#else

ND_FN u32 thread_index() { return threadIdx.x; }
ND_FN u32 block_index() { return blockIdx.x; }
ND_FN u32 block_size() { return blockDim.x; }
ND_FN u32 grid_size() { return gridDim.x; }

// fetch_far does not allocate in the L1 cache: random rows and records are read once, and would evict data that is read
// again (17 % on an H200). Loads by asm are volatile, or NVRTC moves them out of loops past the conditions that guard
// them.
ND_FN u32 fetch(const u32* p) { return __ldg(p); }
ND_FN u64 fetch(const u64* p) { return __ldg(p); }
ND_FN i32 fetch(const i32* p) { return __ldg(p); }
ND_FN i64 fetch(const i64* p) { return __ldg(p); }
ND_FN u8 fetch(const u8* p) { return __ldg(p); }
ND_FN i8 fetch(const i8* p) { return __ldg(p); }
ND_FN u16 fetch(const u16* p) { return __ldg(p); }
ND_FN i16 fetch(const i16* p) { return __ldg(p); }
ND_FN f32 fetch(const f32* p) { return __ldg(p); }
ND_FN f64 fetch(const f64* p) { return __ldg(p); }
ND_FN Pair fetch(const Pair* p) {
  Pair v;
  asm volatile("ld.global.nc.v2.u32 {%0,%1},[%2];" : "=r"(v.x), "=r"(v.y) : "l"(p));
  return v;
}
ND_FN Quad fetch(const Quad* p) {
  Quad v;
  asm volatile("ld.global.nc.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
  return v;
}
ND_FN u32 fetch_far(const u32* p) {
  u32 v;
  asm volatile("ld.global.nc.L1::no_allocate.u32 %0,[%1];" : "=r"(v) : "l"(p));
  return v;
}
ND_FN i32 fetch_far(const i32* p) { return (i32)fetch_far((const u32*)p); }
ND_FN u64 fetch_far(const u64* p) {
  u64 v;
  asm volatile("ld.global.nc.L1::no_allocate.u64 %0,[%1];" : "=l"(v) : "l"(p));
  return v;
}
ND_FN f64 fetch_far(const f64* p) {
  f64 v;
  asm volatile("ld.global.nc.L1::no_allocate.f64 %0,[%1];" : "=d"(v) : "l"(p));
  return v;
}
ND_FN Pair fetch_far(const Pair* p) {
  Pair v;
  asm volatile("ld.global.nc.L1::no_allocate.v2.u32 {%0,%1},[%2];" : "=r"(v.x), "=r"(v.y) : "l"(p));
  return v;
}
ND_FN Quad fetch_far(const Quad* p) {
  Quad v;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3},[%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(p));
  return v;
}
template <class T> ND_FN T read_once(const T* p) { return __ldcs(p); }
template <class T> ND_FN void write_once(T* p, T x) { __stcs(p, x); }
ND_FN void write_once(Quad* p, Quad v) {
  asm volatile("st.global.cs.v4.u32 [%0],{%1,%2,%3,%4};" ::"l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}

ND_FN u32 ballot(u32 mask, bool yes) { return __ballot_sync(mask, yes); }
template <class T> ND_FN T shuffle(u32 mask, T x, u32 lane) { return __shfl_sync(mask, x, lane); }
ND_FN u32 add_lanes(u32 x) {  // the sum over the warp, to all lanes
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(~0u, x);
#else
  for (u32 d = 1; d < WarpSize; d *= 2) x += __shfl_xor_sync(~0u, x, d);
  return x;
#endif
}
ND_FN void sync_warp(u32 mask) { __syncwarp(mask); }
ND_FN void sync_block() { __syncthreads(); }
ND_FN u32 active_lanes() { return __activemask(); }

ND_FN u32 add_atomic(u32* p, u32 x) { return atomicAdd(p, x); }
ND_FN u64 add_atomic(u64* p, u64 x) { return atomicAdd(p, x); }
ND_FN u32 or_atomic(u32* p, u32 x) { return atomicOr(p, x); }
ND_FN u32 exchange_atomic(u32* p, u32 x) { return atomicExch(p, x); }
ND_FN u64 min_atomic(u64* p, u64 x) { return atomicMin(p, x); }
ND_FN u32 min_atomic(u32* p, u32 x) { return atomicMin(p, x); }
ND_FN u64 swap_atomic(u64* p, u64 expected, u64 x) { return atomicCAS(p, expected, x); }
ND_FN void fence() { __threadfence(); }
ND_FN void fence_host() { __threadfence_system(); }
template <class T> ND_FN T read_shared_by_all(const T* p) { return *(const volatile T*)p; }
template <class T> ND_FN void write_for_all(T* p, T x) { *(volatile T*)p = x; }
ND_FN void pause() { __nanosleep(32); }  // in loops that poll memory

// sync_grid is a barrier of all blocks of a cooperative launch. arrived is a counter in device memory, 0 before the
// first barrier of the first launch that uses it. Launches one after another may share it. Block 0 adds 2^31 less the
// number of the other blocks, which add 1 each. So each barrier flips the top bit and returns the other bits to 0;
// blocks wait until the top bit differs from that before their addition. Additions release what the block has written,
// and loads acquire what others have.
ND_FN void sync_grid(u32* arrived) {
  __syncthreads();
  if (threadIdx.x == 0) {
    u32 half = 1u << 31, before, now;
    asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(arrived), "r"(blockIdx.x == 0 ? half - (gridDim.x - 1) : 1)
                 : "memory");
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(arrived) : "memory");
    } while (((before ^ now) & half) == 0);
  }
  __syncthreads();
}

ND_FN u64 high_product(u64 a, u64 b) { return __umul64hi(a, b); }
ND_FN u32 count_bits(u32 x) { return __popc(x); }
ND_FN f64 float_of_bits(u64 x) { return __longlong_as_double((i64)x); }
ND_FN u64 bits_of_float(f64 x) { return (u64)__double_as_longlong(x); }
ND_FN f64 square_root(f64 x) { return __dsqrt_rn(x); }
// The sum with 2^52, rounded down, has the units in its low half and an unchanged high half, if they fit.
ND_FN bool in_units(f64 x, u32& units) {
  f64 sum = __fma_rz(x, 0x1p16, 0x1p52);
  units = (u32)__double2loint(sum);
  return __double2hiint(sum) == 0x43300000;
}
ND_FN u32 lowest_bit(u32 x) { return __ffs(x) - 1; }
ND_FN u32 leading_zeros(u64 x) { return __clzll((long long)x); }
ND_FN f32 rough_quotient(f32 a, f32 b) { return __fdividef(a, b); }

// ND_SHARED declares an array in the shared memory of the block, ND_DYNAMIC_SHARED the dynamic one, whose size the
// launch determines. ND_KERNEL_OF defines a kernel for blocks of at most `threads` threads, with a parameter `a`.
#define ND_SHARED(T, name, count) __shared__ T name[count]
#define ND_DYNAMIC_SHARED(T, name) extern __shared__ T name[]
// Blocks of 512 threads and more are compiled for two per SM: with 1,024 threads that leaves 32 registers each.
#define ND_KERNEL_OF(threads, name, Args) \
  extern "C" __global__ void __launch_bounds__(threads, threads < 512 ? 0 : 2) name(const __grid_constant__ Args a)
#define ND_KERNEL(name, Args) ND_KERNEL_OF(256, name, Args)
// ND_KERNEL_FULL is compiled for full occupancy of an SM: 32 registers per thread, even if its rare cases spill.
#define ND_KERNEL_FULL(name, Args) \
  extern "C" __global__ void __launch_bounds__(256, 2048 / 256) name(const __grid_constant__ Args a)
// ND_KERNEL_TILED is compiled for six blocks per SM: 40 registers per thread, even if long-lived values spill.
#define ND_KERNEL_TILED(name, Args) \
  extern "C" __global__ void __launch_bounds__(256, 6) name(const __grid_constant__ Args a)

#endif

ND_FN u32 lane_index() { return thread_index() % WarpSize; }
// lanes_below returns the number of lanes in mask below the calling lane.
ND_FN u32 lanes_below(u32 mask) { return count_bits(mask & ((1u << lane_index()) - 1)); }
ND_FN u64 thread_of_grid() { return (u64)block_index() * block_size() + thread_index(); }
ND_FN u64 threads_of_grid() { return (u64)grid_size() * block_size(); }

}  // namespace nd
