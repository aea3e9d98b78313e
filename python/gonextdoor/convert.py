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
    spec = Arguments(src=src, dst=dst, weights=weights)
    spec.options(num_vertices=len(nodes), symmetric=not graph.is_directed())
    spec.names(_names(nodes))
    return Graph._of(spec.run("GraphFromEdges", "src"))


def from_pandas(frame: pandas.DataFrame, source: str, target: str, weight: str | None) -> Graph:
    """See ``Graph.from_pandas``."""
    for name, wanted in (("source", source), ("target", target), ("weight", weight)):
        if wanted is not None and wanted not in frame.columns:
            raise ValueError(f"{name} = {wanted!r}: the frame has the columns {list(frame.columns)}")
    weights = None if weight is None else frame[weight].to_numpy()
    return from_columns(frame[source].to_numpy(), frame[target].to_numpy(), weights, names=(source, target))


def from_columns(
    src: Array, dst: Array, weights: Array | None, *, symmetric: bool = False, names: tuple[str, str] = ("src", "dst")
) -> Graph:
    """A graph from columns of vertices, integers or text. Those that are not 0 ... n-1 are numbered in sorted order."""
    if len(src) != len(dst):
        raise ValueError(f"{names[1]} has {len(dst)} elements: expected {len(src)}, as {names[0]} has")
    ends = np.concatenate([_vertices(names[0], src), _vertices(names[1], dst)])
    distinct: Array | None
    distinct, numbers = np.unique(ends, return_inverse=True)
    numbers = numbers.reshape(-1)
    count = len(distinct)
    if distinct.dtype.kind in "iu" and (not count or (distinct[0] == 0 and distinct[-1] == count - 1)):
        distinct = None
    elif distinct.dtype.kind == "u" and distinct[-1] >= 1 << 63:
        raise ValueError(f"{names[0]}, {names[1]}: {distinct[-1]} does not fit in 64 bits with a sign")
    spec = Arguments(src=numbers[: len(src)], dst=numbers[len(src) :], weights=weights)
    spec.options(num_vertices=count, symmetric=symmetric)
    spec.names(distinct)
    return Graph._of(spec.run("GraphFromEdges", "src"))


def _vertices(name: str, values: Array) -> Array:
    """A column of integers, or of text as numpy's own."""
    if values.dtype.kind in "iuU":
        return values
    kinds = {type(value) for value in values.tolist()}
    if kinds <= {str}:
        return values.astype(np.str_)
    if kinds <= {int}:
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
    if all(type(node) is int and -(1 << 63) <= node < 1 << 63 for node in nodes):
        return np.array(nodes, np.int64)
    return np.array([str(node) for node in nodes], np.str_)
