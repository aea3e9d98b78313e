"""Other edges of a batch than those that were sampled: all among its vertices, or their reverse too."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch_geometric.sampler import SamplerOutput

from .._core import memory, native
from ..graph.graph import Graph
from ..neighbor.batch import Parts
from .graphs import Source

__all__ = ["Induced", "among", "both_ways", "induce"]

Array = npt.NDArray[Any]


def induce(source: Source, drawn: Parts, excluded: Any = None) -> None:
    """Replaces the edges of a batch. They are found on the CPU, whatever the batch's device.

    excluded: ids of edges to leave out, or a dict of them by relation; None (default): none.
    """
    nodes = [part.cpu().numpy() for part in drawn.nodes]
    for r, edge_type in enumerate(source.edge_types):
        ends, relation = (0, 0), edge_type
        if edge_type is not None:
            relation = source.relation(edge_type)
            ends = source.node_types.index(relation[0]), source.node_types.index(relation[2])
        found = among(source.graphs[edge_type], nodes[ends[0]], nodes[ends[1]])
        gone = excluded if edge_type is None or excluded is None else excluded.get(relation)
        if gone is not None:
            kept = ~np.isin(found[2], gone)
            found = found[0][kept], found[1][kept], found[2][kept]
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
    known, first = np.unique(sources, return_index=True)
    there = np.zeros(graph.num_vertices, bool)
    there[known] = True
    inside = np.flatnonzero(there[graph.indices[at]])
    at = at[inside]
    row = first[np.searchsorted(known, graph.indices[at])]
    col = np.searchsorted(ends, inside, side="right")
    return row.astype(np.int64), col.astype(np.int64), graph.edge_ids[at]


class Induced:
    """Finds the edges of a graph among the nodes of groups, on the CPU or on the GPU that has the nodes.

    Args:
        graph: its rows are the edges that lead to a vertex.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._copies: dict[torch.device, tuple[torch.Tensor, ...]] = {}

    def of(self, nodes: torch.Tensor, ptr: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The edges among the nodes of each group, by source, then destination; edges between the same ends are in the
        order of their ids.

        Args:
            nodes: (n,) distinct vertices in ascending order, group after group.
            ptr: (groups + 1,) the first node of each group, and n.

        Returns:
            (to, source, edge): places of destinations and of sources in nodes, and the edges' ids, int64.
        """
        to, source, edge = (self._here if nodes.device.type == "cpu" else self.there)(nodes, ptr)
        order = source.to(torch.int32).sort(stable=True).indices
        return to[order], source[order], edge[order]

    def _here(self, nodes: torch.Tensor, ptr: torch.Tensor) -> tuple[torch.Tensor, ...]:
        graph, group, ends = self._graph, nodes.numpy(), ptr[1:].contiguous().numpy()
        room = int((graph.indptr[group + 1] - graph.indptr[group]).sum())
        parts = [np.empty(room, np.int64) for _ in range(3)]  # of which few pages are written
        found = native.call(
            "GraphInduced", graph._held.number, memory.address(group), memory.address(ends), len(ends),
            *map(memory.address, parts), room,
        )  # fmt: skip
        return tuple(torch.from_numpy(part[:found]) for part in parts)

    def there(self, nodes: torch.Tensor, ptr: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """The same on the nodes' device, by operations of torch, in the order of destinations."""
        indptr, indices, ids = self._copy(nodes.device)
        groups = torch.repeat_interleave(torch.arange(len(ptr) - 1, device=nodes.device), ptr.diff())
        first = indptr[nodes]
        degrees = indptr[nodes + 1] - first
        to = torch.repeat_interleave(torch.arange(len(nodes), device=nodes.device), degrees)
        at = torch.arange(len(to), device=nodes.device) + (first - degrees.cumsum(0) + degrees)[to]
        count = max(self._graph.num_vertices, 1)
        keys, wanted = groups * count + nodes, groups[to] * count + indices[at]
        source = torch.searchsorted(keys, wanted).clamp(max=max(len(keys) - 1, 0))
        hit = keys[source] == wanted
        return to[hit], source[hit], ids[at[hit]]

    def _copy(self, device: torch.device) -> tuple[torch.Tensor, ...]:
        if device not in self._copies:
            graph = self._graph
            arrays = (graph.indptr, graph.indices, graph.edge_ids)
            self._copies[device] = tuple(torch.from_numpy(one.astype(np.int64)).to(device) for one in arrays)
        return self._copies[device]

    def __getstate__(self) -> dict[str, Any]:
        return {"_graph": self._graph, "_copies": {}}


def both_ways(out: SamplerOutput, keep: bool) -> SamplerOutput:
    """The edges of a batch of one type and their reverse, each once, by destination, then source.

    Of equal edges, the id of the first is kept, and an edge as it was sampled precedes a reversed one; PyG's own
    keeps any. With keep the edges as they were sampled are in ``orig_row`` and ``orig_col``.
    """
    turned = copy.copy(out)
    if keep:
        turned.orig_row, turned.orig_col = out.row, out.col
    else:
        turned.num_sampled_nodes = turned.num_sampled_edges = None
    row, col = torch.cat([out.row, out.col]), torch.cat([out.col, out.row])
    pairs, order = torch.sort(col * len(out.node) + row, stable=True)
    first = torch.ones_like(pairs, dtype=torch.bool)
    first[1:] = pairs[1:] != pairs[:-1]
    order = order[first]
    turned.row, turned.col, turned.edge = row[order], col[order], out.edge[order % max(len(out.edge), 1)]
    return turned
