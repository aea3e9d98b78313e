"""Walks whose next step depends on the current vertex, and for some apps on the previous one."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from .._core.checks import checked_count, checked_number
from .app import SamplingApp
from .parameters import MAX_LENGTH, Weighted, Weights, checked_weighted, checked_weights, put

__all__ = ["PPR", "DeepWalk", "Node2Vec", "NonBacktracking"]


@dataclasses.dataclass(frozen=True)
class DeepWalk(SamplingApp):
    """Walks of ``length`` steps, each along an edge of the current vertex (DeepWalk: Perozzi et al., KDD'14).

    A walk ends early at a vertex without edges; later vertices of the sample are -1.

    Args:
        length: steps of a walk, from 0 (default 80). A sample has length + 1 vertices.
        weighted: ``"auto"`` (default) uses edge weights if the graph has them; ``True`` requires them; ``False``
            ignores them; ``"computed"`` reads them for each choice instead of building alias tables.

    Raises:
        TypeError: a parameter is of the wrong type.
        ValueError: a parameter is out of range.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> gnd.sample(graph, gnd.apps.DeepWalk(length=4), [0, 1], seed=1).numpy()
        array([[  0, 232, 176, 222,  60],
               [  1, 123, 168, 215, 148]], dtype=int32)
    """

    length: int = 80
    weighted: Weights = "auto"

    def __post_init__(self) -> None:
        put(self, length=checked_count("length", self.length, 0, MAX_LENGTH), weighted=checked_weights(self.weighted))


@dataclasses.dataclass(frozen=True)
class PPR(SamplingApp):
    """Walks that stop with probability ``stop`` after each step (Page et al. 1999; Fogaras et al. 2005).

    A walk always takes its first step, so its visits are not the personalised PageRank of its root; for that use
    ``gonextdoor.personalized_pagerank``. A walk also ends at a vertex without edges.

    Args:
        stop: probability of stopping after each step, above 0 and at most 1 (default 0.15).
        max_length: the largest number of steps of a walk; None (default): no limit.
        weighted: ``"auto"`` (default) uses edge weights if the graph has them; ``True`` requires them; ``False``
            ignores them; ``"computed"`` reads them for each choice instead of building alias tables.

    Raises:
        TypeError: a parameter is of the wrong type.
        ValueError: a parameter is out of range.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> walks = gnd.sample(graph, gnd.apps.PPR(stop=0.5), [0, 1, 2], seed=1)
        >>> walks.lengths
        array([2, 2, 2])
        >>> walks[0]
        array([  0, 232], dtype=int32)
    """

    stop: float = 0.15
    max_length: int | None = None
    weighted: Weights = "auto"

    def __post_init__(self) -> None:
        stop = checked_number("stop", self.stop)
        if not 0 < stop <= 1:
            raise ValueError(f"stop = {self.stop!r}: expected a probability above 0 and at most 1")
        most = None if self.max_length is None else checked_count("max_length", self.max_length, 1, MAX_LENGTH)
        put(self, stop=stop, max_length=most, weighted=checked_weights(self.weighted))

    def parameters(self) -> dict[str, Any]:
        return {"stop": self.stop, "max_length": self.max_length or 0, "weighted": self.weighted}


@dataclasses.dataclass(frozen=True)
class Node2Vec(SamplingApp):
    """Walks of ``length`` steps with second-order biases ``p`` and ``q`` (node2vec: Grover & Leskovec, KDD'16).

    After the first step, an edge's weight is multiplied by 1/p if it returns to the previous vertex, by 1 if it leads
    to a neighbour of the previous vertex, and by 1/q otherwise. An edge of weight 0 is never taken, but its end point
    counts as a neighbour.

    Args:
        p: return parameter, positive (default 1).
        q: in-out parameter, positive (default 1). 1/p, 1 and 1/q must lie within a factor of 2^32 of each other.
        length: steps of a walk, from 0 (default 80). A sample has length + 1 vertices.
        weighted: ``"auto"`` (default) uses edge weights if the graph has them; ``True`` requires them; ``False``
            ignores them; ``"computed"`` reads them for each choice instead of building alias tables.

    Raises:
        TypeError: a parameter is of the wrong type.
        ValueError: a parameter is out of range.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> gnd.sample(graph, gnd.apps.Node2Vec(p=0.5, q=2.0, length=4), [0, 1], seed=1).numpy()
        array([[  0, 232, 184, 238,  47],
               [  1, 123, 181, 217, 249]], dtype=int32)
    """

    p: float = 1.0
    q: float = 1.0
    length: int = 80
    weighted: Weights = "auto"

    def __post_init__(self) -> None:
        p, q = checked_number("p", self.p), checked_number("q", self.q)
        for name, value in (("p", p), ("q", q)):
            if not 0 < value < math.inf:
                raise ValueError(f"{name} = {value!r}: expected a positive number")
        if max(1 / p, 1.0, 1 / q) > min(1 / p, 1.0, 1 / q) * 2.0**32:
            raise ValueError(f"p = {p!r}, q = {q!r}: expected 1/p, 1 and 1/q within a factor of 2^32 of each other")
        length = checked_count("length", self.length, 0, MAX_LENGTH)
        put(self, p=p, q=q, length=length, weighted=checked_weights(self.weighted))


@dataclasses.dataclass(frozen=True)
class NonBacktracking(SamplingApp):
    """Walks of ``length`` steps that never turn back: each step takes an edge of the current vertex that does not lead
    to the previous vertex (used by CRaWl: Tönshoff et al., TMLR 2023, and NeuralWalker: Chen et al., ICLR 2025).

    The first step takes any edge. All edges that lead to the previous vertex are excluded, parallel ones too; after a
    self-loop the previous vertex is the current one, so self-loops are excluded. A walk ends at a dead end: a vertex
    without any other edge (if weighted, of positive weight). Later vertices of the sample are -1.

    Args:
        length: steps of a walk, from 0 (default 80); a sample has length + 1 vertices.
        weighted: ``"auto"`` (default) uses edge weights if the graph has them; ``True`` requires them; ``False``
            ignores them.

    Raises:
        TypeError: a parameter is of the wrong type.
        ValueError: a parameter is out of range.

    Examples:
        >>> path = gnd.Graph.from_edges([0, 1, 2], [1, 2, 3], symmetric=True)
        >>> gnd.sample(path, gnd.apps.NonBacktracking(4), [0], seed=1).numpy()
        array([[ 0,  1,  2,  3, -1]], dtype=int32)
    """

    length: int = 80
    weighted: Weighted = "auto"

    def __post_init__(self) -> None:
        length = checked_count("length", self.length, 0, MAX_LENGTH)
        put(self, length=length, weighted=checked_weighted(self.weighted))
