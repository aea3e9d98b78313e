"""A warning about walks that end early because edges were read in one direction only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import apps
from ..errors import warn
from ..samples.host import HostResult

if TYPE_CHECKING:
    from ..graph.graph import Graph

__all__ = ["warn_of_sinks"]

WALKS = (apps.DeepWalk, apps.Node2Vec, apps.Walk)  # walks of one length that end early at sinks alone
LEAST_ROWS = 8  # fewer samples say little about a graph
LEAST_STEPS = 5
LOOKED_AT = 256  # samples, and edges
FEW = 0.1  # of edges have an opposite


def warn_of_sinks(graph: Graph, app: Any, result: object) -> None:
    """Issues an InputWarning, once per graph, if most walks ended early and few edges have an opposite.

    The walks of a graph are looked at in the first calls only, up to four or until one has 256 samples: up to 256
    samples, and once up to 256 edges. Samples on a GPU are not looked at, since that would wait for them.
    """
    if not graph._sink_checks or not isinstance(app, WALKS) or not isinstance(result, HostResult):
        return
    if result.ragged or result.rows < LEAST_ROWS or result.width <= LEAST_STEPS:
        return
    graph._sink_checks = 0 if result.rows >= LOOKED_AT else graph._sink_checks - 1
    last = result.values[:: -(-result.rows // LOOKED_AT), -1]
    ended = int(np.count_nonzero(last == -1))
    if 2 * ended <= len(last):
        return
    graph._sink_checks = 0
    share = opposites(graph)
    if share < FEW:
        warn(
            f"{ended / len(last):.0%} of the walks ended early at a vertex without out-edges, and {share:.0%} of the "
            "edges have an opposite: if edges have no direction, make the graph with symmetric=True (command line: "
            "--symmetric)"
        )


def opposites(graph: Graph) -> float:
    """The share of edges whose opposite is in the graph, self-loops aside; 1 if there are no others.

    It is estimated from up to 256 edges.
    """
    indptr, indices = graph.indptr, graph.indices
    places = np.arange(0, graph.num_edges, -(-graph.num_edges // LOOKED_AT) or 1)
    sources = np.searchsorted(indptr, places, side="right") - 1
    found = total = 0
    for u, v in zip(sources.tolist(), indices[places].tolist(), strict=True):
        if u != v:
            total += 1
            row = indices[indptr[v] : indptr[v + 1]]
            at = int(np.searchsorted(row, u))
            found += at < len(row) and int(row[at]) == u
    return found / total if total else 1.0
