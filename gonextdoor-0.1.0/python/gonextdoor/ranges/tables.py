"""Arrow tables of samples, batches and scores. Vertices are not copied; missing ones are null."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..neighbor.batch import NeighborBatch
from ..pagerank.scores import Scores
from ..samples.export import piece, walks
from ..samples.samples import Samples

__all__ = ["LARGEST_LIST", "of_batches", "of_samples", "of_scores"]

Array = npt.NDArray[Any]

LARGEST_LIST = (1 << 31) - 1  # elements of a column of lists


def of_samples(samples: Samples, ids: range) -> Any:
    """Samples as a table: ``id`` and ``walk``, or ``vertices`` for apps that do not walk; and ``edges`` if they were
    recorded. Layered samples also have the lists ``steps`` and ``parents``, and ``sources``, ``targets``,
    ``link_edges`` and ``link_values`` if the app records edges."""
    import pyarrow as pa

    name = "walk" if walks(samples) else "vertices"
    if not samples.ragged:
        matrix = np.ascontiguousarray(samples.numpy())
        columns = {"id": _ids(pa, ids), name: _rows(pa, matrix)}
        if samples.has_edges:
            columns["edges"] = _rows(pa, np.ascontiguousarray(samples.edges))
        return pa.table(columns)
    offsets = _offsets(pa, samples.offsets)
    columns = {"id": _ids(pa, ids), name: pa.ListArray.from_arrays(offsets, _vertices(pa, samples.values))}
    if samples.has_edges:
        taken = piece(samples, 0, len(samples), gaps=True)
        columns["edges"] = pa.ListArray.from_arrays(_offsets(pa, taken.edge_offsets), _vertices(pa, taken.edges))
    layers = samples._layers
    if layers is not None:
        columns["steps"] = pa.ListArray.from_arrays(offsets, pa.array(layers.steps_of(0, len(samples))))
        columns["parents"] = pa.ListArray.from_arrays(offsets, _numbers(pa, layers.parents))
        if layers.recorded:
            links_from, sources, targets, edges, values = layers.links()
            at = _offsets(pa, links_from)
            columns["sources"] = pa.ListArray.from_arrays(at, pa.array(sources))
            columns["targets"] = pa.ListArray.from_arrays(at, pa.array(targets))
            columns["link_edges"] = pa.ListArray.from_arrays(at, _numbers(pa, edges))
            columns["link_values"] = pa.ListArray.from_arrays(at, pa.array(values))
    return pa.table(columns)


def of_batches(
    batches: list[NeighborBatch],
    ids: range,
    types: list[str] | None = None,
    relations: list[tuple[str, str, str]] | None = None,
) -> Any:
    """Mini-batches as a table with a chunk per batch: ``id``, ``num_nodes`` and ``num_edges`` (of the seed nodes and of
    each hop), and the lists ``nodes``, ``row``, ``col`` and ``edges`` of int64, as ``NeighborBatch.split`` has them. If
    there are several types, their columns are named ``nodes/paper`` and ``row/author/writes/paper``."""
    import pyarrow as pa

    kinds = [""] if types is None else [f"/{name}" for name in types]
    links = [""] if relations is None else ["/" + "/".join(relation) for relation in relations]
    order = {"num_nodes": kinds, "num_edges": links, "nodes": kinds, "row": links, "col": links, "edges": links}
    columns = [name + part for name, parts in order.items() for part in parts]
    if len({*columns}) < len(columns):
        raise ValueError(f"the names of types and relations give the same names of columns: {columns}")
    chunks: list[list[Any]] = []
    for batch in batches:
        parts = batch.split(batch.arena)
        lists = [*batch.num_nodes, *batch.num_edges, *parts.nodes, *parts.row, *parts.col, *parts.edges]
        chunks.append([_list(pa, values) for values in lists])
    found = [pa.chunked_array(list(chunk), pa.list_(pa.int64())) for chunk in zip(*chunks, strict=True)]
    if not batches:
        found = [pa.chunked_array([], pa.list_(pa.int64()))] * len(columns)
    return pa.table({"id": _ids(pa, ids), **dict(zip(columns, found, strict=True))})


def _list(pa: Any, values: Any) -> Any:
    """A column with one list of int64."""
    return pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), pa.array(values, pa.int64()))


def of_scores(scores: Scores, ids: range) -> Any:
    """PageRank scores as a table: ``id``, and the lists ``vertices`` and ``scores`` (float64)."""
    import pyarrow as pa

    offsets = _offsets(pa, scores.indptr)
    vertices = pa.ListArray.from_arrays(offsets, _vertices(pa, scores.indices))
    values = pa.ListArray.from_arrays(offsets, pa.array(scores.values))
    return pa.table({"id": _ids(pa, ids), "vertices": vertices, "scores": values})


def _ids(pa: Any, ids: range) -> Any:
    return pa.array(np.arange(len(ids), dtype=np.uint64) + np.uint64(ids.start))


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
