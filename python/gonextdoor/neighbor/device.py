"""Batches on a GPU: one arena of int64, whose slices are the arrays of a batch."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import memory, native, running
from .._core.costs import costs
from ..device.array import DeviceArray
from ..device.devices import named
from ..errors import DeviceError
from ..graph.hetero import HeldHetero

__all__ = ["ArenaArray", "HeldBatches", "PendingBatches"]

Array = npt.NDArray[Any]


class ArenaArray(DeviceArray):
    """Numbers of mini-batches, (n,) int64, on a GPU: a ``DeviceArray`` of which slices are others. The memory is freed
    with the last of them and of the objects that share it."""

    __slots__ = ()

    def __init__(self, held: HeldBatches, id: int, first: int, count: int) -> None:
        super().__init__(_Span(held, first, count), id, (count,), count, _INT64)

    def __getitem__(self, part: slice) -> ArenaArray:
        if not isinstance(part, slice):
            raise TypeError(f"expected a slice, got {part!r}: numpy() copies the array to this machine's memory")
        first, end, step = part.indices(self.shape[0])
        if step != 1:
            raise ValueError(f"a slice of an array on {self.device} has step 1, got {step}")
        source = self._source
        assert isinstance(source, _Span)
        return ArenaArray(source.held, self._id, source.first + first, max(0, end - first))

    def __reduce__(self) -> tuple[Any, ...]:
        return np.asarray, (self.numpy(),)  # another process has no part in the GPU's memory


_INT64 = np.dtype(np.int64)


class HeldBatches(native.Held):
    """A handle of an arena on a GPU."""

    __slots__ = ("_device",)

    def __init__(self, number: int, device: int) -> None:
        super().__init__(number, "DropNeighborBatches")
        self._device = device

    def remade(self) -> int:
        raise inherited(named((self._device,)))


class PendingBatches(native.Held):
    """A handle of a call whose batches GPUs are drawing. It is safe for concurrent use.

    Args:
        number: the handle.
        device: the names of the GPUs.
        graph: the graph, which the call reads.
        read: returns the headers and the arenas, once they are known.
    """

    __slots__ = ("_device", "_error", "_graph", "_lock", "_read", "_result")

    def __init__(
        self, number: int, device: str, graph: HeldHetero, read: Callable[[], tuple[list[int], list[Any]]]
    ) -> None:
        super().__init__(number, "DropNeighbors")
        self._device, self._graph, self._read, self._lock = device, graph, read, threading.Lock()
        self._result: tuple[list[int], list[Any]] | None = None
        self._error: Exception | None = None

    def finish(self) -> None:
        """Waits until the headers are known. An error is raised by ``result``."""
        with self._lock:
            if self._result is None and self._error is None:
                try:
                    native.call("FinishNeighbors", self.number, 0)
                    self._result = self._read()
                except Exception as error:
                    self._error = error

    def result(self) -> tuple[list[int], list[Any]]:
        """Returns the headers of all batches, and the arena of each."""
        self.finish()
        if self._error is not None:
            raise self._error
        assert self._result is not None
        return self._result

    def remade(self) -> int:
        raise inherited(self._device)


def inherited(device: str) -> DeviceError:
    """The error of a mini-batch that is used in a forked child."""
    return DeviceError(
        f"the mini-batch is on {device} and belongs to the process that this one was forked from: "
        "take its arrays' numpy() before the fork, or start workers by 'spawn'"
    )


class _Span:
    """Part of an arena."""

    __slots__ = ("count", "first", "held")

    def __init__(self, held: HeldBatches, first: int, count: int) -> None:
        self.held, self.first, self.count = held, first, count

    def tensor(self, versioned: bool, stream: int) -> int:
        return int(native.call("NeighborBatchesTensor", self.held.number, self.first, self.count, versioned, stream))

    def address(self) -> int:
        return int(native.call("NeighborBatchesAddress", self.held.number)) + 8 * self.first

    def fetch(self, out: Array) -> None:
        seconds = out.nbytes * costs().copy_byte
        running.call(
            "NeighborBatchesOut",
            self.held.number,
            self.first,
            self.count,
            memory.address(out),
            seconds=seconds,
            label="copying",
        )
