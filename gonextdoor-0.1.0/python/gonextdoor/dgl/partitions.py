"""read_partition: graphs that dgl.distributed.partition_graph divided."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core.arguments import PathLike, path_text
from ..errors import FormatError
from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph
from ..partition.assign import MAX_PARTS, Owners
from ..partition.jsonfile import field, read_json
from .errors import raises_dgl_errors
from .framework import dgl, torch

__all__ = ["read_partition"]

Array = npt.NDArray[Any]
Edges = tuple[Array, Array, Array]  # ids, sources and targets
Relation = tuple[str, str, str]

ATTRIBUTES = ("_ID", "inner_edge")  # of the edges of a part


class Ranges:
    """The ids of one type of vertices or edges: DGL numbers all types of a part one after the other.

    Args:
        file: the configuration, for errors.
        name: of the type.
        given: for each part, the first id and the end.
        parts: the number of parts.
    """

    def __init__(self, file: Path, name: str, given: Any, parts: int) -> None:
        try:
            bounds: Array = np.asarray(given)
        except ValueError:  # lists of different lengths
            bounds = np.empty(0)
        if bounds.shape != (parts, 2) or bounds.dtype.kind not in "iu" or (bounds[:, 1] < bounds[:, 0]).any():
            raise FormatError(f"{file}: the ids of {name!r} are {given!r}: expected a range for each of {parts} parts")
        self.name = name
        self.first: Array = bounds[:, 0]
        self.counts: Array = bounds[:, 1] - bounds[:, 0]
        self.total = int(self.counts.sum())
        self._before: Array = np.cumsum(self.counts) - self.counts

    def own(self, file: Path, ids: Array) -> Array:
        """Ids within the type."""
        part = np.searchsorted(self.first, ids, side="right") - 1
        within = ids - self.first[part]
        if ((part < 0) | (within >= self.counts[part])).any():
            raise FormatError(f"{file}: an id is not of type {self.name!r}: the file is of another graph")
        own: Array = self._before[part] + within
        return own

    def owners(self) -> Owners:
        """The part of each id within the type."""
        return np.repeat(np.arange(len(self.counts)), self.counts).astype(np.uint16)


@raises_dgl_errors
def read_partition(path: PathLike) -> tuple[Graph, Owners] | tuple[HeteroGraph, dict[str, Owners]]:
    """Reads a graph that ``dgl.distributed.partition_graph`` divided, and the part of each vertex.

    Vertices and edges have the ids that DGL gave them, by type: those of ``dgl.distributed.DistGraph``. The argument
    ``return_mapping`` of DGL's function returns the original ones. Features stay in DGL's files.

    Args:
        path: the configuration, ``GRAPH_NAME.json``.

    Returns:
        The graph, and the part of each vertex, (V,) uint16, for ``by=`` of ``gonextdoor.partition.write``. Of a
        heterogeneous graph, a ``HeteroGraph``, whose rows list the edges that lead to a vertex, and a dict of parts by
        type.

    Raises:
        OSError: a file cannot be read.
        FormatError: the files are not those of a divided graph.

    Examples:
        >>> import dgl, torch
        >>> g = dgl.graph((torch.arange(20), torch.arange(20) * 3 % 20))
        >>> dgl.distributed.partition_graph(g, "small", 2, "divided", part_method="random")  # doctest: +SKIP
        >>> graph, owners = gonextdoor.dgl.read_partition("divided/small.json")  # doctest: +SKIP
        >>> gnd.partition.write(graph, "parts", by=owners)  # doctest: +SKIP
    """
    head = Path(path_text(path))
    record = read_json(head)
    parts = field(head, record, "num_parts", int)
    if not 1 <= parts <= MAX_PARTS:
        raise FormatError(f"{head}: num_parts is {parts}: expected from 1 to {MAX_PARTS}")
    types, relations = field(head, record, "ntypes", dict), field(head, record, "etypes", dict)
    maps = {name: field(head, record, name, dict) for name in ("node_map", "edge_map")}
    nodes = {kind: Ranges(head, kind, maps["node_map"].get(kind), parts) for kind in types}
    edges = {_named(head, kind, types): Ranges(head, kind, maps["edge_map"].get(kind), parts) for kind in relations}
    numbers = dict(zip(edges, relations.values(), strict=True))
    found: dict[Relation, list[Edges]] = {relation: [] for relation in edges}
    for part in range(parts):
        file = head.parent / str(field(head, field(head, record, f"part-{part}", dict), "part_graph", str))
        ids, sources, targets, kinds = _edges(file)
        for (source, name, destination), number in numbers.items():
            of = kinds == number
            ends = nodes[source].own(file, sources[of]), nodes[destination].own(file, targets[of])
            found[source, name, destination].append((edges[source, name, destination].own(file, ids[of]), *ends))
    graphs = {relation: _by_id(head, all_parts, edges[relation]) for relation, all_parts in found.items()}
    owners = {kind: ranges.owners() for kind, ranges in nodes.items()}
    counts = {kind: ranges.total for kind, ranges in nodes.items()}
    if len(nodes) == len(edges) == 1:
        ((sources, targets),) = graphs.values()
        ((kind, count),) = counts.items()
        return Graph.from_edges(sources, targets, num_vertices=count), owners[kind]
    rows = {
        (source, name, destination): Graph.from_edges(
            targets, sources, num_vertices=max(counts[source], counts[destination])
        )
        for (source, name, destination), (sources, targets) in graphs.items()
    }
    return HeteroGraph(rows, counts), owners


def _named(head: Path, kind: str, types: dict[str, Any]) -> Relation:
    """The types and the name of a relation, which DGL writes with colons in between."""
    parts = kind.split(":")
    if len(parts) != 3 or parts[0] not in types or parts[2] not in types:
        raise FormatError(f"{head}: etypes has {kind!r}: expected 'source:name:destination' with types of ntypes")
    return parts[0], parts[1], parts[2]


def _edges(file: Path) -> tuple[Array, Array, Array, Array]:
    """The edges that a part owns: ids, sources, targets, and the numbers of their relations."""
    file.stat()
    try:
        (graph,), _ = dgl.load_graphs(str(file))
    except (dgl.DGLError, ValueError, RuntimeError) as error:
        raise FormatError(f"{file}: expected a file of dgl.save_graphs with one graph: {error}") from error
    missing = [name for name in ATTRIBUTES if name not in graph.edata] + [
        name for name in ("_ID",) if name not in graph.ndata
    ]
    if missing:
        raise FormatError(
            f"{file}: the graph has no {missing[0]!r}: expected a file of dgl.distributed.partition_graph"
        )
    sources, targets = graph.edges(order="eid")
    inner, global_ids = graph.edata["inner_edge"].bool(), graph.ndata["_ID"]
    kinds = graph.edata.get("_TYPE", torch.zeros(graph.num_edges(), dtype=torch.int32))
    columns = graph.edata["_ID"], global_ids[sources.long()], global_ids[targets.long()], kinds
    ids, sources, targets, kinds = (column[inner].numpy().astype(np.int64) for column in columns)
    return ids, sources, targets, kinds


def _by_id(head: Path, parts: list[Edges], ranges: Ranges) -> tuple[Array, Array]:
    """The sources and targets of the edges of all parts, in the order of their ids."""
    ids, rows, cols = (np.concatenate(column) for column in zip(*parts, strict=True))
    if len(ids) != ranges.total or len(np.unique(ids)) != len(ids):
        raise FormatError(
            f"{head}: the parts have {len(ids)} edges of {ranges.name!r}: expected each of {ranges.total} once"
        )
    sources, targets = np.empty_like(rows), np.empty_like(cols)
    sources[ids], targets[ids] = rows, cols
    return sources, targets
