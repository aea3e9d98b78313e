"""Copies of partitioned graphs in object storage: a process copies what all parts share, and the parts it uses."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TypeVar

from .._core import native, running
from .._core.arguments import is_uri, path_text
from ..errors import FormatError
from ..graph.heterofolder import RECORD, relation_folder
from . import copies
from .head import HEAD, HOT, PARTITION, Head, head_in, head_of, head_of_relation
from .location import Location, located
from .reading import retried

__all__ = ["opened"]

T = TypeVar("T")

SHARED = -1  # in the place of a part: what all parts share


def opened(path: str, part: int | None, open_folder: Callable[[str], T]) -> T:
    """Opens a folder of this machine that has a partitioned graph.

    It is the path, unless that is a URI in object storage. Then it is a copy in the cache folder. The copy has the
    record, the arrays beside it, the hot rows, and only the parts that were asked for. Each of these is copied once per
    machine, under a lock, and is checked by its hashes before it appears. The folders of the other parts are empty.
    In the copy of a heterogeneous graph, the folders of relations are links to the copies of their partitioned graphs.
    Pieces of a copy that turn out to be damaged are made again.

    Args:
        path: a path or a URI.
        part: a part that the folder has to have; None: none.
        open_folder: opens the folder.

    Raises:
        FileNotFoundError: there is no partitioned graph.
        OSError: a file cannot be read or written.
        FormatError: a file is damaged, or a part is missing or of another run.
    """
    path = path_text(path)
    if not is_uri(path):
        return open_folder(path)
    at = located("path", path)
    if at.local:
        return open_folder(at.path)
    return copies.opened(lambda verify: _folder_of(at, part, verify), open_folder)


def _folder_of(at: Location, part: int | None, verify: bool) -> str:
    """The copy of a partitioned graph, whose pieces are checked again if ``verify`` is True."""
    head = head_of(at)
    if not head.parts:
        kind = "Graph" if head.types is None else "HeteroGraph"
        raise FormatError(f"{at.text}: the graph is not partitioned; open it with gonextdoor.{kind}.open")
    if head.types is None:
        return _copy(at, head, part, verify)
    names = [relation_folder(number) for number in range(len(head.relations or ()))]
    copied = [_copy(at / name, head_of_relation(at, name, PARTITION), part, verify) for name in names]
    target = copies.place(at, head)
    check = (lambda: native.call("HeteroRecord", target)) if verify else None
    return copies.made(at, target, RECORD, lambda to: _link(at, head, names, copied, to), head.digest, check)


def _copy(at: Location, head: Head, part: int | None, verify: bool) -> str:
    """Makes the copy of a partitioned graph of one type, and returns its folder."""
    target = copies.place(at, head)
    check = (lambda: _check(target, SHARED)) if verify else None
    folder = copies.made(at, target, PARTITION, lambda to: _copy_shared(at, head, to), head.digest, check)
    if part is not None and 0 <= part < head.parts:
        name = _name(part)
        check = (lambda: _check(folder, part, name)) if verify else None
        copies.made(
            at / name, os.path.join(folder, name), HEAD, lambda to: _copy_part(at, folder, part, to), check=check
        )
    return folder


def _check(folder: str, part: int, rows: str = "") -> None:
    """Raises a FormatError if what the parts share, or the rows of a part, do not match their hashes."""
    running.call("PartitionCheck", folder, part, rows, seconds=0, progress=False)


def _missing(at: Location, name: str) -> FormatError:
    return FormatError(
        f"{at.text}: the folder {name} is missing or incomplete: copy all folders of the partitioned graph"
    )


def _name(part: int) -> str:
    """The name of the folder of a part, as in the core."""
    return f"part-{part:05d}"


def _copy_shared(at: Location, head: Head, to: str) -> None:
    """Copies what the parts share, and makes an empty folder for each part."""
    # 1. All parts must be there, so that a run does not end where the first walk arrives at a missing one.
    names = [_name(part) for part in range(head.parts)]
    files = [(at / name).file(HEAD) for name in names]
    found = retried(f"listing {at.text}", lambda: at.filesystem.get_file_info(files))
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
    _check(to, SHARED)


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
    os.makedirs(os.path.join(folder, _name(part)), 0o700, exist_ok=True)  # its folder was set aside, or deleted
    _check(folder, part, os.path.basename(to))
