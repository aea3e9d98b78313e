"""Graphs of other libraries as ours; none of them is imported here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .arguments import Arguments
from .graph import Graph

if TYPE_CHECKING:
    import networkx
    import pandas

Array = npt.NDArray[Any]


def from_scipy(matrix: Any) -> Graph:
    """See ``Graph.from_scipy``."""
    if not hasattr(matrix, "tocsr"):
        raise TypeError(f"matrix: expected a SciPy sparse matrix or array, got {type(matrix).__name__}")
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"matrix: expected a square one, got shape {matrix.shape}")
    rows = matrix.tocsr()
    weights = rows.data
    if weights.dtype.kind == "c":
        raise TypeError(f"matrix: dtype {weights.dtype}, expected non-negative numbers")
    if weights.dtype.kind == "b" or bool((weights == 1).all()):
        weights = None
    return Graph.from_csr(rows.indptr, rows.indices, weights=weights)


def from_networkx(graph: networkx.Graph, weight: str | None) -> Graph:
    """See ``Graph.from_networkx``."""
    if not (hasattr(graph, "is_directed") and hasattr(graph, "edges")):
        raise TypeError(f"graph: expected a networkx graph, got {type(graph).__name__}")
    nodes = list(graph.nodes)
    number = {node: i for i, node in enumerate(nodes)}
    ends = list(graph.edges(data=True))
    src = np.fromiter((number[u] for u, _, _ in ends), np.int64, len(ends))
    dst = np.fromiter((number[v] for _, v, _ in ends), np.int64, len(ends))
    weights = None
    if weight is not None and any(weight in data for _, _, data in ends):
        weights = np.array([data.get(weight, 1) for _, _, data in ends])
    spec = Arguments(src=src, dst=dst)
    spec.optional(weights=weights)
    spec.options(num_vertices=len(nodes), symmetric=not graph.is_directed())
    spec.names(_names(nodes))
    return Graph._of(spec.run("GraphFromEdges", "src"))


def from_pandas(frame: pandas.DataFrame, source: str, target: str, weight: str | None) -> Graph:
    """See ``Graph.from_pandas``."""
    if not (hasattr(frame, "columns") and hasattr(frame, "to_numpy")):
        raise TypeError(f"frame: expected a pandas frame, got {type(frame).__name__}")
    for name, wanted in (("source", source), ("target", target), ("weight", weight)):
        if wanted is not None and wanted not in frame.columns:
            raise ValueError(f"{name} = {wanted!r}: the frame has the columns {list(frame.columns)}")
        if wanted is not None and frame[wanted].ndim != 1:
            raise ValueError(f"{name} = {wanted!r}: the frame has several columns of that name, expected one")
    weights = None if weight is None else frame[weight].to_numpy()
    return from_columns(frame[source].to_numpy(), frame[target].to_numpy(), weights, names=(source, target))


def from_columns(
    src: Array,
    dst: Array,
    weights: Array | None = None,
    *,
    labels: Array | None = None,
    times: Array | None = None,
    symmetric: bool = False,
    names: tuple[str, str] = ("src", "dst"),
) -> Graph:
    """A graph from columns of vertices, integers or text. Those that are not 0 ... n-1 are numbered in sorted order."""
    if len(src) != len(dst):
        raise ValueError(f"{names[1]} has {len(dst)} elements: expected {len(src)}, as {names[0]} has")
    ends = np.concatenate([_vertices(names[0], src), _vertices(names[1], dst)])
    distinct: Array | None
    distinct, numbers = np.unique(ends, return_inverse=True)
    numbers = numbers.reshape(-1)
    count = len(distinct)
    if distinct.dtype.kind == "i" and (not count or (distinct[0] == 0 and distinct[-1] == count - 1)):
        distinct = None
    spec = Arguments(src=numbers[: len(src)], dst=numbers[len(src) :])
    spec.optional(weights=weights, labels=labels, times=times)
    spec.options(num_vertices=count, symmetric=symmetric)
    spec.names(distinct)
    return Graph._of(spec.run("GraphFromEdges", "src"))


def _vertices(name: str, values: Array) -> Array:
    """A column of text, or of integers as int64, since numpy joins int64 and uint64 as floats, which are not exact."""
    if values.dtype.kind == "u" and values.dtype.itemsize == 8:
        wide = np.flatnonzero(values >= 1 << 63)
        if wide.size:
            at = int(wide[0])
            raise ValueError(f"{name}[{at}] = {values[at]}: expected an integer that fits in 64 bits with a sign")
    if values.dtype.kind in "iu":
        return values.astype(np.int64, copy=False)
    if values.dtype.kind == "U":
        return values
    kinds = {type(value) for value in values.tolist()}
    if kinds <= {str}:
        return values.astype(object)  # numpy's own text drops a final NUL, and has the width of the longest
    if kinds <= {int}:
        large = next(((i, value) for i, value in enumerate(values.tolist()) if not _is_integer(value)), None)
        if large is not None:
            raise ValueError(f"{name}[{large[0]}] = {large[1]}: expected an integer that fits in 64 bits with a sign")
        return values.astype(np.int64)
    missing = next((i for i, value in enumerate(values.tolist()) if value is None or value != value), None)
    if missing is not None:
        raise ValueError(f"{name}[{missing}] is missing: expected integers or text")
    raise TypeError(
        f"{name}: expected integers or text, got {values.dtype} ({', '.join(sorted(k.__name__ for k in kinds))})"
    )


def _names(nodes: list[Any]) -> Array | None:
    """Names for nodes that are not 0 ... n-1 in order: integers if all are, text otherwise."""
    if nodes == list(range(len(nodes))):
        return None
    if all(_is_integer(node) for node in nodes):
        return np.array(nodes, np.int64)
    names = np.empty(len(nodes), object)
    names[:] = [str(node) for node in nodes]
    return names


def _is_integer(node: Any) -> bool:
    """Whether a node is an integer of 64 bits, numpy's too; True is not."""
    return isinstance(node, (int, np.integer)) and not isinstance(node, bool) and -(1 << 63) <= int(node) < 1 << 63
