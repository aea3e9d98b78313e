"""open: a partitioned graph from its folder."""

from __future__ import annotations

from .._core.arguments import PathLike, path_text
from ..graph.heterofolder import has_record
from .graph import PartitionedGraph, open_one
from .hetero import PartitionedHeteroGraph, open_hetero

__all__ = ["open"]


def open(path: PathLike) -> PartitionedGraph | PartitionedHeteroGraph:
    """Opens the folder of a partitioned graph.

    Args:
        path: the folder, which ``gonextdoor.partition.write`` or ``gonextdoor partition`` wrote.

    Returns:
        The partitioned graph, a ``PartitionedHeteroGraph`` if it is heterogeneous. Its parts are opened when they are
        used.

    Raises:
        OSError: the folder cannot be read.
        FormatError: it is not a partitioned graph, or a part is missing.

    Examples:
        >>> gnd.partition.write(gnd.rmat(8, seed=1), "parts", parts=3)
        >>> gnd.partition.open("parts").parts
        3
    """
    folder = path_text(path)
    return open_hetero(folder) if has_record(folder) else open_one(folder)
