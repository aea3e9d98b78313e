"""Trees of a partitioned graph: the samples of KHop, Neighbor and ForestFire."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import memory, native, records
from .._core.arguments import integer_kind
from ..apps import SamplingApp
from ..samples.host import HostResult
from ..samples.layers import Layers
from .driver import Work
from .exchange import Asking, HeldCall
from .graph import described

__all__ = ["TREES", "grown", "per_cohort"]

Array = npt.NDArray[Any]

TREES = frozenset({"KHop", "Neighbor", "ForestFire"})  # apps whose samples ``grown`` makes

COHORT = 1 << 22  # vertices of the samples that share their exchanges, about
LARGEST = 1 << 16  # vertices of a sample of unknown size, for the number of samples in a cohort


def per_cohort(app: SamplingApp, roots: int) -> int:
    """The number of samples that share their exchanges."""
    return max(1, int(COHORT // min(app.steps_expected(roots) + roots, LARGEST)))


def grown(
    asking: Asking, app: SamplingApp, cohorts: Iterable[Work], shape: tuple[int, int], seed: int, edges: bool
) -> HostResult:
    """Samples trees of a partitioned graph.

    The transits of a step go to the parts that own them, and edges are returned. Cohorts bound the memory of the
    exchanges.

    Args:
        asking: the part that asks.
        app: the app.
        cohorts: the samples of each cohort.
        shape: the number of all samples, and the roots of a sample.
        seed: the seed.
        edges: whether to record the ids of edges.

    Raises:
        ValueError: the app cannot be sampled on this partitioned graph.
        MemoryError: the samples do not fit in memory.
    """
    rows, each = shape
    width = app.width(each)
    if width is None:
        empty = Work(0, np.empty((0, each), np.uint32))
        parts = [_layers(asking, app, work, seed, edges) for work in cohorts]
        return _joined(parts or [_layers(asking, app, empty, seed, edges)])
    memory.check(rows * (4 * width + 8 * (width - each) * edges))
    out = memory.empty((rows, width), np.int32)
    ids = memory.empty((rows, width - each), np.int64) if edges else None
    row = 0
    for work in cohorts:
        _matrix(asking, app, work, seed, out[row:], None if ids is None else ids[row:])
        row += len(work.roots)
    return HostResult(out, None, ids)


def _call(asking: Asking, app: SamplingApp, request: bytearray, work: Work) -> HeldCall:
    """Begins and completes the call of a request for the samples of a cohort."""
    where, roots = memory.address(np.frombuffer(request, np.uint8)), work.roots.shape[1]
    number = native.call("PartTrees", asking.part._held.number, *described(app), where, roots, 0)
    call = HeldCall(number, (asking.part, work))
    asking.run(call)
    return call


def _request(
    work: Work, seed: int, out: Array | None = None, ids: Array | None = None, edges: bool = False
) -> bytearray:
    """The record of a request for the samples of a cohort, whose roots are contiguous."""
    count = len(work.roots)
    request = bytearray(records.REQUEST.size)
    records.REQUEST.pack_into(  # the fields of records.Request, in order
        request, 0,
        memory.address(work.roots), count, integer_kind(work.roots), 1, seed, work.first_id, 1, edges, 4,
        0 if out is None else memory.address(out), 0 if ids is None else memory.address(ids), count,
        0 if out is None else out.shape[1], 0, 0, 0, 0, 0, 0,
    )  # fmt: skip
    return request


def _matrix(asking: Asking, app: SamplingApp, work: Work, seed: int, out: Array, ids: Array | None) -> None:
    """Writes samples of one width to the first rows of arrays."""
    work = dataclasses.replace(work, roots=np.ascontiguousarray(work.roots))
    _call(asking, app, _request(work, seed, out, ids, ids is not None), work)


def _layers(asking: Asking, app: SamplingApp, work: Work, seed: int, edges: bool) -> HostResult:
    """Layered samples."""
    work = dataclasses.replace(work, roots=np.ascontiguousarray(work.roots))
    call = _call(asking, app, _request(work, seed, edges=edges), work)
    record = np.zeros(records.LAYERS.size // 8, np.int64)
    native.call("PartTreesLayers", call.number, edges, memory.address(record))
    lent = records.Layers._make(record.tolist())
    rows = len(work.roots) + 1
    ids = memory.wrap(lent.edges, (lent.total,), np.int64) if edges else None
    layers = Layers(
        memory.wrap(lent.parents, (lent.total,), np.int32),
        memory.wrap(lent.ends_from, (rows,), np.int64),
        memory.wrap(lent.ends, (lent.end_count,), np.int32),
    )
    values = memory.wrap(lent.vertices, (lent.total,), np.int32)
    return HostResult(values, memory.wrap(lent.offsets, (rows,), np.int64), ids, layers)


def _joined(parts: list[HostResult]) -> HostResult:
    """The samples of all cohorts."""
    if len(parts) == 1:
        return parts[0]
    layers = [part.layers for part in parts if part.layers is not None]
    edges = [part.edges for part in parts if part.edges is not None]
    joined = Layers(
        np.concatenate([one.parents for one in layers]),
        _offsets([one.ends_from for one in layers]),
        np.concatenate([one.ends for one in layers]),
    )
    offsets = _offsets([part.offsets for part in parts if part.offsets is not None])
    values = np.concatenate([part.values for part in parts])
    return HostResult(values, offsets, np.concatenate(edges) if edges else None, joined)


def _offsets(parts: list[Array]) -> Array:
    """The offsets of concatenated arrays, from those of each."""
    sizes = np.concatenate([np.diff(part) for part in parts])
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
