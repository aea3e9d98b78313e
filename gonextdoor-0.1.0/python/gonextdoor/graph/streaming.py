"""Graphs from edges that are read twice, block by block, so that the peak of memory is the graph, or a part of one.

The first pass counts the edges of each row, the second places them. Ids that are text, or integers with large gaps, are
numbered by a pass before the first.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import memory, native, running
from .._core.arguments import Arguments
from .._core.costs import costs
from . import columns
from .arrow import ArrowTable
from .columns import Columns
from .dataset import ParquetFiles
from .graph import Graph
from .numbering import Text, are_numbers
from .tables import attribute_of, ids_of, renamed

__all__ = ["EdgeStream"]

Array = npt.NDArray[Any]
ROLES = {"weights": "weight", "times": "time", "labels": "label"}
MOST = (1 << 32) - 2
FEW = 1 << 20  # ids below it always get a counter each
SPARSE = 8  # counters per edge, at most


class _Handle(native.Held):
    """A stream in the core."""

    def __init__(self, number: int) -> None:
        super().__init__(number, "DropStream")

    def drop(self) -> None:
        """Frees the memory now, and removes what was written to a folder that is not complete."""
        native.call("DropStream", self._number)

    def remade(self) -> int:
        raise RuntimeError("a forked child cannot continue to read a graph; read it again")


class EdgeStream:
    """The edges of files, and the graph or folder that is built from them.

    Args:
        files: the edges.
        chosen: the choices of columns, as of ``columns.choose``.
        symmetric: hold every edge in both directions.

    Raises:
        FormatError, ValueError, TypeError: the columns do not hold edges.
    """

    def __init__(self, files: ParquetFiles, chosen: dict[str, Any], symmetric: bool) -> None:
        self._files, self._symmetric = files, symmetric
        self.columns: Columns = columns.choose(files.names, files.kinds, **chosen, symmetric=symmetric)
        self._roles = {role: at for role, name in ROLES.items() if (at := getattr(self.columns, name)) is not None}
        self._words: dict[str, int] = {}  # the number of each id that is text
        self._ids: Array | None = None  # the distinct ids, ascending, if they were found before the first pass
        self._names: Array | None = None  # of the vertices, if they were found before the first pass
        self._count()

    def graph(self) -> Graph:
        """The graph, in memory. The stream is of no further use, as after ``convert``."""
        with self._finishing():
            native.call("StreamPlace", self._handle.number)
            self._place()
            arguments = Arguments()
            arguments.names(self._names)
            number = running.call(
                "StreamFinish",
                self._handle.number,
                arguments.text(),
                seconds=costs().build_edge * self.edges,
                label="building",
            )
        return Graph._of(number, source=self.columns.said)

    def convert(self, folder: str, **options: Any) -> None:
        """Writes the graph to a folder.

        Args:
            folder: the target.
            options: of StreamConvert.
        """
        arguments = Arguments(**{name: value for name, value in options.items() if isinstance(value, np.ndarray)})
        arguments.names(self._names)
        others = {name: value for name, value in options.items() if not isinstance(value, np.ndarray)}
        arguments.options(folder=folder, **others)
        with self._finishing():
            native.call("StreamConvert", self._handle.number, arguments.text(), 0)
            self._place()
            seconds = costs().build_edge * self.edges + costs().save_byte * 16 * self.edges
            running.call("StreamFinish", self._handle.number, "{}", seconds=seconds, label="writing")

    @contextlib.contextmanager
    def _finishing(self) -> Iterator[None]:
        """Names columns in errors, and frees the stream at the end."""
        try:
            with self._renamed():
                yield
        finally:
            self._handle.drop()

    def _renamed(self) -> Any:
        return renamed({role: self._files.names[at] for role, at in self._roles.items()})

    def _blocks(self, roles: Sequence[str]) -> Iterator[ArrowTable]:
        ends = [self.columns.source, self.columns.target]
        return self._files.blocks([*ends, *(self._roles[role] for role in roles)])

    def _ends(self, block: ArrowTable) -> tuple[Array | Text, Array | Text]:
        return ids_of(block, self.columns.source), ids_of(block, self.columns.target)

    def _count(self) -> None:
        """The first pass."""
        kinds = [self._files.kinds[at] for at in (self.columns.source, self.columns.target)]
        limit = min(max(FEW, SPARSE * self._files.rows), MOST)
        if "text" in kinds or not self._counted(limit):
            self._find_names()
            if not self._counted(MOST):
                raise _changed()
        out = np.zeros(4, np.int64)
        native.call("StreamNumber", self._handle.number, memory.address(out))
        self.vertices, self.edges = int(out[0]), int(out[1])

    def _counted(self, limit: int) -> bool:
        """Counts all edges; False if an id is negative or not below the limit."""
        none = {"src": np.empty(0, np.int64), "dst": np.empty(0, np.int64)}
        first = Arguments(**none, **{role: np.empty(0, np.int64) for role in self._roles})
        first.options(symmetric=self._symmetric, limit=limit)
        self._handle = _Handle(native.call("StreamNew", first.text()))
        with self._renamed():
            for block in self._blocks(list(self._roles)):
                arguments = self._arguments(block)
                if not native.call("StreamCount", self._handle.number, arguments.text()):
                    return False
        return True

    def _place(self) -> None:
        """The second pass."""
        for block in self._blocks(list(self._roles)):
            arguments = self._arguments(block)
            native.call("StreamAdd", self._handle.number, arguments.text())

    def _arguments(self, block: ArrowTable) -> Arguments:
        """A block of edges for the core."""
        src, dst = (self._numbers(ends) for ends in self._ends(block))
        arguments = Arguments(src=src, dst=dst)
        arguments.optional(**{role: attribute_of(block, role, at) for role, at in self._roles.items()})
        arguments.options(first=block.first)
        return arguments

    def _find_names(self) -> None:
        """A pass over the ends that numbers the distinct ids in ascending order."""
        words: set[str] = set()
        numbers = [np.empty(0, np.int64)]
        for block in self._blocks([]):
            for ends in self._ends(block):
                if isinstance(ends, Text):
                    words |= ends.occurring()
                else:
                    numbers.append(np.unique(ends))
            if sum(map(len, numbers[1:])) > max(len(numbers[0]), 1 << 16):
                numbers = [np.unique(np.concatenate(numbers))]
        kinds = {self._files.kinds[at] for at in (self.columns.source, self.columns.target)}
        if len(kinds) > 1:
            _refuse_two_kinds(self._files, self.columns)
        if kinds == {"text"}:
            ordered = sorted(words)
            self._words = dict(zip(ordered, range(len(ordered)), strict=True))
            self._names = np.empty(len(ordered), object)
            self._names[:] = ordered
        else:
            self._ids = np.unique(np.concatenate(numbers))
            self._names = None if are_numbers(self._ids) else self._ids

    def _numbers(self, ends: Array | Text) -> Array:
        """The vertices of ids; the ids themselves if the core numbers them."""
        if isinstance(ends, Text):
            return ends.numbers(self._words)  # -1 for a word that is new, which the core refuses
        if self._ids is None:
            return ends
        found = np.searchsorted(self._ids, ends)
        if np.max(found, initial=-1) == len(self._ids) or np.any(self._ids[found] != ends):
            raise _changed()
        return found


def _changed() -> ValueError:
    return ValueError("the edges changed between two passes over them: let no other program write to the files")


def _refuse_two_kinds(files: ParquetFiles, chosen: Columns) -> None:
    """Refuses one column of text and one of integers, as ``numbered`` does."""
    names = [files.names[at] for at in (chosen.source, chosen.target)]
    kinds = ["text" if files.kinds[at] == "text" else "integers" for at in (chosen.source, chosen.target)]
    raise TypeError(
        f"{names[0]} has {kinds[0]} and {names[1]} has {kinds[1]}: expected integers in both, or text in both; "
        "convert integers to text with .astype(str)"
    )
