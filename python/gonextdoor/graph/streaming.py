"""Graphs from edges that are read twice, block by block, so that the peak of memory is the graph, or a part of one.

The first pass counts the edges of each row, the second places them. Ids that are text, or integers with large gaps, are
numbered by a pass before the first.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .._core import memory, native, running
from .._core.arguments import Arguments
from .._core.checks import checked_auto
from .._core.costs import costs
from . import columns
from .columns import Columns
from .dataset import ParquetFiles
from .edgeblocks import EdgeBlocks, Side, changed
from .edgelist import are_divided
from .graph import Graph
from .numbering import are_numbers, numbered, two_sides
from .tables import kinds_of

__all__ = ["MOST", "EdgeStream", "target"]

Array = npt.NDArray[Any]
MOST = (1 << 32) - 2
FEW = 1 << 20  # ids below it always get a counter each
SPARSE = 8  # counters per edge, at most


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
        self._files, self._bipartite = files, checked_auto("bipartite", bipartite)
        self.columns: Columns = columns.choose(files.names, kinds_of(files), **chosen, symmetric=symmetric)
        self._blocks = EdgeBlocks(files, self.columns, symmetric)
        self._names: Array | None = None  # of the vertices, if they were found before the first pass
        self._count()

    def graph(self) -> Graph:
        """The graph, in memory. The stream is of no further use, as after ``convert``."""
        with self._finishing():
            native.call("StreamPlace", self._handle.number)
            self._place()
            arguments = Arguments()
            arguments.options(time_unit=self._blocks.unit or "")
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
        arguments = target(folder, options)
        arguments.names(self._names)
        with self._finishing():
            native.call("StreamConvert", self._handle.number, arguments.text(), 0)
            self._fill(options)
            seconds = costs().build_edge * self.edges + costs().save_byte * 16 * self.edges
            unit = Arguments()
            unit.options(time_unit=self._blocks.unit or "")
            running.call("StreamFinish", self._handle.number, unit.text(), seconds=seconds, label="writing")

    @contextlib.contextmanager
    def _finishing(self) -> Iterator[None]:
        """Names columns in errors, and frees the stream at the end."""
        try:
            with self._blocks.renamed():
                yield
        finally:
            self._handle.drop()

    def _count(self) -> None:
        """The first pass."""
        kinds = [self._files.kinds[at] for at in (self.columns.source, self.columns.target)]
        limit = min(max(FEW, SPARSE * self._files.rows), MOST)
        divided = self.columns.two_mode if self._bipartite is None else self._bipartite
        if "text" in kinds or divided or not self._counted(limit):
            self._find_names(divided)
            if not self._counted(MOST):
                raise changed()
        out = np.zeros(4, np.int64)
        native.call("StreamNumber", self._handle.number, memory.address(out))
        self.vertices, self.edges = int(out[0]), int(out[1])

    def _counted(self, limit: int) -> bool:
        """Counts all edges; False if an id is negative or not below the limit."""
        stream = self._blocks.counted(limit)
        if stream is not None:
            self._handle = stream
        return stream is not None

    def _fill(self, options: dict[str, Any]) -> None:
        """Stores the edges of a conversion."""
        self._place()

    def _place(self) -> None:
        """The second pass."""
        self._blocks.place(self._handle)

    def _find_names(self, divided: bool) -> None:
        """A pass over the ends that numbers the distinct ids in ascending order; divided: each end by itself."""
        self._blocks.sides = []
        sides = self._found_sides()
        src, dst = (side.distinct() for side in sides)
        names = (self._files.names[self.columns.source], self._files.names[self.columns.target])
        divided = divided and (self._bipartite or are_divided(src, dst, names))
        number = two_sides if divided else numbered
        *numbers, distinct = number(src, dst, names)
        for side, of in zip(sides, numbers, strict=True):
            side.number(of)
        self._names = None if are_numbers(distinct) else distinct
        self._blocks.sides = sides

    def _found_sides(self) -> list[Side]:
        """A pass over the ends: the ids of sources and of targets."""
        return self._blocks.find_sides()


def target(folder: str, options: dict[str, Any]) -> Arguments:
    """The arguments of StreamConvert."""
    arguments = Arguments(**{name: value for name, value in options.items() if isinstance(value, np.ndarray)})
    others = {name: value for name, value in options.items() if not isinstance(value, np.ndarray)}
    arguments.options(folder=folder, **others)
    return arguments
