"""All edges among the vertices of a batch, in place of those that were sampled."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ..graph import Graph
from .graphs import Source
from .tensors import Sampled

__all__ = ["among", "induce"]

Array = npt.NDArray[Any]


def induce(source: Source, drawn: Sampled) -> None:
    """Replaces the edges of a batch. They are found on the CPU, wherever the batch lies."""
    nodes = [part.cpu().numpy() for part in drawn.nodes]
    for r, edge_type in enumerate(source.edge_types):
        ends = (0, 0)
        if edge_type is not None:
            relation = source.relation(edge_type)
            ends = source.node_types.index(relation[0]), source.node_types.index(relation[2])
        found = among(source.graphs[edge_type], nodes[ends[0]], nodes[ends[1]])
        device = drawn.nodes[0].device
        drawn.row[r], drawn.col[r], drawn.edges[r] = (torch.from_numpy(part).to(device) for part in found)


def among(graph: Graph, sources: Array, destinations: Array) -> tuple[Array, Array, Array]:
    """The edges from vertices of a batch to vertices of a batch.

    Args:
        graph: its rows are the edges that lead to a vertex.
        sources, destinations: vertices; of sources that repeat, the first place counts, of destinations every one.

    Returns:
        (row, col, edge): places in sources and in destinations, and the edges' ids, destination by destination.
    """
    starts = graph.indptr[destinations]
    degrees = graph.indptr[destinations + 1] - starts
    ends = np.cumsum(degrees)
    total = int(ends[-1]) if len(ends) else 0
    at = np.arange(total) + np.repeat(starts - (ends - degrees), degrees)
    came = graph.indices[at].astype(np.int64)
    known, first = np.unique(sources, return_index=True)
    if not len(known):
        return (np.empty(0, np.int64),) * 3
    found = np.minimum(np.searchsorted(known, came), len(known) - 1)
    inside = known[found] == came
    col = np.repeat(np.arange(len(destinations)), degrees)[inside]
    return first[found[inside]].astype(np.int64), col, graph.edge_ids[at[inside]]
