"""Homogeneous: the vertices and edges of a heterogeneous graph as one graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .direction import Direction, checked_direction
from .graph import Graph

__all__ = ["Homogeneous", "Relations", "homogeneous", "joined_ends"]

Array = npt.NDArray[Any]
Relations = Mapping[tuple[str, str, str], Graph]


class Homogeneous(NamedTuple):
    """A heterogeneous graph as one graph; returned by ``HeteroGraph.to_homogeneous``.

    Attributes:
        graph: the graph. The label of an edge is the number of its relation.
        first: the number of the first vertex of each type: vertex v of a type is ``first[type] + v``.
    """

    graph: Graph
    first: dict[str, int]


def homogeneous(relations: Relations, num_vertices: Mapping[str, int], direction: Direction) -> Homogeneous:
    """The graph of all relations; see ``HeteroGraph.to_homogeneous``.

    Raises:
        TypeError, ValueError: direction is not a direction.
    """
    along = checked_direction(direction)
    rows, ends, first = joined_ends(relations, num_vertices)
    parts = relations.values()
    attributes: dict[str, Any] = {
        "labels": np.repeat(np.arange(len(relations)), [part.num_edges for part in parts]),
    }
    if any(part.weighted for part in parts):
        attributes["weights"] = _concatenated(
            np.ones(part.num_edges) if part.weights is None else part.weights for part in parts
        )
    times = [part.times for part in parts if part.times is not None]
    if len(times) == len(relations):
        attributes["times"] = _concatenated(times)
    from_to = (ends, rows) if along == "out" else (rows, ends)
    return Homogeneous(Graph.from_edges(*from_to, num_vertices=sum(num_vertices.values()), **attributes), first)


def joined_ends(relations: Relations, num_vertices: Mapping[str, int]) -> tuple[Array, Array, dict[str, int]]:
    """The edges of all relations, in the order of their rows: the vertex of the row, and the end point. Vertices are
    numbered one type after the other; the third result is the first vertex of each type."""
    firsts = np.cumsum([0, *num_vertices.values()]).tolist()
    first = dict(zip(num_vertices, firsts, strict=False))
    rows, ends = [], []
    for (source, _, destination), part in relations.items():
        rows.append(np.repeat(np.arange(part.num_vertices, dtype=np.int64), part.degrees()) + first[destination])
        ends.append(part.indices.astype(np.int64) + first[source])
    return _concatenated(rows), _concatenated(ends), first


def _concatenated(parts: Iterable[Array]) -> Array:
    joined: Array = np.concatenate(list(parts))
    return joined
