"""PartitionedGraph: a graph in parts."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import apps
from .._core import advice, native, npy
from ..apps import SamplingApp
from ..errors import FormatError
from ..graph.names import NameIndex
from ..graph.nametable import NameTable
from ..samples import filecheck
from ..storage.parts import opened
from .part import Part

__all__ = ["HeldLayout", "PartitionedGraph", "described", "open_one"]

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
        time_unit: of times that were dates, as ``Graph.time_unit``; None: the times are the user's integers.

    Examples:
        >>> graph = gnd.partition.split(gnd.rmat(8, seed=1), 2)
        >>> graph
        PartitionedGraph(256 vertices, 4264 edges, 2 parts)
    """

    __slots__ = (
        "_facts", "_held", "_in_memory", "_index", "_names", "num_edges", "num_vertices", "parts", "path", "symmetric",
        "time_unit", "weighted",
    )  # fmt: skip

    _numbers_meant = True  # no warning, which would read the names

    def __init__(
        self, held: HeldLayout, path: str | None, in_memory: tuple[Part, ...] = (), names: Array | None = None
    ) -> None:
        self._held, self.path, self._in_memory = held, path, in_memory
        self._names = names
        self._index: NameIndex | None = None
        self._facts: dict[str, Any] = json.loads(native.call("PartitionFacts", held.number))
        self.parts: int = self._facts["Parts"]
        self.num_vertices: int = self._facts["Vertices"]
        self.num_edges: int = self._facts["Edges"]
        self.weighted: bool = self._facts["Weighted"]
        self.symmetric: bool = self._facts["Symmetric"]
        self.time_unit: str | None = self._facts["TimeUnit"] or None

    @property
    def vertex_names(self) -> Array | None:
        """The names of the vertices in the input: (V,) int64, or (V,) objects that are str; None if they are 0 ... V-1.

        They are read from the folder at the first use.

        Raises:
            OSError: the names cannot be read.

        Examples:
            >>> graph = gnd.Graph.from_edges([("bob", "alice"), ("alice", "carol"), ("carol", "bob")])
            >>> gnd.partition.write(graph, "parts", parts=2)
            >>> parts = gnd.partition.open("parts")
            >>> walks = gnd.partition.sample(parts, gnd.apps.DeepWalk(3), ["bob"], seed=1)
            >>> parts.vertex_names[walks.numpy()]
            array([['bob', 'alice', 'carol', 'bob']], dtype=object)
        """
        if self._names is None and self._held._folder is not None:
            self._names = _names_in(self._held._folder, self.num_vertices)
        return self._names

    def _names_index(self) -> NameIndex:
        if self._index is None:
            self._index = NameIndex(self.vertex_names, self.num_vertices)
        return self._index

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
        return open_one, (self.path,)

    def _selector(self, app: SamplingApp, roots: int) -> str:
        """The selector of an app.

        Raises:
            ValueError: its samples cannot be made by parts, or the graph lacks what it needs.
        """
        name: str = native.call("PartitionSelector", self._held.number, *described(app), roots)
        return name


def _names_in(folder: str, vertices: int) -> Array | None:
    """The names in a folder of a partitioned graph; None if it has none.

    Raises:
        OSError: they cannot be read.
        FormatError: they are damaged.
    """
    files = {"name_ints": "names"}
    if not os.path.exists(os.path.join(folder, "names.npy")):
        files = {"name_text": "names_text", "name_offsets": "names_offsets"}
        if not os.path.exists(os.path.join(folder, "names_offsets.npy")):
            return None
    arrays = {as_: npy.load(os.path.join(folder, f"{name}.npy"), mapped=True) for as_, name in files.items()}
    if "name_offsets" in arrays and arrays["name_offsets"].dtype == np.uint64:
        arrays["name_offsets"] = arrays["name_offsets"].view(np.int64)
    try:
        filecheck.names(arrays, vertices)
    except FormatError as error:
        raise FormatError(f"{folder}: the names are damaged: {error}") from None
    return NameTable(arrays.get("name_ints"), arrays.get("name_text"), arrays.get("name_offsets")).array()


def described(app: SamplingApp) -> tuple[str, str]:
    """The name and the parameters of an app, from which each part makes it.

    Raises:
        TypeError: it is not an app.
        ValueError: its samples cannot be made by parts.
    """
    if not isinstance(app, SamplingApp):
        raise advice.app_error(app, apps.__all__)
    native.call("PartitionRefuses", type(app).__name__)
    _refuse_times(app)
    text = app._text()
    if text is None:
        raise ValueError(f"app = {app!r}: its parameters are arrays of this process, which other parts cannot read")
    return text


def _refuse_times(app: SamplingApp) -> None:
    """Raises an error for limits that parts cannot read: times per root, and dates, since parts keep no unit."""
    if not isinstance(app, apps.TemporalWalk):
        return
    name = app.per_root()
    if name is not None:
        raise ValueError(f"{name} has one time per root: expected one time for all roots on a partitioned graph")
    if app._infers:
        raise TypeError("start, start_window or end is a date, but a partitioned graph keeps no unit: expected ints")


def open_one(path: str, folder: str | None = None) -> PartitionedGraph:
    """Opens the folder of a partitioned graph of one type.

    Args:
        path: the folder, or its URI.
        folder: the folder or the copy of it on this machine; None (default): found by the path.

    Raises:
        OSError, FormatError, ValueError, ImportError: as for ``open``.
    """
    if folder is None:
        return opened(path, None, lambda here: open_one(path, here))
    return PartitionedGraph(HeldLayout(native.call("PartitionOpen", folder), folder), path)
