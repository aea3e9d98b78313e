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
from .parameters import MAX_LENGTH, MAX_WIDTH, put

__all__ = ["ClusterGCN", "GraphSAINT", "RandomEdge", "RandomNode"]

Method = Literal["node", "edge", "walk", "multidimensional"]


@dataclasses.dataclass(frozen=True)
class RandomNode(SamplingApp):
    """``n`` vertices drawn uniformly, and the edges between them (random node sampling: Leskovec & Faloutsos,
    KDD'06; C-SAW: Pandey et al., SC'20).

    Args:
        n: vertices of a sample; without replacement, and if the graph has no more, all of them, in order.
        replace: whether a vertex may be drawn several times; its edges then belong to its first occurrence.
        induced: whether the edges between the vertices are recorded: ``samples.subgraph(i)``.

    Raises:
        TypeError, ValueError: a parameter is of the wrong type or out of range.
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
    """``n`` edges drawn uniformly, and their end points in the order of their first appearance (random edge
    sampling: Leskovec & Faloutsos, KDD'06; C-SAW: Pandey et al., SC'20). ``samples.subgraph(i)`` has the edges as they
    were drawn.

    Args:
        n: edges of a sample; without replacement, and if the graph has no more, all of them, in order.
        replace: whether an edge may be drawn several times.

    Raises:
        TypeError, ValueError: a parameter is of the wrong type or out of range.
    """

    n: int
    replace: bool = False

    def __post_init__(self) -> None:
        put(self, n=checked_count("n", self.n, 1, MAX_WIDTH), replace=checked_flag("replace", self.replace))


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ClusterGCN(SamplingApp):
    """The vertices of ``per_sample`` different clusters, one cluster after the other in the order in which they were
    drawn, and all edges between them (Cluster-GCN: Chiang et al., KDD'19).

    Args:
        clusters: the cluster of each vertex, (num_vertices,) ints from 0, such as a partitioner's list of memberships
            (the second result of ``pymetis.part_graph``, for example); it is copied. Or an int k: each vertex is in one
            of k clusters, drawn uniformly. An empty cluster counts as one, and adds nothing to a sample.
        per_sample: clusters of a sample, at least 1; all of them, in order, if there are no more.
        seed: the seed of the random clusters, which do not depend on the seed of the samples.

    Raises:
        TypeError, ValueError: a parameter is of the wrong type or out of range.
    """

    clusters: npt.ArrayLike
    per_sample: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        put(
            self,
            clusters=_clusters(self.clusters),
            per_sample=checked_count("per_sample", self.per_sample, 1, MAX_WIDTH),
            seed=checked_count("seed", self.seed, 0, (1 << 64) - 1),
        )

    def parameters(self) -> dict[str, Any]:
        ids = self.clusters
        if isinstance(ids, np.ndarray):
            given: dict[str, Any] = {
                "ids": {"address": memory.address(ids), "length": len(ids), "dtype": ids.dtype.name}
            }
        else:
            given = {"count": ids, "seed": self.seed}
        return {"clusters": given, "per_sample": self.per_sample}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClusterGCN):
            return NotImplemented
        same = np.array_equal(self.clusters, other.clusters)
        return same and (self.per_sample, self.seed) == (other.per_sample, other.seed)

    def __hash__(self) -> int:
        ids = self.clusters
        return hash((len(ids) if isinstance(ids, np.ndarray) else ids, self.per_sample, self.seed))

    def __repr__(self) -> str:
        ids = self.clusters
        shown = f"array of {len(ids)} ids" if isinstance(ids, np.ndarray) else str(ids)
        seed = "" if isinstance(ids, np.ndarray) else f", seed={self.seed}"
        return f"ClusterGCN(clusters={shown}, per_sample={self.per_sample}{seed})"


def _clusters(given: Any) -> int | npt.NDArray[np.uint32]:
    """A number of clusters, or a read-only copy of each vertex's cluster."""
    if isinstance(given, bool):
        raise TypeError(f"clusters = {given!r}: expected an int, or an array of ints")
    if hasattr(given, "__index__") and getattr(given, "ndim", 0) == 0:
        return checked_count("clusters", given, 1, MAX_WIDTH)
    ids = integers("clusters", given)
    if ids.ndim != 1:
        raise ValueError(f"clusters: expected an int or shape (num_vertices,), got {ids.shape}")
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
    """A subgraph that a sampler of vertices induces: every vertex once, in the order of first appearance, and all edges
    between them (GraphSAINT: Zeng et al., ICLR'20, algorithm 2). Weights are ignored.
    ``gonextdoor.saint.coefficients`` has the normalisation of losses and aggregations.

    Args:
        method: "node": ``budget`` draws with replacement, of a vertex u in proportion to the sum of 1/deg(v)^2 over
            the edges (v, u): without parallel edges, the squared norm of its column in the adjacency matrix whose rows
            are divided by their degrees. "edge": ``budget`` draws with replacement, of an edge (u, v) in proportion to
            1/deg(u) + 1/deg(v), both its ends. "walk": ``roots`` vertices, drawn uniformly with replacement, and a walk
            of ``length`` steps from each. "multidimensional": a frontier of ``roots`` vertices, drawn uniformly with
            replacement; then, ``budget - roots`` times, one of the frontier in proportion to its degree, which a
            neighbour replaces. The sample has the first frontier and those taken from it.
        budget: draws, at least 1; for "multidimensional" at least ``roots``.
        roots: first vertices, at least 1.
        length: steps of each walk, at least 1.

    Raises:
        TypeError, ValueError: a parameter is of the wrong type or out of range, missing, or not one of the method's.
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
                raise ValueError(f"{name} = {value!r}: method {self.method!r} takes none")
        if self.method == "multidimensional" and (self.budget or 0) < (self.roots or 0):
            raise ValueError(f"budget = {self.budget}: expected at least roots = {self.roots}")
        if (self.roots or 0) * ((self.length or 0) + 1) > MAX_WIDTH:
            raise ValueError(f"roots = {self.roots}, length = {self.length}: expected at most 2^28 vertices per sample")

    def parameters(self) -> dict[str, Any]:
        return {"method": self.method, "budget": self.budget or 0, "roots": self.roots or 0, "length": self.length or 0}
