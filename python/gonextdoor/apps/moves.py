"""Walks with other rules than DeepWalk and node2vec: by degree or label, with stays, jumps, returns, or a pool."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import SupportsIndex

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

__all__ = ["Jump", "MetaPath", "MetropolisHastings", "MultiDimensionalWalk", "MultiIndependent", "Restart", "Walk"]


@dataclasses.dataclass(frozen=True)
class Walk(SamplingApp):
    """Biased walks of ``length`` steps, each along an edge of the current vertex (C-SAW: Pandey et al., SC'20).

    Args:
        bias: what an edge is taken in proportion to: "weight", its weight; "degree", the number of edges that its end
            point has; "uniform", or None: uniform.
        length: steps of a walk, from 0 (default 80); a sample has length + 1 vertices.
        computed: whether biases are computed for each choice instead of building tables; see docs/apps.md.

    The first walk by degree makes a view of the graph (4 bytes per edge) and its alias tables (16 bytes per edge),
    which are kept with the graph; ``computed`` needs neither.

    Raises:
        TypeError, ValueError: a parameter is of the wrong type or out of range.
    """

    bias: Bias = "uniform"
    length: int = 80
    computed: bool = False

    def __post_init__(self) -> None:
        length = checked_count("length", self.length, 0, MAX_LENGTH)
        put(self, bias=checked_bias(self.bias), length=length, computed=checked_flag("computed", self.computed))


@dataclasses.dataclass(frozen=True)
class MetropolisHastings(SamplingApp):
    """Walks of ``length`` steps that visit the vertices of a connected undirected graph equally often in the long run:
    from u a neighbour v is proposed uniformly at random and accepted with probability min(1, deg(u)/deg(v)); otherwise
    the walk stays at u (Metropolis et al. 1953; Hastings 1970; in C-SAW: Pandey et al., SC'20).

    On an undirected graph (both directions of each edge are present) the uniform distribution over the vertices that
    have edges is stationary, and the only one if those are connected. A walk ends at a vertex without edges, so
    isolated vertices are not part of it. A sample has the walk's state after each step, so a vertex is repeated if the
    walk stayed; no edge led to it.

    Args:
        length: steps of a walk, from 0 (default 80); a sample has length + 1 vertices.

    Raises:
        TypeError, ValueError: the length is of the wrong type or out of range.
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
    """Walks of ``length`` steps, each of which is, with a probability and always from a sink, a jump to a vertex drawn
    uniformly from the whole graph (C-SAW: Pandey et al., SC'20; the random surfer of PageRank: Page et al. 1999).

    Args:
        length: steps of a walk, jumps included, from 0 (default 80); a sample has length + 1 vertices.
        probability: of a jump instead of a step, from 0 to 1 (default 0.15).
        weighted: whether an edge is taken in proportion to its weight; "auto": if the graph has weights.

    Raises:
        TypeError, ValueError: a parameter is of the wrong type or out of range.
    """


@dataclasses.dataclass(frozen=True)
class Restart(_TeleportingWalk):
    """Walks of ``length`` steps, each of which goes, with a probability and always from a sink, back to the root
    (C-SAW: Pandey et al., SC'20; random walk with restart: Tong et al., ICDM'06).

    Args:
        length: steps of a walk, returns included, from 0 (default 80); a sample has length + 1 vertices.
        probability: of a return instead of a step, from 0 to 1 (default 0.15).
        weighted: whether an edge is taken in proportion to its weight; "auto": if the graph has weights.

    Raises:
        TypeError, ValueError: a parameter is of the wrong type or out of range.
    """


@dataclasses.dataclass(frozen=True)
class MultiIndependent(SamplingApp):
    """Samples of several independent walkers: one starts from each root of the sample (C-SAW: Pandey et
    al., SC'20). With roots of shape (n, r) a sample has r * (length + 1) vertices, and each of ``samples.steps`` the
    shape (n, r).

    Args:
        length: steps of each walker, from 0 (default 80).
        weighted: whether an edge is taken in proportion to its weight; "auto": if the graph has weights.

    Raises:
        TypeError, ValueError: a parameter is of the wrong type or out of range.
    """

    length: int = 80
    weighted: Weighted = "auto"

    def __post_init__(self) -> None:
        length = checked_count("length", self.length, 0, MAX_LENGTH)
        put(self, length=length, weighted=checked_weighted(self.weighted))


@dataclasses.dataclass(frozen=True)
class MultiDimensionalWalk(SamplingApp):
    """Frontier sampling: at each step a vertex of the sample's pool is drawn in proportion to its degree, and one of
    its neighbours, chosen uniformly, is recorded and replaces it (Ribeiro and Towsley, IMC'10; multi-dimensional random
    walk in C-SAW, SC'20, multi-RW in NextDoor, EuroSys'21). The walk ends when no vertex of the pool has an edge.

    With roots of shape (n, r) the pools begin as the r roots of each sample, which has r + length vertices.

    Args:
        length: steps of a sample, from 0 (default 80).
        dimension: vertices of each pool if ``gonextdoor.sample`` draws them: for an int n, n pools.

    Raises:
        TypeError, ValueError: a parameter is of the wrong type or out of range.
    """

    length: int = 80
    dimension: int = 100

    def __post_init__(self) -> None:
        length = checked_count("length", self.length, 0, MAX_LENGTH)
        put(self, length=length, dimension=checked_count("dimension", self.dimension, 1, MAX_WIDTH))


@dataclasses.dataclass(frozen=True)
class MetaPath(SamplingApp):
    """Walks of ``length`` steps whose step s takes an edge with the label ``labels[s % len(labels)]`` (metapath2vec:
    Dong et al., KDD'17; in FlowWalker: Mei et al., VLDB'24). A walk ends at a vertex without such an edge: with a label
    that no edge has, every walk has ended before that step.

    Args:
        labels: the labels of successive steps, one at least; the graph's edges must have labels.
        length: steps of a walk, from 0 (default 80); None: one for each label. A sample has length + 1 vertices.
        weighted: whether an edge is taken in proportion to its weight; "auto": if the graph has weights; "computed":
            as True, since no tables are made for edges with a label.
        stop: probability of stopping after each step, from 0 to 1.

    Raises:
        TypeError, ValueError: a parameter is of the wrong type or out of range.
    """

    labels: tuple[int, ...]
    length: int | None = None
    weighted: Weights = "auto"
    stop: float = 0.0

    def __post_init__(self) -> None:
        labels = checked_labels(self.labels)
        length = len(labels) if self.length is None else checked_count("length", self.length, 0, MAX_LENGTH)
        stop = checked_probability("stop", self.stop)
        put(self, labels=labels, length=length, weighted=checked_weights(self.weighted), stop=stop)


def checked_labels(values: Iterable[SupportsIndex]) -> tuple[int, ...]:
    labels = checked_ints("labels", values, "the label of each step")
    if not labels:
        raise ValueError("labels = []: expected a label at least")
    for i, label in enumerate(labels):
        if not -(1 << 31) <= label < 1 << 31:
            raise ValueError(f"labels[{i}] = {label}: expected from -2^31 to 2^31 - 1, as labels are")
    return tuple(labels)
