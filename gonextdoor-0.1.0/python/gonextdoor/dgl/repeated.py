"""A mini-batch some of whose vertices repeat: each has a place for each time, as in DGL's own blocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..neighbor.batch import NeighborBatch, Parts
from ..neighbor.repeats import Repeats, distinct, gathered
from ..neighbor.sampler import NeighborSampler

__all__ = ["Repeated", "drawn_with_repeats"]

Array = npt.NDArray[Any]


class Repeated:
    """A batch drawn for different seed nodes, with all places of those that repeat.

    The same edges lead to each place of a vertex. As the source of an edge it is its first place. It has the part of
    ``NeighborBatch`` that blocks are made of.

    Args:
        drawn: the neighbourhood of the different vertices, in the layout "csc".
        repeats: by type, as a number: what repeats.
        ends: by relation: the numbers of its source and destination type.

    Attributes:
        arena: (n,) int64: everything, in one piece.
        num_nodes: by type: how many of its nodes are the batch's, then how many each hop found first.
    """

    def __init__(self, drawn: NeighborBatch, repeats: dict[int, Repeats], ends: list[tuple[int, int]]) -> None:
        parts = drawn.split(np.asarray(drawn.arena))
        self._pieces: list[Array] = []
        self._nodes = [
            self._add(ids if kind not in repeats else ids[repeats[kind].rows(len(ids))])
            for kind, ids in enumerate(parts.nodes)
        ]
        self._hops = []
        for relations in parts.hops:
            hop = []
            for (source, destination), (indptr, indices, ids) in zip(ends, relations, strict=True):
                if source in repeats:
                    indices = repeats[source].places(len(parts.nodes[source]))[indices]
                if destination in repeats:
                    rows = repeats[destination].rows(len(indptr) - 1)
                    at, reached = gathered(indptr[:-1], np.diff(indptr), rows)
                    indptr, indices, ids = np.concatenate([[0], reached]), indices[at], ids[at]
                hop.append((self._add(indptr), self._add(indices), self._add(ids)))
            self._hops.append(hop)
        self.num_nodes = [
            [counts[0] + (repeats[kind].more if kind in repeats else 0), *counts[1:]]
            for kind, counts in enumerate(drawn.num_nodes)
        ]
        self.arena: Array = np.concatenate(self._pieces).astype(np.int64, copy=False)
        self._pieces = []

    def _add(self, array: Array) -> slice:
        first = sum(len(piece) for piece in self._pieces)
        self._pieces.append(array)
        return slice(first, first + len(array))

    def split(self, arena: Any) -> Parts:
        """The parts of the arena, or of a tensor made from it."""
        hops = [[(arena[indptr], arena[indices], arena[ids]) for indptr, indices, ids in hop] for hop in self._hops]
        return Parts([arena[nodes] for nodes in self._nodes], [], [], [], [], hops)


def drawn_with_repeats(
    core_sampler: NeighborSampler,
    seed_nodes: Array | Mapping[str, Array],
    batch_seed: int,
    *,
    there: Any = None,
    exclude: Any = None,
    threads: int,
) -> NeighborBatch | Repeated:
    """Draws the neighbourhood of a batch whose vertices may repeat.

    Args:
        seed_nodes: the vertices in this machine's memory, by type if there are several.
        there: the same on the device where they were given; None: seed_nodes.
        batch_seed, exclude, threads: as for ``NeighborSampler.sample``.
    """
    try:
        return core_sampler.sample(seed_nodes if there is None else there, batch_seed, exclude=exclude, threads=threads)
    except ValueError:  # the core refuses seeds that repeat; to look for them first would cost every batch
        once, repeats = _once(core_sampler, seed_nodes)
        if not repeats:
            raise
    drawn = core_sampler.sample(once, batch_seed, exclude=exclude, threads=threads)
    types = core_sampler.types or [""]
    relations = core_sampler.relations or [("", "", "")]
    return Repeated(drawn, repeats, [(types.index(source), types.index(to)) for source, _, to in relations])


def _once(core_sampler: NeighborSampler, seed_nodes: Array | Mapping[str, Array]) -> tuple[Any, dict[int, Repeats]]:
    """The different vertices, and by type, as a number, what repeats."""
    if not isinstance(seed_nodes, Mapping):
        once, repeats = distinct(seed_nodes)
        return once, {} if repeats is None else {0: repeats}
    kept, found = {}, {}
    for kind, ids in seed_nodes.items():
        kept[kind], repeats = distinct(ids)
        if repeats is not None:
            found[(core_sampler.types or []).index(kind)] = repeats
    return kept, found
