"""Head: the description of a graph's folder, which identifies its contents."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NamedTuple

from ..errors import FormatError
from .location import Location
from .reading import content

__all__ = ["HEAD", "Head", "head_of"]

HEAD = "graph.json"
FORMAT = "gonextdoor graph"
LARGEST = 1 << 16  # bytes of the file, as in the core


class Head(NamedTuple):
    """The description of a graph's folder.

    Attributes:
        digest: SHA-256 of the file, 64 hexadecimal digits. It identifies the graph, since the file has the checksums of
            all arrays.
        text: the file.
        vertices, edges: the size of the graph.
        arrays: the names of the other files.
    """

    digest: str
    text: bytes
    vertices: int
    edges: int
    arrays: tuple[str, ...]


def head_of(at: Location) -> Head:
    """The head of the graph in a folder.

    Raises:
        FileNotFoundError: there is no graph.
        OSError: it cannot be read.
        FormatError: the file is not the head of a graph.
    """
    try:
        text = content(at, HEAD, LARGEST)
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{at.named(HEAD)}: there is no such file; expected the folder of a graph, as Graph.save and gonextdoor "
            "convert write it"
        ) from None
    try:
        read: Any = json.loads(text)
        if read["format"] != FORMAT:
            raise FormatError(f"{at.named(HEAD)}: format is {read['format']!r}, expected {FORMAT!r}")
        names = tuple(f"{name}.npy" for name in sorted(read["arrays"]))
        if any("/" in name or "\\" in name for name in names):
            raise ValueError(f"arrays {names}")
        return Head(hashlib.sha256(text).hexdigest(), text, int(read["vertices"]), int(read["edges"]), names)
    except FormatError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"{at.named(HEAD)}: not the head of a graph: {error!r}") from error
