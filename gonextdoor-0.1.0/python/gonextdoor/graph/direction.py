"""Direction: whether neighbours are found along out-edges or in-edges of a Graph."""

from __future__ import annotations

import threading
from typing import Literal

from .._core.weak import WeakTable
from .graph import Graph
from .placement import follow

__all__ = ["Direction", "checked_direction", "facing"]

Direction = Literal["out", "in"]

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
