"""Writes of files on this machine or in object storage: a file is complete when it appears."""

from __future__ import annotations

import contextlib
import errno
import os
import random
import secrets
import time
from typing import Any

from .._core import atomic
from .location import Location
from .reading import ATTEMPTS, FIRST_PAUSE, LONGEST_PAUSE, PIECE, retried

__all__ = ["created", "delete", "listed", "put", "put_file"]

WHOLE = ("s3", "gcs", "abfs")  # file systems of pyarrow in which a file appears when it is closed
NO_LINKS = (errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EMLINK)  # errors of file systems without hard links
CLAIM = ".claim"


def listed(at: Location, recursive: bool = False) -> dict[str, int]:
    """The sizes of the files in a folder by name; empty if it does not exist.

    Args:
        at: the folder.
        recursive: whether those in folders within it are listed too, by their paths from it (default False).
    """
    from pyarrow import fs

    selector = fs.FileSelector(at.path, allow_not_found=True, recursive=recursive)
    _forget(at)

    def attempt() -> Any:
        try:
            return at.filesystem.get_file_info(selector)
        except FileNotFoundError:  # another process made the folder while pyarrow found that it does not exist
            return at.filesystem.get_file_info(selector)

    try:
        found = retried(f"listing {at.text}", attempt)
    finally:
        _forget(at)
    folder = at.path.strip("/")
    return {info.path.strip("/")[len(folder) + 1 :]: info.size for info in found if info.type == fs.FileType.File}


def _forget(at: Location) -> None:
    """Makes fsspec forget the listings that it keeps: other processes write to the folder."""
    handler = getattr(at.filesystem, "handler", None)
    if handler is not None:
        handler.fs.invalidate_cache()


def put(at: Location, name: str, data: Any) -> None:
    """Writes a file, which may exist.

    Raises:
        OSError: it cannot be written.
    """
    system = at.filesystem
    _make_folder(at, at.path)
    if at.local:
        with atomic.replacing(at.file(name)) as file:
            file.write(data)
        return

    def attempt() -> None:
        to = at.file(name) if system.type_name in WHOLE else at.file(f".{name}.{secrets.token_hex(4)}.tmp")
        try:
            with system.open_output_stream(to) as file:
                file.write(data)
            if to != at.file(name):
                system.move(to, at.file(name))
        except BaseException:
            if to != at.file(name):
                with contextlib.suppress(Exception):
                    system.delete_file(to)
            raise

    retried(f"writing {at.named(name)}", attempt)


def _make_folder(at: Location, path: str) -> None:
    """Creates a folder if files need it."""
    if at.filesystem.type_name not in ("s3", "gcs"):
        retried(f"creating {at.text}", lambda: at.filesystem.create_dir(path, recursive=True))


def put_file(at: Location, name: str, path: str) -> None:
    """Writes a copy of a file of this machine. It may be incomplete while it is written, and after an error.

    Raises:
        OSError: it cannot be written.
    """
    _make_folder(at, os.path.dirname(at.file(name)))

    def attempt() -> None:
        with open(path, "rb") as file, at.filesystem.open_output_stream(at.file(name)) as to:
            while data := file.read(PIECE):
                to.write(data)

    retried(f"writing {at.named(name)}", attempt)


def delete(at: Location, name: str) -> None:
    """Deletes a file.

    Raises:
        FileNotFoundError: there is none.
        OSError: it cannot be deleted.
    """
    retried(f"deleting {at.named(name)}", lambda: at.filesystem.delete_file(at.file(name)))


def created(at: Location, name: str, data: bytes) -> bool:
    """Creates a small file. Of several processes that create it at once, one returns True.

    On this machine the file is made by a hard link. pyarrow has no conditional writes to object storage, so there, and
    on file systems without hard links, a process claims the name first: see ``_claimed``.

    Returns:
        False if the file exists. It is unchanged then.

    Raises:
        OSError: it cannot be written.
        FileExistsError: a process that claimed the name neither created the file nor gave it up.
    """
    if at.local:
        retried(f"creating {at.text}", lambda: at.filesystem.create_dir(at.path, recursive=True))
        try:
            return atomic.created(at.file(name), data)
        except OSError as error:
            if error.errno not in NO_LINKS:
                raise
    return _claimed(at, name, data)


def _claimed(at: Location, name: str, data: bytes) -> bool:
    """Creates a file if no other process has claimed its name.

    A process first writes a file that is its claim, and then lists those of others. It creates the file only if there
    are none, and removes its claim afterwards. Of two processes at least one sees the claim of the other, or the file,
    provided that a listing has every file that was complete when it began. S3, GCS, Azure and HDFS promise that. Of the
    claims that meet, the first in the order of names stays; the others are withdrawn and try again later.
    """
    claim = f"{name}{CLAIM}.{secrets.token_hex(8)}"
    others: set[str] = set()
    for attempt in range(ATTEMPTS):
        put(at, claim, b"")
        try:
            for look in range(ATTEMPTS):
                others = {other for other in listed(at) if other.startswith(f"{name}{CLAIM}.")} - {claim}
                if _exists(at, name):  # after the listing: a process creates the file before it removes its claim
                    return False
                if not others:
                    put(at, name, data)
                    return True
                if claim > min(others):
                    break
                _pause(look)
        finally:
            delete(at, claim)
        _pause(attempt)
    raise FileExistsError(
        f"{at.named(name)}: another call claimed this name first, by {', '.join(sorted(others))}; if no other call "
        "writes to the folder, delete these files"
    )


def _exists(at: Location, name: str) -> bool:
    """Whether a file exists."""
    return retried(f"reading {at.named(name)}", lambda: bool(at.filesystem.get_file_info(at.file(name)).is_file))


def _pause(attempt: int) -> None:
    """Waits for a random time, which is longer after each attempt."""
    time.sleep(random.uniform(0.2, 1) * min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE))
