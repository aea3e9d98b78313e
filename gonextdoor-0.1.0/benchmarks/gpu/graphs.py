"""The graphs of the GPU benchmarks, made on the GPU by one generator with a fixed seed: symmetric, rows sorted, no
parallel edges, no vertex without an edge.

    G1  R-MAT scale 22     4.2 M vertices   67.6 M edges    largest degree 98,983
    G2  R-MAT scale 22     4.2 M vertices  229.7 M edges
    G3  uniform random     3.8 M vertices     33 M edges    largest degree 28
    G4  R-MAT scale 25    33.6 M vertices   1.28 G edges
    P   R-MAT              2.4 M vertices     62 M edges    of the size of ogbn-products
    H   R-MAT             27.8 M vertices    800 M edges    a quarter of the size of ogbn-papers100M

``S`` is a small one for trials. Weights are uniform in [1, 5), or log-normal; labels are 0 to 4. Needs cupy.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import cupy as cp
import numpy as np

import gonextdoor as gnd

SEED = 20261120

_KERNELS = cp.RawModule(
    code=r"""
typedef unsigned int u32; typedef unsigned long long u64;
__device__ u64 mix(u64 z) {
  z += 0x9E3779B97F4A7C15ull;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull; z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  return z ^ z >> 31;
}
// a bijection of the numbers of so many bits, so that hubs are not neighbours
__device__ u32 scramble(u32 x, int bits) {
  u32 mask = (1u << bits) - 1, half = (bits + 1) / 2;
  x = x * 0x9E3779B1u & mask; x ^= x >> half;
  x = x * 0x85EBCA77u & mask; x ^= x >> half;
  x = x * 0xC2B2AE3Du & mask; x ^= x >> half;
  return x & mask;
}
__device__ void both(u64* keys, u64 i, u32 u, u32 v) {
  keys[2 * i] = (u64)u << 32 | v;
  keys[2 * i + 1] = (u64)v << 32 | u;
}
extern "C" __global__ void rmat(u64* keys, u64 edges, int scale, u64 seed) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < edges; i += (u64)gridDim.x * blockDim.x) {
    u32 u, v;
    u64 word = 0, words = 0;
    do {
      u = v = 0;
      for (int level = 0; level < scale; level++) {
        if (level % 2 == 0) word = mix(seed ^ mix(i * 64 + words++));
        u32 q = level % 2 ? (u32)(word >> 32) : (u32)word;  // quadrants with 0.57, 0.19, 0.19 and 0.05
        u32 right = q >= 2448131358u && (q < 3264175144u || q >= 4080218931u), down = q >= 3264175144u;
        u = u << 1 | down;
        v = v << 1 | right;
      }
    } while (u == v);
    both(keys, i, scramble(u, scale), scramble(v, scale));
  }
}
// maps 2^scale vertices to fewer
extern "C" __global__ void fold(u64* keys, u64 count, u32 vertices, int scale) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x) {
    u64 u = (keys[i] >> 32) * vertices >> scale, v = (keys[i] & 0xffffffffu) * vertices >> scale;
    keys[i] = u << 32 | v;
  }
}
extern "C" __global__ void uniform(u64* keys, u64 edges, u32 vertices, u64 seed) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < edges; i += (u64)gridDim.x * blockDim.x) {
    u32 u, v;
    u64 words = 0;
    do {
      u64 word = mix(seed ^ mix(i * 64 + words++));
      u = (u32)((word >> 32) * vertices >> 32);
      v = (u32)((word & 0xffffffffu) * (u64)vertices >> 32);
    } while (u == v);
    both(keys, i, u, v);
  }
}
extern "C" __global__ void adopt(u64* keys, const u32* lonely, u64 count, const u64* present, u64 edges, u64 seed) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x) {
    u32 v = lonely[i];
    both(keys, i, v, (u32)present[__umul64hi(mix(seed ^ v), edges)]);
  }
}
extern "C" __global__ void hashes(const u64* keys, u64 edges, u64* out, u64 seed) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < edges; i += (u64)gridDim.x * blockDim.x) {
    u32 u = (u32)(keys[i] >> 32), v = (u32)keys[i];
    out[i] = mix(seed ^ ((u64)min(u, v) << 32 | max(u, v)));
  }
}
"""
)
_GRID, _BLOCK = (8192,), (256,)


@dataclasses.dataclass
class Arrays:
    """A graph as arrays on the host."""

    indptr: Any  # (V + 1,) uint64
    indices: Any  # (E,) uint32
    weights: Any  # (E,) float32, or None
    labels: Any  # (E,) int32, or None

    def graph(self) -> gnd.Graph:
        """The graph as a gonextdoor.Graph."""
        return gnd.Graph.from_csr(self.indptr, self.indices, weights=self.weights, labels=self.labels)


def arrays(name: str, *, weights: str = "", labels: bool = False) -> Arrays:
    """The graph of a name: "S", "P", "H", "G1" .. "G4". weights: "", "uniform" or "sigma=2" (log-normal)."""
    vertices, keys = _edges(name)
    indptr = cp.searchsorted(keys, cp.arange(vertices + 1, dtype=cp.uint64) << cp.uint64(32))
    indices = keys.astype(cp.uint32)
    found = Arrays(cp.asnumpy(indptr).astype(np.uint64), cp.asnumpy(indices), None, None)
    del indices, indptr
    if weights or labels:
        words = cp.empty_like(keys)
        _run("hashes", keys, np.uint64(len(keys)), words, np.uint64(SEED ^ 99))
        del keys
        if labels:
            found.labels = cp.asnumpy(((words & cp.uint64(0xFFFFFF)) % cp.uint64(5)).astype(cp.int32))
        if weights:
            found.weights = cp.asnumpy(_weights(words, weights))
    cp.get_default_memory_pool().free_all_blocks()
    return found


def _edges(name: str) -> tuple[int, Any]:
    scale, vertices, edges = {
        "S": (16, 1 << 16, 500_000),
        "G1": (22, 1 << 22, 32_500_000),
        "G2": (22, 1 << 22, 121_000_000),
        "G3": (0, 3_774_768, 16_500_000),
        "G4": (25, 1 << 25, 640_000_000),
        "P": (22, 2_449_029, 31_200_000),
        "H": (25, 27_764_989, 403_921_468),
    }[name]
    keys = cp.empty(2 * edges, cp.uint64)
    if scale:
        _run("rmat", keys, np.uint64(edges), np.int32(scale), np.uint64(SEED))
        if vertices < 1 << scale:
            _run("fold", keys, np.uint64(2 * edges), np.uint32(vertices), np.int32(scale))
            keys = keys[keys >> cp.uint64(32) != keys & cp.uint64(0xFFFFFFFF)]
    else:
        _run("uniform", keys, np.uint64(edges), np.uint32(vertices), np.uint64(SEED))
    keys = _unique(keys)
    starts = cp.searchsorted(keys, cp.arange(vertices + 1, dtype=cp.uint64) << cp.uint64(32))
    lonely = cp.flatnonzero(starts[1:] == starts[:-1]).astype(cp.uint32)
    if len(lonely):
        more = cp.empty(2 * len(lonely), cp.uint64)
        _run("adopt", more, lonely, np.uint64(len(lonely)), keys, np.uint64(len(keys)), np.uint64(SEED ^ 77))
        keys = _unique(cp.concatenate([keys, more]))
    return vertices, keys


def _run(kernel: str, *arguments: Any) -> None:
    _KERNELS.get_function(kernel)(_GRID, _BLOCK, arguments)


def _unique(keys: Any) -> Any:
    keys.sort()
    first = cp.ones(len(keys), cp.bool_)
    cp.not_equal(keys[1:], keys[:-1], out=first[1:])
    kept = keys[first]
    del keys, first
    cp.get_default_memory_pool().free_all_blocks()
    return kept


def _weights(words: Any, kind: str) -> Any:
    uniform = (words >> cp.uint64(40)).astype(cp.float32) * np.float32(2.0**-24)
    if kind == "uniform":
        return 1 + 4 * uniform
    sigma = float(kind.removeprefix("sigma="))
    other = (words & cp.uint64(0xFFFFFF)).astype(cp.float32) * np.float32(2.0**-24)
    normal = cp.sqrt(-2 * cp.log(uniform + np.float32(2.0**-25))) * cp.cos(np.float32(2 * np.pi) * other)
    return cp.exp(np.float32(sigma) * normal)
