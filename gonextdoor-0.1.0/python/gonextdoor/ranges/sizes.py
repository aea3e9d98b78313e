"""Expected sizes of rows, from the app's parameters and the head of the graph: a run is divided before it is opened."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..apps import SamplingApp

if TYPE_CHECKING:
    from ..storage.head import Head

__all__ = ["LONGEST", "distinct", "end_degree", "links_of", "mean_degree", "vertices_of"]

UNKNOWN = 256  # vertices of a sample whose expected size is not known
LONGEST = 1 << 16  # vertices, and recorded edges, of a sample that are expected at most
BURNING = 0.9  # of the vertices that a fire reaches, about, have others to burn


def distinct(draws: float, vertices: float) -> float:
    """The expected number of different vertices among draws, uniformly at random with replacement."""
    return -vertices * math.expm1(-draws / vertices) if vertices > 0 else 0.0


def mean_degree(head: Head) -> float:
    """The mean number of edges of a vertex."""
    return head.edges / max(head.vertices, 1)


def end_degree(head: Head) -> float:
    """About the mean number of edges of the end of an edge. Of skewed graphs it is between the mean and the largest."""
    return math.sqrt(mean_degree(head) * max(head.max_degree, mean_degree(head)))


def vertices_of(app: SamplingApp, roots: int, head: Head) -> float:
    """The expected number of vertices of a sample after its roots."""
    known = app._facts(roots).vertices
    kind = type(app).__name__
    if kind == "GraphSAINT" and getattr(app, "method", None) == "edge":
        known *= 2  # draws are edges
    if kind == "GraphSAINT":
        return distinct(known, head.vertices)
    if math.isfinite(known):
        return known
    if kind not in ("ForestFire", "Snowball"):
        return UNKNOWN
    return _levels(app, roots, head)


def _levels(app: Any, roots: int, head: Head) -> float:
    """The expected vertices of a breadth-first sample, level by level."""
    level, degree, total, step = float(roots), mean_degree(head), 0.0, 0
    while level >= 0.01 and total < LONGEST and step < (app.depth or LONGEST):
        edges = level * degree
        if type(app).__name__ == "Snowball":
            grown = edges if app.fanout is None else min(edges, level * app.fanout)
        else:
            p = app.probability
            grown = edges if p == 1 else min(edges, BURNING * level * p / (1 - p))
        level = distinct(grown, head.vertices - roots - total)
        total, degree, step = total + level, end_degree(head), step + 1
    if type(app).__name__ == "ForestFire" and app.depth is None and app.probability > 0.5:
        total *= 2 - 1 / app.probability  # a fire lives on with this probability if degrees are large
    return total


def links_of(app: Any, roots: int, head: Head) -> float:
    """The expected number of edges that a layered sample records."""
    kind, vertices, degree = type(app).__name__, vertices_of(app, roots, head), mean_degree(head)
    share = min(1.0, vertices / max(head.vertices, 1))  # of the vertices of the graph
    if kind == "RandomEdge":
        return vertices / 2
    if kind == "RandomNode":
        return head.edges * share * share if app.induced else 0.0
    if kind == "ClusterGCN":  # more than between vertices drawn uniformly at random
        return vertices * degree * math.sqrt(share)
    if kind == "GraphSAINT":  # the vertices have more edges than most
        both = end_degree(head) * (end_degree(head) if app.method == "node" else degree)
        return min(head.edges, vertices * vertices * both / max(head.edges, 1))
    if kind in ("FastGCN", "LADIES"):
        return _between_layers(app, roots, head)
    return vertices if getattr(app, "record", None) else 0.0


def _between_layers(app: Any, roots: int, head: Head) -> float:
    """The expected number of edges between the layers of a sample."""
    rows, degree, links = float(roots), mean_degree(head), 0.0
    for size in app.sizes:
        edges = rows * degree
        pool: float = head.vertices  # of FastGCN; of LADIES the ends of the edges
        if type(app).__name__ == "LADIES":
            pool, degree = distinct(edges, head.vertices), end_degree(head)
        rows = size if app.replace else min(size, pool)
        links += edges * rows / max(pool, 1)
    return links
