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
from .walks import array_of, batch_seed_of

__all__ = ["Relation", "hgt_sample"]

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
    """Takes a number of nodes of each type per hop, with a probability in proportion to the square of their budget: the
    sum, over edges to nodes that are there, of one by the degree of that node. Budgets count all edges of a node, where
    torch-sparse looks at 50 of them. seed: of the batch; None: see ``batch_seed_of``.

    Returns:
        (node, row, col, edge ids): by type of node, and by type of edge ("a__to__b") all edges among the nodes.
    """
    if seed is None:
        seed = batch_seed_of(torch.cat([seed_nodes[kind] for kind in sorted(seed_nodes)]))
    k = rng.stream(seed)
    relations = {key: Relation(key, array_of(colptr[key]), array_of(row[key])) for key in colptr}
    kinds = dict.fromkeys([*num_samples, *seed_nodes, *(end for r in relations.values() for end in (r.source, r.to))])
    taken = {kind: array_of(seed_nodes[kind]).astype(np.int64) if kind in seed_nodes else _NOTHING for kind in kinds}
    budgets = {kind: Budget() for kind in kinds}
    new = {kind: np.unique(ids) for kind, ids in taken.items()}
    for hop in range(num_hops):
        for relation in relations.values():
            budgets[relation.source].add(*relation.shares(new[relation.to]))
        for number, kind in enumerate(kinds):
            wanted = num_samples[kind][hop] if kind in num_samples else 0
            own = rng.substream(rng.key(k, hop), number)
            new[kind] = budgets[kind].take(wanted, taken[kind], own)
        for kind, ids in new.items():
            taken[kind] = np.concatenate([taken[kind], ids])
    found = {key: relation.among(taken[relation.source], taken[relation.to]) for key, relation in relations.items()}
    rows, cols, edges = ({key: torch.from_numpy(three[i]) for key, three in found.items()} for i in range(3))
    return {kind: torch.from_numpy(ids) for kind, ids in taken.items()}, rows, cols, edges


class Relation:
    """The edges of one type, by the node that they lead to."""

    def __init__(self, key: str, colptr: Array, row: Array) -> None:
        self.source, _, self.to = key.split("__", 2)
        self._colptr, self._row = colptr, row

    def shares(self, nodes: Array) -> tuple[Array, Array]:
        """The sources of the edges that lead to these nodes, and what each edge adds to its source's budget."""
        at, degrees = self._places(nodes)
        return self._row[at], np.repeat(1 / np.maximum(degrees, 1), degrees)

    def among(self, sources: Array, nodes: Array) -> tuple[Array, Array, Array]:
        """The edges between these, as places among the sources, places among the nodes, and ids."""
        at, degrees = self._places(nodes)
        ends = self._row[at]
        order = np.argsort(sources, kind="stable")
        place = np.searchsorted(sources, ends, sorter=order)
        there = place < len(sources)
        there[there] = sources[order[place[there]]] == ends[there]
        col = np.repeat(np.arange(len(nodes)), degrees)
        return order[place[there]], col[there], at[there].astype(np.int64)

    def _places(self, nodes: Array) -> tuple[Array, Array]:
        """The positions of the incoming edges of nodes, and their number per node."""
        first, degrees = self._colptr[nodes], self._colptr[nodes + 1] - self._colptr[nodes]
        within = np.arange(degrees.sum()) - np.repeat(np.cumsum(degrees) - degrees, degrees)
        return np.repeat(first, degrees) + within, degrees


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
