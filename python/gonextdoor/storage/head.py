"""Head: the description of a graph's folder, which identifies its contents."""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any, NamedTuple

from .._core import native
from ..errors import FormatError
from ..graph.heterofolder import RECORD, relation_folder, times_file
from .location import Location
from .reading import NO_BUCKET, content, retried

__all__ = ["HEAD", "HOT", "PARTITION", "Head", "check_bucket", "head_in", "head_of", "head_of_relation"]

HEAD, PARTITION = "graph.json", "partition.json"
HOT = "hot"  # the folder of the hot rows of a partitioned graph, and the array of their vertices
LARGEST = {HEAD: 1 << 16, PARTITION: 1 << 26, RECORD: 1 << 24}  # bytes of the files, as in the core


class Head(NamedTuple):
    """The description of a graph's folder.

    Attributes:
        digest: SHA-256 of the file, 64 hexadecimal digits. It identifies the graph, since the file has the checksums of
            all arrays.
        text: the file.
        vertices, edges: the size of the graph, of all types together.
        arrays: the names of the other files, those in folders with the folder; of a partitioned graph only those beside
            the head.
        parts: the number of parts; 0: the graph is not partitioned.
        name: of the file.
        types: the number of vertices of each type; None: the graph has one type.
        relations: the relations of a heterogeneous graph, in order; None: the graph has one type.
        max_degree: the largest number of edges of a vertex; 0: the file does not have it.
        edge_ids: whether the edges have ids; True for a heterogeneous graph, whose relations say it.
    """

    digest: str
    text: bytes
    vertices: int
    edges: int
    arrays: tuple[str, ...]
    parts: int = 0
    name: str = HEAD
    types: dict[str, int] | None = None
    relations: list[tuple[str, str, str]] | None = None
    max_degree: int = 0
    edge_ids: bool = True


def head_of(at: Location, digest: str | None = None) -> Head:
    """The head of the graph in a folder.

    Args:
        at: the folder.
        digest: of the head that is expected; None (default): any.

    Raises:
        FileNotFoundError: there is no graph.
        OSError: it cannot be read.
        FormatError: the file is not the head of a graph, or not the one that is expected.
    """
    head = _found(at)
    if digest is not None and head.digest != digest:
        raise FormatError(
            f"{at.text}: the graph of this machine ({os.uname().nodename}) is another one than that of the run: "
            f"its head has the digest {head.digest[:12]}, expected {digest[:12]}; copy the same folder to all "
            "machines, or use shared or object storage"
        )
    return head


def _found(at: Location) -> Head:
    """The head of the graph in a folder, partitioned or not."""
    if at.local and os.path.isfile(at.path):
        raise FormatError(
            f"{at.text} is a file; expected the folder of a graph, which gonextdoor convert "
            f"{os.path.basename(at.path)} FOLDER writes"
        )
    for name in (HEAD, PARTITION, RECORD):
        found = _read_if_there(at, name)
        if found is not None:
            return found
    check_bucket(at)
    raise FileNotFoundError(
        f"{at.named(HEAD)}: there is no such file; expected the folder of a graph, as Graph.save, "
        "gonextdoor convert and gonextdoor partition write it"
    )


def check_bucket(at: Location) -> None:
    """Raises a FileNotFoundError that names the bucket if S3 does not have it.

    A read of a file reports only that there is no file; a listing reports the bucket too.
    """
    if at.filesystem.type_name != "s3":
        return
    from pyarrow import fs

    try:
        retried(f"listing {at.text}", lambda: at.filesystem.get_file_info(fs.FileSelector(at.path)))
    except PermissionError:  # keys that may read files need not list them
        return
    except FileNotFoundError as missing:
        if NO_BUCKET in str(missing):
            raise


def _read_if_there(at: Location, name: str) -> Head | None:
    """The head in a file of a folder; None if there is no such file."""
    try:
        return head_in(at, name)
    except FileNotFoundError:
        return None


def head_in(at: Location, name: str) -> Head:
    """The head in a file of a folder: ``HEAD``, ``PARTITION`` or ``RECORD``.

    Args:
        at: the folder.
        name: the file.

    Raises:
        FileNotFoundError, OSError, FormatError: as ``head_of``.
    """
    text = content(at, name, LARGEST[name])
    try:
        read: Any = json.loads(text)
        native.call("CheckRecord", name, at.named(name), text.decode())  # before what it describes is listed
        if name == RECORD:
            return _hetero(at, text, read)
        arrays = tuple(f"{array}.npy" for array in sorted(read["arrays"]))
        if any("/" in array or "\\" in array for array in arrays):
            raise ValueError(f"arrays {arrays}")
        parts = int(read["parts"]) if name == PARTITION else 0
        size = int(read["vertices"]), int(read["edges"])
        facts: dict[str, Any] = {"max_degree": int(read.get("max_degree", 0)), "edge_ids": not read.get("no_edge_ids")}
        return Head(hashlib.sha256(text).hexdigest(), text, *size, arrays, parts, name, **facts)
    except FormatError:
        raise
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise FormatError(f"{at.named(name)}: not the head of a graph: {error!r}") from error


def head_of_relation(at: Location, folder: str, name: str) -> Head:
    """The head of the graph of a relation.

    Args:
        at: the folder of the heterogeneous graph.
        folder: the folder of the relation within it.
        name: of the head: ``HEAD``, or ``PARTITION`` if the graph is partitioned.

    Raises:
        OSError, FormatError: as ``head_of``; also a FormatError if the folder is missing.
    """
    try:
        return head_in(at / folder, name)
    except FileNotFoundError as missing:
        raise FormatError(
            f"{at.named(folder)} is missing or incomplete: copy all folders of the heterogeneous graph"
        ) from missing


def _hetero(at: Location, text: bytes, read: Any) -> Head:
    """The head of a heterogeneous graph, whose relations have heads too."""
    types = {kind["name"]: int(kind["vertices"]) for kind in read["types"]}
    arrays = [times_file(number) for number, kind in enumerate(read["types"]) if kind["times"]]
    relations, parts = read["relations"], int(read["parts"])
    for number in range(0 if parts else len(relations)):
        folder = relation_folder(number)
        arrays += [f"{folder}/{array}" for array in (HEAD, *head_of_relation(at, folder, HEAD).arrays)]
    edges = sum(int(one["edges"]) for one in relations)
    names = [(one["source"], one["name"], one["destination"]) for one in relations]
    return Head(hashlib.sha256(text).hexdigest(), text, sum(types.values()), edges, tuple(arrays), parts, RECORD,
                types, names)  # fmt: skip
