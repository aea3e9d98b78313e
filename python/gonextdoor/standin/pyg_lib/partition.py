"""Partitions of graphs."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["metis"]


def metis(
    rowptr: Tensor,
    col: Tensor,
    num_partitions: int,
    node_weight: Tensor | None = None,
    edge_weight: Tensor | None = None,
    recursive: bool = False,
) -> Tensor:
    """Assigns each node to a partition, so that few edges lead from one to another.

    METIS computes it if pymetis is installed (``pip install 'gonextdoor[metis]'``). Otherwise it is linear
    deterministic greedy streaming (LDG), which cuts more edges, ignores ``recursive`` and knows no weights.

    Args:
        rowptr: (V + 1,) ints: the start of each row in col, and the end.
        col: (E,) ints: the end point of each edge. Edges count in both directions.
        num_partitions: from 1 to 65,536.
        node_weight: (V,) positive ints; None (default): the number of a node's edges + 1.
        edge_weight: (E,) positive ints; None (default): all edges count once. Each edge needs its reverse, of the same
            weight.
        recursive: recursive bisection instead of k-way partitioning (default False).

    Returns:
        (V,) partitions, of rowptr's dtype.

    Raises:
        ImportError: there are weights, and pymetis is missing.
        ValueError: num_partitions or weights are out of range, or an edge with a weight has no reverse.
    """
    out: Tensor = torch.ops.pyg.metis(rowptr, col, num_partitions, node_weight, edge_weight, recursive)
    return out
