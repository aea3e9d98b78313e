"""Direction: whether neighbours are found along out-edges or in-edges of a Graph."""

from __future__ import annotations

import threading
from typing import Literal

import numpy as np

from .._core.weak import WeakTable
from .graph import Graph
from .placement import follow

__all__ = ["Direction", "checked_direction", "facing", "opposites"]

Direction = Literal["out", "in"]

LOOKED_AT = 256  # edges

_reversed: WeakTable[Graph, Graph] = WeakTable()
_locks: WeakTable[Graph, threading.Lock] = WeakTable()


def checked_direction(value: object) -> Direction:
    """Returns the checked direction.

    Raises:
        TypeError, ValueError: it is neither "out" nor "in".
    """
    if not isinstance(value, str):
        raise TypeError(f'direction = {value!r}: expected "out" or "in"')
    if value not in ("out", "in"):
        raise ValueError(f'direction = {value!r}: expected "out" or "in"')
    return value  # type: ignore[return-value]


def facing(graph: Graph, direction: Direction) -> Graph:
    """The graph whose rows list the edges to sample: the graph itself for "out", its reverse for "in".

    The reverse is built at the first call and kept as long as the graph. Its edges have the ids of the graph's edges.
    It is placed on the GPUs of the graph, in parts with equal numbers of its edges.
    """
    if direction == "out":
        return graph
    found = _reversed.of(graph)
    if found is None:
        with _locks.put_first(graph, threading.Lock()):  # only one thread builds it
            found = _reversed.of(graph)
            if found is None:
                found = graph.reverse()
                follow(graph, found)
                _reversed.put(graph, found)
    return found


def opposites(graph: Graph) -> float:
    """The share of edges whose opposite is in the graph, self-loops aside; 1 if there are no others.

    It is estimated from up to 256 edges.
    """
    indptr, indices = graph.indptr, graph.indices
    places = np.arange(0, graph.num_edges, -(-graph.num_edges // LOOKED_AT) or 1)
    sources = np.searchsorted(indptr, places, side="right") - 1
    found = total = 0
    for u, v in zip(sources.tolist(), indices[places].tolist(), strict=True):
        if u != v:
            total += 1
            row = indices[indptr[v] : indptr[v + 1]]
            at = int(np.searchsorted(row, u))
            found += at < len(row) and int(row[at]) == u
    return found / total if total else 1.0
