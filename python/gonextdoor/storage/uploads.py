"""Folders of graphs and streams that are put in object storage. The head is put last: if it is there, all is there."""

from __future__ import annotations

import concurrent.futures
import contextlib
import os
import tempfile
from collections.abc import Iterator, Sequence

from .._core.arguments import output_text
from .._core.log import logger
from ..graph.heterofolder import RECORD
from .head import HEAD, PARTITION
from .location import Location, located
from .reading import CONNECTIONS
from .writing import created, delete, listed, put, put_file

__all__ = ["check_new", "uploading"]

HEADS = (HEAD, PARTITION, RECORD)
SAVING = ".gonextdoor.saving"  # the file of the call that writes to a folder


@contextlib.contextmanager
def uploading(name: str, uri: str, head: str | None = None) -> Iterator[str]:
    """Yields the path of a folder to write. When the block ends without an error, its files are put in the folder of a
    URI: the arrays, then the heads of graphs in folders within it, and its own head last.

    After an error, the files that were put are deleted. If that fails as well, they have no head, so that nothing takes
    them for a graph.

    Args:
        name: of the argument that is the URI, for errors.
        uri: of the folder.
        head: the file that is put last; None (default): that of a graph.

    Raises:
        FileExistsError: the folder has files, or another call writes to it.
        OSError: a file cannot be written.
        ValueError: nothing here opens such a URI.
        ImportError: what opens it is missing.
    """
    at = located(name, uri)
    if at.local:
        yield output_text(at.path)
        return
    # The names of the arrays are fixed, so that two calls at once would mix their files.
    if not created(at, SAVING, b""):
        raise FileExistsError(
            f"{name} = {at.text!r}: another call is saving to this folder, or was killed there; if none runs, "
            "delete the folder and save again"
        )
    try:
        check_new(name, at)
        with tempfile.TemporaryDirectory(prefix="gonextdoor-") as temporary:
            folder = os.path.join(temporary, "graph")
            yield folder
            _put_all(at, folder, head)
    finally:
        _withdraw(at, [SAVING])


def check_new(name: str, at: Location) -> None:
    """Checks that a folder of object storage has no files.

    Args:
        name: of the argument that is its URI, for errors.
        at: the folder.

    Raises:
        FileExistsError: it has files.
        OSError: it cannot be listed.
    """
    there = [file for file in sorted(listed(at, recursive=True)) if not file.startswith(SAVING)]
    if there:
        raise FileExistsError(
            f"{name} = {at.text!r}: the folder has {len(there)} files, such as {there[0]}, and object storage replaces "
            "no folder in one step; delete it first, or pass another folder"
        )


def _put_all(at: Location, folder: str, head: str | None) -> None:
    """Puts the files of a folder, the head last; None: the head of a graph. Deletes them after an error.

    Raises:
        OSError: a file cannot be written, or is of another size afterwards.
    """
    sizes = {
        os.path.relpath(path, folder): os.path.getsize(path)
        for where, _, files in os.walk(folder)
        for path in (os.path.join(where, file) for file in files)
    }
    arrays = [name for name in sizes if os.path.basename(name) not in HEADS and name != head]
    inner = [name for name in sizes if os.path.basename(name) in HEADS and os.path.dirname(name)]
    if head is None:
        (head,) = (name for name in sizes if name in HEADS)
    try:
        for names in (arrays, inner):
            _put_files(at, folder, names)
        there = listed(at, recursive=True)
        for name in (*arrays, *inner):
            if there.get(name) != sizes[name]:
                raise OSError(f"{at.named(name)} has {there.get(name)} bytes after {sizes[name]} were written")
        with open(os.path.join(folder, head), "rb") as file:
            put(at, head, file.read())
    except BaseException:
        _withdraw(at, [head, *inner, *arrays])
        raise


def _put_files(at: Location, folder: str, names: Sequence[str]) -> None:
    """Puts files, several at once."""
    pool = concurrent.futures.ThreadPoolExecutor(CONNECTIONS)
    try:
        for _ in pool.map(lambda name: put_file(at, name, os.path.join(folder, name)), names):
            pass
    finally:
        pool.shutdown(cancel_futures=True)


def _withdraw(at: Location, names: Sequence[str]) -> None:
    """Deletes files in order, until that fails."""
    try:
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                delete(at, name)
    except OSError as error:
        logger.warning("%s: a file could not be deleted: %s", at.text, error)
