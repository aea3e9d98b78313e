"""open_uri: Graph.open and HeteroGraph.open of a URI."""

from __future__ import annotations

import os
from typing import TypeVar

from ..errors import FormatError
from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph
from .copies import whole
from .head import head_of
from .location import located

__all__ = ["open_uri"]

G = TypeVar("G", Graph, HeteroGraph)


def open_uri(kind: type[G], uri: str) -> G:
    """Opens the graph in the folder of a URI: that folder if it is on this machine, or else a copy in the cache folder.

    Args:
        kind: ``Graph`` or ``HeteroGraph``.
        uri: of the folder.

    Raises:
        FileNotFoundError: there is no graph.
        OSError: a file cannot be read or copied.
        FormatError: the graph is of another kind, or a file is damaged.
        ValueError: nothing here opens such a URI.
        ImportError: what opens it is missing.
    """
    at = located("folder", uri)
    if at.local:
        return kind.open(at.path)
    head = head_of(at)
    if head.parts:
        raise FormatError(f"folder = {at.text!r} has a partitioned graph: open it with gonextdoor.partition.open")
    if (head.types is None) != issubclass(kind, Graph):
        found, name = ("graph of one type", "Graph") if head.types is None else ("heterogeneous graph", "HeteroGraph")
        raise FormatError(f"folder = {at.text!r} has a {found}: open it with gonextdoor.{name}.open")
    graph = whole(at, head, kind.open)
    if isinstance(graph, Graph) and graph.source is not None:  # it names the copy
        graph._source = graph.source.replace(head.digest, os.path.basename(at.path.rstrip("/")), 1)
    return graph
