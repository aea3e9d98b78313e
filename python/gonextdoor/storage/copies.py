"""Copies from object storage in the cache folder of this machine: each is made once, and complete when it appears."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from typing import IO, TypeVar

from .._core import npy
from .._core.caches import folder, only_ours, opened_folder
from .._core.log import logger
from ..errors import FormatError
from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph
from .head import Head
from .location import Location
from .reading import copied

__all__ = ["arrays", "copy_of", "made", "opened", "place", "whole"]

T = TypeVar("T")


def whole(at: Location, head: Head, open_folder: Callable[[str], T]) -> T:
    """Opens a graph that is not partitioned, or the copy of it.

    Args:
        at: the graph.
        head: its head.
        open_folder: opens a folder of this machine.

    Raises:
        OSError, FormatError: as ``opened``.
    """
    return open_folder(at.path) if at.local else opened(lambda verify: copy_of(at, head, verify), open_folder)


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
    return made(at, target, head.name, copy, head.digest, (lambda: check(target)) if verify else None)


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
            f"{at.text} has to be copied to this machine, but there is no cache folder: set GONEXTDOOR_CACHE to the "
            "absolute path of a folder"
        )
    graphs = os.path.join(cache, "graphs")
    os.makedirs(os.path.dirname(cache), exist_ok=True)
    for each in (cache, graphs):
        with contextlib.suppress(FileExistsError):
            os.mkdir(each, 0o700)
        try:
            with opened_folder(each):
                pass
        except PermissionError as error:
            raise PermissionError(
                f"{error}, so that copies of graphs in it cannot be trusted: remove it, or set GONEXTDOOR_CACHE to a "
                "folder with mode 700"
            ) from None
    return os.path.join(graphs, head.digest)


def arrays(at: Location, head: Head, to: str) -> None:
    """Copies the arrays of a folder, and then its head.

    Raises:
        OSError: a file cannot be read or written.
    """
    for array in head.arrays:
        with contextlib.suppress(FileExistsError):
            os.mkdir(os.path.dirname(os.path.join(to, array)), 0o700)
        with _new(os.path.join(to, array)) as file:
            copied(at, array, file)
    with _new(os.path.join(to, head.name)) as file:
        file.write(head.text)


def _new(path: str) -> IO[bytes]:
    """A new file, which other users cannot write whatever the umask is."""
    return open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb")


def made(
    at: Location,
    target: str,
    last: str,
    copy: Callable[[str], None],
    digest: str | None = None,
    check: Callable[[], object] | None = None,
) -> str:
    """A folder, which is copied if it does not exist or is empty. One process copies it, and others wait.

    Args:
        at: where it is copied from, for errors.
        target: the folder.
        last: a file of it. If it exists, the copy does.
        copy: fills a temporary folder beside it, and checks what it copied.
        digest: SHA-256 of that file; None (default): the copy is compared with a record elsewhere.
        check: raises an error if the folder is damaged; None (default): only the digest is checked.

    Raises:
        OSError: a file cannot be read or written.
        PermissionError: the copy exists, and another user can have written it.
        FormatError: the copy is damaged. A new one is not kept, and the error names the file that was copied.
    """
    if check is None and _sound(target, last, digest, check):
        return target
    with _locked(f"{target}.lock"):
        if _sound(target, last, digest, check):
            return target
        if os.path.isdir(target) and os.listdir(target):
            logger.warning("the copy of %s in %s is damaged and is made again", at.text, target)
            os.rename(target, _temporary(target))  # processes that have it open keep its files
        _remove_left_over(target)
        logger.debug("copying %s to %s", at.text, target)
        temporary = _temporary(target)
        os.mkdir(temporary, 0o700)
        try:
            copy(temporary)
            os.rename(temporary, target)
        except FormatError as error:
            raise FormatError(str(error).replace(temporary, at.text.rstrip("/"))) from error
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return target


def _check_copy(target: str, last: str, digest: str | None) -> None:
    """Checks that no other user can have written a copy, and that its head has the digest. The folders of parts are
    copies that are checked when they are used.

    Raises:
        PermissionError: another user can have written the copy, or it has a link to something else than another copy.
        FormatError: the head has another digest.
    """
    for where, folders, files in os.walk(target, onerror=_raised):
        for name in ("", *folders, *files):
            path = os.path.join(where, name) if name else where
            status = os.lstat(path)
            if stat.S_ISLNK(status.st_mode):
                to = os.readlink(path)
                trusted = status.st_uid == os.geteuid() and to == os.path.join(os.pardir, os.path.basename(to))
            else:
                trusted = only_ours(status)
            if not trusted:
                raise PermissionError(
                    f"{path}: another user can have written this copy of a graph; remove {target} to copy it again"
                )
        folders[:] = [name for name in folders if not name.startswith("part-")]
    if digest is not None:
        with open(npy.opened(os.path.join(target, last)), "rb") as file:
            found = hashlib.sha256(file.read()).hexdigest()
        if found != digest:
            raise FormatError(f"{target}: {last} of this copy of a graph has the digest {found[:12]}, not its own")


def _raised(error: OSError) -> None:
    raise error


def _sound(target: str, last: str, digest: str | None, check: Callable[[], object] | None) -> bool:
    """Whether a copy exists and is undamaged.

    Raises:
        PermissionError: another user can have written it.
    """
    if not os.path.exists(os.path.join(target, last)):
        return False
    try:
        _check_copy(target, last, digest)
        if check is not None:
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
