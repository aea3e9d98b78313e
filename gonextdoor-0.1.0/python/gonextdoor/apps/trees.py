"""Trees of neighbours, and samples that reach every vertex at most once."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from .._core.checks import checked_count, checked_flag, checked_number
from .app import SamplingApp
from .parameters import (
    MAX_LENGTH,
    MAX_WIDTH,
    Bias,
    Weighted,
    checked_bias,
    checked_fanouts,
    checked_weighted,
    put,
    tree_width,
)

__all__ = ["ForestFire", "KHop", "Neighbor", "Snowball"]


@dataclasses.dataclass(frozen=True)
class KHop(SamplingApp):
    """Trees of sampled neighbours, one level per fan-out (GraphSAGE: Hamilton et al., NIPS'17; k-hop neighbourhoods of
    NextDoor, EuroSys'21).

    At step i every vertex takes ``fanouts[i]`` of its edges; their end points take theirs at the next step.

    Args:
        fanouts: edges taken by each vertex of a step, at least 1 each.
        replace: whether a vertex may take one edge several times (default False). Without replacement, a vertex with no
            more than ``fanouts[i]`` edges takes all of them in row order, and the remaining slots are -1.
        weighted: ``False`` (default) chooses edges uniformly at random; ``True`` in proportion to their weights;
            ``"auto"`` by weights if the graph has them.

    Raises:
        TypeError: a parameter is of the wrong type.
        ValueError: a parameter is out of range.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> trees = gnd.sample(graph, gnd.apps.KHop(fanouts=[2, 3]), [0, 1], seed=1)
        >>> [step.shape for step in trees.steps]
        [(2, 2), (2, 2, 3)]
        >>> trees.steps[0]
        array([[ 23, 116],
               [ 90, 217]], dtype=int32)
    """

    fanouts: Sequence[int]
    replace: bool = False
    weighted: Weighted = False

    def __post_init__(self) -> None:
        fanouts = checked_fanouts(self.fanouts, all_edges=False)
        if tree_width(fanouts) > MAX_WIDTH:
            raise ValueError(f"fanouts = {list(fanouts)}: expected at most 2^28 vertices per root")
        put(
            self,
            fanouts=fanouts,
            replace=checked_flag("replace", self.replace),
            weighted=checked_weighted(self.weighted),
        )


@dataclasses.dataclass(frozen=True)
class Neighbor(SamplingApp):
    """Trees, as KHop, with a bias and, optionally, a bounded frontier (neighbour sampling of C-SAW: Pandey et al.,
    SC'20; the parameters are its NeighborSize, depth and FrontierSize).

    Args:
        fanouts: edges taken by each vertex of a step, at least 1 each; an int, or a list of one, if ``depth`` is given.
        depth: number of steps; None (default): one per fan-out.
        frontier_size: largest number of vertices that are expanded at a step, at least 1. If the previous step reached
            more, that many of them are drawn uniformly at random without replacement. None (default): all are expanded.
        bias: how edges are chosen: ``"uniform"`` (default, also None) chooses them uniformly at random; ``"weight"`` in
            proportion to their weights; ``"degree"`` in proportion to the number of edges of their end points.
        replace: whether a vertex may take one edge several times (default False).

    Raises:
        TypeError: a parameter is of the wrong type.
        ValueError: a parameter is out of range.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> trees = gnd.sample(graph, gnd.apps.Neighbor(2, depth=3, frontier_size=2), [0], seed=1)
        >>> [step.shape for step in trees.steps]
        [(1, 2), (1, 4), (1, 4)]
        >>> trees.numpy()
        array([[  0,  23, 116,  48,  96, 248, 111, 146, 235, 255, 144]],
              dtype=int32)
    """

    fanouts: int | Sequence[int]
    depth: int | None = None
    frontier_size: int | None = None
    bias: Bias | None = "uniform"
    replace: bool = False

    def __post_init__(self) -> None:
        given: Any = self.fanouts
        fanouts = checked_fanouts((given,) if hasattr(given, "__index__") else given, all_edges=False)
        if self.depth is not None:
            put(self, depth=checked_count("depth", self.depth, 0, MAX_LENGTH))
            if len(fanouts) == 1:
                fanouts *= self.depth
            elif len(fanouts) != self.depth:
                raise ValueError(f"depth = {self.depth}: expected {len(fanouts)}, one per fan-out, or one fan-out")
        put(self, fanouts=fanouts, bias=checked_bias(self.bias), replace=checked_flag("replace", self.replace))
        if self.frontier_size is not None:
            put(self, frontier_size=checked_count("frontier_size", self.frontier_size, 1, MAX_WIDTH))
        if tree_width(fanouts, self.frontier_size or MAX_WIDTH) > MAX_WIDTH:
            shown = list(fanouts) if self.depth is None else f"{given!r}, depth = {self.depth}"
            if self.frontier_size:
                shown = f"{shown}, frontier_size = {self.frontier_size}"
            raise ValueError(f"fanouts = {shown}: expected at most 2^28 vertices per root")

    def parameters(self) -> dict[str, Any]:
        return {
            "fanouts": self.fanouts,
            "frontier_size": self.frontier_size or 0,
            "bias": self.bias,
            "replace": self.replace,
        }


@dataclasses.dataclass(frozen=True)
class Snowball(SamplingApp):
    """All neighbours of the roots, then theirs, and so on: each reached vertex once, at the step that first reached it
    (snowball sampling: Goodman 1961; C-SAW: Pandey et al., SC'20).

    Without ``fanout`` a sample has all vertices within ``depth`` steps of its roots, each at its distance. With
    ``fanout`` some of these are missing, and others are reached at a later step.

    Args:
        depth: number of steps, at least 1; None: until no new vertex is reached.
        fanout: largest number of new neighbours per vertex, drawn uniformly at random among its edges to vertices that
            are not in the sample yet; None (default): all.

    Raises:
        TypeError: a parameter is of the wrong type.
        ValueError: a parameter is out of range.

    Examples:
        >>> path = gnd.Graph.from_edges([0, 1, 2], [1, 2, 3], symmetric=True)
        >>> gnd.sample(path, gnd.apps.Snowball(depth=2), [1], seed=1).steps
        [array([[0, 2]], dtype=int32), array([[3]], dtype=int32)]
    """

    depth: int | None
    fanout: int | None = None

    def __post_init__(self) -> None:
        put(self, depth=_depth(self.depth))
        if self.fanout is not None:
            put(self, fanout=checked_count("fanout", self.fanout, 1, MAX_WIDTH))

    def parameters(self) -> dict[str, Any]:
        return {"depth": self.depth or 0, "fanout": -1 if self.fanout is None else self.fanout}


@dataclasses.dataclass(frozen=True)
class ForestFire(SamplingApp):
    """A fire that spreads from the roots to a random number of neighbours per vertex (forest fire sampling: Leskovec &
    Faloutsos, KDD'06; C-SAW: Pandey et al., SC'20).

    Each vertex that caught fire burns k of its neighbours that have not burned, with probability p^k * (1 - p), or all
    of them if there are fewer. Those burn next.

    Args:
        probability: p, from 0 to 1, rounded to a multiple of 2^-32. A vertex with m neighbours that have not burned
            burns p * (1 - p**m) / (1 - p) of them on average, which tends to p / (1 - p) as m grows. At 0 only the
            roots burn, at 1 every vertex that can be reached.
        depth: number of steps, at least 1; None (default): until the fire dies.

    Raises:
        TypeError: a parameter is of the wrong type.
        ValueError: a parameter is out of range.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> fires = gnd.sample(graph, gnd.apps.ForestFire(probability=0.4), [0, 1], seed=1)
        >>> fires.lengths
        array([1, 1])
        >>> fires[0]
        array([0], dtype=int32)
    """

    probability: float
    depth: int | None = None

    def __post_init__(self) -> None:
        probability = checked_number("probability", self.probability)
        if not 0 <= probability <= 1:
            raise ValueError(f"probability = {self.probability!r}: expected from 0 to 1")
        put(self, probability=probability, depth=_depth(self.depth))

    def parameters(self) -> dict[str, Any]:
        return {"probability": self.probability, "depth": self.depth or 0}


def _depth(depth: Any) -> int | None:
    return None if depth is None else checked_count("depth", depth, 1, MAX_LENGTH)
