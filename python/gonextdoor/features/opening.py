"""open: features of arrays, tensors and files."""

from __future__ import annotations

from typing import Any, overload

from .._core import advice
from .._core.arguments import checked_threads
from .._core.binding import advised
from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph
from .parts import parts_of
from .rowfile import MODES
from .store import Features
from .typed import TypedFeatures

__all__ = ["open"]


@overload
def open(
    source: dict[Any, Any], *, graph: HeteroGraph | None = None, mode: str = "r", threads: int | None = None
) -> TypedFeatures: ...
@overload
def open(source: Any, *, graph: Graph | None = None, mode: str = "r", threads: int | None = None) -> Features: ...
@advised
def open(
    source: Any, *, graph: Graph | HeteroGraph | None = None, mode: str = "r", threads: int | None = None
) -> Features | TypedFeatures:
    """Features of an array, a tensor or a file. Nothing is copied.

    Args:
        source: rows of one shape and dtype, one per vertex: a NumPy array or another with ``__array__``; a torch
            tensor, whose reads return tensors; the path of a .npy file or an ``np.memmap``, which may be larger than
            memory and is read by its file. A list of these has the rows of all, in their order. A dict has features by
            vertex or edge type.
        graph: a graph that the features must be long enough for. A HeteroGraph if the source is a dict.
        mode: "r" (default): files are opened for reads; "r+": also for ``update``.
        threads: CPU threads of a read; None (default): one per core that this process may use.

    Returns:
        The features; ``TypedFeatures`` for a dict.

    Raises:
        OSError: a file cannot be opened.
        FormatError: a file is not in the .npy format, is incomplete, or is no regular file.
        TypeError: the source has no rows of numbers, or its parts differ in dtype.
        ValueError: the parts differ in the shape of a row, rows are not contiguous, a tensor is on a GPU, or there are
            fewer rows than vertices.

    Examples:
        >>> import numpy as np
        >>> x = gnd.features.open(np.arange(6.0).reshape(3, 2))
        >>> x[[2, 0]]
        array([[4., 5.],
               [0., 1.]])
    """
    if mode not in MODES:
        raise ValueError(f'mode = {mode!r}: expected "r" or "r+"')
    count = checked_threads(threads)
    if isinstance(source, dict):
        if not source:
            raise ValueError("source is empty: expected features of at least one type")
        made = TypedFeatures({name: Features(parts_of(one, mode), count) for name, one in source.items()})
        if graph is not None:
            _check_types(made, graph)
        return made
    features = Features(parts_of(source, mode), count)
    if graph is not None:
        if not isinstance(graph, Graph):
            raise advice.graph_error("a gonextdoor.Graph", graph, "in")
        _check("source", features, "the graph", graph.num_vertices)
    return features


def _check_types(features: TypedFeatures, graph: Any) -> None:
    if not isinstance(graph, HeteroGraph):
        raise TypeError(f"graph: expected a gonextdoor.HeteroGraph with a dict of types, got {type(graph).__name__}")
    for name, one in features.items():
        if name in graph.num_vertices:
            _check(f"source[{name!r}]", one, f"type {name!r} of the graph", graph.num_vertices[name])
        elif isinstance(name, str):
            raise ValueError(f"source[{name!r}]: the graph has the vertex types {list(graph.num_vertices)}")


def _check(name: str, features: Features, what: str, vertices: int) -> None:
    if len(features) < vertices:
        raise ValueError(f"{name} has {len(features)} rows, but {what} has {vertices} vertices")
