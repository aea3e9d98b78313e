"""Arrays of ids that batches are given as: flat arrays of ints, one for each type or relation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

from .._core.arguments import integers
from ..graph.graph import Graph
from ..graph.names import vertices

__all__ = ["edge_ids", "flat", "flat_parts", "is_flat"]

Array = npt.NDArray[Any]

_NOTHING = np.empty(0, np.int64)
_FEW = 64  # ints of a list that are read without the checks that name an element
_INTS = {int}
_PLAIN = frozenset(map(np.dtype, ("int64", "int32", "uint64", "uint32")))


def flat_parts(
    name: str, given: Any, keys: Sequence[Any] | None, graph: Graph | None = None
) -> list[tuple[str, Array]]:
    """Arrays of ints, one for each key, empty if it is not given; without keys, the one array, which may hold names
    of the graph's vertices. With their names."""
    if keys is None:
        return [(name, flat(name, _NOTHING if given is None and name == "exclude" else given, graph))]
    if given is None and name == "exclude":
        given = {}
    if not isinstance(given, Mapping):
        raise TypeError(
            f"{name}: expected a dict of arrays, since the graph has several types; got {type(given).__name__}"
        )
    for key in given:
        if key not in keys:
            raise ValueError(f"{name}[{key!r}]: expected one of {', '.join(map(repr, keys))}")
    named = [(f"{name}[{key!r}]", given.get(key)) for key in keys]
    return [(text, _NOTHING if values is None else flat(text, values)) for text, values in named]


def is_flat(values: Any) -> TypeGuard[Array]:
    """Whether the values are ints as an array of one dimension already."""
    return type(values) is np.ndarray and values.dtype in _PLAIN and values.ndim == 1 and values.flags.c_contiguous


def flat(name: str, values: Any, graph: Any = None) -> Array:
    """Ints as an array of one dimension; names of the graph's vertices become their numbers."""
    if is_flat(values):
        return values
    if type(values) is list and len(values) <= _FEW and {*map(type, values)} == _INTS:
        try:
            return np.array(values, np.int64)
        except OverflowError:  # refused below
            pass
    array = integers(name, values) if graph is None else vertices(graph, name, values)
    if array.ndim != 1:
        raise ValueError(f"{name}: expected shape (n,), got {array.shape}")
    return array


def edge_ids(name: str, array: Array) -> Array:
    if array.dtype == np.uint64 and array.size and int(array.max()) >> 63:
        at = int(np.argmax(array >> np.uint64(63)))
        raise IndexError(f"{name}[{at}] = {array[at]}: edge ids are below 2^63")
    return array.astype(np.int64, copy=False)
