"""Graphs from edges that are read twice, block by block, so that the peak of memory is the graph, or a part of one.

The first pass counts the edges of each row, the second places them. Ids that are text, or integers with large gaps, are
numbered by a pass before the first.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .._core import memory, native, running
from .._core.arguments import Arguments
from .._core.checks import checked_auto
from .._core.costs import costs
from .._core.dates import from_dates
from . import columns
from .arrow import ArrowTable
from .columns import Columns
from .dataset import ParquetFiles
from .edgelist import are_divided
from .graph import Graph
from .numbering import Text, are_numbers, numbered, two_sides
from .tables import attribute_of, ids_of, kinds_of, renamed

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
        bipartite: whether a source and a target of one id are different vertices, as for ``from_columns``.

    Raises:
        FormatError, ValueError, TypeError: the columns do not hold edges.
    """

    def __init__(
        self, files: ParquetFiles, chosen: dict[str, Any], symmetric: bool, bipartite: bool | Literal["auto"] = "auto"
    ) -> None:
        self._files, self._symmetric, self._bipartite = files, symmetric, checked_auto("bipartite", bipartite)
        self.columns: Columns = columns.choose(files.names, kinds_of(files), **chosen, symmetric=symmetric)
        self._unit: str | None = None  # of times that are dates: that of the first block
        self._roles = {role: at for role, name in ROLES.items() if (at := getattr(self.columns, name)) is not None}
        self._sides: list[_Side] = []  # of sources and of targets, if they were found before the first pass
        self._names: Array | None = None  # of the vertices, if they were found before the first pass
        self._count()

    def graph(self) -> Graph:
        """The graph, in memory. The stream is of no further use, as after ``convert``."""
        with self._finishing():
            native.call("StreamPlace", self._handle.number)
            self._place()
            arguments = Arguments()
            arguments.options(time_unit=self._unit or "")
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
            unit = Arguments()
            unit.options(time_unit=self._unit or "")
            running.call("StreamFinish", self._handle.number, unit.text(), seconds=seconds, label="writing")

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
        divided = self.columns.two_mode if self._bipartite is None else self._bipartite
        if "text" in kinds or divided or not self._counted(limit):
            self._find_names(divided)
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
        ends = self._ends(block)
        if self._sides:
            src, dst = (side.numbers(part) for side, part in zip(self._sides, ends, strict=True))
        else:
            # Ids that do not fit in 64 bits have no numbers yet; the core refuses -1.
            src, dst = (part if isinstance(part, np.ndarray) else np.full(len(part), -1) for part in ends)
        arguments = Arguments(src=src, dst=dst)
        attributes = {role: attribute_of(block, role, at) for role, at in self._roles.items()}
        dates = from_dates("times", attributes["times"], self._unit) if "times" in attributes else None
        if dates is not None:
            attributes["times"], self._unit = dates
        arguments.optional(**attributes)
        arguments.options(first=block.first)
        return arguments

    def _find_names(self, divided: bool) -> None:
        """A pass over the ends that numbers the distinct ids in ascending order; divided: each end by itself."""
        self._sides = []
        sides = [_Side(), _Side()]
        for block in self._blocks([]):
            for side, part in zip(sides, self._ends(block), strict=True):
                side.add(part)
        src, dst = (side.distinct() for side in sides)
        names = (self._files.names[self.columns.source], self._files.names[self.columns.target])
        divided = divided and (self._bipartite or are_divided(src, dst, names))
        number = two_sides if divided else numbered
        *numbers, distinct = number(src, dst, names)
        for side, of in zip(sides, numbers, strict=True):
            side.number(of)
        self._names = None if are_numbers(distinct) else distinct
        self._sides = sides


class _Side:
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
            raise _changed()
        found = np.searchsorted(self._distinct, ends)
        if np.max(found, initial=-1) == len(self._distinct) or np.any(self._distinct[found] != ends):
            raise _changed()
        numbers: Array = self._of[found]
        return numbers


def _changed() -> ValueError:
    return ValueError("the edges changed between two passes over them: let no other program write to the files")
