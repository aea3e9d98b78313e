"""A warning about walks that end early because edges were read in one direction only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import apps
from ..errors import warn
from ..graph.direction import opposites
from ..samples.host import HostResult

if TYPE_CHECKING:
    from ..graph.graph import Graph

__all__ = ["warn_of_sinks"]

WALKS = (apps.DeepWalk, apps.Node2Vec, apps.Walk)  # walks of one length that end early at sinks alone
LEAST_ROWS = 8  # fewer samples say little about a graph
LEAST_STEPS = 5
LOOKED_AT = 256  # samples
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
