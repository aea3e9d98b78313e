"""Other edges of a batch than those that were sampled: all among its vertices, or their reverse too."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch_geometric.sampler import SamplerOutput

from .._core import memory, native, records
from ..graph.graph import Graph
from ..neighbor.batch import Parts
from .graphs import Direction, Source

__all__ = ["Edges", "Induced", "among", "between", "both_ways", "induce", "one_group"]

Array = npt.NDArray[Any]
Edges = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


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
        found = between(source.graphs[edge_type], nodes[ends[0]], nodes[ends[1]])
        gone = excluded if edge_type is None or excluded is None else excluded.get(relation)
        if gone is not None:
            kept = ~np.isin(found[2], gone)
            found = found[0][kept], found[1][kept], found[2][kept]
        device = drawn.nodes[0].device
        drawn.row[r], drawn.col[r], drawn.edges[r] = (torch.from_numpy(part).to(device) for part in found)


def one_group(nodes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """All nodes of a batch as one group, for ``Induced.of``."""
    return nodes, torch.tensor([0, len(nodes)], device=nodes.device)


def between(graph: Graph, sources: Array, destinations: Array) -> tuple[Array, Array, Array]:
    """The edges from vertices of a batch to vertices of a batch.

    Args:
        graph: its rows are the edges that lead to a vertex.
        sources, destinations: vertices; of sources that repeat, the first place counts, of destinations every one.

    Returns:
        (row, col, edge): places in sources and in destinations, and the edges' ids, destination by destination.
    """
    ends = np.array([len(destinations)]), np.array([len(sources)])
    (col, row), edge = among(graph, [(destinations, ends[0], sources, ends[1])])[0]
    return row, col, edge


def among(
    graph: Graph, groups: Sequence[tuple[Array, Array, Array, Array]], by_end: bool = False, threads: int = 1
) -> list[tuple[Array, Array]]:
    """The edges between vertices, for several batches.

    Args:
        graph: the graph.
        groups: of each batch, vertices whose rows are read and the end of each group of them, and vertices to which
            edges of the group lead and the end of each group of these, int64. Of the latter, the first place of a
            vertex counts if it repeats; the former count each time.
        by_end: whether edges are ordered by their ends, then by vertex, instead of by vertex, then as in its row.
        threads: CPU threads; each batch has one.

    Returns:
        For each batch, (2, edges) places of vertices and of ends, those that they are ordered by first, and (edges,)
        ids.
    """
    held = [[np.ascontiguousarray(part, np.int64) for part in one] for one in groups]
    size = records.INDUCED.size
    calls = np.empty(size // 8 * len(held), np.int64)
    for i, parts in enumerate(held):
        records.INDUCED.pack_into(
            calls.data.cast("B"), i * size, *map(memory.address, parts), len(parts[1]), by_end, 0, 0, 0
        )
    native.call("GraphInduced", graph._held.number, memory.address(calls), len(held), threads)
    found = [records.Induced._make(one) for one in records.INDUCED.iter_unpack(calls.data.cast("B"))]
    return [
        (memory.wrap(one.places, (2, one.found), np.int64), memory.wrap(one.ids, (one.found,), np.int64))
        for one in found
    ]


class Induced:
    """Finds the edges of a graph among the nodes of groups, on the CPU or on the GPU that has the nodes.

    Args:
        graph: the graph.
        direction: whether its rows are the edges that lead to a vertex ("in") or away from it ("out").
    """

    def __init__(self, graph: Graph, direction: Direction) -> None:
        self._graph, self._in = graph, direction == "in"
        self._copies: dict[torch.device, tuple[torch.Tensor, ...]] = {}

    def of(self, batches: Sequence[tuple[torch.Tensor, torch.Tensor]], threads: int = 1) -> list[Edges]:
        """The edges among the nodes of each group, by source, then destination; edges between the same ends are in the
        order of their ids.

        Args:
            batches: of each, (n,) distinct vertices, group after group, and (groups + 1,) the first node of each group,
                and n.
            threads: CPU threads; each batch has one.

        Returns:
            For each batch, (row, col, edge): places of sources and of destinations in nodes, and the edges' ids, int64.
        """
        if any(nodes.device.type != "cpu" for nodes, _ in batches):
            return [self.there(*one) for one in batches]
        pairs = [(nodes.numpy(), ptr[1:].numpy()) for nodes, ptr in batches]
        found = among(self._graph, [one + one for one in pairs], self._in, threads)
        return [(*torch.from_numpy(places), torch.from_numpy(ids)) for places, ids in found]

    def of_clusters(
        self, bounds: torch.Tensor, batches: Sequence[torch.Tensor], threads: int = 1
    ) -> list[tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]]:
        """The nodes of clusters, and the edges among them by the node whose row has them.

        Args:
            bounds: (clusters + 1,) the first node of each cluster, and the number of nodes; the same in each call.
            batches: of each, the clusters.
            threads: CPU threads; each batch has one.

        Returns:
            For each batch, (nodes, row, col, edge), as ``of``.
        """
        chosen, ends = [np.ascontiguousarray(one.numpy(), np.int64) for one in batches], bounds.contiguous().numpy()
        size = records.CLUSTERED.size
        calls = np.empty(size // 8 * len(chosen), np.int64)
        for i, one in enumerate(chosen):
            records.CLUSTERED.pack_into(calls.data.cast("B"), i * size, memory.address(one), len(one), 0, 0, 0, 0, 0)
        held = self._graph._held.number
        native.call(
            "GraphClustered", held, memory.address(ends), len(ends) - 1, memory.address(calls), len(chosen), threads
        )
        return [
            (
                torch.from_numpy(memory.wrap(one.vertices, (one.size,), np.int64)),
                *torch.from_numpy(memory.wrap(one.places, (2, one.found), np.int64)),
                torch.from_numpy(memory.wrap(one.ids, (one.found,), np.int64)),
            )
            for one in (records.Clustered._make(c) for c in records.CLUSTERED.iter_unpack(calls.data.cast("B")))
        ]

    def there(self, nodes: torch.Tensor, ptr: torch.Tensor) -> Edges:
        """The same on the nodes' device, by operations of torch."""
        indptr, indices, ids = self._copy(nodes.device)
        groups = torch.repeat_interleave(torch.arange(len(ptr) - 1, device=nodes.device), ptr.diff())
        first = indptr[nodes]
        degrees = indptr[nodes + 1] - first
        vertex = torch.repeat_interleave(torch.arange(len(nodes), device=nodes.device), degrees)
        at = torch.arange(len(vertex), device=nodes.device) + (first - degrees.cumsum(0) + degrees)[vertex]
        count = max(self._graph.num_vertices, 1)
        keys, places = (groups * count + nodes).sort(stable=True)  # nodes are in any order
        wanted = groups[vertex] * count + indices[at]
        end = torch.searchsorted(keys, wanted).clamp(max=max(len(keys) - 1, 0))
        hit = keys[end] == wanted
        vertex, end, edge = vertex[hit], places[end[hit]], ids[at[hit]]
        if not self._in:
            return vertex, end, edge
        order = end.to(torch.int32).sort(stable=True).indices
        return end[order], vertex[order], edge[order]

    def _copy(self, device: torch.device) -> tuple[torch.Tensor, ...]:
        if device not in self._copies:
            graph = self._graph
            arrays = (graph.indptr, graph.indices, graph.edge_ids)
            self._copies[device] = tuple(torch.from_numpy(one.astype(np.int64)).to(device) for one in arrays)
        return self._copies[device]

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_copies": {}}


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
