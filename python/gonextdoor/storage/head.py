"""Head: the description of a graph's folder, which identifies its contents."""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any, NamedTuple

from ..errors import FormatError
from .location import Location
from .reading import content

__all__ = ["HEAD", "HOT", "PARTITION", "Head", "head_in", "head_of"]

HEAD, PARTITION = "graph.json", "partition.json"
HOT = "hot"  # the folder of the hot rows of a partitioned graph, and the array of their vertices
FORMATS = {HEAD: "gonextdoor graph", PARTITION: "gonextdoor partitioned graph"}
LARGEST = {HEAD: 1 << 16, PARTITION: 1 << 24}  # bytes of the files, as in the core


class Head(NamedTuple):
    """The description of a graph's folder.

    Attributes:
        digest: SHA-256 of the file, 64 hexadecimal digits. It identifies the graph, since the file has the checksums of
            all arrays.
        text: the file.
        vertices, edges: the size of the graph.
        arrays: the names of the other files.
        parts: the number of parts; 0: the graph is not partitioned.
    """

    digest: str
    text: bytes
    vertices: int
    edges: int
    arrays: tuple[str, ...]
    parts: int = 0


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
            f"{at.uri}: the graph of this machine ({os.uname().nodename}) is another one than that of the run: "
            f"its head has the digest {head.digest[:12]}, expected {digest[:12]}; copy the same folder to all "
            "machines, or use shared or object storage"
        )
    return head


def _found(at: Location) -> Head:
    """The head of the graph in a folder, partitioned or not."""
    try:
        return head_in(at, HEAD)
    except FileNotFoundError:
        pass
    try:
        return head_in(at, PARTITION)
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{at.named(HEAD)}: there is no such file; expected the folder of a graph, as Graph.save, "
            "gonextdoor convert and gonextdoor partition write it"
        ) from None


def head_in(at: Location, name: str) -> Head:
    """The head in a file of a folder, ``HEAD`` or ``PARTITION``.

    Raises:
        FileNotFoundError, OSError, FormatError: as ``head_of``.
    """
    text = content(at, name, LARGEST[name])
    try:
        read: Any = json.loads(text)
        if read["format"] != FORMATS[name]:
            raise FormatError(f"{at.named(name)}: format is {read['format']!r}, expected {FORMATS[name]!r}")
        arrays = tuple(f"{array}.npy" for array in sorted(read["arrays"]))
        if any("/" in array or "\\" in array for array in arrays):
            raise ValueError(f"arrays {arrays}")
        parts = int(read["parts"]) if name == PARTITION else 0
        return Head(hashlib.sha256(text).hexdigest(), text, int(read["vertices"]), int(read["edges"]), arrays, parts)
    except FormatError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"{at.named(name)}: not the head of a graph: {error!r}") from error
