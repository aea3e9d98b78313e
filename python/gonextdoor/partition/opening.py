"""open: a partitioned graph from its folder."""

from __future__ import annotations

from .._core.arguments import PathLike, is_uri, path_text
from .._core.binding import advised
from ..graph.heterofolder import has_record
from ..storage.location import located
from ..storage.parts import opened
from .graph import PartitionedGraph, open_one
from .hetero import PartitionedHeteroGraph, open_hetero

__all__ = ["open"]


@advised
def open(path: PathLike) -> PartitionedGraph | PartitionedHeteroGraph:
    """Opens the folder of a partitioned graph.

    Args:
        path: the folder, which ``gonextdoor.partition.write`` or ``gonextdoor partition`` wrote: a path, or a URI such
            as ``s3://bucket/parts``. Of a URI, each machine keeps a checked copy in its cache folder, with what all
            parts share and the parts that its processes use.

    Returns:
        The partitioned graph, a ``PartitionedHeteroGraph`` if it is heterogeneous. Its parts are opened when they are
        used.

    Raises:
        OSError: the folder cannot be read, or not be copied.
        FormatError: it is not a partitioned graph, or a part is missing.
        ValueError: nothing here opens such a URI.
        ImportError: what opens the URI is missing.

    Examples:
        >>> gnd.partition.write(gnd.rmat(8, seed=1), "parts", parts=3)
        >>> gnd.partition.open("parts").parts
        3
    """
    given = path_text(path)
    if is_uri(given) and (at := located("path", given)).local:
        given = at.path
    return opened(given, None, lambda here: open_hetero(given, here) if has_record(here) else open_one(given, here))
