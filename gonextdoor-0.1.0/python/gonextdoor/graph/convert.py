"""Conversions between graphs and SciPy's sparse matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._core.arguments import Arguments
from . import edgelist, sparse
from .rows import Rows

if TYPE_CHECKING:
    import scipy.sparse

__all__ = ["from_scipy", "to_scipy"]

Array = npt.NDArray[Any]


def from_scipy(matrix: Any, *, weight: Any = "auto", symmetric: bool = False) -> int:
    """The handle of ``Graph.from_scipy``."""
    if not hasattr(matrix, "tocsr"):
        raise TypeError(f"matrix: expected a SciPy sparse matrix or array, got {type(matrix).__name__}")
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"matrix: expected a square one, got shape {matrix.shape}")
    if not (weight is None or weight is True or weight is False or (isinstance(weight, str) and weight == "auto")):
        raise TypeError(
            f'weight = {weight!r}: expected "auto", True, False or None, since a matrix has one value per entry'
        )
    if not isinstance(symmetric, (bool, np.bool_)):
        raise TypeError(f"symmetric = {symmetric!r}: expected True or False")
    rows = sparse.checked(matrix).tocsr()
    weights = rows.data
    if not weight or (weight == "auto" and (weights.dtype.kind == "b" or bool((weights == 1).all()))):
        weights = None
    elif weights.dtype.kind == "b":
        weights = weights.astype(np.uint8)
    if not symmetric:
        spec = Arguments(indptr=rows.indptr, indices=rows.indices)
        spec.optional(weights=weights)
        return spec.run("GraphFromCSR", "indices")
    src = np.repeat(np.arange(rows.shape[0], dtype=rows.indices.dtype), np.diff(rows.indptr))
    return edgelist.from_edges(src, rows.indices, {"weights": weights}, rows.shape[0], {"symmetric": True}, False)


def to_scipy(graph: Rows) -> scipy.sparse.csr_array:
    """See ``Graph.to_scipy``."""
    try:
        import scipy.sparse
    except ImportError as missing:
        raise ImportError("Graph.to_scipy needs SciPy: pip install 'gonextdoor[scipy]'") from missing
    weights = graph.weights
    data = np.ones(graph.num_edges) if weights is None else weights.copy()
    # SciPy may sort or add up entries in place, and the graph's arrays are read-only.
    wide = graph.num_edges >= 1 << 31 or graph.indices.dtype != np.int32
    index = np.int64 if wide else np.int32
    arrays = (data, graph.indices.astype(index), graph.indptr.astype(index))
    return scipy.sparse.csr_array(arrays, shape=(graph.num_vertices, graph.num_vertices))
