"""The edges that PyG's functions take, ``edge_index``: checks, and graphs of them that are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch_geometric import EdgeIndex
from torch_geometric.utils.num_nodes import maybe_num_nodes

from .._core.checks import check_int
from ..graph.graph import Graph
from .cache import TensorCache
from .graphs import inside
from .walks import array_of

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["checked_edges", "graph_of_edges"]


def checked_edges(edge_index: Any, num_nodes: int | None = None) -> tuple[Tensor, int]:
    """The edges as a plain tensor of (source, target) pairs, and the number of nodes.

    Raises:
        TypeError: edge_index is no tensor of ints, or num_nodes no int.
        ValueError: edge_index is of another shape, or num_nodes is negative.
    """
    if not isinstance(edge_index, torch.Tensor):
        raise TypeError(f"edge_index: expected a tensor of ints of shape (2, E), got {type(edge_index).__name__}")
    if edge_index.dtype not in (torch.int64, torch.int32):
        raise TypeError(f"edge_index: dtype {edge_index.dtype}, expected int64 or int32")
    if edge_index.dim() != 2 or edge_index.size(0) != 2:
        raise ValueError(f"edge_index: expected shape (2, E), got {tuple(edge_index.shape)}")
    count = maybe_num_nodes(edge_index) if num_nodes is None else check_int("num_nodes", num_nodes, 0, (1 << 32) - 1)
    return edge_index.as_tensor() if isinstance(edge_index, EdgeIndex) else edge_index, int(count)


def graph_of_edges(edge_index: Tensor, count: int, weights: Tensor | None = None, flip: bool = False) -> Graph:
    """The graph of these edges, kept while the tensors live and are unchanged. Its rows are the out-edges, or with flip
    the in-edges.

    Raises:
        IndexError: a node is not below count.
    """

    def make() -> Graph:
        ends = array_of(edge_index)
        for row in (0, 1):
            inside(f"edge_index[{row}]", ends[row], count)
        src, dst = ends[::-1] if flip else ends
        given = None if weights is None else array_of(weights)
        return Graph.from_edges(src, dst, weights=given, num_vertices=count)

    return _graphs.get([edge_index, weights], (count, flip), make)


_graphs: TensorCache[Graph] = TensorCache(8)
