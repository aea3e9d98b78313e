"""The seeds of personalised PageRank: vertices, or weighted sets of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..graph.graph import Graph
from ..graph.names import no_vertex, told_apart, vertex
from ..graph.names import vertices as vertices_of

__all__ = ["Personalization", "personalization"]

Array = npt.NDArray[Any]

EXPECTED = (
    "expected vertices (one row each), or one set per row: {vertex: weight}, a list of such dicts or of arrays of "
    "vertices, or a SciPy sparse matrix of shape (rows, num_vertices)"
)


@dataclasses.dataclass(frozen=True)
class Personalization:
    """The seed vertices of each row, at which its walks begin."""

    vertices: Array  # (rows,), or with sets the members of all sets, set after set
    rows: int
    sets: Graph | None = None  # row r: edges to the positions in vertices of the members of set r, with their weights


def personalization(graph: Graph, seeds: Any) -> Personalization:
    """The rows that a seeds argument names.

    Raises:
        TypeError, ValueError: it is of the wrong type or shape, no vertex or several have a name, or a set has no
            positive weight.
        IndexError: a member of a set is not a vertex of the graph. (The core checks single vertices.)
    """
    if seeds is None:
        raise TypeError(f"seeds = None: {EXPECTED}; for every vertex pass np.arange(graph.num_vertices)")
    if isinstance(seeds, Mapping):
        return _of_dicts(graph, [seeds])
    if hasattr(seeds, "tocsr"):
        return _of_matrix(graph, seeds)
    if isinstance(seeds, Sequence) and len(seeds) and not np.isscalar(seeds[0]):
        if any(isinstance(one, Mapping) for one in seeds):
            return _of_dicts(graph, seeds)
        if np.ndim(seeds[0]) == 1:
            return _of_lists(graph, seeds)
    if isinstance(seeds, str):
        return Personalization(np.array([vertex(graph, "seeds", seeds)]), 1)
    members = vertices(graph, "seeds", [seeds] if np.ndim(seeds) == 0 else seeds)
    if members.ndim == 2 and members.shape[1]:
        rows, size = members.shape
        return _sets(graph, np.arange(rows + 1) * size, members.reshape(-1), None)
    if members.ndim != 1:
        raise ValueError(f"seeds has shape {members.shape}: {EXPECTED}")
    return Personalization(members, len(members))


def vertices(graph: Graph, argument: str, values: Any) -> Array:
    """Vertices as an array of ints; issues a warning if these may be names."""
    if not graph._numbers_meant:
        told_apart(graph, argument, values)
    return vertices_of(graph, argument, values)


def _of_dicts(graph: Graph, dicts: Sequence[Any]) -> Personalization:
    members: list[Any] = []
    weights: list[Any] = []
    indptr = [0]
    for row, one in enumerate(dicts):
        if not isinstance(one, Mapping):
            raise TypeError(f"seeds[{row}] is a {type(one).__name__}: expected a dict, as the other rows are")
        members += one.keys()
        weights += one.values()
        indptr.append(len(members))
    number: tuple[type, ...] = (int, np.integer)
    named = bool(members) and isinstance(members[0], str)
    for name, values, kinds, expected in (
        ("vertices", members, (str,) if named else number, "only names" if named else "numbers of vertices, or names"),
        ("weights", weights, (int, float, np.number), "numbers"),
    ):
        for at, value in enumerate(values):
            if isinstance(value, bool) or not isinstance(value, kinds):
                row = int(np.searchsorted(indptr, at, side="right")) - 1
                raise TypeError(f"seeds[{row}] has {value!r} among its {name}: expected {expected}, {{vertex: weight}}")
    return _sets(graph, np.array(indptr), vertices(graph, "seeds", members), np.array(weights, np.float64))


def _of_lists(graph: Graph, lists: Sequence[Any]) -> Personalization:
    parts = [vertices(graph, f"seeds[{row}]", one) for row, one in enumerate(lists)]
    for row, part in enumerate(parts):
        if part.ndim != 1:
            raise ValueError(f"seeds[{row}] has shape {part.shape}: expected a list of vertices, as the other rows are")
    ends = np.cumsum([0, *map(len, parts)])
    return _sets(graph, ends, vertices(graph, "seeds", np.concatenate(parts)), None)


def _of_matrix(graph: Graph, matrix: Any) -> Personalization:
    if matrix.shape[-1] != graph.num_vertices or len(matrix.shape) != 2:
        raise ValueError(
            f"seeds has shape {matrix.shape}: expected (rows, {graph.num_vertices}), a column for each vertex"
        )
    rows = matrix.tocsr()
    if hasattr(rows, "check_format"):
        rows.check_format(full_check=True)
    if rows.data.dtype.kind not in "biuf":
        raise TypeError(f"seeds has dtype {rows.data.dtype}: expected numbers")
    return _sets(graph, rows.indptr, rows.indices, rows.data.astype(np.float64))


def _sets(graph: Graph, indptr: Array, members: Array, weights: Array | None) -> Personalization:
    """Checked sets. The table that a walk's first vertex is drawn from is a graph: its choices are the engine's."""
    rows = len(indptr) - 1
    indptr = indptr.astype(np.int64)

    def row_of(at: int) -> int:
        return int(np.searchsorted(indptr, at, side="right")) - 1

    last = graph.num_vertices - 1
    outside = np.flatnonzero((members < 0) | (members > last))
    if len(outside):
        at = int(outside[0])
        text = f"seeds[{row_of(at)}] has vertex {members[at]}: the graph has {last + 1} vertices, expected 0 to {last}"
        raise no_vertex(graph, IndexError(text))
    if weights is not None:
        wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
        if len(wrong):
            at = int(wrong[0])
            raise ValueError(
                f"seeds[{row_of(at)}] gives vertex {members[at]} the weight {weights[at]}: "
                "expected a finite number of at least 0"
            )
    positive = np.cumsum(np.concatenate([[0], np.ones(len(members)) if weights is None else weights > 0]))
    empty = np.flatnonzero(positive[indptr[1:]] == positive[indptr[:-1]])
    if len(empty):
        raise ValueError(f"seeds[{int(empty[0])}] has no vertex with a positive weight: no walk can begin there")
    size = max(rows, len(members))
    padded = np.concatenate([indptr, np.full(size - rows, indptr[-1])])
    table = Graph.from_csr(padded, np.arange(len(members)), weights=weights, num_vertices=size)
    return Personalization(members, rows, table)
