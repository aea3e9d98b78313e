"""Copies from object storage in the cache folder of this machine: each is made once, and complete when it appears."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from typing import TypeVar

from .._core.caches import folder
from .._core.log import logger
from ..errors import FormatError
from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph
from .head import Head
from .location import Location
from .reading import copied

__all__ = ["arrays", "copy_of", "made", "opened", "place"]

T = TypeVar("T")


def copy_of(at: Location, head: Head, verify: bool = False) -> str:
    """The folder of the copy of a graph, which is made if it does not exist. Several processes make one copy.

    A copy is complete and was checked against the checksums of its head before it appears under its name, which is the
    digest of the head.

    Args:
        at: the graph.
        head: its head.
        verify: whether a copy that exists is checked again, and made again if it is damaged (default False).

    Raises:
        OSError: a file cannot be read or written.
        FormatError: a file does not match its checksum.
    """

    def check(folder: str) -> None:
        graphs = [Graph.open(folder)] if head.types is None else HeteroGraph.open(folder).relations.values()
        for graph in graphs:
            graph._held.check()

    def copy(to: str) -> None:
        arrays(at, head, to)
        check(to)

    target = place(at, head)
    return made(at, target, head.name, copy, (lambda: check(target)) if verify else None)


def opened(copy: Callable[[bool], str], open_copy: Callable[[str], T]) -> T:
    """Opens a copy. If that fails because a file of it is missing or damaged, the copy is made again.

    Args:
        copy: returns the folder of the copy. Its argument tells whether a copy that exists is checked.
        open_copy: opens the folder.

    Raises:
        OSError: a file cannot be read or written.
        FormatError: a file is damaged in object storage too.
    """
    folder = copy(False)
    try:
        return open_copy(folder)
    except (FileNotFoundError, FormatError):
        return open_copy(copy(True))


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


def made(
    at: Location,
    target: str,
    last: str,
    copy: Callable[[str], None],
    check: Callable[[], object] | None = None,
) -> str:
    """A folder, which is copied if it does not exist or is empty. One process copies it, and others wait.

    Args:
        at: where it is copied from, for errors.
        target: the folder.
        last: a file of it. If it exists, the copy does.
        copy: fills a temporary folder beside it, and checks what it copied.
        check: raises an error if the folder is damaged, which is then copied once more; None (default): not checked.

    Raises:
        OSError: a file cannot be read or written.
        FormatError: the copy is damaged. It is not kept, and the error names the file that was copied.
    """
    done = os.path.join(target, last)
    if os.path.exists(done) and check is None:
        return target
    with _locked(f"{target}.lock"):
        if os.path.exists(done) and (check is None or _sound(check)):
            return target
        if os.path.isdir(target) and os.listdir(target):
            logger.warning("the copy of %s in %s is damaged and is made again", at.uri, target)
            os.rename(target, _temporary(target))  # processes that have it open keep its files
        _remove_left_over(target)
        logger.debug("copying %s to %s", at.uri, target)
        temporary = _temporary(target)
        os.mkdir(temporary, 0o700)
        try:
            copy(temporary)
            os.rename(temporary, target)
        except FormatError as error:
            raise FormatError(str(error).replace(temporary, at.uri.rstrip("/"))) from error
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return target


def _sound(check: Callable[[], object]) -> bool:
    """Whether a copy has all its files, undamaged."""
    try:
        check()
    except (FileNotFoundError, FormatError):
        return False
    return True


def _temporary(target: str) -> str:
    """A new name beside a folder, which a process uses while it holds the folder's lock."""
    return f"{target}.{secrets.token_hex(4)}.tmp"


def _remove_left_over(target: str) -> None:
    """Removes copies that are not complete, of processes that were killed, and those that were set aside.

    The caller has the lock of ``target``. Copies of other folders are removed if no process has their lock.
    """
    parent = os.path.dirname(target)
    for name in os.listdir(parent):
        if not name.endswith(".tmp"):
            continue
        path = os.path.join(parent, name)
        of = path.removesuffix(".tmp").rpartition(".")[0]
        if of == target:
            shutil.rmtree(path, ignore_errors=True)
        else:
            with contextlib.suppress(BlockingIOError), _locked(f"{of}.lock", fcntl.LOCK_NB):
                shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def _locked(path: str, wait: int = 0) -> Iterator[None]:
    """Holds the lock of a file, which the kernel releases if the process dies.

    Args:
        path: the file, which is created.
        wait: 0 (default): until it is free. ``fcntl.LOCK_NB``: raise a BlockingIOError if another process has it.
    """
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX | wait)
        yield
