"""owners: the part of each vertex."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt

from .._core import advice, memory, npy, running
from .._core.arguments import PathLike, path_text
from .._core.binding import advised
from .._core.checks import check_int, checked_number
from .._core.costs import costs
from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph
from ..graph.homogeneous import joined_ends

__all__ = ["MAX_PARTS", "Assignment", "Owners", "TypedAssignment", "by_metis", "owners", "typed_owners"]

MAX_PARTS = 1 << 16
CORE = ("ranges", "hash", "ldg")  # the assignments that the core computes
NAMES = (*CORE, "metis")

Owners = npt.NDArray[np.uint16]
Assignment = Literal["ranges", "hash", "ldg", "metis"] | PathLike | npt.ArrayLike
TypedAssignment = Literal["ranges", "hash", "ldg", "metis"] | Mapping[str, PathLike | npt.ArrayLike]


@overload
def owners(graph: Graph, parts: int | None = None, by: Assignment = "ranges") -> Owners: ...
@overload
def owners(graph: HeteroGraph, parts: int | None = None, by: TypedAssignment = "ranges") -> dict[str, Owners]: ...
@advised
def owners(
    graph: Graph | HeteroGraph, parts: int | None = None, by: Assignment | TypedAssignment = "ranges"
) -> Owners | dict[str, Owners]:
    """Assigns the vertices of a graph to parts.

    Any assignment gives the same samples. The fewer edges lead from part to part, the less is sent between them.

    Args:
        graph: the graph. Of a ``HeteroGraph``, the vertices of each type are assigned.
        parts: the number of parts, from 1 to 65,536. None (default) is allowed if ``by`` lists the parts: the largest
            + 1.
        by: "ranges" (default): ranges of vertices with equal numbers of edges. It suits graphs whose neighbours have
            near numbers, as web crawls have. "hash": a hash of the vertex, which balances every graph and cuts almost
            all edges. "ldg": linear deterministic greedy streaming, one pass over the rows. "metis": METIS, with the
            fewest cut edges; it needs pymetis (``pip install 'gonextdoor[metis]'``) and some 50 bytes per edge.
            Otherwise the part of each vertex: an array (V,) of integers, or a .npy file of one. Of a ``HeteroGraph``,
            "ranges" balances the edges that lead to the vertices of each type, "ldg" and "metis" divide all types
            together, as one graph in memory, and otherwise ``by`` is a dict of arrays or files by type.

    Returns:
        The part of each vertex, (V,) uint16; of a ``HeteroGraph`` a dict of them by type.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: parts is out of range, or an array has the wrong length or a value that is not a part.
        ImportError: pymetis is missing.
        OSError: the file cannot be read.
        FormatError: the file is not a .npy file.

    Examples:
        >>> graph = gnd.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0])
        >>> gnd.partition.owners(graph, 2)
        array([0, 0, 1, 1], dtype=uint16)
    """
    if isinstance(graph, HeteroGraph):
        return typed_owners(graph, parts, by)[0]
    if not isinstance(graph, Graph):
        raise advice.graph_error("a gonextdoor.Graph or HeteroGraph", graph, "in")
    if not (isinstance(by, str) and by in NAMES):
        return listed_owners(graph.num_vertices, parts, by)[0]
    count = checked_parts(parts)
    if by == "metis":
        return by_metis(graph, count)
    out = np.empty(graph.num_vertices, np.uint16)
    seconds = costs().build_edge * graph.num_edges
    running.call(
        "PartitionOwners",
        graph._held.number,
        count,
        by,
        memory.address(out),
        seconds=seconds,
        total=graph.num_vertices,
        label="assigning",
    )
    return out


def typed_owners(graph: HeteroGraph, parts: Any, by: Any) -> tuple[dict[str, Owners], int]:
    """The part of each vertex of a heterogeneous graph, by type, and the number of parts.

    Raises:
        TypeError, ValueError, ImportError, OSError, FormatError: see ``owners``.
    """
    counts = graph.num_vertices
    if isinstance(by, str) and by in NAMES:
        number = checked_parts(parts)
        if by == "ranges":
            return {kind: _ranges(_degrees(graph, kind), number) for kind in counts}, number
        if by == "hash":  # of the number of a vertex within its type
            alone = Graph.from_edges([], [], num_vertices=max(counts.values()))
            return {kind: owners(alone, number, by)[:count] for kind, count in counts.items()}, number
        rows, ends, first = joined_ends(graph.relations, counts)
        assigned = owners(Graph.from_edges(rows, ends, num_vertices=sum(counts.values()), symmetric=True), number, by)
        return {kind: assigned[first[kind] :][:count] for kind, count in counts.items()}, number
    if not isinstance(by, Mapping):
        raise TypeError(f"by = {by!r}: expected {', '.join(map(repr, NAMES))}, or a dict of arrays by type of vertices")
    for kind in (*by, *counts):
        if kind not in counts or kind not in by:
            raise ValueError(f"by has the types {list(by)}: expected {list(counts)}, those of the graph")
    found = {kind: listed_owners(count, parts, by[kind], f"by[{kind!r}]") for kind, count in counts.items()}
    return {kind: of for kind, (of, _) in found.items()}, max(number for _, number in found.values())


def _degrees(graph: HeteroGraph, kind: str) -> npt.NDArray[np.int64]:
    """The number of edges that lead to each vertex of a type."""
    total = np.zeros(graph.num_vertices[kind], np.int64)
    for (_, _, destination), part in graph.relations.items():
        if destination == kind:
            total += part.degrees()[: len(total)]
    return total


def _ranges(degrees: npt.NDArray[np.int64], parts: int) -> Owners:
    """Ranges of vertices with equal numbers of edges; of equal numbers of vertices if there are no edges."""
    if not degrees.any():
        degrees = np.ones_like(degrees)
    ends = np.cumsum(degrees)
    assigned = (2 * ends - degrees) * parts // max(2 * int(degrees.sum()), 1)
    owners: Owners = np.minimum(assigned, parts - 1).astype(np.uint16)  # vertices at the end may have no edges
    return owners


def checked_parts(parts: Any) -> int:
    """Returns a number of parts.

    Raises:
        TypeError: it is not an int.
        ValueError: it is None or out of range.
    """
    if parts is None:
        raise ValueError("parts is None: expected the number of parts")
    return check_int("parts", parts, 1, MAX_PARTS)


def checked_share(hot: Any) -> float:
    """Returns a share of the edges.

    Raises:
        TypeError: it is not a number.
        ValueError: it is not from 0 to 1.
    """
    share = checked_number("hot", hot)
    if not 0 <= share <= 1:
        raise ValueError(f"hot = {hot!r}: expected a share of the edges, from 0 to 1")
    return share


def listed_owners(vertices: int, parts: Any, by: Any, name: str = "by") -> tuple[Owners, int]:
    """The owners of an array or of a file, and the number of parts.

    Raises:
        TypeError, ValueError, OSError, FormatError: see ``owners``.
    """
    if isinstance(by, (str, os.PathLike)):
        name = path_text(by)
        if isinstance(by, str) and not os.path.splitext(by)[1]:
            raise ValueError(
                f"by = {by!r}: expected {', '.join(map(repr, NAMES))}, an array, or the name of a .npy file"
            )
        by = npy.load(name)
    values = np.asarray(by)
    if values.dtype.kind not in "iu":
        raise TypeError(f"{name} has dtype {values.dtype}: expected integers, the part of each vertex")
    if values.shape != (vertices,):
        raise ValueError(f"{name} has shape {values.shape}: expected ({vertices},), one part per vertex")
    most = int(values.max()) if values.size else 0
    count = checked_parts(max(min(most, MAX_PARTS), 0) + 1 if parts is None else parts)
    bad = np.flatnonzero((values < 0) | (values >= count))
    if bad.size:
        raise ValueError(f"{name}[{bad[0]}] = {values[bad[0]]}: expected a part from 0 to {count - 1}")
    return values.astype(np.uint16), count


def by_metis(
    graph: Graph,
    parts: int,
    *,
    vertex_weights: npt.NDArray[np.int32] | None = None,
    edge_weights: npt.NDArray[np.int32] | None = None,
    recursive: bool = False,
) -> Owners:
    """METIS on the undirected simple graph.

    Args:
        graph, parts: as ``owners`` takes them.
        vertex_weights: (V,); None (default): the size of a vertex's row + 1.
        edge_weights: (E,), row by row; of equal edges, the first counts; None (default): all count once.
        recursive: recursive bisection (default False: k-way partitioning).
    """
    try:
        import pymetis
    except ImportError as missing:
        raise ImportError("by = 'metis' needs pymetis: pip install 'gonextdoor[metis]'") from missing
    n = graph.num_vertices
    if parts == 1 or n == 0:
        return np.zeros(n, np.uint16)
    degrees = graph.degrees()
    sources = np.repeat(np.arange(n, dtype=np.int64), degrees)
    simple = Graph.from_edges(
        sources, graph.indices, num_vertices=n, symmetric=True, deduplicate=True, drop_self_loops=True
    )
    if simple.num_edges >= 1 << 31:
        raise ValueError(
            f"by = 'metis': METIS takes fewer than 2^31 edges, the graph has {simple.num_edges}; use 'ldg'"
        )
    found = pymetis.part_graph(
        parts,
        pymetis.CSRAdjacency(simple.indptr.astype(np.int32), simple.indices.astype(np.int32)),
        vweights=(degrees + 1).astype(np.int32) if vertex_weights is None else vertex_weights,
        eweights=None if edge_weights is None else edge_weights[simple.edge_ids],
        recursive=recursive,
        options=pymetis.Options(seed=0),
    )
    return np.asarray(found[1], np.uint16)
