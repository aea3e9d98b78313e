"""Pairs of vertices without an edge."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core.arguments import integers
from .._core.checks import checked_count, checked_flag
from .arrays import ArrayApp
from .layers import checked_scores
from .parameters import put
from .subgraphs import checked_clusters

__all__ = ["NegativePairs", "Negatives"]

_MOST_VERTICES = (1 << 32) - 2


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Negatives(ArrayApp):
    """A vertex to which no edge leads from the root, drawn exactly: uniformly at random, or as one parameter says.

    A sample is the root and the vertex, or -1 if there is none. ``gonextdoor.negatives`` is a front end that also draws
    for targets, and on relations of a ``HeteroGraph``. Up to 128 proposals are checked against the edges; then the
    vertex is chosen among all that have no edge, so a sample takes bounded time on every graph.

    Args:
        loops: whether a vertex may be its own negative (default False), if it has no self-loop.
        ends: the vertex is below this number; 0 (default): any vertex.
        weights: (ends,) non-negative numbers: vertices are drawn in proportion to them. None (default): uniformly.
        clusters: (num_vertices,) ints, the cluster of each vertex: only vertices of the root's cluster are drawn,
            uniformly at random. None (default): vertices of all clusters.
        candidates: (k,) vertices: only they are drawn, each as often as it is listed. None (default): all vertices.
        hops: at least 2: the vertex is drawn uniformly at random among those whose distance from the root is this
            number of edges. It takes a breadth-first search per root. 0 (default): any distance.

    Raises:
        TypeError: a parameter is of the wrong type.
        ValueError: a parameter is out of range, or several of the last four are set.

    Examples:
        >>> graph = gnd.Graph.from_edges([0, 1, 2], [1, 2, 3], symmetric=True)
        >>> gnd.sample(graph, gnd.apps.Negatives(), [0, 1, 2], seed=1).numpy()
        array([[0, 3],
               [1, 3],
               [2, 0]], dtype=int32)
    """

    loops: bool = False
    ends: int = 0
    weights: npt.ArrayLike | None = None
    clusters: npt.ArrayLike | None = None
    candidates: npt.ArrayLike | None = None
    hops: int = 0

    def __post_init__(self) -> None:
        put(
            self,
            loops=checked_flag("loops", self.loops),
            ends=checked_count("ends", self.ends, 0, _MOST_VERTICES),
            weights=checked_scores(self.weights, "weights"),
            clusters=None if self.clusters is None else checked_clusters(self.clusters, counts=False),
            candidates=None if self.candidates is None else _candidates(self.candidates),
            hops=checked_count("hops", self.hops, 0, _MOST_VERTICES),
        )
        if self.hops == 1:
            raise ValueError(
                "hops = 1: expected at least 2, or 0 for any distance; vertices at distance 1 have an edge"
            )
        rules = {name: getattr(self, name) for name in ("weights", "clusters", "candidates")}
        given = [name for name, value in rules.items() if value is not None] + ["hops"] * bool(self.hops)
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)}: pass at most one of weights, clusters, candidates and hops")

    def parameters(self) -> dict[str, Any]:
        given = super().parameters()
        return given if self.clusters is None else given | {"clusters": {"ids": given["clusters"]}}


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class NegativePairs(ArrayApp):
    """A source and a target without an edge between them, drawn exactly: uniformly at random among all such pairs, or
    in proportion to the product of a weight of the source and one of the target.

    A sample is the two vertices; ``roots`` is the number of samples. ``gonextdoor.negatives`` is a front end.

    Args:
        loops: whether a vertex and itself are such a pair (default False), if it has no self-loop.
        sources: sources are below this number; 0 (default): any vertex.
        ends: targets are below this number; 0 (default): any vertex.
        weights: (ends,) non-negative numbers, the weights of targets; None (default): equal.
        source_weights: (sources,) non-negative numbers, the weights of sources; None (default): equal.

    Raises:
        TypeError: a parameter is of the wrong type.
        ValueError: a parameter is out of range; when it is sampled, also if every pair is an edge.

    Examples:
        >>> graph = gnd.Graph.from_edges([0, 1, 2], [1, 2, 3], symmetric=True)
        >>> gnd.sample(graph, gnd.apps.NegativePairs(), 3, seed=1).numpy()
        array([[2, 0],
               [3, 1],
               [0, 3]], dtype=int32)
    """

    loops: bool = False
    sources: int = 0
    ends: int = 0
    weights: npt.ArrayLike | None = None
    source_weights: npt.ArrayLike | None = None

    def __post_init__(self) -> None:
        put(
            self,
            loops=checked_flag("loops", self.loops),
            sources=checked_count("sources", self.sources, 0, _MOST_VERTICES),
            ends=checked_count("ends", self.ends, 0, _MOST_VERTICES),
            weights=checked_scores(self.weights, "weights"),
            source_weights=checked_scores(self.source_weights, "source_weights"),
        )


def _candidates(given: Any) -> npt.NDArray[np.uint32]:
    """A read-only copy of the candidates."""
    vertices = integers("candidates", given)
    if vertices.ndim != 1 or not len(vertices):
        raise ValueError(f"candidates: expected shape (k,) with k of at least 1, got {vertices.shape}")
    wrong = np.flatnonzero((vertices < 0) | (vertices > _MOST_VERTICES))
    if len(wrong):
        raise IndexError(f"candidates[{wrong[0]}] = {vertices[wrong[0]]}: expected a vertex")
    kept = vertices.astype(np.uint32)
    kept.setflags(write=False)
    return kept
