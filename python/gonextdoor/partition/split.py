"""split: a graph to parts in memory."""

from __future__ import annotations

import json
from typing import cast, overload

import numpy as np

from .._core import advice, memory, running
from .._core.binding import advised
from .._core.costs import costs
from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph
from .assign import Assignment, TypedAssignment, typed_owners
from .graph import HeldLayout, PartitionedGraph
from .hetero import PartitionedHeteroGraph, split_hetero
from .part import HeldPart, Part
from .write import division

__all__ = ["split"]


@overload
def split(graph: Graph, parts: int | None = None, by: Assignment = "ranges", hot: float = 0.0) -> PartitionedGraph: ...
@overload
def split(
    graph: HeteroGraph, parts: int | None = None, by: TypedAssignment = "ranges", hot: float = 0.0
) -> PartitionedHeteroGraph: ...
@advised
def split(
    graph: Graph | HeteroGraph, parts: int | None = None, by: Assignment | TypedAssignment = "ranges", hot: float = 0.0
) -> PartitionedGraph | PartitionedHeteroGraph:
    """Copies a graph into parts in memory, for tests and to compare divisions.

    Args:
        graph: the graph, which may be heterogeneous.
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
    if isinstance(graph, HeteroGraph):
        owners, count = typed_owners(graph, parts, by)
        return split_hetero(graph, owners, lambda part, rows: _split(part, count, rows, hot))
    if not isinstance(graph, Graph):
        raise advice.graph_error("a gonextdoor.Graph or HeteroGraph", graph, "in")
    return _split(graph, parts, cast(Assignment, by), hot)  # a mapping is refused as an array


def _split(graph: Graph, parts: int | None, by: Assignment, hot: float) -> PartitionedGraph:
    spec, listed = division(graph, parts, by, hot)
    numbers = np.empty(spec["parts"], np.int64)
    seconds = costs().build_edge * graph.num_edges
    text = json.dumps(spec)
    number = running.call(
        "PartitionSplit", graph._held.number, text, memory.address(numbers), len(numbers), seconds=seconds
    )
    del listed  # the array that the spec has the address of
    made = tuple(Part._of_memory(i, HeldPart(int(handle), None, i)) for i, handle in enumerate(numbers))
    names = graph.vertex_names
    return PartitionedGraph(HeldLayout(number, None), None, made, None if names is None else names.copy())
