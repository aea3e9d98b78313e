"""Copies of graphs from object storage in the cache folder of this machine, one per graph."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator

from .._core.caches import folder
from .._core.log import logger
from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph
from .head import Head
from .location import Location
from .reading import copied

__all__ = ["copy_of"]


def copy_of(at: Location, head: Head) -> str:
    """The folder of the copy of a graph, which is made if it does not exist. Several processes make one copy.

    A copy is complete and was checked against the checksums of its head before it appears under its name, which is the
    digest of the head.

    Raises:
        OSError: a file cannot be read or written.
        FormatError: a file does not match its checksum.
    """
    cache = folder()
    if cache is None:
        raise OSError(
            f"{at.uri} has to be copied to this machine, but there is no cache folder: set GONEXTDOOR_CACHE to the "
            "absolute path of a folder"
        )
    graphs = os.path.join(cache, "graphs")
    os.makedirs(graphs, 0o700, exist_ok=True)
    target = os.path.join(graphs, head.digest)
    if os.path.exists(os.path.join(target, head.name)):
        return target
    with _locked(f"{target}.lock"):
        if not os.path.exists(os.path.join(target, head.name)):
            logger.debug("copying %s to %s", at.uri, target)
            _copy(at, head, target)
    return target


def _copy(at: Location, head: Head, target: str) -> None:
    temporary = f"{target}.{secrets.token_hex(4)}.tmp"
    os.mkdir(temporary, 0o700)
    try:
        for name in head.arrays:
            os.makedirs(os.path.dirname(os.path.join(temporary, name)), exist_ok=True)
            with open(os.path.join(temporary, name), "wb") as file:
                copied(at, name, file)
        with open(os.path.join(temporary, head.name), "wb") as file:
            file.write(head.text)
        graphs = [Graph.open(temporary)] if head.types is None else HeteroGraph.open(temporary).relations.values()
        for graph in graphs:
            graph._held.check()
        os.rename(temporary, target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


@contextlib.contextmanager
def _locked(path: str) -> Iterator[None]:
    """Holds the lock of a file, which the kernel releases if the process dies."""
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
