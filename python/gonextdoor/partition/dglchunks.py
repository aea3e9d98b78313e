"""read_dgl: graphs in DGL's chunked graph format."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import npy
from .._core.arguments import PathLike, path_text
from .._core.binding import advised
from .._core.checks import checked_flag
from ..errors import FormatError
from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph
from .jsonfile import field, read_json

__all__ = ["read_dgl"]

Array = npt.NDArray[Any]


@advised
def read_dgl(
    path: PathLike,
    *,
    weight: str | None = None,
    time: str | None = None,
    label: str | None = None,
    symmetric: bool = False,
) -> Graph | HeteroGraph:
    """Reads a graph in DGL's chunked graph format: a folder with ``metadata.json`` and chunks of edges.

    DGL need not be installed. Chunks are read in their order, so that the ids of edges are DGL's. Chunks in Parquet
    larger than memory are a list of files for ``convert``.

    Args:
        path: the folder, or its ``metadata.json``.
        weight: the name in ``edge_data`` of one number per edge; None (default) reads no weights. Of a heterogeneous
            graph, the relations that have the name get them.
        time: the name of their times, likewise.
        label: the name of their labels, likewise.
        symmetric: hold every edge in both directions (default False), if the graph has one type.

    Returns:
        The graph, with as many vertices as the metadata says. If there are several types, a ``HeteroGraph``, whose rows
        list the edges that lead to a vertex, as those of ``Graph.from_dgl`` do.

    Raises:
        OSError: a file cannot be read.
        FormatError: the folder does not have such a graph, or a chunk is not what the metadata says.
        ValueError: no relation has data of a name, or the graph has several types and ``symmetric`` is True.
        ImportError: pyarrow is missing, and chunks are csv or Parquet.

    Examples:
        >>> import json, os, numpy as np
        >>> os.mkdir("chunked")
        >>> np.save("chunked/edges.npy", np.array([[0, 1], [1, 2]]))
        >>> edges = {"format": {"name": "numpy"}, "data": ["edges.npy"]}
        >>> metadata = {"graph_name": "g", "node_type": ["v"], "num_nodes_per_type": [3],
        ...             "edge_type": ["v:e:v"], "num_edges_per_type": [2], "edges": {"v:e:v": edges}}
        >>> _ = open("chunked/metadata.json", "w").write(json.dumps(metadata))
        >>> gnd.partition.read_dgl("chunked")
        Graph(num_vertices=3, num_edges=2)
    """
    both = checked_flag("symmetric", symmetric)
    head = Path(path_text(path))
    head = head / "metadata.json" if head.is_dir() else head
    record = read_json(head)
    types, kinds = ([str(kind) for kind in field(head, record, name, list)] for name in ("node_type", "edge_type"))
    counts = dict(zip(types, _totals(head, record, "num_nodes", len(types)), strict=True))
    edges = dict(zip(kinds, _totals(head, record, "num_edges", len(kinds)), strict=True))
    names = {role: name for role, name in (("weights", weight), ("times", time), ("labels", label)) if name is not None}
    for name in names.values():
        if not any(name in _data(record, kind) for kind in kinds):
            known = dict.fromkeys(known for kind in kinds for known in _data(record, kind))
            raise ValueError(f"{head}: edge_data has no {name!r}; it has {', '.join(map(repr, known)) or 'nothing'}")
    if len(types) == len(kinds) == 1:
        ends, attributes = _relation(head, record, kinds[0], edges[kinds[0]], names)
        return _graph(head, ends[:, 0], ends[:, 1], counts[types[0]], both, attributes)
    if both:
        raise ValueError("symmetric = True: the relations of a heterogeneous graph lead from one type to another")
    relations = {}
    for kind in kinds:
        source, _, destination = relation = _named(head, kind, types)
        ends, attributes = _relation(head, record, kind, edges[kind], names)
        most = max(counts[source], counts[destination])
        relations[relation] = _graph(head, ends[:, 1], ends[:, 0], most, False, attributes)
    try:
        return HeteroGraph(relations, counts)
    except ValueError as error:
        raise FormatError(f"{head}: {error}") from error


def _named(head: Path, kind: str, types: list[str]) -> tuple[str, str, str]:
    """The types and the name of a relation, which are written with colons in between."""
    parts = kind.split(":")
    if len(parts) != 3 or parts[0] not in types or parts[2] not in types:
        raise FormatError(f"{head}: edge_type has {kind!r}: expected 'source:name:destination' with types of node_type")
    return parts[0], parts[1], parts[2]


def _relation(
    head: Path, record: dict[str, Any], kind: str, edges: int, names: dict[str, str]
) -> tuple[Array, dict[str, Any]]:
    """The edges of a relation, (edges, 2), and their attributes."""
    spec = field(head, field(head, record, "edges", dict), kind, dict)
    ends = np.concatenate([np.empty((0, 2), np.int64), *_chunks(head, spec, _read_edges)])
    if len(ends) != edges:
        raise FormatError(f"{head}: the chunks have {len(ends)} edges, the metadata says {edges}")
    known = _data(record, kind)
    return ends, {role: _attribute(head, known[name], name, edges) for role, name in names.items() if name in known}


def _graph(head: Path, rows: Array, ends: Array, vertices: int, symmetric: bool, attributes: dict[str, Any]) -> Graph:
    try:
        return Graph.from_edges(rows, ends, num_vertices=vertices, symmetric=symmetric, **attributes)
    except ValueError as error:
        raise FormatError(f"{head}: {error}") from error


def _totals(head: Path, record: dict[str, Any], what: str, count: int) -> list[int]:
    """The numbers that the metadata gives per type, or per type and chunk in older files."""
    per_type = record.get(f"{what}_per_type")
    if per_type is None:
        per_chunk = field(head, record, f"{what}_per_chunk", list)
        per_type = [sum(chunks) if isinstance(chunks, list) else None for chunks in per_chunk]
    if not (
        isinstance(per_type, list)
        and len(per_type) == count
        and all(isinstance(number, int) and number >= 0 for number in per_type)
    ):
        numbers = "one number" if count == 1 else f"{count} numbers"
        raise FormatError(f"{head}: {what}_per_type is {per_type!r}: expected a list of {numbers}")
    return per_type


def _data(record: dict[str, Any], kind: str) -> dict[str, Any]:
    """The entry of a relation in ``edge_data``, empty if there is none."""
    known = record.get("edge_data")
    of = known.get(kind) if isinstance(known, dict) else None
    return of if isinstance(of, dict) else {}


def _attribute(head: Path, spec: Any, name: str, edges: int) -> Array:
    """One number per edge, from an entry of ``edge_data``."""
    parts = _chunks(head, spec, _read_values)
    values = np.concatenate(parts) if parts else np.empty(0)
    values = values.reshape(-1) if values.size == len(values) else values
    if values.shape != (edges,):
        raise FormatError(f"{head}: {name!r} has shape {values.shape}: expected ({edges},), one number per edge")
    return values


def _chunks(head: Path, spec: Any, read: Callable[[Path, str, str], Array]) -> list[Array]:
    """The chunks of an entry, read one after the other. Relative paths are relative to the metadata."""
    if not isinstance(spec, dict):
        raise FormatError(f"{head}: an entry is {spec!r}: expected format and data")
    form = field(head, spec, "format", dict)
    name, delimiter = form.get("name"), form.get("delimiter", " ")
    if name not in ("csv", "numpy", "parquet"):
        raise FormatError(f"{head}: format {name!r}: expected 'csv', 'numpy' or 'parquet'")
    return [read(head.parent / str(chunk), name, delimiter) for chunk in field(head, spec, "data", list)]


def _read_edges(path: Path, form: str, delimiter: str) -> Array:
    """A chunk of edges as integers (n, 2)."""
    found = npy.load(path) if form == "numpy" else _columns(path, form, delimiter)
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iu":
        raise FormatError(f"{path}: {found.dtype} of shape {found.shape}, expected integers (n, 2)")
    return found.astype(np.int64, copy=False)


def _read_values(path: Path, form: str, delimiter: str) -> Array:
    """A chunk of numbers."""
    return npy.load(path) if form == "numpy" else _columns(path, form, delimiter)


def _columns(path: Path, form: str, delimiter: str) -> Array:
    """The columns of a table without a header, or of a Parquet file, side by side."""
    try:
        import pyarrow.csv
        import pyarrow.parquet
    except ImportError as missing:
        raise ImportError(f"reading {form} needs pyarrow: pip install 'gonextdoor[parquet]'") from missing
    os.close(npy.opened(path))  # raises OSError with an errno, unlike pyarrow
    try:
        if form == "parquet":
            table = pyarrow.parquet.ParquetFile(path).read()
        else:
            read = pyarrow.csv.ReadOptions(autogenerate_column_names=True)
            table = pyarrow.csv.read_csv(path, read, pyarrow.csv.ParseOptions(delimiter=delimiter))
        columns = [column.to_numpy() for column in table.columns]
    except (pyarrow.ArrowException, OSError) as error:
        raise FormatError(f"{path}: {str(error).strip()}") from None
    if any(column.dtype.kind not in "iuf" for column in columns):
        raise FormatError(f"{path}: columns of {', '.join(map(str, table.schema.types))}, expected numbers")
    return np.stack(columns, axis=1) if columns else np.empty((0, 2), np.int64)
