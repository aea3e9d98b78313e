"""The types of a result's vertices: int32, or int64 for large graphs and on request."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import memory
from ..graph.graph import Graph

__all__ = ["INT32", "INT64", "of_type", "vertex_type"]

INT32, INT64 = np.dtype(np.int32), np.dtype(np.int64)


def vertex_type(graph: Graph, dtype: npt.DTypeLike | None) -> np.dtype[Any]:
    """The type of a result's vertices."""
    small = graph._info["vertices"] < 1 << 31
    if dtype is None:
        return INT32 if small else INT64
    try:
        wanted = np.dtype(dtype)
    except TypeError:
        raise TypeError(f"dtype = {dtype!r}: expected int32 or int64") from None
    if wanted not in (INT32, INT64):
        raise TypeError(f"dtype = {wanted}: expected int32 or int64")
    if wanted == INT32 and not small:
        raise ValueError(f"dtype = int32: the graph has {graph.num_vertices} vertices, expected int64")
    return wanted


def of_type(vertex: np.dtype[Any], values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Returns 32-bit vertices, none of which is missing, as they are or as int64."""
    if vertex == INT32:
        return values
    memory.check(8 * values.size)
    wide = memory.empty(values.shape, np.int64)
    for at in range(0, values.size, 1 << 24):  # in pieces, so that Ctrl-C takes effect between them
        wide[at : at + (1 << 24)] = values[at : at + (1 << 24)].view(np.uint32)
    return wide
