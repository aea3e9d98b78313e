"""Arrow tables of samples, batches and scores. Vertices are not copied; missing ones are null."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._core.arguments import vertex_type
from ..neighbor.batch import NeighborBatch
from ..pagerank.scores import Scores
from ..samples.export import Columns, Table, piece, walks
from ..samples.samples import Samples

if TYPE_CHECKING:
    from ..partition.anygraph import AnyGraph
    from ..storage.head import Head

__all__ = [
    "LARGEST_LIST", "of_batches", "of_named", "of_samples", "of_scores", "schema_of_batches", "schema_of_named",
    "schema_of_samples", "schema_of_scores",
]  # fmt: skip

Array = npt.NDArray[Any]

LARGEST_LIST = (1 << 31) - 1  # elements of a column of lists


def schema_of_samples(columns: Columns, head: Head, width: int | None, roots: int) -> Any:
    """The schema of ``of_samples``, for samples of one width with a number of roots; None: of different lengths."""
    import pyarrow as pa

    vertex = _vertex(pa, head)
    sizes = {} if width is None else {"walk": width, "vertices": width, "edges": width - roots}
    return pa.schema(columns.fields(pa, vertex, lambda name, kind: pa.list_(kind, sizes.get(name, -1))))


def of_samples(samples: Samples, ids: range) -> Any:
    """Samples as a table: ``id``, ``root`` if samples have one root, and ``walk``, or ``vertices`` for apps that do not
    walk; and ``edges`` if they were recorded. Layered samples also have the lists ``steps`` and ``parents``, and
    ``sources``, ``targets``, ``link_edges`` and ``link_values`` if the app records edges."""
    import pyarrow as pa

    name = "walk" if walks(samples) else "vertices"
    columns = {"id": _ids(pa, ids)}
    if samples.roots.shape[1] == 1:
        columns["root"] = _vertices(pa, samples.roots.reshape(-1))
    if not samples.ragged:
        columns[name] = _rows(pa, np.ascontiguousarray(samples.numpy()))
        if samples.has_edges:
            columns["edges"] = _rows(pa, np.ascontiguousarray(samples.edges))
        return pa.table(columns)
    offsets = _offsets(pa, samples.offsets)
    columns[name] = pa.ListArray.from_arrays(offsets, _vertices(pa, samples.values))
    layers = samples._layers
    if layers is not None:
        columns["steps"] = pa.ListArray.from_arrays(offsets, pa.array(layers.steps_of(0, len(samples))))
        columns["parents"] = pa.ListArray.from_arrays(offsets, _numbers(pa, layers.parents))
    if samples.has_edges:
        taken = piece(samples, 0, len(samples), gaps=True)
        columns["edges"] = pa.ListArray.from_arrays(_offsets(pa, taken.edge_offsets), _vertices(pa, taken.edges))
    if layers is not None and layers.recorded:
        links_from, sources, targets, edges, values = layers.links()
        at = _offsets(pa, links_from)
        columns["sources"] = pa.ListArray.from_arrays(at, pa.array(sources))
        columns["targets"] = pa.ListArray.from_arrays(at, pa.array(targets))
        columns["link_edges"] = pa.ListArray.from_arrays(at, _numbers(pa, edges))
        columns["link_values"] = pa.ListArray.from_arrays(at, pa.array(values))
    return pa.table(columns)


def _vertex(pa: Any, head: Head) -> Any:
    """The type of vertices by number."""
    return pa.uint32() if vertex_type(head.vertices, None) == np.int32 else pa.int64()


def schema_of_named(columns: Columns, head: Head) -> Any:
    """The schema of ``of_named``."""
    import pyarrow as pa

    vertex = pa.string() if "names_text.npy" in head.arrays else pa.int64()
    return pa.schema(columns.fields(pa, vertex, lambda name, kind: pa.list_(kind)))


def of_named(samples: Samples, graph: AnyGraph) -> Any:
    """Samples as ``Samples.to_parquet`` writes them: vertices by their names in the input."""
    import pyarrow as pa

    table = Table(samples, pa, _names(graph))
    return pa.Table.from_batches([table.batch(0, len(samples))]).replace_schema_metadata(None)


@functools.lru_cache(maxsize=1)
def _names(graph: Any) -> Any:
    """The names of a graph's vertices, which a process converts once; None: they are numbers."""
    import pyarrow as pa

    return None if graph.vertex_names is None else pa.array(graph.vertex_names)


def schema_of_batches(types: list[str] | None, relations: list[tuple[str, str, str]] | None) -> Any:
    """The schema of ``of_batches``.

    Raises:
        ValueError: two columns would have the same name.
    """
    import pyarrow as pa

    kinds = [""] if types is None else [f"/{name}" for name in types]
    links = [""] if relations is None else ["/" + "/".join(relation) for relation in relations]
    order = {"num_nodes": kinds, "num_edges": links, "nodes": kinds, "row": links, "col": links, "edges": links}
    columns = [name + part for name, parts in order.items() for part in parts]
    if len({*columns}) < len(columns):
        raise ValueError(f"the names of types and relations give the same names of columns: {columns}")
    return pa.schema([("id", pa.int64()), *((name, pa.list_(pa.int64())) for name in columns)])


def of_batches(
    batches: list[NeighborBatch],
    ids: range,
    types: list[str] | None = None,
    relations: list[tuple[str, str, str]] | None = None,
) -> Any:
    """Mini-batches as a table with a chunk per batch: ``id``, ``num_nodes`` and ``num_edges`` (of the seed nodes and of
    each hop), and the lists ``nodes``, ``row``, ``col`` and ``edges`` of int64, as ``NeighborBatch.split`` has them.
    ``edges`` is null if the graph has no ids of edges. If there are several types, their columns are named
    ``nodes/paper`` and ``row/author/writes/paper``."""
    import pyarrow as pa

    schema = schema_of_batches(types, relations)
    if not batches:
        return schema.empty_table()
    chunks: list[list[Any]] = []
    for batch in batches:
        parts = batch.split(batch.arena)
        lists = [*batch.num_nodes, *batch.num_edges, *parts.nodes, *parts.row, *parts.col, *parts.edges]
        chunks.append([_list(pa, values) for values in lists])
    found = [pa.chunked_array(list(chunk), pa.list_(pa.int64())) for chunk in zip(*chunks, strict=True)]
    return pa.table([pa.chunked_array([_ids(pa, ids)]), *found], schema=schema)


def _list(pa: Any, values: Any) -> Any:
    """A column with one list of int64, or with null."""
    if values is None:
        return pa.array([None], pa.list_(pa.int64()))
    return pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), pa.array(values, pa.int64()))


def schema_of_scores(head: Head) -> Any:
    """The schema of ``of_scores``."""
    import pyarrow as pa

    lists = {"vertices": _vertex(pa, head), "scores": pa.float64()}
    return pa.schema([("id", pa.int64()), *((name, pa.list_(kind)) for name, kind in lists.items())])


def of_scores(scores: Scores, ids: range) -> Any:
    """PageRank scores as a table: ``id``, and the lists ``vertices`` and ``scores`` (float64)."""
    import pyarrow as pa

    offsets = _offsets(pa, scores.indptr)
    vertices = pa.ListArray.from_arrays(offsets, _vertices(pa, scores.indices))
    values = pa.ListArray.from_arrays(offsets, pa.array(scores.values))
    return pa.table({"id": _ids(pa, ids), "vertices": vertices, "scores": values})


def _ids(pa: Any, ids: range) -> Any:
    return pa.array(np.arange(ids.start, ids.stop, dtype=np.int64))


def _rows(pa: Any, matrix: Array) -> Any:
    """The rows of a matrix of vertices or ids of edges, as lists of one size."""
    return pa.FixedSizeListArray.from_arrays(_vertices(pa, matrix.reshape(-1)), matrix.shape[1])


def _vertices(pa: Any, values: Array) -> Any:
    """Vertices or ids of edges without a copy: uint32, or int64 if they are; null for -1."""
    kind = pa.uint32() if values.dtype == np.int32 else pa.int64()
    missing = len(values) > 0 and bool(values.min() < 0)
    there = pa.py_buffer(np.packbits(values >= 0, bitorder="little")) if missing else None
    return pa.Array.from_buffers(kind, len(values), [there, pa.py_buffer(np.ascontiguousarray(values))])


def _numbers(pa: Any, values: Array) -> Any:
    """Numbers, null for -1."""
    return pa.array(values, mask=values < 0)


def _offsets(pa: Any, offsets: Array) -> Any:
    """The offsets of lists: Arrow's are 32-bit, so they are copied."""
    if int(offsets[-1]) > LARGEST_LIST:
        raise ValueError(
            f"the lists of {len(offsets) - 1} rows have {int(offsets[-1])} elements together, but a column of Arrow "
            f"has at most {LARGEST_LIST}; pass a smaller range_bytes"
        )
    return pa.array(offsets.astype(np.int32))
