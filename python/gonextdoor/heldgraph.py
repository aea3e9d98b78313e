"""HeldGraph: a graph in the core, as processes and forks share it."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from . import _native
from .sharing import Shared

__all__ = ["HeldGraph"]

Array = npt.NDArray[Any]


class HeldGraph(_native.Held):
    """A graph in the core. A forked child inherits its memory and needs only be told where all of it lies."""

    __slots__ = ("_arrays", "_file", "_shared")

    def __init__(self, number: int) -> None:
        super().__init__(number, "DropGraph")
        self._arrays: str = _native.call("GraphArrays", number)
        self._file: Array | None = None  # a mapping that the graph lies in
        self._shared: Shared | None = None
        _native.before_fork.add(self)

    def keep(self, file: Array, shared: Shared) -> None:
        """Keeps the mapping that the graph lies in as long as the graph."""
        self._file, self._shared = file, shared

    def shared(self) -> Shared:
        """The file by which other processes have the graph."""
        if self._shared is None:
            self._shared = Shared.new()
        return self._shared

    def prepare_fork(self) -> None:
        """Notes the tables too that have been made since."""
        if self._generation == _native.generation():
            self._arrays = _native.call("GraphArrays", self._number)

    def remade(self) -> int:
        number: int = _native.call("AdoptGraph", self._arrays)
        return number
