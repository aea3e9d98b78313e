"""HostResult: the arrays of samples in host memory; device.py has those on a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import memory, native
from .layers import Layers

Array = npt.NDArray[Any]


def of_type(vertex: np.dtype[Any], values: Array) -> Array:
    """Returns 32-bit vertices, none of which is missing, as they are or as int64."""
    if vertex == np.int32:
        return values
    memory.check(8 * values.size)
    wide = memory.empty(values.shape, np.int64)
    for at in range(0, values.size, 1 << 24):  # in pieces, so that Ctrl-C takes effect between them
        wide[at : at + (1 << 24)] = values[at : at + (1 << 24)].view(np.uint32)
    return wide


class HostResult:
    """Samples in host memory.

    Attributes:
        values: the vertices: (rows, width), or (size,) of samples that differ in length.
        offsets: the start of each sample in the values, and the end; None for samples of one width.
        edges: the edges' ids: (rows, width - roots), or parallel to the values with -1 at roots; None: not recorded.
        layers: the steps and recorded edges of layered samples.
        seconds: the time that sampling took.
        from_host: whether the CPU made the samples of a call on GPUs.
    """

    __slots__ = ("edges", "from_host", "layers", "offsets", "seconds", "values")

    def __init__(
        self,
        values: Array,
        offsets: Array | None,
        edges: Array | None,
        layers: Layers | None = None,
        seconds: float = 0.0,
        from_host: bool = False,
    ) -> None:
        self.values, self.offsets, self.edges, self.layers, self.seconds = values, offsets, edges, layers, seconds
        self.from_host = from_host

    @property
    def rows(self) -> int:
        """The number of samples."""
        return len(self.values) if self.offsets is None else len(self.offsets) - 1

    @property
    def ragged(self) -> bool:
        """Whether samples may differ in length."""
        return self.offsets is not None

    @property
    def layered(self) -> bool:
        """Whether the samples are layered."""
        return self.layers is not None

    @property
    def recorded(self) -> bool:
        """Whether the samples have recorded edges."""
        return self.layers is not None and self.layers.recorded

    @property
    def size(self) -> int:
        """The number of vertices, missing ones included."""
        return self.values.size

    @property
    def width(self) -> int:
        """The vertices of a sample of one width."""
        return int(self.values.shape[1])

    @property
    def has_edges(self) -> bool:
        """Whether the edges' ids were recorded."""
        return self.edges is not None

    def lengths(self) -> Array:
        """The vertices of each sample: (rows,) int64."""
        if self.offsets is not None:
            return np.diff(self.offsets)
        lengths = np.empty(self.rows, np.int64)
        where, to = memory.address(self.values), memory.address(lengths)
        native.call("Lengths", where, self.values.itemsize, self.rows, self.width, to, 0)
        return lengths

    def filled(self) -> int:
        """The vertices of all samples without missing vertices."""
        n: int = native.call("Filled", memory.address(self.values), self.values.itemsize, self.values.size, 0)
        return n

    def visits(self, vertices: int) -> Array:
        """The number of occurrences of each vertex in the samples: (vertices,) int64."""
        counts = np.zeros(vertices, np.int64)
        where, to = memory.address(self.values), memory.address(counts)
        native.call("Visits", where, self.values.itemsize, self.values.size, to, counts.size, 0)
        return counts
