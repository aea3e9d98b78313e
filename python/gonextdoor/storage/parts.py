"""Copies of partitioned graphs in object storage: a process copies what all parts share, and the parts it uses."""

from __future__ import annotations

import os
from collections.abc import Sequence

from .._core import native, running
from .._core.arguments import path_text
from ..errors import FormatError
from ..graph.heterofolder import RECORD, relation_folder
from . import copies
from .head import HEAD, HOT, PARTITION, Head, head_in, head_of, head_of_relation
from .location import Location, is_uri, located
from .reading import retried

__all__ = ["folder_of"]

SHARED = -1  # in the place of a part: what all parts share


def folder_of(path: str, part: int | None = None) -> str:
    """A folder of this machine that has a partitioned graph.

    It is the path, unless that is a URI in object storage. Then it is a copy in the cache folder. The copy has the
    record, the arrays beside it, the hot rows, and only the parts that were asked for. Each of these is copied once per
    machine, under a lock, and is checked by its hashes before it appears. The folders of the other parts are empty.
    In the copy of a heterogeneous graph, the folders of relations are links to the copies of their partitioned graphs.

    Args:
        path: a path or a URI.
        part: a part that the folder has to have; None (default): none.

    Raises:
        FileNotFoundError: there is no partitioned graph.
        OSError: a file cannot be read or written.
        FormatError: a file is damaged, or a part is missing or of another run.
    """
    path = path_text(path)
    if not is_uri(path):
        return path
    at = located("path", path)
    if at.local:
        return at.path
    head = head_of(at)
    if not head.parts:
        kind = "Graph" if head.types is None else "HeteroGraph"
        raise FormatError(f"{at.uri}: the graph is not partitioned; open it with gonextdoor.{kind}.open")
    if head.types is None:
        return _copy(at, head, part)
    names = [relation_folder(number) for number in range(head.relations)]
    copied = [_copy(at / name, head_of_relation(at, name, PARTITION), part) for name in names]
    return copies.made(at, copies.place(at, head), RECORD, lambda to: _link(at, head, names, copied, to), head.digest)


def _copy(at: Location, head: Head, part: int | None) -> str:
    """Makes the copy of a partitioned graph of one type, and returns its folder."""
    folder = copies.made(at, copies.place(at, head), PARTITION, lambda to: _copy_shared(at, head, to), head.digest)
    if part is not None and 0 <= part < head.parts:
        name = _name(part)
        copies.made(at / name, os.path.join(folder, name), HEAD, lambda to: _copy_part(at, folder, part, to))
    return folder


def _missing(at: Location, name: str) -> FormatError:
    return FormatError(
        f"{at.uri}: the folder {name} is missing or incomplete: copy all folders of the partitioned graph"
    )


def _name(part: int) -> str:
    """The name of the folder of a part, as in the core."""
    return f"part-{part:05d}"


def _copy_shared(at: Location, head: Head, to: str) -> None:
    """Copies what the parts share, and makes an empty folder for each part."""
    # 1. All parts must be there, so that a run does not end where the first walk arrives at a missing one.
    names = [_name(part) for part in range(head.parts)]
    files = [(at / name).file(HEAD) for name in names]
    found = retried(f"listing {at.uri}", lambda: at.filesystem.get_file_info(files))
    for name, info in zip(names, found, strict=True):
        if not info.is_file:
            raise _missing(at, name)
        os.mkdir(os.path.join(to, name), 0o700)
    # 2. The hot rows, the arrays and the record.
    if f"{HOT}.npy" in head.arrays:
        hot = os.path.join(to, HOT)
        os.mkdir(hot, 0o700)
        copies.arrays(at / HOT, head_in(at / HOT, HEAD), hot)
    copies.arrays(at, head, to)
    running.call("PartitionCheck", to, SHARED, "", seconds=0, progress=False)


def _link(at: Location, head: Head, names: Sequence[str], copied: Sequence[str], to: str) -> None:
    """Makes the folder of a heterogeneous graph from the copies of its relations."""
    for name, folder in zip(names, copied, strict=True):
        os.symlink(os.path.join(os.pardir, os.path.basename(folder)), os.path.join(to, name))
    copies.arrays(at, head, to)
    native.call("HeteroRecord", to)


def _copy_part(at: Location, folder: str, part: int, to: str) -> None:
    """Copies the rows of a part to a folder beside those of the others."""
    rows = at / _name(part)
    try:
        head = head_in(rows, HEAD)
    except FileNotFoundError as error:
        raise _missing(at, _name(part)) from error
    copies.arrays(rows, head, to)
    running.call("PartitionCheck", folder, part, os.path.basename(to), seconds=0, progress=False)
