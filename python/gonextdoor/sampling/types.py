"""Walks from type to type: MetaPath on a HeteroGraph, as a walk by labels on the graph of all types."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import advice
from .._core.arguments import integers
from .._core.weak import WeakTable
from ..apps import MetaPath
from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph
from ..graph.homogeneous import Homogeneous

__all__ = ["later_on_types", "on_types"]

Array = npt.NDArray[Any]

_joined: WeakTable[HeteroGraph, Homogeneous] = WeakTable()
_lineages: WeakTable[Graph, object] = WeakTable()  # those of the graphs of all types


def on_types(graph: Any, app: Any, roots: Any, names: bool | None) -> tuple[Graph, MetaPath, Any]:
    """The graph of all types, the app with the numbers of relations as labels, and the roots, of a call on a
    ``HeteroGraph``.

    Raises:
        TypeError: it is none, the app is no path of types, or roots are no integers.
        ValueError: the graph lacks a relation of the path, or roots are not an array of vertices.
        IndexError: a root is no vertex of the first type.
    """
    if not isinstance(graph, HeteroGraph) or not isinstance(app, MetaPath) or not app._infers:
        raise advice.graph_error("a gonextdoor.Graph", graph, "out")
    if names is not None:
        raise ValueError(f"names = {names!r}: the vertices of a HeteroGraph have no names; leave it out")
    numbered, first_type = app._along(list(graph.relations))
    count = graph.num_vertices[first_type]
    if isinstance(roots, (int, np.integer)):
        raise ValueError(f"roots = {roots}: expected an array of vertices of the type {first_type!r}, or None for all")
    vertices = np.arange(count) if roots is None else integers("roots", roots)
    if vertices.ndim != 1:
        raise ValueError(f"roots: expected shape (n,), got {vertices.shape}")
    bad = np.flatnonzero((vertices < 0) | (vertices >= count))
    if bad.size:
        raise IndexError(
            f"roots[{bad[0]}] = {vertices[bad[0]]}: the graph has {count} vertices of the type {first_type!r}"
        )
    joined = _on_all_types(graph)
    return joined.graph, numbered, vertices.astype(np.int64) + joined.first[first_type]


def _on_all_types(graph: HeteroGraph) -> Homogeneous:
    """The graph of all types."""
    joined = _joined.of(graph)
    if joined is None:
        joined = _joined.put_first(graph, graph.to_homogeneous())
        _lineages.put_first(joined.graph, graph._lineage)
    return joined


def later_on_types(graph: HeteroGraph, before: Graph) -> tuple[Graph, Array | None]:
    """The graph of all types, and the bitmap of its rows that differ from those of that of an earlier version; None if
    the two are one.

    Raises:
        ValueError: before is not that of an earlier version, or a type has got more vertices since.
    """
    if _lineages.of(before) is not graph._lineage:
        raise ValueError(
            "graph: expected a version of the HeteroGraph that was sampled, which its updated method or that of a "
            "later version returned in this process; make a new call for another graph"
        )
    later = _on_all_types(graph).graph
    if later.num_vertices != before.num_vertices:
        raise ValueError(
            "graph: a type has more vertices than in the HeteroGraph that was sampled, which changes their numbers in "
            "the samples; call gonextdoor.sample for the new graph"
        )
    return later, None if later is before else _differing(before, later)


def _differing(before: Graph, later: Graph) -> Array:
    """The bitmap of the rows with other neighbours, labels or weights."""
    pair = before, later
    degrees = [graph.degrees() for graph in pair]
    same = degrees[0] == degrees[1]
    differs = ~same
    rows = np.repeat(np.flatnonzero(same), degrees[0][same])
    masks = [np.repeat(same, degree) for degree in degrees]
    for name in ("indices", "labels", "weights"):
        one, other = (getattr(graph, name) for graph in pair)
        if one is not None:
            differs[rows[one[masks[0]] != other[masks[1]]]] = True
    bits = np.packbits(differs, bitorder="little")
    words = np.zeros(len(differs) // 64 + 1, np.uint64)
    words.view(np.uint8)[: len(bits)] = bits
    return words
