"""Trees of a partitioned graph: the samples of KHop, Neighbor, ForestFire and MultiIndependent."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import memory, native, records
from .._core.arguments import integer_kind
from ..apps import SamplingApp
from ..samples.host import HostResult, of_type
from ..samples.layers import Layers
from .exchange import Asking, HeldCall

__all__ = ["TREES", "grown"]

Array = npt.NDArray[Any]

TREES = frozenset({"KHop", "Neighbor", "ForestFire", "MultiIndependent"})  # apps whose samples ``grown`` makes

COHORT = 1 << 22  # vertices of the samples that share their exchanges, about
LEAST = 1 << 16  # vertices of a sample without an expected size, for the number of samples in a cohort


def grown(
    asking: Asking, app: SamplingApp, roots: Array, seed: int, first_id: int, vertex: np.dtype[Any], edges: bool
) -> HostResult:
    """Samples trees of a partitioned graph.

    The transits of a step go to the parts that own them, and edges come back. Samples are made in cohorts, which bound
    the memory of the exchanges.

    Args:
        asking: the part that asks.
        app: the app.
        roots: (n, r) ints: the roots of each sample.
        seed: the seed.
        first_id: the id of the first sample.
        vertex: the type of vertices in the result.
        edges: whether to record the ids of edges.

    Raises:
        IndexError: a root is not a vertex of the graph.
        ValueError: the app cannot be sampled on this partitioned graph.
        MemoryError: the samples do not fit in memory.
    """
    rows, each = roots.shape
    width = app.width(each)
    size = app.steps_expected(each) + each
    cohort = max(1, int(COHORT // min(size, LEAST)))
    if width is None:
        layers = [
            _layers(asking, app, roots[at : at + cohort], seed, first_id + at, edges)
            for at in range(0, max(rows, 1), cohort)
        ]
        return _joined(layers, vertex)
    memory.check(rows * width * (4 + 8 * edges))
    out = memory.empty((rows, width), np.int32)
    ids = memory.empty((rows, width - each), np.int64) if edges else None
    for at in range(0, rows, cohort):
        _matrix(asking, app, roots[at : at + cohort], seed, first_id + at, out[at:], None if ids is None else ids[at:])
    return HostResult(out if vertex == np.int32 else _wide(out), None, ids)


def _wide(values: Array) -> Array:
    """Vertices as int64, -1 if one is missing."""
    wide = values.view(np.uint32).astype(np.int64)
    wide[wide == 0xFFFFFFFF] = -1
    return wide


def _call(asking: Asking, app: SamplingApp, request: bytearray, roots: int) -> HeldCall:
    """Begins and completes a call of a record of a request."""
    text = app._text()
    if text is None:
        raise ValueError(f"app = {app!r}: its parameters are arrays of this process, which other parts cannot read")
    where = memory.address(np.frombuffer(request, np.uint8))
    number = native.call("PartTrees", asking.part._held.number, *text, where, roots, 0)
    call = HeldCall(number, (asking.part, request))
    asking.run(call)
    return call


def _request(
    roots: Array, seed: int, first_id: int, out: Array | None = None, ids: Array | None = None, edges: bool = False
) -> bytearray:
    """The record of a request for samples from roots, (n, r)."""
    count, width = roots.shape
    request = bytearray(records.REQUEST.size)
    records.REQUEST.pack_into(  # the fields of records.Request, in order
        request, 0,
        memory.address(roots), count, integer_kind(roots), 1, seed, first_id & (1 << 64) - 1, 1, edges, 4,
        0 if out is None else memory.address(out), 0 if ids is None else memory.address(ids), count,
        0 if out is None else out.shape[1], 0, 0, 0, 0,
    )  # fmt: skip
    return request


def _matrix(
    asking: Asking, app: SamplingApp, roots: Array, seed: int, first_id: int, out: Array, ids: Array | None
) -> None:
    """Writes samples of one width to the first rows of arrays."""
    kept = np.ascontiguousarray(roots)
    _call(asking, app, _request(kept, seed, first_id, out, ids, ids is not None), roots.shape[1])


def _layers(asking: Asking, app: SamplingApp, roots: Array, seed: int, first_id: int, edges: bool) -> HostResult:
    """Layered samples."""
    kept = np.ascontiguousarray(roots)
    call = _call(asking, app, _request(kept, seed, first_id, edges=edges), roots.shape[1])
    record = np.zeros(records.LAYERS.size // 8, np.int64)
    native.call("PartTreesLayers", call.number, edges, memory.address(record))
    lent = records.Layers._make(record.tolist())
    rows = len(roots) + 1
    ids = memory.wrap(lent.edges, (lent.total,), np.int64) if edges else None
    layers = Layers(
        memory.wrap(lent.parents, (lent.total,), np.int32),
        memory.wrap(lent.ends_from, (rows,), np.int64),
        memory.wrap(lent.ends, (lent.end_count,), np.int32),
    )
    values = memory.wrap(lent.vertices, (lent.total,), np.int32)
    return HostResult(values, memory.wrap(lent.offsets, (rows,), np.int64), ids, layers)


def _joined(parts: list[HostResult], vertex: np.dtype[Any]) -> HostResult:
    """The samples of all cohorts."""
    first = parts[0]
    layers = [part.layers for part in parts if part.layers is not None]
    if len(parts) == 1:
        return HostResult(of_type(vertex, first.values), first.offsets, first.edges, first.layers)
    edges = None if first.edges is None else np.concatenate([part.edges for part in parts if part.edges is not None])
    joined = Layers(
        np.concatenate([one.parents for one in layers]),
        _offsets([one.ends_from for one in layers]),
        np.concatenate([one.ends for one in layers]),
    )
    values = of_type(vertex, np.concatenate([part.values for part in parts]))
    return HostResult(values, _offsets([part.offsets for part in parts if part.offsets is not None]), edges, joined)


def _offsets(parts: list[Array]) -> Array:
    """The offsets of concatenated arrays, from those of each."""
    sizes = np.concatenate([np.diff(part) for part in parts])
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
