"""Walks from type to type: MetaPath on a HeteroGraph, as a walk by labels on the graph of all types."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import advice
from .._core.arguments import integers
from .._core.weak import WeakTable
from ..apps import MetaPath
from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph
from ..graph.homogeneous import Homogeneous

__all__ = ["on_types"]

_joined: WeakTable[HeteroGraph, Homogeneous] = WeakTable()


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
    joined = _joined.of(graph)
    if joined is None:
        joined = _joined.put_first(graph, graph.to_homogeneous())
    return joined.graph, numbered, vertices.astype(np.int64) + joined.first[first_type]
