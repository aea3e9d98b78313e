"""Graphs by URI, partitioned or not: a process opens each once."""

from __future__ import annotations

import threading
from collections.abc import Callable

from .._core.arguments import PathLike
from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph
from ..storage.copies import whole
from ..storage.head import Head, head_of
from ..storage.location import Location, located
from .graph import PartitionedGraph
from .hetero import PartitionedHeteroGraph
from .opening import open as open_parts

__all__ = ["AnyGraph", "open_graph"]

AnyGraph = Graph | HeteroGraph | PartitionedGraph | PartitionedHeteroGraph

KEPT = 4  # graphs that a process keeps open

_graphs: dict[tuple[str, str], AnyGraph] = {}  # by URI and digest, the last ones
_opening = threading.Lock()


def open_graph(uri: PathLike, digest: str | None = None) -> AnyGraph:
    """Opens the graph of a folder. Processes of a machine share its memory, since they map the same files.

    The folder of a URI in object storage is copied to the cache folder once per machine, under a lock, and is checked
    by its checksums. A copy that cannot be opened because it was damaged is made again. A process keeps the last graphs
    that it has opened.

    Args:
        uri: the folder.
        digest: of the head that is expected; None (default): any.

    Raises:
        OSError: the folder cannot be read.
        FormatError: it does not have the graph that is expected, or a file is damaged.
    """
    at = located("uri", uri)
    with _opening:
        if digest is not None and (known := _graphs.get((at.uri, digest))) is not None:
            return known
        head = head_of(at, digest)
        key = at.uri, head.digest
        if key not in _graphs:
            graph = _opened(at, head)
            if isinstance(graph, Graph):
                graph._numbers_meant = True  # runs look names up themselves
            if len(_graphs) >= KEPT:
                del _graphs[next(iter(_graphs))]
            _graphs[key] = graph
        return _graphs[key]


def _opened(at: Location, head: Head) -> AnyGraph:
    if head.parts:
        return open_parts(at.path if at.local else at.uri)
    open_folder: Callable[[str], Graph | HeteroGraph] = Graph.open if head.types is None else HeteroGraph.open
    return whole(at, head, open_folder)
