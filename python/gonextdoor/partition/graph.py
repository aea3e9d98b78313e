"""PartitionedGraph: a graph in parts."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import apps
from .._core import advice, memory, native, running
from .._core.arguments import PathLike, path_text
from .._core.costs import costs
from ..apps import SamplingApp
from ..graph.graph import Graph
from ..storage.parts import folder_of
from .assign import Assignment
from .part import HeldPart, Part
from .write import division

__all__ = ["PartitionedGraph", "open", "split"]

Array = npt.NDArray[Any]


class HeldLayout(native.Held):
    """A handle of the layout of a partitioned graph."""

    __slots__ = ("_folder",)

    def __init__(self, number: int, folder: str | None) -> None:
        super().__init__(number, "DropPartition")
        self._folder = folder

    def remade(self) -> int:
        if self._folder is None:
            raise RuntimeError("the parts were made in memory before this process was forked: split the graph again")
        number: int = native.call("PartitionOpen", self._folder)
        return number


class PartitionedGraph:
    """A graph in parts; ``gonextdoor.partition.open`` and ``gonextdoor.partition.split`` make it.

    It holds the properties of the whole graph, and not its rows: a transport opens the parts, in this process or in
    others.

    Attributes:
        path: the folder, or its URI; None for parts in memory.
        parts: the number of parts.
        num_vertices: of the whole graph.
        num_edges: of the whole graph.
        weighted: whether the edges have weights.
        symmetric: whether every edge is known to have its reverse.

    Examples:
        >>> graph = gnd.partition.split(gnd.rmat(8, seed=1), 2)
        >>> graph
        PartitionedGraph(256 vertices, 4264 edges, 2 parts)
    """

    __slots__ = ("_facts", "_held", "_in_memory", "num_edges", "num_vertices", "parts", "path", "symmetric", "weighted")

    def __init__(self, held: HeldLayout, path: str | None, in_memory: tuple[Part, ...] = ()) -> None:
        self._held, self.path, self._in_memory = held, path, in_memory
        self._facts: dict[str, Any] = json.loads(native.call("PartitionFacts", held.number))
        self.parts: int = self._facts["Parts"]
        self.num_vertices: int = self._facts["Vertices"]
        self.num_edges: int = self._facts["Edges"]
        self.weighted: bool = self._facts["Weighted"]
        self.symmetric: bool = self._facts["Symmetric"]

    def part(self, number: int) -> Part:
        """Returns a part. Each call opens a part of a folder again.

        Args:
            number: the part, from 0.

        Raises:
            IndexError: there is no such part.
            OSError: the part cannot be read, or not be copied.
            FormatError: it is not of this partitioned graph, or is damaged.

        Examples:
            >>> gnd.partition.split(gnd.rmat(8, seed=1), 2).part(1)
            Part(1 of 2)
        """
        if not 0 <= number < self.parts:
            raise IndexError(f"number = {number}: expected a part from 0 to {self.parts - 1}")
        if self.path is None:
            return self._in_memory[number]
        return Part(self.path, number)

    def __repr__(self) -> str:
        return f"PartitionedGraph({self.num_vertices} vertices, {self.num_edges} edges, {self.parts} parts)"

    def __reduce__(self) -> tuple[Any, ...]:
        if self.path is None:
            raise TypeError("parts in memory cannot be pickled: write them with gonextdoor.partition.write")
        return open, (self.path,)

    def _selector(self, app: SamplingApp, roots: int) -> str:
        """The selector of an app.

        Raises:
            ValueError: its samples cannot be made by parts, or the graph lacks what it needs.
        """
        name: str = native.call("PartitionSelector", self._held.number, *described(app), roots)
        return name


def described(app: SamplingApp) -> tuple[str, str]:
    """The name and the parameters of an app, from which each part makes it.

    Raises:
        TypeError: it is not an app.
        ValueError: its samples cannot be made by parts.
    """
    if not isinstance(app, SamplingApp):
        raise advice.app_error(app, apps.__all__)
    native.call("PartitionRefuses", type(app).__name__)
    text = app._text()
    if text is None:
        raise ValueError(f"app = {app!r}: its parameters are arrays of this process, which other parts cannot read")
    return text


def open(path: PathLike) -> PartitionedGraph:
    """Opens the folder of a partitioned graph.

    Args:
        path: the folder, which ``gonextdoor.partition.write`` or ``gonextdoor partition`` wrote: a path, or a URI such
            as ``s3://bucket/parts``. Of a URI, each machine keeps a checked copy in its cache folder, with what all
            parts share and the parts that its processes use.

    Returns:
        The partitioned graph. Its parts are opened when they are used.

    Raises:
        OSError: the folder cannot be read, or not be copied.
        FormatError: it is not a partitioned graph, or a part is missing.
        ValueError: nothing here opens such a URI.
        ImportError: what opens the URI is missing.

    Examples:
        >>> gnd.partition.write(gnd.rmat(8, seed=1), "parts", parts=3)
        >>> gnd.partition.open("parts").parts
        3
    """
    given = path_text(path)
    folder = folder_of(given)
    return PartitionedGraph(HeldLayout(native.call("PartitionOpen", folder), folder), given)


def split(graph: Graph, parts: int | None = None, by: Assignment = "ranges", hot: float = 0.0) -> PartitionedGraph:
    """Copies a graph into parts in memory, for tests and to compare divisions.

    Args:
        graph: the graph.
        parts: the number of parts, as for ``owners``.
        by: how the vertices are assigned to parts, as for ``owners``.
        hot: the share of the edges that every part has, from 0 (default) to 1, as for ``write``.

    Returns:
        The partitioned graph. It does not use the memory of ``graph``.

    Raises:
        TypeError: as for ``write``.
        ValueError: as for ``write``.
        OSError: as for ``write``.
        MemoryError: the copy does not fit in memory.

    Examples:
        >>> gnd.partition.split(gnd.rmat(8, seed=1), 4, "hash").parts
        4
    """
    if not isinstance(graph, Graph):
        raise advice.graph_error("a gonextdoor.Graph", graph, "in")
    spec, listed = division(graph, parts, by, hot)
    numbers = np.empty(spec["parts"], np.int64)
    seconds = costs().build_edge * graph.num_edges
    text = json.dumps(spec)
    number = running.call(
        "PartitionSplit", graph._held.number, text, memory.address(numbers), len(numbers), seconds=seconds
    )
    del listed  # the array that the spec has the address of
    made = tuple(Part._in_memory(i, HeldPart(int(handle), None, i)) for i, handle in enumerate(numbers))
    return PartitionedGraph(HeldLayout(number, None), None, made)
