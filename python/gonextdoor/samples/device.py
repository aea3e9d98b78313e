"""Samples on a GPU: arrays that other libraries share without a copy, and that are copied to the host on demand."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import memory, native, running
from .._core.costs import costs
from .._core.records import DeviceResult as DeviceRecord
from ..device.array import DeviceArray
from ..device.devices import named
from ..errors import DeviceError
from .host import HostResult
from .layers import Layers

__all__ = ["DeviceArrays", "DeviceLayers", "DeviceResult"]

Array = npt.NDArray[Any]

VERTICES, WIDE, EDGES, OFFSETS = range(4)  # the arrays of a result, by the core's numbers
PARENTS, ENDS_FROM, ENDS, LINKS_FROM, SOURCES, TARGETS, LINK_EDGES, VALUES = range(4, 12)

INT32, INT64, FLOAT64 = np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.float64)


class DeviceArrays:
    """Samples as arrays on a GPU.

    Attributes:
        vertices: (n, width), -1 if a sample has no vertex; of samples that differ in length (offsets[-1],),
            concatenated.
        offsets: (n + 1,) int64: the start of each sample, and the end; None for samples of one width.
        edges: the ids of the edges taken, int64: (n, width - roots), or parallel to ``vertices`` with -1 at roots; None
            if they were not recorded.
        layers: the other parts of layered samples; None for all others.
    """

    __slots__ = ("edges", "layers", "offsets", "vertices")

    def __init__(
        self,
        vertices: DeviceArray,
        offsets: DeviceArray | None,
        edges: DeviceArray | None,
        layers: DeviceLayers | None = None,
    ) -> None:
        self.vertices, self.offsets, self.edges, self.layers = vertices, offsets, edges, layers

    def __repr__(self) -> str:
        return f"DeviceArrays(vertices={self.vertices}, offsets={self.offsets}, edges={self.edges})"


@dataclasses.dataclass(frozen=True, eq=False)
class DeviceLayers:
    """Steps and recorded edges of layered samples as arrays on a GPU. Positions count from a sample's first vertex.

    Attributes:
        parents: parallel to the vertices, int32: the position of the vertex that each was reached from, or -1.
        ends_from: (n + 1,) int64: sample i has the ends ``ends_from[i]:ends_from[i + 1]``.
        ends: int32: the number of vertices after each step of a sample; the first entry counts its roots.
        links_from: (n + 1,) int64: sample i has the recorded edges ``links_from[i]:links_from[i + 1]`` of the arrays
            below. None, like these, if the app records no edges.
        sources: int32: the position of the source of each recorded edge.
        targets: int32: the position of its target.
        link_edges: int64: its id, -1 if the graph has no such edge.
        link_values: float64: its value.
    """

    parents: DeviceArray
    ends_from: DeviceArray
    ends: DeviceArray
    links_from: DeviceArray | None = None
    sources: DeviceArray | None = None
    targets: DeviceArray | None = None
    link_edges: DeviceArray | None = None
    link_values: DeviceArray | None = None


class DeviceResult:
    """Samples on a GPU. Each array is fetched at its first use, once."""

    __slots__ = (
        "_device",
        "_edges",
        "_ends",
        "_held",
        "_layers",
        "_links",
        "_offsets",
        "_roots",
        "_seconds",
        "_size",
        "_stride",
        "_values",
        "_vertex",
        "from_host",
        "has_edges",
        "rows",
        "width",
    )

    def __init__(self, made: DeviceRecord, vertex: np.dtype[Any], edges: bool) -> None:
        self.rows, self.width, self._stride, self._roots, self._size, self._device = made[:6]
        self._ends, self._links, self.from_host = made.ends, made.links, bool(made.from_host)
        self._held, self._vertex, self.has_edges = _HeldResult(made.handle, named((self._device,))), vertex, edges
        self._values: Array | None = None
        self._offsets: Array | None = None
        self._edges: Array | None = None
        self._seconds: float | None = None
        self._layers: Layers | None = None

    @staticmethod
    def gathered(shards: Sequence[DeviceResult], device: int) -> DeviceResult:
        """Copies shards of one call, in the order of the rows, to one GPU."""
        handles = np.array([shard._held.number for shard in shards], np.int64)
        made = np.zeros(len(DeviceRecord._fields), np.int64)
        native.call("GatherResults", memory.address(handles), len(handles), device, memory.address(made))
        return DeviceResult(DeviceRecord._make(made.tolist()), shards[0]._vertex, shards[0].has_edges)

    @property
    def device(self) -> str:
        """The name of the GPU."""
        return named((self._device,))

    @property
    def layered(self) -> bool:
        """Whether the samples are layered."""
        return self._ends >= 0

    @property
    def recorded(self) -> bool:
        """Whether the samples have recorded edges."""
        return self._links >= 0

    @property
    def size(self) -> int:
        """The vertices of all samples."""
        if self._size < 0:  # samples differ in length, and the GPU was not asked yet
            self._size = int(native.call("ResultTotal", self._held.number))
        return self._size

    @property
    def ragged(self) -> bool:
        return self.width == 0

    @property
    def arrays(self) -> DeviceArrays:
        """The samples as arrays on the GPU."""
        wide = np.dtype(np.int64)
        shape = (self.size,) if self.ragged else (self.rows, self.width)
        vertices = self._array(WIDE if self._vertex == wide else VERTICES, shape, self._vertex)
        behind = shape if self.ragged else (self.rows, self.width - self._roots)
        edges = self._array(EDGES, behind, wide) if self.has_edges else None
        offsets = self._array(OFFSETS, (self.rows + 1,), wide) if self.ragged else None
        return DeviceArrays(vertices, offsets, edges, self._layer_arrays() if self.layered else None)

    def _layer_arrays(self) -> DeviceLayers:
        """The parts of layered samples on the GPU."""
        rows, links = (self.rows + 1,), (self._links,)
        parents = self._array(PARENTS, (self.size,), INT32)
        ends_from, ends = self._array(ENDS_FROM, rows, INT64), self._array(ENDS, (self._ends,), INT32)
        if not self.recorded:
            return DeviceLayers(parents, ends_from, ends)
        sources, targets = self._array(SOURCES, links, INT32), self._array(TARGETS, links, INT32)
        ids, values = self._array(LINK_EDGES, links, INT64), self._array(VALUES, links, FLOAT64)
        return DeviceLayers(
            parents, ends_from, ends, self._array(LINKS_FROM, rows, INT64), sources, targets, ids, values
        )

    @property
    def layers(self) -> Layers | None:
        """The parts of layered samples in host memory; None for all other samples."""
        if self._layers is None and self.layered:
            there = self._layer_arrays()
            links = there.links_from, there.sources, there.targets, there.link_edges, there.link_values
            recorded = (None if part is None else part.numpy() for part in links)
            self._layers = Layers(there.parents.numpy(), there.ends_from.numpy(), there.ends.numpy(), *recorded)
        return self._layers

    def _array(self, which: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> DeviceArray:
        return DeviceArray(_Part(self._held, which), self._device, shape, self._stride, dtype)

    @property
    def values(self) -> Array:
        if self._values is None:
            self._values = self.arrays.vertices.numpy()
        return self._values

    @property
    def offsets(self) -> Array | None:
        if self._offsets is None:
            there = self.arrays.offsets
            self._offsets = None if there is None else there.numpy()
        return self._offsets

    @property
    def edges(self) -> Array | None:
        if self._edges is None:
            there = self.arrays.edges
            self._edges = None if there is None else there.numpy()
        return self._edges

    def roots(self) -> Array | None:
        """The vertices that samples of one width began with, (rows, roots); None if all must be fetched for that, or
        were."""
        if self.ragged or self._values is not None:
            return None
        first = self._array(WIDE if self._vertex.itemsize == 8 else VERTICES, (self.rows, self._roots), self._vertex)
        return first.numpy()

    @property
    def seconds(self) -> float:
        if self._seconds is None:
            self._seconds = float(native.call("ResultSeconds", self._held.number))
        return self._seconds

    def lengths(self) -> Array:
        if self.ragged:
            offsets = self.offsets
            assert offsets is not None
            return np.diff(offsets)
        lengths = memory.empty((self.rows,), np.int64)
        _fetch("ResultLengths", self._held.number, memory.address(lengths), self.rows, bytes=lengths.nbytes)
        return lengths

    def filled(self) -> int:
        """The vertices of all samples without missing vertices, counted on the GPU."""
        return int(running.call("ResultFilled", self._held.number, seconds=0.0))

    def visits(self, vertices: int) -> Array:
        counts = memory.empty((vertices,), np.int64)
        _fetch("ResultVisits", self._held.number, memory.address(counts), counts.size, bytes=counts.nbytes)
        return counts

    def __reduce__(self) -> tuple[type[HostResult], tuple[Any, ...]]:
        return HostResult, (self.values, self.offsets, self.edges, self.layers, self.seconds, self.from_host)


class _HeldResult(native.Held):
    """The handle of a result on a GPU; it owns the device memory."""

    __slots__ = ("_device",)

    def __init__(self, number: int, device: str) -> None:
        super().__init__(number, "DropResult")
        self._device = device

    def remade(self) -> int:
        raise DeviceError(
            f"the samples are on {self._device} and belong to the process that this one was forked from: "
            "take samples.numpy() before the fork, or start workers by 'spawn'"
        )


class _Part:
    """One of a result's arrays."""

    __slots__ = ("_held", "_which")

    def __init__(self, held: _HeldResult, which: int) -> None:
        self._held, self._which = held, which

    def tensor(self, versioned: bool, stream: int) -> int:
        return int(native.call("ResultTensor", self._held.number, self._which, versioned, stream))

    def address(self) -> int:
        return int(native.call("ResultAddress", self._held.number, self._which))

    def fetch(self, out: Array) -> None:
        width = out.shape[1] if out.ndim == 2 else 1
        _fetch("ResultRows", self._held.number, self._which, width, memory.address(out), bytes=out.nbytes)


def _fetch(name: str, *args: Any, bytes: int) -> None:
    running.call(name, *args, seconds=bytes * costs().copy_byte, label="copying")
