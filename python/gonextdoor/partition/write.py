"""write: a graph to the folder of a partitioned graph."""

from __future__ import annotations

import json
from typing import Any, cast

import numpy as np

from .._core import advice, memory, native, running
from .._core.arguments import PathLike
from .._core.atomic import output_folder
from .._core.binding import advised
from .._core.checks import checked_flag
from .._core.costs import costs
from .._core.log import logger
from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph
from .assign import (
    CORE,
    Assignment,
    TypedAssignment,
    checked_parts,
    checked_share,
    listed_owners,
    owners,
    typed_owners,
)
from .hetero import write_hetero

__all__ = ["write"]


@advised
def write(
    graph: Graph | HeteroGraph,
    path: PathLike,
    *,
    parts: int | None = None,
    by: Assignment | TypedAssignment = "ranges",
    hot: float = 0.0,
    edge_ids: bool = True,
    alias_tables: bool = False,
    progress: bool | None = None,
) -> None:
    """Writes a graph to the folder of a partitioned graph, which appears when it is complete.

    The graph may be one that ``Graph.open`` maps: one part at a time is in memory.

    Args:
        graph: the graph. Of a ``HeteroGraph``, the graph of each relation is written as a partitioned graph. A relation
            without times of edges gets those of the end points, if these have times.
        path: the folder to create, or the folder of a graph to replace; or the URI of a new folder, whose files are
            written to a temporary folder first, as by ``Graph.save``.
        parts: the number of parts, as for ``owners``.
        by: how the vertices are assigned to parts, as for ``owners``.
        hot: the share of the edges that every part gets a copy of, from 0 (default) to 1: the rows of the vertices
            with the most edges, relation by relation. Walks that reach them do not leave their part.
        edge_ids: whether the parts have the ids of their edges, 4 bytes per edge (8 from 2^32 edges on; default True),
            as for ``Graph.save``. Parts list all ids, so that an unweighted folder without them has half the size.
        alias_tables: whether the parts have the alias tables of weighted walks, 16 bytes per edge, as for
            ``Graph.save`` (default False); of a ``HeteroGraph``, those of the relations with weights.
        progress: whether to show a progress bar; None (default): in interactive use, if it takes over a second.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range, or the path exists and is not the folder of a graph.
        OSError: the folder cannot be written.

    Examples:
        >>> import os
        >>> gnd.partition.write(gnd.rmat(10), "parts", parts=2, hot=0.1)
        >>> sorted(os.listdir("parts"))
        ['degrees.npy', 'hot', 'hot.npy', 'part-00000', 'part-00001', 'partition.json']
    """
    share = checked_share(hot)
    ids, alias = checked_flag("edge_ids", edge_ids), checked_flag("alias_tables", alias_tables)
    if not isinstance(graph, (Graph, HeteroGraph)):
        raise advice.graph_error("a gonextdoor.Graph or HeteroGraph", graph, "in")
    with output_folder("path", path) as folder:
        if isinstance(graph, Graph):  # a mapping is refused as an array
            _write(graph, folder, parts, cast(Assignment, by), share, ids, alias, progress)
            return
        assigned, count = typed_owners(graph, parts, by)

        def write_relation(part: Graph, to: str, of: Any) -> None:
            _write(part, to, count, of, share, ids, alias and part.weighted, progress)

        write_hetero(graph, folder, assigned, write_relation)


def _write(
    graph: Graph,
    folder: str,
    parts: int | None,
    by: Assignment,
    hot: float,
    edge_ids: bool,
    alias_tables: bool,
    progress: bool | None,
) -> None:
    spec, listed = division(graph, parts, by, hot)
    spec["alias_tables"] = alias_tables
    total = _bytes(graph, edge_ids, alias_tables)
    seconds = costs().save_start * (2 + spec["parts"]) + costs().save_byte * total
    running.call(
        "PartitionWrite",
        graph._held.number,
        folder,
        json.dumps(spec),
        edge_ids,
        seconds=seconds,
        total=total,
        progress=progress,
        label="writing parts",
    )
    del listed  # the array that the spec has the address of
    logger.debug("%s: wrote %d parts by %s", folder, spec["parts"], spec["by"])


def division(graph: Graph, parts: int | None, by: Assignment, hot: float) -> tuple[dict[str, Any], Any]:
    """How a graph is divided into parts, for the core, and the array of owners that it has the address of, if any.

    Raises:
        TypeError, ValueError, OSError: an argument is wrong.
    """
    spec: dict[str, Any] = {"hot": checked_share(hot)}
    if isinstance(by, str) and by in CORE:
        return spec | {"parts": checked_parts(parts), "by": by}, None
    if isinstance(by, str) and by == "metis":
        found, count, name = owners(graph, parts, by), checked_parts(parts), by
    else:
        (found, count), name = listed_owners(graph.num_vertices, parts, by), "map"
    listed = np.ascontiguousarray(found)
    spec |= {"parts": count, "by": name}
    spec["owners"] = memory.described(listed)
    return spec, listed


def _bytes(graph: Graph, edge_ids: bool, alias_tables: bool) -> int:
    """About the number of bytes that the parts of a graph have: its own, an id per edge, and 5 bytes per vertex."""
    total: int = native.call("GraphSavedBytes", graph._held.number, edge_ids, alias_tables)
    return total + 4 * edge_ids * graph.num_edges + 5 * graph.num_vertices
