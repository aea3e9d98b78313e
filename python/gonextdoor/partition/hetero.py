"""PartitionedHeteroGraph: a heterogeneous graph in parts, with a partitioned graph for each relation."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core.arguments import is_uri
from .._core.dates import dated, unit_of_all
from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph, RelationType
from ..graph.heterofolder import writing
from ..storage.location import located
from ..storage.parts import opened
from .assign import Owners
from .graph import PartitionedGraph, open_one
from .part import HeldHeteroPart, Part, divided_record

__all__ = ["PartitionedHeteroGraph", "open_hetero", "split_hetero", "write_hetero"]

Array = npt.NDArray[Any]


class PartitionedHeteroGraph:
    """A heterogeneous graph in parts; ``gonextdoor.partition.open`` and ``gonextdoor.partition.split`` make it.

    The vertices of each type are divided. A part has the rows of its vertices in all relations that lead to them.

    Attributes:
        path: the folder, or its URI; None for parts in memory.
        parts: the number of parts.
        num_vertices: by type.
        relations: the partitioned graph of each relation, by (source type, name, destination type).
        times: the times of the vertices by type, int64; None if no type has times.
        time_unit: of times that were dates, as ``Graph.time_unit``; None: they are the user's integers.

    Examples:
        >>> buys = gnd.Graph.from_edges([0, 1, 2], [0, 0, 1], num_vertices=3)
        >>> graph = gnd.HeteroGraph({("user", "buys", "item"): buys}, {"user": 2, "item": 3})
        >>> gnd.partition.split(graph, 2, "hash")
        PartitionedHeteroGraph(num_vertices={'user': 2, 'item': 3}, num_edges={'user/buys/item': 3}, 2 parts)
    """

    __slots__ = ("_in_memory", "num_vertices", "parts", "path", "relations", "time_unit", "times")

    def __init__(
        self,
        relations: Mapping[RelationType, PartitionedGraph],
        num_vertices: Mapping[str, int],
        times: Mapping[str, Array] | None,
        path: str | None,
    ) -> None:
        self.relations, self.num_vertices, self.path = dict(relations), dict(num_vertices), path
        self.times = None if times is None else dict(times)
        self.parts = next(iter(self.relations.values())).parts
        self.time_unit = unit_of_all(
            {f"relation {name!r}": graph.time_unit for name, graph in self.relations.items() if graph._facts["Timed"]}
        )
        self._in_memory: dict[int, Part] = {}

    def part(self, number: int) -> Part:
        """Returns a part. Each call opens a part of a folder again.

        Args:
            number: the part, from 0.

        Raises:
            IndexError: there is no such part.
            OSError: the part cannot be read, or not be copied.
            FormatError: it is not of this partitioned graph, or is damaged.

        Examples:
            >>> buys = gnd.Graph.from_edges([0, 1, 2], [0, 0, 1], num_vertices=3)
            >>> graph = gnd.HeteroGraph({("user", "buys", "item"): buys}, {"user": 2, "item": 3})
            >>> gnd.partition.split(graph, 2).part(1)
            Part(1 of 2)
        """
        if not 0 <= number < self.parts:
            raise IndexError(f"number = {number}: expected a part from 0 to {self.parts - 1}")
        if self.path is not None:
            return Part(self.path, number)
        if number not in self._in_memory:
            relations = [graph.part(number)._held for graph in self.relations.values()]
            held = HeldHeteroPart(relations, self.num_vertices, list(self.relations))
            self._in_memory[number] = Part._of_memory(number, held)
        return self._in_memory[number]

    def __repr__(self) -> str:
        edges = {"/".join(relation): graph.num_edges for relation, graph in self.relations.items()}
        return f"PartitionedHeteroGraph(num_vertices={self.num_vertices}, num_edges={edges}, {self.parts} parts)"

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        if self.path is None:
            raise TypeError("parts in memory cannot be pickled: write them with gonextdoor.partition.write")
        return open_hetero, (self.path,)


def open_hetero(path: str, folder: str | None = None) -> PartitionedHeteroGraph:
    """Opens the folder of a partitioned heterogeneous graph.

    Args:
        path: the folder, or its URI.
        folder: the folder or the copy of it on this machine; None (default): found by the path.

    Raises:
        OSError, FormatError, ValueError, ImportError: as for ``open``.
    """
    if folder is None:
        return opened(path, None, lambda here: open_hetero(path, here))
    record = divided_record(folder)
    whole = path if is_uri(path) else os.path.abspath(path)
    at = located("path", path) if is_uri(path) else None
    relations = {}
    for name, inside in record.relations.items():
        folder = os.path.basename(inside)
        relations[name] = open_one(os.path.join(whole, folder) if at is None else (at / folder).uri, inside)
    return PartitionedHeteroGraph(relations, record.num_vertices, record.times, whole)


def split_hetero(
    graph: HeteroGraph, owners: Mapping[str, Owners], split: Callable[[Graph, Owners], PartitionedGraph]
) -> PartitionedHeteroGraph:
    """Copies a graph into parts in memory.

    Args:
        graph: the graph.
        owners: the part of each vertex, by type.
        split: copies the graph of a relation into parts by the part of each of its rows.
    """
    relations = {
        relation: split(_dated(graph, relation), _of_rows(part.num_vertices, owners[relation[2]]))
        for relation, part in graph.relations.items()
    }
    return PartitionedHeteroGraph(relations, graph.num_vertices, graph.times, None)


def write_hetero(
    graph: HeteroGraph, folder: str, owners: Mapping[str, Owners], write: Callable[[Graph, str, Owners], None]
) -> None:
    """Writes a graph to the folder of a partitioned heterogeneous graph.

    Args:
        graph: the graph.
        folder: the folder.
        owners: the part of each vertex, by type.
        write: writes the graph of a relation to a folder by the part of each of its rows.
    """
    with writing(folder, graph.num_vertices, list(graph.relations), graph.times, graph.time_unit) as paths:
        for path, (relation, part) in zip(paths, graph.relations.items(), strict=True):
            write(_dated(graph, relation), path, _of_rows(part.num_vertices, owners[relation[2]]))


def _of_rows(rows: int, owners: Owners) -> Owners:
    """The owners of the rows of a relation's graph, which may have more rows than its destination type has vertices.
    Those are empty."""
    more: Owners = (np.arange(len(owners), rows) % (int(np.max(owners, initial=0)) + 1)).astype(np.uint16)
    return np.concatenate([owners, more])


def _dated(graph: HeteroGraph, relation: RelationType) -> Graph:
    """The graph of a relation. Its edges have the times by which they are chosen: their own, or else those of their end
    points, which a part does not have."""
    part = graph.relations[relation]
    if part.times is not None or graph.times is None or relation[0] not in graph.times:
        return part
    make, (arrays,) = part.__reduce__()
    return make({**arrays, "times": dated(graph.times[relation[0]][part.indices], graph.time_unit)})
