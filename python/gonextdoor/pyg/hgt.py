"""torch-sparse's operator ``hgt_sample``, which PyG's HGTLoader calls: the sampler of heterogeneous graph transformers
(Hu, Dong, Wang and Sun, WWW'20, algorithms 1 and 2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from .. import rng
from ..graph.graph import Graph
from ..samples.layers import spread
from .cache import TensorCache
from .subgraph import between
from .walks import array_of, batch_seed_of

__all__ = ["Relation", "hgt_nodes", "hgt_sample"]

Array = npt.NDArray[Any]
Tensors = Mapping[str, Tensor]

LEVELS = 1 << 40  # of a budget's square, beside the largest


def hgt_sample(
    colptr: Tensors,
    row: Tensors,
    seed_nodes: Tensors,
    num_samples: Mapping[str, list[int]],
    num_hops: int,
    seed: int | None = None,
) -> tuple[dict[str, Tensor], dict[str, Tensor], dict[str, Tensor], dict[str, Tensor]]:
    """``hgt_nodes`` and the edges among them, from the tensors of PyG. seed: of the batch; None: see ``batch_seed_of``.

    Returns:
        (node, row, col, edge ids): by type of node, and by type of edge ("a__to__b") all edges among the nodes.
    """
    if seed is None:
        seed = batch_seed_of(torch.cat([seed_nodes[kind] for kind in sorted(seed_nodes)]))
    relations = {key: Relation.of(key, colptr[key], row[key]) for key in colptr}
    starts = {kind: array_of(nodes) for kind, nodes in seed_nodes.items()}
    taken = hgt_nodes(list(relations.values()), starts, num_samples, num_hops, seed)
    found = {key: relation.among(taken) for key, relation in relations.items()}
    rows, cols, edges = ({key: three[i] for key, three in found.items()} for i in range(3))
    return {kind: torch.from_numpy(ids) for kind, ids in taken.items()}, rows, cols, edges


def hgt_nodes(
    relations: list[Relation],
    seed_nodes: Mapping[str, Array],
    num_samples: Mapping[str, list[int]],
    hops: int,
    seed: int,
) -> dict[str, Array]:
    """Takes a number of nodes of each type per hop, with a probability in proportion to the square of their budget: the
    sum, over edges to nodes that are there, of one by the degree of that node. Budgets count all edges of a node, where
    torch-sparse looks at 50 of them.

    Returns:
        By type of node: the seed nodes, then those of each hop.
    """
    k = rng.stream(seed)
    kinds = dict.fromkeys([*num_samples, *seed_nodes, *(end for r in relations for end in (r.source, r.to))])
    taken = {kind: seed_nodes[kind].astype(np.int64) if kind in seed_nodes else _NOTHING for kind in kinds}
    budgets = {kind: Budget() for kind in kinds}
    new = {kind: np.unique(ids) for kind, ids in taken.items()}
    for hop in range(hops):
        for relation in relations:
            budgets[relation.source].add(*relation.shares(new[relation.to]))
        for number, kind in enumerate(kinds):
            wanted = num_samples[kind][hop] if kind in num_samples else 0
            own = rng.substream(rng.key(k, hop), number)
            new[kind] = budgets[kind].take(wanted, taken[kind], own)
        for kind, ids in new.items():
            taken[kind] = np.concatenate([taken[kind], ids])
    return taken


class Relation:
    """The edges of one type, by the node that they lead to.

    Args:
        source, to: the types of the nodes that they connect.
        graph: its rows are the edges that lead to a vertex.
        by_id: whether the edges among nodes that lead to one node are in the order of their ids, instead of their
            sources.
    """

    def __init__(self, source: str, to: str, graph: Graph, by_id: bool) -> None:
        self.source, self.to, self.graph, self._by_id = source, to, graph, by_id

    @classmethod
    def of(cls, key: str, colptr: Tensor, row: Tensor) -> Relation:
        """The relation ("a__to__b") of these columns. Its graph is kept while the tensors are alive and unchanged."""

        def make() -> Graph:
            heads, rows = array_of(colptr), array_of(row)
            return Graph.from_csr(heads, rows, num_vertices=max(len(heads) - 1, int(rows.max(initial=-1)) + 1))

        source, _, to = key.split("__", 2)
        return cls(source, to, _graphs.get([colptr, row], (), make), by_id=True)

    def shares(self, nodes: Array) -> tuple[Array, Array]:
        """The sources of the edges that lead to these nodes, and what each edge adds to its source's budget."""
        first, degrees = self.graph.indptr[nodes], self.graph.indptr[nodes + 1] - self.graph.indptr[nodes]
        return self.graph.indices[spread(first, degrees)], np.repeat(1 / np.maximum(degrees, 1), degrees)

    def among(self, nodes: Mapping[str, Array]) -> tuple[Tensor, Tensor, Tensor]:
        """The edges among these nodes by type, by destination: places of sources and of destinations, and ids."""
        row, col, edge = (torch.from_numpy(part) for part in between(self.graph, nodes[self.source], nodes[self.to]))
        if self._by_id and bool(((edge[1:] < edge[:-1]) & (col[1:] == col[:-1])).any()):
            order = torch.from_numpy(np.lexsort((edge.numpy(), col.numpy())))
            row, col, edge = row[order], col[order], edge[order]
        return row, col, edge


_graphs: TensorCache[Graph] = TensorCache(64)


class Budget:
    """The budgets of one type's nodes."""

    def __init__(self) -> None:
        self._nodes: Array = _NOTHING
        self._sums: Array = np.empty(0)

    def add(self, nodes: Array, shares: Array) -> None:
        """Adds shares to the budgets of nodes, which may repeat."""
        self._nodes, self._sums = np.concatenate([self._nodes, nodes]), np.concatenate([self._sums, shares])

    def take(self, wanted: int, taken: Array, key: int) -> Array:
        """Draws a number of nodes that are not sampled yet, without replacement; all if there are fewer."""
        nodes, which = np.unique(self._nodes, return_inverse=True)
        sums = np.bincount(which.reshape(-1), self._sums, len(nodes))
        left = ~np.isin(nodes, taken)
        nodes, sums = nodes[left], sums[left]
        picks = _successive(sums, wanted, key) if len(nodes) > wanted else np.arange(len(nodes))
        stay = np.ones(len(nodes), bool)
        stay[picks] = False
        self._nodes, self._sums = nodes[stay], sums[stay]
        return nodes[picks]


def _successive(sums: Array, wanted: int, key: int) -> Array:
    """Distinct places, one after the other, each in proportion to the square of its sum among those that are left."""
    levels = np.maximum((np.square(sums / sums.max()) * LEVELS).astype(np.int64), 1)
    picks: dict[int, None] = {}
    slot = 0
    while len(picks) < wanted:
        ends = np.cumsum(levels)
        total = int(ends[-1])
        for _ in range(2 * wanted + 16):  # those that are taken are passed over, and left out in the next round
            level = rng.below(rng.word(key, slot), total)[0]
            slot += 1
            picks.setdefault(int(np.searchsorted(ends, level, side="right")))
            if len(picks) == wanted:
                break
        levels[list(picks)] = 0
    return np.fromiter(picks, np.int64, wanted)


_NOTHING = np.empty(0, np.int64)
