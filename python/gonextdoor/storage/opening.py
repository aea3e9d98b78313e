"""open_uri: Graph.open and HeteroGraph.open of a URI. fetching: the files of a stream."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from typing import TypeVar

from ..errors import FormatError
from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph
from .copies import whole
from .head import check_bucket, head_of
from .location import Location, located
from .reading import content, copied

__all__ = ["fetching", "open_uri"]

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


@contextlib.contextmanager
def fetching(uri: str, head: str, files: Sequence[str], graph: str) -> Iterator[tuple[str, str]]:
    """Yields a folder with copies of files in the folder of a URI, and the URI of a graph within that one. The copies
    are removed afterwards. A folder on this machine is used itself.

    A folder with files is never replaced, and its head is put last. So what is read in the block is of one save if the
    head is the same afterwards.

    Args:
        uri: of the folder.
        head: the file that was put last.
        files: the others.
        graph: the folder of the graph.

    Raises:
        FileNotFoundError: there is no such file.
        OSError: a file cannot be read or copied.
        FormatError: the folder was replaced meanwhile.
        ValueError: nothing here opens such a URI.
        ImportError: what opens it is missing.
    """
    at = located("folder", uri)
    if at.local:
        yield at.path, os.path.join(at.path, graph)
        return
    with tempfile.TemporaryDirectory(prefix="gonextdoor-") as folder:
        try:
            _copy(at, (head, *files), folder)
            yield folder, (at / graph).uri
        except FileNotFoundError:
            check_bucket(at)
            raise
        except ValueError as error:
            if folder not in str(error):
                raise
            raise type(error)(str(error).replace(folder, at.text.rstrip("/"))) from error
        with open(os.path.join(folder, head), "rb") as file:
            if content(at, head, os.path.getsize(file.name)) != file.read():
                raise FormatError(f"folder = {at.text!r}: another call replaced it while it was read; open it again")


def _copy(at: Location, files: Sequence[str], folder: str) -> None:
    """Copies files to a folder of this machine."""
    for name in files:
        with open(os.path.join(folder, name), "wb") as file:
            copied(at, name, file)
