"""Reads of files in object storage, which are repeated a few times if they fail."""

from __future__ import annotations

import concurrent.futures
import time
from collections.abc import Callable
from typing import IO, Any, TypeVar

from .location import Location

__all__ = ["ATTEMPTS", "NO_BUCKET", "content", "copied", "retried"]

T = TypeVar("T")

ATTEMPTS = 8  # of each read
FIRST_PAUSE = 0.1  # seconds before the second attempt; doubled after each
LONGEST_PAUSE = 3.0
PIECE = 16 << 20  # bytes that one read asks for
CONNECTIONS = 8  # reads at once

FINAL = FileNotFoundError, PermissionError, NotADirectoryError, IsADirectoryError  # errors that do not pass
NO_BUCKET = "NO_SUCH_BUCKET"
REFUSALS = {"ACCESS_DENIED": PermissionError, NO_BUCKET: FileNotFoundError}  # as pyarrow names those of S3


def retried(what: str, attempt: Callable[[], T], failed: int = 0) -> T:
    """Returns attempt(), which is called up to ATTEMPTS times if it raises an OSError.

    Args:
        what: is done, for the error: "reading s3://bucket/graph/indices.npy".
        attempt: the call.
        failed: the number of attempts that have failed.

    Raises:
        OSError: all attempts failed, or one failed for a reason that does not pass, such as a missing file.
    """
    try:
        return attempt()
    except FINAL:
        raise
    except OSError as error:
        for name, kind in REFUSALS.items():
            if name in str(error):
                raise kind(f"{what}: {error}") from error
        failed += 1
        if failed >= ATTEMPTS:
            raise OSError(f"{what} failed {failed} times; the last error: {error}") from error
    time.sleep(min(FIRST_PAUSE * 2 ** (failed - 1), LONGEST_PAUSE))
    return retried(what, attempt, failed)


def content(at: Location, name: str, most: int) -> bytes:
    """The content of a small file.

    Raises:
        FileNotFoundError: it is not there.
        OSError: it cannot be read, or has more than ``most`` bytes.
    """
    where = at.named(name)

    def read() -> bytes:
        with at.filesystem.open_input_file(at.file(name)) as file:
            return bytes(file.read(most + 1))

    try:
        found = retried(f"reading {where}", read)
    except FileNotFoundError:
        raise FileNotFoundError(f"{where}: there is no such file") from None
    if len(found) > most:
        raise OSError(f"{where}: longer than {most} bytes")
    return found


def copied(at: Location, name: str, to: IO[bytes]) -> None:
    """Writes a file's content to an empty file of this machine, by ranges that are read at once.

    Raises:
        FileNotFoundError: it is not there.
        OSError: a range could not be read, or the disk is full.
    """
    where = at.named(name)
    info = retried(f"reading {where}", lambda: at.filesystem.get_file_info(at.file(name)))
    if info.size is None:
        raise FileNotFoundError(f"{where}: there is no such file")

    def read(first: int) -> tuple[int, bytes]:
        count = min(PIECE, info.size - first)

        def attempt() -> bytes:
            with at.filesystem.open_input_file(at.file(name)) as file:
                part = bytes(file.read_at(count, first))
            if len(part) != count:
                raise OSError(f"{len(part)} bytes at {first}, expected {count}")
            return part

        return first, retried(f"reading {where}", attempt)

    with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
        pending: list[Any] = []
        firsts = iter(range(0, info.size, PIECE))
        try:
            for first in firsts:
                pending.append(pool.submit(read, first))
                if len(pending) == 2 * CONNECTIONS:  # bounds the memory of parts
                    _write(to, pending.pop(0).result())
            for part in pending:
                _write(to, part.result())
        finally:
            for part in pending:
                part.cancel()


def _write(to: IO[bytes], part: tuple[int, bytes]) -> None:
    first, data = part
    to.seek(first)
    to.write(data)
