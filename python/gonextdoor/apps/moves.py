"""Walks with other rules than DeepWalk and node2vec: by degree or label, with stays, jumps, returns; a pool."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

from .._core.checks import checked_count, checked_flag, checked_ints, checked_probability
from .app import SamplingApp
from .parameters import (
    MAX_LENGTH,
    MAX_WIDTH,
    Bias,
    Weighted,
    Weights,
    checked_bias,
    checked_weighted,
    checked_weights,
    put,
)
from .typepath import checked_path, listed, relation_between

__all__ = [
    "Jump",
    "MetaPath",
    "MetropolisHastings",
    "MultiDimensionalWalk",
    "MultiIndependent",
    "Restart",
    "Walk",
]


@dataclasses.dataclass(frozen=True)
class Walk(SamplingApp):
    """Biased walks of ``length`` steps, each along an edge of the current vertex (C-SAW: Pandey et al., SC'20).

    The first walk by degree makes a view of the graph (4 bytes per edge) and its alias tables (16 bytes per edge),
    which are kept with the graph; ``computed`` needs neither.

    Args:
        bias: how edges are chosen: ``"uniform"`` (default, also None) chooses them uniformly at random; ``"weight"`` in
            proportion to their weights; ``"degree"`` in proportion to the number of edges of their end points.
        length: steps of a walk, from 0 (default 80). A sample has length + 1 vertices.
        computed: whether biases are computed for each choice instead of building tables (default False).

    Raises:
        TypeError: a parameter is of the wrong type.
        ValueError: a parameter is out of range.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> gnd.sample(graph, gnd.apps.Walk(bias="degree", length=4), [0, 1], seed=1).numpy()
        array([[  0, 170, 146, 206,  58],
               [  1, 123, 168, 215, 114]], dtype=int32)
    """

    bias: Bias = "uniform"
    length: int = 80
    computed: bool = False

    def __post_init__(self) -> None:
        length = checked_count("length", self.length, 0, MAX_LENGTH)
        put(self, bias=checked_bias(self.bias), length=length, computed=checked_flag("computed", self.computed))


@dataclasses.dataclass(frozen=True)
class MetropolisHastings(SamplingApp):
    """Walks of ``length`` steps whose stationary distribution is uniform over vertices (Metropolis et al. 1953;
    Hastings 1970; in C-SAW: Pandey et al., SC'20).

    From u a neighbour v is proposed uniformly at random and accepted with probability min(1, deg(u)/deg(v)); otherwise
    the walk stays at u. On an undirected graph (both directions of each edge are present) the uniform distribution over
    the vertices that have edges is stationary; it is the only one if those vertices are connected. A walk ends at a
    vertex without edges. A sample has the walk's state after each step, so a vertex is repeated if the walk stayed; no
    edge led to it.

    Args:
        length: steps of a walk, from 0 (default 80). A sample has length + 1 vertices.

    Raises:
        TypeError: the length is not an int.
        ValueError: the length is out of range.

    Examples:
        >>> star = gnd.Graph.from_edges([0, 0, 0], [1, 2, 3], symmetric=True)
        >>> gnd.sample(star, gnd.apps.MetropolisHastings(length=6), [1], seed=1).numpy()
        array([[1, 1, 1, 1, 1, 0, 3]], dtype=int32)
    """

    length: int = 80

    def __post_init__(self) -> None:
        put(self, length=checked_count("length", self.length, 0, MAX_LENGTH))


@dataclasses.dataclass(frozen=True)
class _TeleportingWalk(SamplingApp):
    length: int = 80
    probability: float = 0.15
    weighted: Weighted = "auto"

    def __post_init__(self) -> None:
        length = checked_count("length", self.length, 0, MAX_LENGTH)
        probability = checked_probability("probability", self.probability)
        put(self, length=length, probability=probability, weighted=checked_weighted(self.weighted))


@dataclasses.dataclass(frozen=True)
class Jump(_TeleportingWalk):
    """Walks of ``length`` steps that jump to a vertex of the whole graph, drawn uniformly at random, with a given
    probability per step and always from a sink (C-SAW: Pandey et al., SC'20; the random surfer of PageRank: Page et al.
    1999).

    Args:
        length: steps of a walk, jumps included, from 0 (default 80). A sample has length + 1 vertices.
        probability: probability of a jump instead of a step, from 0 to 1 (default 0.15).
        weighted: ``"auto"`` (default) uses edge weights if the graph has them; ``True`` requires them; ``False``
            ignores them.

    Raises:
        TypeError: a parameter is of the wrong type.
        ValueError: a parameter is out of range.

    Examples:
        >>> path = gnd.Graph.from_edges([0, 1, 2], [1, 2, 3])
        >>> gnd.sample(path, gnd.apps.Jump(length=6, probability=0.2), [0], seed=1).numpy()
        array([[0, 1, 2, 3, 3, 2, 3]], dtype=int32)
    """


@dataclasses.dataclass(frozen=True)
class Restart(_TeleportingWalk):
    """Walks of ``length`` steps that return to their root with a given probability per step and always from a sink
    (C-SAW: Pandey et al., SC'20; random walk with restart: Tong et al., ICDM'06).

    Args:
        length: steps of a walk, returns included, from 0 (default 80). A sample has length + 1 vertices.
        probability: probability of a return instead of a step, from 0 to 1 (default 0.15).
        weighted: ``"auto"`` (default) uses edge weights if the graph has them; ``True`` requires them; ``False``
            ignores them.

    Raises:
        TypeError: a parameter is of the wrong type.
        ValueError: a parameter is out of range.

    Examples:
        >>> path = gnd.Graph.from_edges([0, 1, 2], [1, 2, 3])
        >>> gnd.sample(path, gnd.apps.Restart(length=6, probability=0.2), [0], seed=1).numpy()
        array([[0, 1, 2, 3, 0, 1, 2]], dtype=int32)
    """


@dataclasses.dataclass(frozen=True)
class MultiIndependent(SamplingApp):
    """Samples of several independent walkers, one from each root of the sample (C-SAW: Pandey et al., SC'20).

    With roots of shape (n, r) a sample has r * (length + 1) vertices, and each array of ``samples.steps`` has shape (n,
    r).

    Args:
        length: steps of each walker, from 0 (default 80).
        weighted: ``"auto"`` (default) uses edge weights if the graph has them; ``True`` requires them; ``False``
            ignores them.

    Raises:
        TypeError: a parameter is of the wrong type.
        ValueError: a parameter is out of range.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> samples = gnd.sample(graph, gnd.apps.MultiIndependent(length=2), [[0, 1, 2]], seed=1)
        >>> samples.steps
        [array([[ 23, 217, 253]], dtype=int32), array([[ 48,  62, 133]], dtype=int32)]
    """

    length: int = 80
    weighted: Weighted = "auto"

    def __post_init__(self) -> None:
        length = checked_count("length", self.length, 0, MAX_LENGTH)
        put(self, length=length, weighted=checked_weighted(self.weighted))


@dataclasses.dataclass(frozen=True)
class MultiDimensionalWalk(SamplingApp):
    """Frontier sampling with a pool of vertices per sample (Ribeiro and Towsley, IMC'10; multi-dimensional random walk
    in C-SAW, SC'20, multi-RW in NextDoor, EuroSys'21).

    At each step a vertex of the pool is drawn in proportion to its degree. One of its neighbours, chosen uniformly at
    random, is recorded and replaces it. The walk ends when no vertex of the pool has an edge. With roots of shape (n,
    r) the pools begin as the r roots of each sample, which has r + length vertices.

    Args:
        length: steps of a sample, from 0 (default 80).
        dimension: vertices of each pool if ``gonextdoor.sample`` draws the roots, at least 1 (default 100). An int n as
            ``roots`` makes n pools.

    Raises:
        TypeError: a parameter is of the wrong type.
        ValueError: a parameter is out of range.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> gnd.sample(graph, gnd.apps.MultiDimensionalWalk(length=4), [[0, 1]], seed=1).numpy()
        array([[  0,   1, 232, 176, 222,  21]], dtype=int32)
    """

    length: int = 80
    dimension: int = 100

    def __post_init__(self) -> None:
        length = checked_count("length", self.length, 0, MAX_LENGTH)
        put(self, length=length, dimension=checked_count("dimension", self.dimension, 1, MAX_WIDTH))


@dataclasses.dataclass(frozen=True)
class MetaPath(SamplingApp):
    """Walks of ``length`` steps along edges with given labels, or from type to type of a ``HeteroGraph`` (metapath2vec:
    Dong et al., KDD'17; in FlowWalker: Mei et al., VLDB'24).

    Step s takes an edge with the label ``labels[s % len(labels)]``. A walk ends at a vertex without such an edge; later
    vertices of the sample are -1. If no edge of the graph has a label, every walk ends before that step.

    On a ``HeteroGraph``, roots are vertices of the first type. The samples have the vertices of all types in one
    numbering, that of ``HeteroGraph.to_homogeneous``: vertex v of a type is ``first[type] + v``. That graph is made at
    the first call and kept with the ``HeteroGraph``.

    Args:
        labels: labels of successive steps, at least one. The graph's edges must have labels. Of a ``HeteroGraph``, the
            path: types of successive vertices, at least two, or relations (source type, name, destination type). A
            longer walk repeats it: ``["user", "item"]`` and ``["user", "item", "user"]`` both return to users.
        length: steps of a walk, from 0; None (default): one for each label, and along the path once. A sample has
            length + 1 vertices.
        weighted: ``"auto"`` (default) uses edge weights if the graph has them; ``True`` requires them; ``False``
            ignores them; ``"computed"`` equals ``True``, since alias tables have no labels.
        stop: probability of stopping after each step, from 0 to 1 (default 0).

    Raises:
        TypeError: a parameter is of the wrong type.
        ValueError: a parameter is out of range.

    Examples:
        >>> graph = gnd.Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], labels=[5, 6, 7, 7])
        >>> gnd.sample(graph, gnd.apps.MetaPath(labels=[5, 7]), [0], repeat=2, seed=1).numpy()
        array([[0, 1, 3],
               [0, 1, 3]], dtype=int32)

        From users to items and back:

        >>> buys = gnd.Graph.from_edges([0, 1, 2], [0, 0, 1], num_vertices=3)  # row: item, end point: user
        >>> bought = gnd.Graph.from_edges([0, 0, 1], [0, 1, 2], num_vertices=3)  # row: user, end point: item
        >>> relations = {("user", "buys", "item"): buys, ("item", "bought_by", "user"): bought}
        >>> graph = gnd.HeteroGraph(relations, {"user": 2, "item": 3})
        >>> gnd.sample(graph, gnd.apps.MetaPath(["user", "item", "user"]), [1], seed=1).numpy()  # item 2 is 2 + 2
        array([[1, 4, 1]], dtype=int32)
    """

    labels: Sequence[int] | Sequence[str] | Sequence[tuple[str, str, str]]
    length: int | None = None
    weighted: Weights = "auto"
    stop: float = 0.0

    def __post_init__(self) -> None:
        path = checked_path(self.labels)
        labels: Sequence[Any] = checked_labels(self.labels) if path is None else path
        once = len(labels) - (path is not None and isinstance(labels[0], str))
        length = once if self.length is None else checked_count("length", self.length, 0, MAX_LENGTH)
        if isinstance(labels[0], tuple) and length > once and labels[0][0] != labels[-1][2]:
            raise ValueError(
                f"length = {length}: expected at most {once}, since the path ends at the type {labels[-1][2]!r} and "
                f"cannot be repeated from {labels[0][0]!r}"
            )
        stop = checked_probability("stop", self.stop)
        put(self, labels=labels, length=length, weighted=checked_weights(self.weighted), stop=stop)
        put(self, _infers=path is not None)

    def _on(self, graph: Any) -> SamplingApp:
        if self._infers:
            raise self._of_types()
        return self

    def _text(self) -> tuple[str, str] | None:
        if self._infers:
            raise self._of_types()
        return super()._text()

    def _of_types(self) -> ValueError:
        return ValueError(
            f"labels = {list(self.labels)!r}: types are those of a HeteroGraph, whose walks gonextdoor.sample makes; a "
            "Graph has labels of edges, so pass ints"
        )

    def _along(self, relations: Sequence[tuple[str, str, str]]) -> tuple[MetaPath, str]:
        """The app for labels that are the numbers of relations, and the type of the first vertex."""
        path: Sequence[Any] = self.labels
        assert self.length is not None
        if isinstance(path[0], tuple):
            for i, relation in enumerate(path):
                if relation not in relations:
                    raise ValueError(f"labels[{i}] = {relation!r}: the graph has the relations {listed(relations)}")
            numbers, first = [relations.index(relation) for relation in path], path[0][0]
        else:
            pairs = list(itertools.pairwise(path))
            if self.length > len(pairs) and path[0] != path[-1]:
                pairs.append((path[-1], path[0]))
            numbers, first = [relation_between(relations, *pair) for pair in pairs], path[0]
        return dataclasses.replace(self, labels=numbers), first


def checked_labels(values: Any) -> tuple[int, ...]:
    labels = checked_ints("labels", values, "the label of each step")
    if not labels:
        raise ValueError("labels = []: expected at least one label")
    for i, label in enumerate(labels):
        if not -(1 << 31) <= label < 1 << 31:
            raise ValueError(f"labels[{i}] = {label}: expected an int32, from -2^31 to 2^31 - 1")
    return tuple(labels)
