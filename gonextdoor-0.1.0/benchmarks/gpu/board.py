"""The random-gather rate of a GPU, printed with every figure: GPUs of one model differ by up to 8 %."""

from __future__ import annotations

import statistics

import cupy as cp
import numpy as np

_KERNELS = cp.RawModule(
    code=r"""
typedef unsigned int u32; typedef unsigned long long u64;
__device__ u32 hashed(u32 x) {
  x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu;
  return x ^ x >> 16;
}
extern "C" __global__ void gather(const u32* words, u32 mask, u32 rounds, u32* out) {
  u32 x = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (u32 i = 0; i < rounds; i++) {
    u32 v;
    const u32* at = words + (hashed(x + i * 0x9E3779B9u) & mask);
    asm volatile("ld.global.nc.L1::no_allocate.u32 %0,[%1];" : "=r"(v) : "l"(at));
    sum += v;
  }
  if (sum == 0xdeadbeef) *out = sum;
}
"""
)


def gather() -> float:
    """Random reads of 4 bytes over 268 MB, in G per second: the median of seven runs."""
    words = cp.zeros(1 << 26, cp.uint32)
    out = cp.zeros(1, cp.uint32)
    blocks, rounds = 1 << 15, 64

    def run() -> float:
        begin, end = cp.cuda.Event(), cp.cuda.Event()
        begin.record()
        arguments = (words, np.uint32(len(words) - 1), np.uint32(rounds), out)
        _KERNELS.get_function("gather")((blocks,), (256,), arguments)
        end.record()
        end.synchronize()
        return float(blocks * 256 * rounds / cp.cuda.get_elapsed_time(begin, end) / 1e6)

    run()
    return statistics.median(run() for _ in range(7))


def name() -> str:
    """The GPU and its driver."""
    facts = cp.cuda.runtime.getDeviceProperties(0)
    return (
        f"{facts['name'].decode()}, {facts['multiProcessorCount']} SM, CUDA driver {cp.cuda.runtime.driverGetVersion()}"
    )


if __name__ == "__main__":
    print(f"{name()}: random gather {gather():.1f} G/s")
