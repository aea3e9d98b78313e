"""HeldGraph: a graph in the core, as processes and forks share it."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy.typing as npt

from .._core import memory, native, running
from .sharedfile import Shared

__all__ = ["HeldGraph"]

Array = npt.NDArray[Any]


class HeldGraph(native.Held):
    """A handle of a graph in the core. A forked child inherits the memory and needs its addresses only."""

    __slots__ = ("_arrays", "_file", "_shared", "base")

    base: HeldGraph  # of a view: the graph that has its arrays

    def __init__(self, number: int) -> None:
        super().__init__(number, "DropGraph")
        self._arrays: str = native.call("GraphArrays", number)
        self._file: Array | None = None  # the mapping that contains the graph
        self._shared: Shared | None = None
        native.before_fork.add(self)

    def mapped(self) -> bool:
        """Whether the graph is mapped from the files of a folder, which others may truncate or change."""
        return bool(json.loads(self._arrays)["Summary"].get("Files"))

    def check(self) -> None:
        """Checks the arrays of a mapped graph in full, once.

        Raises:
            FormatError: they are damaged, or were written to since the graph was opened.
        """
        if self.mapped():
            running.call("GraphCheck", self.number, seconds=math.inf, label="checking")

    def copied(self, array: Array) -> Array:
        """A copy of an array that may be one of the graph's, made by the core, which survives a truncated file.

        Raises:
            FormatError: a file was written to since the graph was opened.
        """
        if array.dtype.kind == "U" or array.flags.owndata:
            return array
        copy = memory.empty(array.shape, array.dtype)
        native.call("GraphCopy", self.number, memory.address(array), memory.address(copy), copy.nbytes)
        return copy

    def keep(self, file: Array, shared: Shared) -> None:
        """Keeps the mapping that contains the graph alive as long as the graph."""
        self._file, self._shared = file, shared

    def shared(self) -> Shared:
        """The shared file from which other processes map the graph."""
        if self._shared is None:
            self._shared = Shared.new()
        return self._shared

    def prepare_fork(self) -> None:
        """Adds the tables that were made since, so that a forked child has them."""
        if self._generation == native.generation:
            self._arrays = native.call("GraphArrays", self._number)

    def remade(self) -> int:
        number: int = native.call("GraphFromArrays", self._arrays)
        return number
