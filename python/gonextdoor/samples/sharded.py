"""Samples on several GPUs, each of which has a range of the rows."""

from __future__ import annotations

from collections.abc import Callable
from concurrent import futures
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from .._core import memory
from .host import HostResult
from .layers import Layers

if TYPE_CHECKING:
    from ..device.array import DeviceArray
    from .device import DeviceLayers, DeviceResult

__all__ = ["ShardedResult"]

Array = npt.NDArray[Any]

_T = TypeVar("_T")


class ShardedResult:
    """Samples on several GPUs, in the order of the rows.

    Each array is fetched at its first use, once, from all GPUs at the same time.

    Attributes:
        shards: the samples of each GPU; at least two.
    """

    __slots__ = ("_edges", "_layers", "_offsets", "_values", "shards")

    def __init__(self, shards: tuple[DeviceResult, ...]) -> None:
        self.shards = shards
        self._values: Array | None = None
        self._offsets: Array | None = None
        self._edges: Array | None = None
        self._layers: Layers | None = None

    @property
    def rows(self) -> int:
        """The number of samples."""
        return sum(shard.rows for shard in self.shards)

    @property
    def width(self) -> int:
        """The vertices of a sample of one width."""
        return self.shards[0].width

    @property
    def size(self) -> int:
        """The vertices of all samples."""
        return sum(shard.size for shard in self.shards)

    @property
    def ragged(self) -> bool:
        """Whether samples may differ in length."""
        return self.shards[0].ragged

    @property
    def layered(self) -> bool:
        """Whether the samples are layered."""
        return self.shards[0].layered

    @property
    def recorded(self) -> bool:
        """Whether the samples have recorded edges."""
        return self.shards[0].recorded

    @property
    def has_edges(self) -> bool:
        """Whether the edges' ids were recorded."""
        return self.shards[0].has_edges

    @property
    def from_host(self) -> bool:
        """Whether the CPU made samples of a GPU."""
        return any(shard.from_host for shard in self.shards)

    @property
    def seconds(self) -> float:
        """The time of the GPU that took longest."""
        return max(self._each(lambda shard: shard.seconds))

    @property
    def values(self) -> Array:
        """The vertices, as those of HostResult."""
        if self._values is None:
            self._values = self._joined([shard.arrays.vertices for shard in self.shards])
        return self._values

    @property
    def edges(self) -> Array | None:
        """The edges' ids, as those of HostResult."""
        if self._edges is None and self.has_edges:
            self._edges = self._joined([shard.arrays.edges for shard in self.shards])
        return self._edges

    @property
    def offsets(self) -> Array | None:
        """The start of each sample in the values, as that of HostResult."""
        if self._offsets is None and self.ragged:
            self._offsets = self._chained([shard.arrays.offsets for shard in self.shards])
        return self._offsets

    @property
    def layers(self) -> Layers | None:
        """The parts of layered samples."""
        if self._layers is None and self.layered:
            there = [shard.arrays.layers for shard in self.shards]

            def joined(pick: Callable[[DeviceLayers], DeviceArray | None]) -> Array:
                return self._joined([None if one is None else pick(one) for one in there])

            def chained(pick: Callable[[DeviceLayers], DeviceArray | None]) -> Array:
                return self._chained([None if one is None else pick(one) for one in there])

            parts = joined(lambda one: one.parents), chained(lambda one: one.ends_from), joined(lambda one: one.ends)
            if not self.recorded:
                self._layers = Layers(*parts)
            else:
                self._layers = Layers(
                    *parts, chained(lambda one: one.links_from), joined(lambda one: one.sources),
                    joined(lambda one: one.targets), joined(lambda one: one.link_edges),
                    joined(lambda one: one.link_values),
                )  # fmt: skip
        return self._layers

    def lengths(self) -> Array:
        """The vertices of each sample: (rows,) int64."""
        return np.concatenate(self._each(lambda shard: shard.lengths()))

    def filled(self) -> int:
        """The vertices of all samples without missing vertices."""
        return sum(self._each(lambda shard: shard.filled()))

    def visits(self, vertices: int) -> Array:
        """The number of occurrences of each vertex in the samples: (vertices,) int64. Each GPU counts its own."""
        first, *others = self._each(lambda shard: shard.visits(vertices))
        for counts in others:
            first += counts
        return first

    def roots(self) -> Array | None:
        """The vertices that samples of one width began with, (rows, roots); None if all must be fetched for that, or
        were."""
        if self.ragged or self._values is not None:
            return None
        parts = self._each(lambda shard: shard.roots())
        return np.concatenate([part for part in parts if part is not None])

    def __reduce__(self) -> tuple[type[HostResult], tuple[Any, ...]]:
        return HostResult, (self.values, self.offsets, self.edges, self.layers, self.seconds, self.from_host)

    def _each(self, read: Callable[[DeviceResult], _T]) -> list[_T]:
        """Reads all shards, in a thread each."""
        with futures.ThreadPoolExecutor(len(self.shards)) as threads:
            return list(threads.map(read, self.shards))

    def _joined(self, parts: list[DeviceArray | None]) -> Array:
        """The arrays of all shards, one after another, in host memory."""
        arrays = [part for part in parts if part is not None]
        rows = sum(len(part) for part in arrays)
        out = memory.empty((rows, *arrays[0].shape[1:]), arrays[0].dtype)
        ends = np.cumsum([len(part) for part in arrays]).tolist()
        with futures.ThreadPoolExecutor(len(arrays)) as threads:
            list(threads.map(lambda part, end: part.copy_to(out[end - len(part) : end]), arrays, ends))
        return out

    def _chained(self, parts: list[DeviceArray | None]) -> Array:
        """Offsets of all shards as those of one array: each begins at the end of the one before."""
        arrays = [part for part in parts if part is not None]
        with futures.ThreadPoolExecutor(len(arrays)) as threads:
            own = list(threads.map(lambda part: part.numpy(), arrays))
        out = memory.empty((sum(len(part) - 1 for part in own) + 1,), np.int64)
        at = base = 0
        for part in own:
            np.add(part, base, out=out[at : at + len(part)])
            at, base = at + len(part) - 1, base + int(part[-1])
        return out
