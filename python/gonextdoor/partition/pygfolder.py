"""read_pyg: graphs that PyTorch Geometric's Partitioner wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core.arguments import PathLike, path_text
from .._core.checks import checked_flag
from ..errors import FormatError
from ..graph.graph import Graph
from .assign import MAX_PARTS, Owners
from .jsonfile import field, read_json

__all__ = ["read_pyg"]

Array = npt.NDArray[Any]


def read_pyg(path: PathLike, *, symmetric: bool = False) -> tuple[Graph, Owners]:
    """Reads a graph that ``torch_geometric.distributed.Partitioner`` wrote, and the part of each vertex.

    PyG need not be installed; torch reads the .pt files, with ``weights_only=True``. Features and times stay in PyG's
    files. PyG's parts have the edges that lead to their vertices; ``write`` stores those that leave them, or all with
    ``symmetric=True``.

    Args:
        path: the folder, which has ``META.json``.
        symmetric: hold every edge in both directions (default False).

    Returns:
        The graph, whose edges have PyG's ids, and the part of each vertex, (V,) uint16, for ``by=`` of ``write``.

    Raises:
        OSError: a file cannot be read.
        FormatError: the folder does not have such a graph.
        ValueError: the graph has several types of vertices or edges.
        ImportError: torch is missing.

    Examples:
        >>> graph, owners = gnd.partition.read_pyg("pyg-parts")  # doctest: +SKIP
        >>> gnd.partition.write(graph, "parts", by=owners)  # doctest: +SKIP
    """
    both = checked_flag("symmetric", symmetric)
    folder = Path(path_text(path))
    head = folder / "META.json"
    record = read_json(head)
    if record.get("is_hetero"):
        raise ValueError(f"{head}: the graph has types of vertices and edges: a partitioned graph has one type")
    parts = field(head, record, "num_parts", int)
    if not 1 <= parts <= MAX_PARTS:
        raise FormatError(f"{head}: num_parts is {parts}: expected from 1 to {MAX_PARTS}")
    owners = _array(folder / "node_map.pt", _load(folder / "node_map.pt"))
    _check_range(folder / "node_map.pt", "parts", owners, parts)
    columns: list[list[Array]] = [[np.empty(0, np.int64)] for _ in range(3)]
    for part in range(parts):
        file = folder / f"part_{part}" / "graph.pt"
        for column, values in zip(columns, _part(file, _load(file), part, owners), strict=True):
            column.append(values)
    ids, rows, cols = map(np.concatenate, columns)
    sources, targets = np.full(len(ids), -1), np.full(len(ids), -1)
    _check_range(folder, "edge ids", ids, len(ids))
    sources[ids], targets[ids] = rows, cols
    if (sources < 0).any():
        raise FormatError(f"{folder}: edge {int(np.argmin(sources))} is in no part, and another is in two")
    return Graph.from_edges(sources, targets, num_vertices=len(owners), symmetric=both), owners.astype(np.uint16)


def _part(file: Path, found: Any, part: int, owners: Array) -> tuple[Array, Array, Array]:
    """The edge ids, sources and targets of a part, which owns the targets."""
    if not isinstance(found, dict) or not {"edge_id", "row", "col"} <= set(found):
        raise FormatError(f"{file}: expected edge_id, row and col")
    ids, rows, cols = (_array(file, found[name]) for name in ("edge_id", "row", "col"))
    n = len(owners)
    if not len(ids) == len(rows) == len(cols):
        raise FormatError(f"{file}: {len(ids)} edge ids, {len(rows)} sources and {len(cols)} targets")
    _check_range(file, "vertices", rows, n)
    _check_range(file, "vertices", cols, n)
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


def _load(file: Path) -> Any:
    """The content of a .pt file."""
    try:
        import torch
    except ImportError as missing:
        raise ImportError("reading .pt files needs torch: pip install torch") from missing
    file.stat()
    try:
        return torch.load(file, map_location="cpu", weights_only=True)
    except Exception as error:  # zipfile, pickle and torch raise many types
        raise FormatError(f"{file}: expected a file of torch.save: {error}") from None
