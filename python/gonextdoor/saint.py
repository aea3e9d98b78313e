"""GraphSAINT's normalisation (Zeng et al., ICLR'20, section 3.2).

Losses and messages are divided by its coefficients, so that a subgraph estimates the complete graph.
``exact_coefficients`` gives unbiased estimates, ``coefficients`` consistent ones.

Examples:
    >>> graph = gnd.rmat(8, seed=1)
    >>> samples = gnd.sample(graph, gnd.apps.GraphSAINT("node", budget=40), 200, seed=1)
    >>> loss, aggregation = gnd.saint.coefficients(samples).of(samples.subgraph(0))
    >>> loss.shape == samples[0].shape
    True
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from ._core.binding import advised
from .apps import ClusterGCN, GraphSAINT, RandomNode
from .graph.graph import Graph
from .samples.layers import Subgraph
from .samples.samples import Samples

__all__ = ["Coefficients", "coefficients", "exact_coefficients"]


def __dir__() -> list[str]:
    return sorted(__all__)


Array = npt.NDArray[Any]


@dataclasses.dataclass(frozen=True, eq=False)
class Coefficients:
    """The coefficients by which losses and messages are divided.

    Attributes:
        graph: the graph.
        loss: (num_vertices,) float64. The sum of loss(v) / ``loss[v]`` over a sample's vertices estimates the mean loss
            of all vertices.
        aggregation: (num_edges,) float64, parallel to ``graph.indices``. If vertex v sums messages over its edges (v,
            u), the row of v, then the sum of message(v, u) / ``aggregation`` over the edges in the sample estimates the
            sum over all, for a v that is in the sample.

    Examples:
        >>> graph = gnd.Graph.from_edges([0, 1, 2], [1, 2, 3], symmetric=True)
        >>> found = gnd.saint.exact_coefficients(graph, gnd.apps.GraphSAINT("edge", budget=2))
        >>> found.loss.round(2), found.aggregation.round(2)
        (array([2.44, 3.44, 3.44, 2.44]), array([1.  , 0.71, 0.84, 0.84, 0.71, 1.  ]))
    """

    graph: Graph
    loss: Array
    aggregation: Array

    def of(self, subgraph: Subgraph) -> tuple[Array, Array]:
        """Returns the coefficients of a sample's vertices and of its edges, in its order.

        Args:
            subgraph: of one sample, ``samples.subgraph(i)``.

        Returns:
            (nodes,) float64 for losses, and (edges,) float64 for messages.
        """
        nodes = subgraph.nodes.astype(np.int64)
        positions = _places(self.graph, nodes[subgraph.src], nodes[subgraph.dst])
        return self.loss[nodes], self.aggregation[positions]


@advised
def coefficients(samples: Samples) -> Coefficients:
    """Returns the coefficients as counted in samples.

    p(v), the probability that a sample has vertex v, is estimated by the share of samples that have it. ``loss`` is
    num_vertices * p(v); ``aggregation`` of edge (v, u) is p(v, u) / p(v). Vertices and edges that no sample has count
    as if one sample had them.

    Estimates with counted coefficients are consistent, not unbiased: their mean differs from the true value but tends
    to it as the number of samples grows. ``exact_coefficients`` has no such bias.

    Args:
        samples: many samples of GraphSAINT, of ClusterGCN, or of RandomNode without replacement.

    Returns:
        The coefficients.

    Raises:
        TypeError: the argument is not ``Samples``, or its app is another one.
        ValueError: there are no samples, or they have no edges.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> samples = gnd.sample(graph, gnd.apps.GraphSAINT("node", budget=40), 200, seed=1)
        >>> gnd.saint.coefficients(samples).loss.shape
        (256,)
    """
    if not isinstance(samples, Samples):
        raise TypeError(f"samples: expected gonextdoor.Samples, got {type(samples).__name__}")
    app, graph = samples.app, samples.graph
    if not isinstance(app, (GraphSAINT, ClusterGCN, RandomNode)) or (isinstance(app, RandomNode) and app.replace):
        raise TypeError(
            f"samples: got samples of {app!r}, expected GraphSAINT, ClusterGCN or RandomNode without replacement"
        )
    if len(samples) == 0:
        raise ValueError("samples: expected at least one sample to count in")
    links_from, sources, targets, _, _ = samples._recorded().links()
    seen = np.maximum(samples.visit_counts(), 1)
    starts = np.repeat(samples.offsets[:-1], np.diff(links_from))
    values = samples.values.astype(np.int64)
    places = _places(graph, values[starts + sources], values[starts + targets])
    pairs, first, copies = _pairs(graph)
    together = np.bincount(pairs[places], minlength=len(first)) // np.maximum(copies, 1)
    together = np.maximum(together, 1)[pairs]
    return Coefficients(graph, graph.num_vertices * seen / len(samples), together / seen[_sources(graph)])


@advised
def exact_coefficients(graph: Graph, app: GraphSAINT) -> Coefficients:
    """Returns the coefficients from the exact probabilities, which have a closed form for ``method="node"`` and
    ``"edge"``.

    Estimates with them are unbiased, except for vertices and edges that no sample can contain; those have 0.

    Args:
        graph: the graph.
        app: a GraphSAINT with one of these methods.

    Returns:
        The coefficients.

    Raises:
        TypeError: the app is not a GraphSAINT.
        ValueError: its method has no closed form.

    Examples:
        >>> graph = gnd.Graph.from_edges([0, 1, 2], [1, 2, 3], symmetric=True)
        >>> gnd.saint.exact_coefficients(graph, gnd.apps.GraphSAINT("node", budget=2)).loss.round(2)
        array([0.64, 2.64, 2.64, 0.64])
    """
    if not isinstance(app, GraphSAINT):
        raise TypeError(f"app: expected gonextdoor.apps.GraphSAINT, got {app!r}")
    degrees, src, dst = graph.degrees().astype(np.float64), _sources(graph), graph.indices.astype(np.int64)
    inverse = np.divide(1, degrees, out=np.zeros_like(degrees), where=degrees > 0)
    if app.method == "node":
        met = np.bincount(dst, weights=inverse[src] ** 2, minlength=len(degrees))
        met = met / (met.sum() or 1)
        either = met[src] + np.where(src == dst, 0, met[dst])
    elif app.method == "edge":
        share = inverse[src] + inverse[dst]
        share = share / (share.sum() or 1)
        met = np.bincount(src, weights=share, minlength=len(degrees))
        met += np.bincount(dst, weights=np.where(src == dst, 0, share), minlength=len(degrees))
        either = met[src] + np.where(src == dst, 0, met[dst] - _between(graph, share))
    else:
        raise ValueError(
            f"app = {app!r}: only the methods 'node' and 'edge' have a closed form; count in samples instead"
        )
    draws = app.budget or 0
    there = 1 - (1 - met) ** draws
    both = there[src] + there[dst] - (1 - np.maximum(0, 1 - either) ** draws)
    both = np.where(src == dst, there[src], both)
    chance = np.divide(both, there[src], out=np.zeros_like(both), where=there[src] > 0)
    return Coefficients(graph, graph.num_vertices * there, chance)


def _sources(graph: Graph) -> Array:
    """The source of each edge."""
    return np.repeat(np.arange(graph.num_vertices), graph.degrees())


def _places(graph: Graph, src: Array, dst: Array) -> Array:
    """The position of the first edge of each pair, or the position at which it would be inserted if there is none.
    Pairs are in the order of positions, since rows are sorted."""
    keys = _sources(graph) * graph.num_vertices + graph.indices
    return np.searchsorted(keys, src * graph.num_vertices + dst)


def _pairs(graph: Graph) -> tuple[Array, Array, Array]:
    """The number of each edge's pair of ends; for each pair its first position and its number of edges."""
    keys = _sources(graph) * graph.num_vertices + graph.indices
    fresh = np.diff(keys, prepend=-1) != 0
    first = np.flatnonzero(fresh)
    return np.cumsum(fresh) - 1, first, np.diff(first, append=len(keys))


def _between(graph: Graph, share: Array) -> Array:
    """For each edge, the total share of all edges between its ends, in both directions."""
    pairs, first, _ = _pairs(graph)
    total = np.bincount(pairs, weights=share, minlength=len(first))
    src, dst = _sources(graph), graph.indices.astype(np.int64)
    back = _places(graph, dst, src)
    there = back < len(src)
    there[there] = (src[back[there]] == dst[there]) & (dst[back[there]] == src[there])
    against = np.zeros(len(src))
    against[there] = total[pairs[back[there]]]
    return total[pairs] + against
