"""EdgeBlocks: the edges of files as blocks for the core."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import native
from .._core.arguments import Arguments
from .._core.dates import from_dates
from .arrow import ArrowTable
from .columns import Columns
from .dataset import ParquetFiles
from .numbering import Text
from .tables import attribute_of, ids_of, renamed

__all__ = ["EdgeBlocks", "Side", "StreamHandle", "changed"]

Array = npt.NDArray[Any]
ROLES = {"weights": "weight", "times": "time", "labels": "label"}


class StreamHandle(native.Held):
    """A stream in the core."""

    def __init__(self, number: int) -> None:
        super().__init__(number, "DropStream")

    def drop(self) -> None:
        """Frees the memory now, and removes what was written to a folder that is not complete."""
        native.call("DropStream", self._number)

    def remade(self) -> int:
        raise RuntimeError("a forked child cannot continue to read a graph; read it again")


class EdgeBlocks:
    """The edges of files, or of a share of them, as blocks for the core. Another process can have a copy.

    Args:
        files: the edges.
        columns: their columns.
        symmetric: hold every edge in both directions.

    Attributes:
        files, columns: as given.
        sides: the ids of sources and of targets, if they were found before the first pass.
        unit: of times that are dates: that of the first block; None: not known yet, or there is none.
    """

    def __init__(self, files: ParquetFiles, columns: Columns, symmetric: bool) -> None:
        self.files, self.columns, self._symmetric = files, columns, symmetric
        self.sides: list[Side] = []
        self.unit: str | None = None
        self._roles = {role: at for role, name in ROLES.items() if (at := getattr(columns, name)) is not None}

    def share(self, number: int, shares: int) -> EdgeBlocks:
        """The blocks of a share of the edges, as ``ParquetFiles.share``."""
        made = copy.copy(self)
        made.files = self.files.share(number, shares)
        return made

    def renamed(self) -> Any:
        """A context that names columns in errors."""
        return renamed({role: self.files.names[at] for role, at in self._roles.items()})

    def find_unit(self) -> None:
        """Finds the unit of times, for blocks that do not begin with the first."""
        if "times" in self._roles and (block := next(self._blocks(["times"]), None)) is not None:
            self._attributes(block, ["times"])

    def find_sides(self) -> list[Side]:
        """A pass over the ends: the ids of sources and of targets."""
        sides = [Side(), Side()]
        for block in self._blocks([]):
            for side, part in zip(sides, self._ends(block), strict=True):
                side.add(part)
        return sides

    def counted(self, limit: int) -> StreamHandle | None:
        """The first pass: a new stream that has counted all edges; None if an id is negative or not below the limit."""
        stream = self.stream(limit)
        with self.renamed():
            for block in self._blocks(list(self._roles)):
                arguments = self._arguments(block)
                if not native.call("StreamCount", stream.number, arguments.text()):
                    return None
        return stream

    def stream(self, limit: int) -> StreamHandle:
        """A new stream, which has counted nothing."""
        none = {"src": np.empty(0, np.int64), "dst": np.empty(0, np.int64)}
        first = Arguments(**none, **{role: np.empty(0, np.int64) for role in self._roles})
        first.options(symmetric=self._symmetric, limit=limit)
        return StreamHandle(native.call("StreamNew", first.text()))

    def place(self, stream: StreamHandle) -> None:
        """The second pass."""
        for block in self._blocks(list(self._roles)):
            arguments = self._arguments(block)
            native.call("StreamAdd", stream.number, arguments.text())

    def _blocks(self, roles: list[str]) -> Iterator[ArrowTable]:
        ends = [self.columns.source, self.columns.target]
        return self.files.blocks([*ends, *(self._roles[role] for role in roles)])

    def _ends(self, block: ArrowTable) -> tuple[Array | Text, Array | Text]:
        return ids_of(block, self.columns.source), ids_of(block, self.columns.target)

    def _arguments(self, block: ArrowTable) -> Arguments:
        """A block of edges for the core."""
        ends = self._ends(block)
        if self.sides:
            src, dst = (side.numbers(part) for side, part in zip(self.sides, ends, strict=True))
        else:
            # Ids that do not fit in 64 bits have no numbers yet; the core refuses -1.
            src, dst = (part if isinstance(part, np.ndarray) else np.full(len(part), -1) for part in ends)
        arguments = Arguments(src=src, dst=dst)
        arguments.optional(**self._attributes(block, list(self._roles)))
        arguments.options(first=block.first)
        return arguments

    def _attributes(self, block: ArrowTable, roles: list[str]) -> dict[str, Any]:
        """Columns of a block by role. Times that are dates become integers of the unit."""
        attributes = {role: attribute_of(block, role, self._roles[role]) for role in roles}
        dates = from_dates("times", attributes["times"], self.unit) if "times" in attributes else None
        if dates is not None:
            attributes["times"], self.unit = dates
        return attributes


class Side:
    """The ids of one end of the edges, and their numbers."""

    def __init__(self) -> None:
        self._words: set[str] = set()
        self._integers = [np.empty(0, np.int64)]
        self._large = False  # the words are integers that do not fit in 64 bits
        self._distinct: Array | Text = self._integers[0]

    def add(self, ends: Array | Text) -> None:
        """Adds the ids of a block."""
        if isinstance(ends, Text):
            self._words |= ends.occurring()
            self._large = self._large or ends.integers
            return
        self._integers.append(np.unique(ends))
        if sum(map(len, self._integers[1:])) > max(len(self._integers[0]), 1 << 16):
            self._integers = [np.unique(np.concatenate(self._integers))]

    def merge(self, other: Side) -> None:
        """Adds the ids of the same end of other edges."""
        self._words |= other._words
        self._large = self._large or other._large
        self._integers += other._integers

    def distinct(self) -> Array | Text:
        """The distinct ids, ascending."""
        integers = np.unique(np.concatenate(self._integers))
        if not self._words:
            self._distinct = integers
        else:
            words = sorted(self._words.union(map(str, integers.tolist())))
            self._distinct = Text(np.arange(len(words)), words, self._large)
            self._words = set()
        return self._distinct

    def number(self, of: Array) -> None:
        """Sets the number of each distinct id."""
        self._of = of
        words = self._distinct.words if isinstance(self._distinct, Text) else []
        self._number = dict(zip(words, of.tolist(), strict=False))

    def numbers(self, ends: Array | Text) -> Array:
        """The vertices of ids."""
        if isinstance(self._distinct, Text):
            ends = ends if isinstance(ends, Text) else Text.of_integers(ends)
            return ends.numbers(self._number)  # -1 for a word that is new, which the core refuses
        if isinstance(ends, Text):
            raise changed()
        found = np.searchsorted(self._distinct, ends)
        if np.max(found, initial=-1) == len(self._distinct) or np.any(self._distinct[found] != ends):
            raise changed()
        numbers: Array = self._of[found]
        return numbers


def changed() -> ValueError:
    """The error for files that other programs write to."""
    return ValueError("the edges changed between two passes over them: let no other program write to the files")
