"""Copies from object storage in the cache folder of this machine: each is made once, and complete when it appears."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
from collections.abc import Callable, Iterator

from .._core.caches import folder
from .._core.log import logger
from ..errors import FormatError
from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph
from .head import Head
from .location import Location
from .reading import copied

__all__ = ["arrays", "copy_of", "made", "place"]


def copy_of(at: Location, head: Head) -> str:
    """The folder of the copy of a graph, which is made if it does not exist. Several processes make one copy.

    A copy is complete and was checked against the checksums of its head before it appears under its name, which is the
    digest of the head.

    Raises:
        OSError: a file cannot be read or written.
        FormatError: a file does not match its checksum.
    """

    def copy(to: str) -> None:
        arrays(at, head, to)
        graphs = [Graph.open(to)] if head.types is None else HeteroGraph.open(to).relations.values()
        for graph in graphs:
            graph._held.check()

    return made(at, place(at, head), head.name, copy)


def place(at: Location, head: Head) -> str:
    """The folder of the copy of a graph, whether it exists or not.

    Raises:
        OSError: there is no cache folder, or it cannot be written.
    """
    cache = folder()
    if cache is None:
        raise OSError(
            f"{at.uri} has to be copied to this machine, but there is no cache folder: set GONEXTDOOR_CACHE to the "
            "absolute path of a folder"
        )
    graphs = os.path.join(cache, "graphs")
    os.makedirs(graphs, 0o700, exist_ok=True)
    return os.path.join(graphs, head.digest)


def arrays(at: Location, head: Head, to: str) -> None:
    """Copies the arrays of a folder, and then its head.

    Raises:
        OSError: a file cannot be read or written.
    """
    for array in head.arrays:
        os.makedirs(os.path.dirname(os.path.join(to, array)), exist_ok=True)
        with open(os.path.join(to, array), "wb") as file:
            copied(at, array, file)
    with open(os.path.join(to, head.name), "wb") as file:
        file.write(head.text)


def made(at: Location, target: str, last: str, copy: Callable[[str], None]) -> str:
    """A folder, which is copied if it does not exist or is empty. One process copies it, and others wait.

    Args:
        at: where it is copied from, for errors.
        target: the folder.
        last: a file of it. If it exists, the copy does.
        copy: fills a temporary folder beside it, and checks what it copied.

    Raises:
        OSError: a file cannot be read or written.
        FormatError: the copy is damaged. It is not kept, and the error names the file that was copied.
    """
    done = os.path.join(target, last)
    if os.path.exists(done):
        return target
    with _locked(f"{target}.lock"):
        if os.path.exists(done):
            return target
        logger.debug("copying %s to %s", at.uri, target)
        temporary = f"{target}.{secrets.token_hex(4)}.tmp"
        os.mkdir(temporary, 0o700)
        try:
            copy(temporary)
            os.rename(temporary, target)
        except FormatError as error:
            raise FormatError(str(error).replace(temporary, at.uri.rstrip("/"))) from error
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return target


@contextlib.contextmanager
def _locked(path: str) -> Iterator[None]:
    """Holds the lock of a file, which the kernel releases if the process dies."""
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
