"""Seed nodes that repeat within a batch. The core samples around distinct vertices; the adapters of PyG and DGL
give each repeat its place afterwards."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Repeats", "distinct", "gathered"]

Array = npt.NDArray[Any]


class Repeats(NamedTuple):
    """The places of seed nodes of one type, some of which repeat.

    Attributes:
        first: (u,) the place at which each of the u distinct seed nodes appears first, ascending.
        which: (n,) the distinct seed node at each of the n places, as an index of ``first``.
    """

    first: Array
    which: Array

    @property
    def more(self) -> int:
        """The number of places beyond one for each distinct seed node."""
        return len(self.which) - len(self.first)

    def places(self, nodes: int) -> Array:
        """(nodes,) new local numbers of the nodes of this type: seed nodes get their first place, later ones
        move up."""
        return np.concatenate([self.first, np.arange(len(self.first), nodes) + self.more])

    def rows(self, nodes: int) -> Array:
        """(nodes + more,) the old local number of the node at each new one."""
        return np.concatenate([self.which, np.arange(len(self.first), nodes)])


def distinct(seed_nodes: Array) -> tuple[Array, Repeats | None]:
    """The distinct seed nodes in order of first appearance, and their places; None if none repeats."""
    once, first, which = np.unique(seed_nodes, return_index=True, return_inverse=True)
    if len(once) == len(seed_nodes):
        return seed_nodes, None
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return seed_nodes[first[order]], Repeats(first[order], rank[which.reshape(-1)])


def gathered(starts: Array, degrees: Array, rows: Array) -> tuple[Array, Array]:
    """The entries of some rows of a ragged array, row after row.

    Args:
        starts, degrees: (r,) the first entry of each row, and how many it has.
        rows: (m,) rows; one may come several times.

    Returns:
        (at, ends): indices of the entries, and (m,) how many entries there are up to the end of each row.
    """
    taken = degrees[rows]
    ends = np.cumsum(taken)
    return np.arange(int(taken.sum())) + np.repeat(starts[rows] - (ends - taken), taken), ends
