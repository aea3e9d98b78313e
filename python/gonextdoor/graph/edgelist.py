"""Graphs from lists of edges: two arrays, one array of pairs, or any iterable of pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .._core.arguments import Arguments, refuse_masked
from .._core.checks import check_size, checked_auto
from ..device.interop import on_gpu
from ..errors import warn
from .names import text_of
from .numbering import Text, are_numbers, ids, numbered, share_ids, two_sides

__all__ = ["MANY", "are_divided", "from_columns", "from_edges", "is_edge_index", "side", "sides"]

Array = npt.NDArray[Any]
NAMES = ("src", "dst")
MANY = 1 << 27  # vertices; their offsets take 1 GiB
MOST = (1 << 32) - 2


def from_edges(
    src: Any,
    dst: Any,
    attributes: Mapping[str, npt.ArrayLike | None],
    num_vertices: int | None,
    flags: Mapping[str, bool],
    relabel: bool,
) -> int:
    """The handle of ``Graph.from_edges``."""
    for name, value in {**flags, "relabel": relabel}.items():
        if not isinstance(value, (bool, np.bool_)):
            raise TypeError(f"{name} = {value!r}: expected True or False")
    if dst is None:
        src, dst = sides("src", src)
    else:
        for name, x in zip(NAMES, (src, dst), strict=True):
            if isinstance(x, (set, frozenset)):
                raise TypeError(f"{name}: expected an array or a list, got {type(x).__name__}, which has no order")
        src, dst = side("src", src), side("dst", dst)
    ends: list[Any] = [
        ids(name, x) if x.dtype.kind in "UOTS" or x.dtype == np.uint64 else x
        for name, x in zip(NAMES, (src, dst), strict=True)
    ]
    if relabel or any(isinstance(x, Text) for x in ends):
        if num_vertices is not None:
            why = "relabel=True" if relabel else "ids that are text"
            raise ValueError(f"num_vertices = {num_vertices}: expected None with {why}: the ids that occur are counted")
        ends = [x if isinstance(x, Text) else ids(name, x) for name, x in zip(NAMES, ends, strict=True)]
        return _named(ends[0], ends[1], NAMES, attributes, flags)
    spec = Arguments(src=ends[0], dst=ends[1])
    if num_vertices is None:
        for name in NAMES:
            _refuse_few_of_many(name, spec.array(name))
    else:
        spec.options(num_vertices=check_size("num_vertices", num_vertices))
    spec.optional(**attributes)
    spec.options(**{name: bool(value) for name, value in flags.items()})
    return spec.run("GraphFromEdges", "src")


def is_edge_index(src: Any, dst: Any) -> bool:
    """Whether edges are given as PyG's edge_index, (2, E), as its two rows, or as two tensors."""
    if dst is None:
        shape: tuple[int, ...] = getattr(src, "shape", ())
        return len(shape) == 2 and shape[0] == 2
    if type(src).__module__ == type(dst).__module__ == "torch":
        return True
    whole: Any = getattr(src, "base", None)
    return whole is not None and getattr(dst, "base", None) is whole and getattr(whole, "shape", ()) == (2, len(src))


def from_columns(
    src: Array | Text,
    dst: Array | Text,
    weights: Array | None = None,
    *,
    labels: Array | None = None,
    times: Array | None = None,
    symmetric: bool = False,
    names: tuple[str, str] = NAMES,
    two_mode: bool = False,
    bipartite: bool | Literal["auto"] = "auto",
) -> int:
    """The handle of a graph from columns of vertices, integers or text. Those that are not 0 ... n-1 are numbered in
    ascending order.

    Args:
        src, dst: (E,) ids.
        weights, labels, times: (E,) attributes of the edges, or None.
        symmetric: hold every edge in both directions.
        names: what the caller names the columns, for errors.
        two_mode: the names say that sources and targets are different kinds of vertices.
        bipartite: whether sources and targets are different vertices; "auto": if two_mode, and an id is in both.
    """
    chosen = checked_auto("bipartite", bipartite)
    ends = [x if isinstance(x, Text) else ids(name, x) for name, x in zip(names, (src, dst), strict=True)]
    attributes = {"weights": weights, "labels": labels, "times": times}
    divided = two_mode and are_divided(ends[0], ends[1], names) if chosen is None else chosen
    return _named(ends[0], ends[1], names, attributes, {"symmetric": symmetric}, divided)


def are_divided(src: Array | Text, dst: Array | Text, names: tuple[str, str]) -> bool:
    """Whether sources and targets of different kinds share an id, and become different vertices, with a warning."""
    divided = share_ids(src, dst)
    if divided:
        warn(
            f"columns {names[0]!r} and {names[1]!r} are different kinds of vertices, so that a source and a target of "
            "one id are different vertices: bipartite=False makes them one, bipartite=True omits this warning"
        )
    return divided


def _named(
    src: Array | Text,
    dst: Array | Text,
    names: tuple[str, str],
    attributes: Mapping[str, npt.ArrayLike | None],
    flags: Mapping[str, bool],
    divided: bool = False,
) -> int:
    """The handle of the graph of edges between ids that are numbered first; divided: each end by itself."""
    if len(src) != len(dst):
        raise ValueError(f"{names[1]} has {len(dst)} elements: expected {len(src)}, as {names[0]} has")
    numbers, others, distinct = (two_sides if divided else numbered)(src, dst, names)
    spec = Arguments(src=numbers, dst=others)
    spec.optional(**attributes)
    spec.options(num_vertices=len(distinct), **{name: bool(value) for name, value in flags.items()})
    spec.names(None if are_numbers(distinct) else distinct)
    return spec.run("GraphFromEdges", "src")


def sides(name: str, edges: Any) -> tuple[Array, Array]:
    """Splits edges given as one argument into sources and targets."""
    array = side(name, edges)
    if array.shape == (0,):
        return array, array
    if array.ndim != 2 or 2 not in array.shape:
        advice = "; give weights, labels and times as arguments" if array.ndim == 2 and array.shape[1] > 2 else ""
        missing = " and dst is missing" if name == "src" else ""
        raise ValueError(
            f"{name} has shape {array.shape}{missing}: expected edges of shape (2, E), sources and targets, or "
            f"(E, 2), a pair per edge{advice}"
        )
    if array.shape == (2, 2) and not _are_pairs(edges) and array[0, 1] != array[1, 0]:
        call = "from_edges(" if name == "src" else f"{name}=("
        warn(
            f"{name} has shape (2, 2), which may be sources and targets or two pairs: read as (2, E), i.e. {name}[0] "
            f"are the sources. Pass {call}e[0], e[1]) for this reading or {call}e[:, 0], e[:, 1]) for pairs"
        )
    if array.shape[0] == 2 and not (array.shape == (2, 2) and _are_pairs(edges)):
        return array[0], array[1]
    return array[:, 0], array[:, 1]


def _are_pairs(edges: Any) -> bool:
    """Whether edges are Python tuples, which are pairs even if there are exactly two."""
    return isinstance(edges, (list, set, frozenset)) and all(isinstance(edge, tuple) for edge in edges)


def side(name: str, values: Any) -> Any:
    """An argument with vertices as an array; text as objects, since numpy would turn 1 beside "a" into "1"."""
    refuse_masked(name, values)
    device = on_gpu(values)
    if device is not None:
        raise TypeError(f"{name} is on cuda:{device}: expected an array in this machine's memory; copy it with .cpu()")
    if not isinstance(values, (list, tuple, np.ndarray, str, bytes)) and not hasattr(values, "__array__"):
        if not isinstance(values, Iterable) or isinstance(values, dict):
            raise TypeError(f"{name}: expected an array or a list of vertices, got {type(values).__name__}")
        values = list(values)
    text = text_of(values) if isinstance(values, (list, tuple)) else None
    if text is not None:
        return text
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise TypeError(f"{name}: expected an array of vertices ({error})") from None
    if array.dtype.kind == "U" and isinstance(values, (list, tuple)):
        array = np.array(values, object)
    if array.size == 0 and array.dtype.kind == "f" and not isinstance(values, np.ndarray):
        array = array.astype(np.int64)  # numpy takes an empty list for floats
    return array


def _refuse_few_of_many(name: str, array: Array) -> None:
    """Refuses ids so large that nearly all vertices would have no edge, and take gigabytes."""
    most = int(array.max()) if array.size and array.dtype.kind in "iu" else 0
    if most < MANY or most < 64 * len(array):
        return
    meant = f", or num_vertices={most + 1} if all those vertices are meant" if most < MOST else ""
    edges = f"{len(array):,} edge{'' if len(array) == 1 else 's'}"
    raise ValueError(
        f"{name}[{int(np.argmax(array))}] = {most}: the graph would have {most + 1:,} vertices ({8e-9 * most:.1f} GB) "
        f"and {edges}; pass relabel=True to number the ids that occur (they become vertex_names){meant}"
    )
