"""Sets of vertices with the edges between them."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .._core import memory
from .._core.arguments import integers
from .._core.checks import checked_count, checked_flag
from .app import SamplingApp
from .arrays import ArrayApp
from .parameters import MAX_LENGTH, MAX_WIDTH, put

__all__ = ["ClusterGCN", "GraphSAINT", "RandomEdge", "RandomNode"]

Method = Literal["node", "edge", "walk", "multidimensional"]


@dataclasses.dataclass(frozen=True)
class RandomNode(SamplingApp):
    """``n`` vertices drawn uniformly at random, and the edges between them (random node sampling: Leskovec & Faloutsos,
    KDD'06; C-SAW: Pandey et al., SC'20).

    Args:
        n: vertices of a sample, at least 1. Without replacement, and if the graph has no more, all of them in order.
        replace: whether a vertex may be drawn several times (default False); its edges then belong to its first
            occurrence.
        induced: whether the edges between the vertices are recorded for ``samples.subgraph(i)`` (default True).

    Raises:
        TypeError: a parameter is of the wrong type.
        ValueError: a parameter is out of range.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> samples = gnd.sample(graph, gnd.apps.RandomNode(n=20), 2, seed=1)
        >>> samples.subgraph(0)
        Subgraph(20 vertices, 8 edges)
    """

    n: int
    replace: bool = False
    induced: bool = True

    def __post_init__(self) -> None:
        put(
            self,
            n=checked_count("n", self.n, 1, MAX_WIDTH),
            replace=checked_flag("replace", self.replace),
            induced=checked_flag("induced", self.induced),
        )


@dataclasses.dataclass(frozen=True)
class RandomEdge(SamplingApp):
    """``n`` edges drawn uniformly at random, and their end points in the order of first appearance (random edge
    sampling: Leskovec & Faloutsos, KDD'06; C-SAW: Pandey et al., SC'20).

    ``samples.subgraph(i)`` has the edges in the order in which they were drawn.

    Args:
        n: edges of a sample, at least 1. Without replacement, and if the graph has no more, all of them in order.
        replace: whether an edge may be drawn several times (default False).

    Raises:
        TypeError: a parameter is of the wrong type.
        ValueError: a parameter is out of range.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> samples = gnd.sample(graph, gnd.apps.RandomEdge(n=3), 1, seed=1)
        >>> samples[0]
        array([ 21, 145, 119,  60, 174], dtype=int32)
        >>> samples.subgraph(0).edge_ids
        array([ 331, 1887,  945])
    """

    n: int
    replace: bool = False

    def __post_init__(self) -> None:
        put(self, n=checked_count("n", self.n, 1, MAX_WIDTH), replace=checked_flag("replace", self.replace))


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ClusterGCN(ArrayApp):
    """The vertices of ``per_sample`` different clusters and all edges between them (Cluster-GCN: Chiang et al.,
    KDD'19).

    The clusters follow one another in the order in which they were drawn.

    Args:
        clusters: (num_vertices,) ints from 0, the cluster of each vertex, such as the memberships that a partitioner
            returns (the second result of ``pymetis.part_graph``, for example); they are copied. Or an int k: each
            vertex is in one of k clusters, drawn uniformly at random. An empty cluster counts as one, and adds nothing
            to a sample.
        per_sample: clusters of a sample, at least 1 (default 1); all of them, in order, if there are no more.
        seed: the seed of the random clusters (default 0), which do not depend on the seed of the samples.

    Raises:
        TypeError: a parameter is of the wrong type.
        ValueError: a parameter is out of range.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> samples = gnd.sample(graph, gnd.apps.ClusterGCN(clusters=32, per_sample=2), 2, seed=1)
        >>> samples.subgraph(0)
        Subgraph(20 vertices, 16 edges)
    """

    clusters: npt.ArrayLike
    per_sample: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        put(
            self,
            clusters=checked_clusters(self.clusters),
            per_sample=checked_count("per_sample", self.per_sample, 1, MAX_WIDTH),
            seed=checked_count("seed", self.seed, 0, (1 << 64) - 1),
        )

    def parameters(self) -> dict[str, Any]:
        ids = self.clusters
        if isinstance(ids, np.ndarray):
            given: dict[str, Any] = {"ids": memory.described(ids)}
        else:
            given = {"count": ids, "seed": self.seed}
        return {"clusters": given, "per_sample": self.per_sample}

    def __repr__(self) -> str:
        ids = self.clusters
        shown = f"array of {len(ids)} ids" if isinstance(ids, np.ndarray) else str(ids)
        seed = "" if isinstance(ids, np.ndarray) else f", seed={self.seed}"
        return f"ClusterGCN(clusters={shown}, per_sample={self.per_sample}{seed})"


def checked_clusters(given: Any, counts: bool = True) -> int | npt.NDArray[np.uint32]:
    """A number of clusters, if ``counts`` is set, or a read-only copy of each vertex's cluster."""
    if isinstance(given, bool):
        raise TypeError(f"clusters = {given!r}: expected an int, or an array of ints")
    if counts and hasattr(given, "__index__") and getattr(given, "ndim", 0) == 0:
        return checked_count("clusters", given, 1, MAX_WIDTH)
    ids = integers("clusters", given)
    if ids.ndim != 1:
        raise ValueError(f"clusters: expected {'an int or ' * counts}shape (num_vertices,), got {ids.shape}")
    wrong = np.flatnonzero((ids < 0) | (ids >= len(ids)))
    if len(wrong):
        at, most = int(wrong[0]), len(ids) - 1
        raise ValueError(f"clusters[{at}] = {ids[at]}: expected from 0 to {most}, for {len(ids)} vertices")
    kept = ids.astype(np.uint32)
    kept.setflags(write=False)
    return kept


_TAKES = {
    "node": ("budget",),
    "edge": ("budget",),
    "walk": ("roots", "length"),
    "multidimensional": ("budget", "roots"),
}


@dataclasses.dataclass(frozen=True)
class GraphSAINT(SamplingApp):
    """A subgraph that sampled vertices induce: every vertex once, in the order of first appearance, and all edges
    between them (GraphSAINT: Zeng et al., ICLR'20, algorithm 2).

    Weights are ignored. ``gonextdoor.saint.coefficients`` computes the normalisation of losses and aggregations.

    - ``"node"``: ``budget`` draws with replacement, of a vertex u in proportion to the sum of 1/deg(v)^2 over the edges
    (v, u). Without parallel edges, this is the squared norm of its column in the adjacency matrix whose rows are
    divided by their degrees.
    - ``"edge"``: ``budget`` draws with replacement, of an edge (u, v) in proportion to 1/deg(u) + 1/deg(v); both its
    ends are taken.
    - ``"walk"``: ``roots`` vertices, drawn uniformly at random with replacement, and a walk of ``length`` steps from
    each.
    - ``"multidimensional"``: a frontier of ``roots`` vertices, drawn uniformly at random with replacement. Then,
    ``budget - roots`` times, a vertex of the frontier is drawn in proportion to its degree, and a neighbour replaces
    it. The sample has the first frontier and the vertices that were drawn from it.

    Args:
        method: ``"node"``, ``"edge"``, ``"walk"`` or ``"multidimensional"``.
        budget: draws, at least 1, for all methods but ``"walk"``; for ``"multidimensional"`` at least ``roots``.
        roots: first vertices, at least 1, for ``"walk"`` and ``"multidimensional"``.
        length: steps of each walk, at least 1, for ``"walk"``.

    Raises:
        TypeError: a parameter is of the wrong type, or one that the method needs is missing.
        ValueError: a parameter is out of range, or not one of the method's.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> samples = gnd.sample(graph, gnd.apps.GraphSAINT("walk", roots=5, length=2), 2, seed=1)
        >>> samples.lengths
        array([12, 14])
        >>> samples.subgraph(0)
        Subgraph(12 vertices, 56 edges)
    """

    method: Method
    budget: int | None = None
    roots: int | None = None
    length: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.method, str) or self.method not in _TAKES:
            kind = ValueError if isinstance(self.method, str) else TypeError
            raise kind(f"method = {self.method!r}: expected {', '.join(repr(name) for name in _TAKES)}")
        for name in ("budget", "roots", "length"):
            value = getattr(self, name)
            if name in _TAKES[self.method]:
                if value is None:
                    raise TypeError(f"{name} = None: method {self.method!r} needs it, an int from 1")
                most = MAX_LENGTH if name == "length" else MAX_WIDTH
                put(self, **{name: checked_count(name, value, 1, most)})
            elif value is not None:
                raise ValueError(f"{name} = {value!r}: method {self.method!r} does not take it; leave it out")
        if self.method == "multidimensional" and (self.budget or 0) < (self.roots or 0):
            raise ValueError(f"budget = {self.budget}: expected at least roots = {self.roots}")
        if (self.roots or 0) * ((self.length or 0) + 1) > MAX_WIDTH:
            raise ValueError(f"roots = {self.roots}, length = {self.length}: expected at most 2^28 vertices per sample")

    def parameters(self) -> dict[str, Any]:
        return {"method": self.method, "budget": self.budget or 0, "roots": self.roots or 0, "length": self.length or 0}
