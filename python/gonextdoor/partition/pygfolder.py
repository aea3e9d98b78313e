"""read_pyg: graphs that PyTorch Geometric's Partitioner wrote."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import npy
from .._core.arguments import PathLike, path_text
from .._core.binding import advised
from .._core.checks import checked_flag
from ..errors import FormatError, warn
from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph
from .assign import MAX_PARTS, Owners
from .jsonfile import field, read_json

__all__ = ["read_pyg"]

Array = npt.NDArray[Any]
Edges = tuple[Array, Array, Array]  # ids, sources and targets
Read = tuple[Graph, Owners] | tuple[HeteroGraph, dict[str, Owners]]


@advised
def read_pyg(path: PathLike, *, symmetric: bool = False) -> Read:
    """Reads a graph that ``torch_geometric.distributed.Partitioner`` wrote, and the part of each vertex.

    PyG need not be installed; torch reads the .pt files, with ``weights_only=True``. torch before 2.6 can run code of a
    hostile file in spite of that (CVE-2025-32434): use torch 2.6 or later for folders of strangers. With an older
    torch, an ``InputWarning`` is issued. Features and times stay in PyG's files. PyG's parts have the edges that lead
    to their vertices. The rows of a ``HeteroGraph`` list those too. Of a graph of one type, ``write`` stores the edges
    that leave the vertices, or all with ``symmetric=True``.

    Args:
        path: the folder, which has ``META.json``.
        symmetric: hold every edge in both directions (default False), if the graph has one type.

    Returns:
        The graph, whose edges have PyG's ids, and the part of each vertex, (V,) uint16, for ``by=`` of ``write``. Of a
        heterogeneous graph, a ``HeteroGraph`` whose edges have the ids of their relation, and a dict of parts by type.

    Raises:
        OSError: a file cannot be read.
        FormatError: the folder does not have such a graph.
        ValueError: the graph has several types, and ``symmetric`` is True.
        ImportError: torch is missing.

    Examples:
        >>> graph, owners = gnd.partition.read_pyg("pyg-parts")  # doctest: +SKIP
        >>> gnd.partition.write(graph, "parts", by=owners)  # doctest: +SKIP
    """
    both = checked_flag("symmetric", symmetric)
    folder = Path(path_text(path))
    head = folder / "META.json"
    record = read_json(head)
    parts = field(head, record, "num_parts", int)
    if not 1 <= parts <= MAX_PARTS:
        raise FormatError(f"{head}: num_parts is {parts}: expected from 1 to {MAX_PARTS}")
    if record.get("is_hetero"):
        if both:
            raise ValueError("symmetric = True: the relations of a heterogeneous graph lead from one type to another")
        return _hetero(folder, record, parts)
    owners = _owners(folder / "node_map.pt", parts)
    found = []
    for part in range(parts):
        file = folder / f"part_{part}" / "graph.pt"
        found.append(_part(file, _load(file), part, len(owners), owners))
    sources, targets = _by_id(folder, found, 0)
    return Graph.from_edges(sources, targets, num_vertices=len(owners), symmetric=both), owners.astype(np.uint16)


def _hetero(folder: Path, record: dict[str, Any], parts: int) -> tuple[HeteroGraph, dict[str, Owners]]:
    """A heterogeneous graph, and the part of each vertex."""
    head = folder / "META.json"
    types = [str(kind) for kind in field(head, record, "node_types", list)]
    relations = [tuple(relation) for relation in field(head, record, "edge_types", list)]
    for relation in relations:
        if len(relation) != 3 or relation[0] not in types or relation[2] not in types:
            raise FormatError(f"{head}: edge_types has {list(relation)}: expected the types of both ends and a name")
    owners = {kind: _owners(folder / "node_map" / f"{kind}.pt", parts) for kind in types}
    found: dict[Any, list[Edges]] = {relation: [] for relation in relations}
    for part in range(parts):
        file = folder / f"part_{part}" / "graph.pt"
        content = _load(file)
        for source, name, destination in relations:
            if not isinstance(content, dict) or (source, name, destination) not in content:
                raise FormatError(f"{file}: expected edges of {(source, name, destination)}")
            edges = _part(file, content[source, name, destination], part, len(owners[source]), owners[destination])
            found[source, name, destination].append(edges)
    graphs, first = {}, 0
    for source, name, destination in relations:  # ids count the edges of all relations, one after the other
        sources, targets = _by_id(folder, found[source, name, destination], first)
        first += len(sources)
        most = max(len(owners[source]), len(owners[destination]))
        graphs[source, name, destination] = Graph.from_edges(targets, sources, num_vertices=most)
    graph = HeteroGraph(graphs, {kind: len(of) for kind, of in owners.items()})
    return graph, {kind: of.astype(np.uint16) for kind, of in owners.items()}


def _owners(file: Path, parts: int) -> Array:
    """The part of each vertex."""
    owners = _array(file, _load(file))
    _check_range(file, "parts", owners, parts)
    return owners


def _by_id(folder: Path, parts: list[Edges], first: int) -> tuple[Array, Array]:
    """The sources and targets of the edges of all parts, in the order of their ids, which begin with first."""
    ids, rows, cols = (np.concatenate(column) for column in zip(*parts, strict=True))
    ids = ids - first
    sources, targets = np.full(len(ids), -1), np.full(len(ids), -1)
    _check_range(folder, "edge ids", ids, len(ids))
    sources[ids], targets[ids] = rows, cols
    if (sources < 0).any():
        raise FormatError(f"{folder}: edge {int(np.argmin(sources))} is in no part, and another is in two")
    return sources, targets


def _part(file: Path, found: Any, part: int, sources: int, owners: Array) -> Edges:
    """The edge ids, sources and targets of a part, which owns the targets."""
    if not isinstance(found, dict) or not {"edge_id", "row", "col"} <= set(found):
        raise FormatError(f"{file}: expected edge_id, row and col")
    ids, rows, cols = (_array(file, found[name]) for name in ("edge_id", "row", "col"))
    if not len(ids) == len(rows) == len(cols):
        raise FormatError(f"{file}: {len(ids)} edge ids, {len(rows)} sources and {len(cols)} targets")
    _check_range(file, "vertices", rows, sources)
    _check_range(file, "vertices", cols, len(owners))
    if (owners[cols] != part).any():
        raise FormatError(f"{file}: an edge leads to a vertex of another part: write the folder with PyG 2.5 or later")
    return ids, rows, cols


def _check_range(file: Path, what: str, values: Array, end: int) -> None:
    """Rejects numbers that are not from 0 to end - 1."""
    if values.size and (values.min() < 0 or values.max() >= end):
        raise FormatError(f"{file}: {what} from {values.min()} to {values.max()}, expected from 0 to {end - 1}")


def _array(file: Path, value: Any) -> Array:
    """A tensor of integers (n,) as an array."""
    array = value.numpy() if hasattr(value, "numpy") else np.asarray(value)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise FormatError(f"{file}: {array.dtype} of shape {array.shape}, expected integers (n,)")
    return array.astype(np.int64, copy=False)


def _version(torch: Any) -> tuple[int, ...]:
    """The first two numbers of a version such as 2.6.0+cu124."""
    return tuple(int(number) for number in re.findall(r"\d+", torch.__version__)[:2])


def _load(file: Path) -> Any:
    """The content of a .pt file."""
    try:
        import torch
    except ImportError as missing:
        raise ImportError("reading .pt files needs torch: pip install torch") from missing
    if _version(torch) < (2, 6):
        warn(
            f"torch {torch.__version__} can run code of a hostile .pt file (CVE-2025-32434): read only folders that "
            "you trust, or use torch 2.6 or later"
        )
    try:
        with open(npy.opened(file), "rb") as opened:
            return torch.load(opened, map_location="cpu", weights_only=True)
    except (OSError, MemoryError):
        raise
    except Exception as error:  # zipfile, pickle and torch raise many types
        raise FormatError(f"{file}: expected a file of torch.save: {error}") from None
