"""convert: Parquet files of edges to the folder of a partitioned graph, without the graph in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._core.arguments import PathLike
from .._core.atomic import output_folder
from .._core.binding import advised
from .._core.checks import checked_flag
from .._core.log import logger
from ..graph.columns import ColumnChoice, WeightChoice
from ..graph.dataset import ParquetFiles
from ..graph.reading import contents_of
from ..graph.streaming import EdgeStream
from .assign import Assignment, checked_parts, checked_share, listed_owners

__all__ = ["convert", "written"]

KNOWN = ("ranges", "hash")  # assignments that need no rows


@advised
def convert(
    edges: PathLike | Sequence[PathLike],
    path: PathLike,
    *,
    parts: int | None = None,
    by: Assignment = "ranges",
    hot: float = 0.0,
    edge_ids: bool = True,
    alias_tables: bool = False,
    source: ColumnChoice = None,
    target: ColumnChoice = None,
    weight: WeightChoice = "auto",
    time: ColumnChoice = None,
    label: ColumnChoice = None,
    symmetric: bool = False,
) -> None:
    """Writes the folder of a partitioned graph from Parquet files of edges, one part at a time.

    The files are read twice. The edges of all parts are stored on the disk of the folder in between, 16 to 36 bytes
    each. Memory holds one part, a row group of a file, and some 20 bytes per vertex. The folder is the one that
    ``write`` makes of ``gonextdoor.read(edges)``.

    Args:
        edges: Parquet files, as for ``gonextdoor.read``: a file, a folder, a glob, a URI, or a list of these.
        path: the folder to create, or the folder of a graph to replace; or the URI of a new folder, as for ``write``.
        parts: the number of parts, as for ``owners``.
        by: "ranges" (default), "hash", or the part of each vertex as an array or a .npy file. "ldg" and "metis" need
            the rows: read the graph, with ``folder=`` if it is larger than memory, and ``write`` it.
        hot: the share of the edges that every part gets a copy of, as for ``write``.
        edge_ids: whether the parts have the ids of their edges, as for ``write`` (default True).
        alias_tables: whether the parts have alias tables, as for ``write`` (default False).
        source: the column of the sources, as for ``gonextdoor.read``.
        target: the column of the targets.
        weight: the column of weights.
        time: the column of times.
        label: the column of labels.
        symmetric: write every edge in both directions (default False).

    Raises:
        OSError: a file cannot be read, or the folder cannot be written.
        FormatError: the files do not hold edges.
        ImportError: pyarrow is missing, or fsspec for a URI.
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range, or the files change meanwhile.

    Examples:
        >>> import pyarrow as pa, pyarrow.parquet as pq
        >>> pq.write_table(pa.table({"source": [0, 1, 2], "target": [1, 2, 0]}), "edges.parquet")
        >>> gnd.partition.convert("edges.parquet", "parts", parts=2)
    """
    written(
        edges, path, EdgeStream, parts=parts, by=by, hot=hot, edge_ids=edge_ids, alias_tables=alias_tables,
        source=source, target=target, weight=weight, time=time, label=label, symmetric=symmetric,
    )  # fmt: skip


def written(
    edges: PathLike | Sequence[PathLike],
    path: PathLike,
    stream_of: Callable[[ParquetFiles, dict[str, Any], bool], EdgeStream],
    *,
    parts: int | None,
    by: Any,
    hot: float,
    edge_ids: bool,
    alias_tables: bool,
    symmetric: bool,
    **chosen: Any,
) -> None:
    """Checks the arguments of ``convert`` and writes the folder.

    Args:
        edges, path, parts, by, hot, edge_ids, alias_tables, symmetric: as of ``convert``.
        stream_of: makes the stream of files, choices of columns, and ``symmetric``.
        chosen: the choices of columns.
    """
    share = checked_share(hot)
    both, ids = checked_flag("symmetric", symmetric), checked_flag("edge_ids", edge_ids)
    if isinstance(by, str) and by in ("ldg", "metis"):
        raise ValueError(
            f"by = {by!r} needs the rows of the graph: read the files with gonextdoor.read(..., folder=...) and call "
            "gonextdoor.partition.write"
        )
    count = checked_parts(parts) if isinstance(by, str) and by in KNOWN else parts
    files = ParquetFiles(edges)
    with contents_of(files.path):
        stream = stream_of(files, chosen, both)
    options: dict[str, Any] = {"parts": count, "by": by, "hot": share, "edge_ids": ids}
    options["alias_tables"] = checked_flag("alias_tables", alias_tables)
    if count is None or not (isinstance(by, str) and by in KNOWN):
        owners, number = listed_owners(stream.vertices, parts, by)
        options |= {"by": "map", "parts": number, "owners": np.ascontiguousarray(owners)}
    with output_folder("path", path) as folder, contents_of(files.path):
        stream.convert(folder, **options)
    logger.debug("%s: wrote %d parts of %s", path, options["parts"], files.path)
