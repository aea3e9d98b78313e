"""updated: the samples of a version of a graph, from those of the graph."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import memory, native
from .._core.log import logger
from ..apps import SamplingApp
from ..device.devices import listed
from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph
from ..graph.versions import changed_rows
from ..samples.host import HostResult
from ..samples.samples import Samples
from .call import Call
from .place import place
from .run import run
from .sample import sampled
from .types import later_on_types

__all__ = ["call_of", "updated"]

Array = npt.NDArray[Any]

MOST = 0.5  # the share of samples up to which only those are made again
COUNTED = 0.25  # the share of samples made again up to which visits are counted by differences
PARTS = 16  # runs of samples from which the share is estimated first


def updated(samples: Samples, version: Graph | HeteroGraph) -> Samples:
    """See ``Samples.updated``."""
    graph, changed = _changed(samples, version)
    if changed is None:
        return samples
    call = call_of(samples, graph)
    moved = graph is not version and samples.has_edges  # the ids of edges in the graph of all types follow their order
    again = None if moved else _again(call, samples, changed)
    if again is None or len(again) > MOST * call.rows:
        logger.debug("%r: all %d samples made again", samples.app, call.rows)
        return sampled(call, samples.app)
    logger.debug("%r: %d of %d samples made again", samples.app, len(again), call.rows)
    began = time.perf_counter()
    part = _part(call, again)
    result = samples._result
    assert isinstance(result, HostResult)
    kept = _joined(result, part, again) if result.ragged else _replaced(result, part, again, call.rows)
    kept.seconds = time.perf_counter() - began
    later = Samples(
        graph, samples.app, kept, roots=samples._roots, seed=samples.seed, first_id=samples.first_id, device="cpu",
        dtype=samples._dtype, asked=samples._asked,
    )  # fmt: skip
    if samples._visits is not None and len(again) <= COUNTED * call.rows:
        later._visits = _visits(samples._visits, result, part, again, graph.num_vertices)
    return later


def call_of(samples: Samples, graph: Graph) -> Call:
    """The call for a graph with the arguments of that which returned the samples."""
    assert samples._asked is not None
    kind, copies = samples._asked
    roots: Any = None
    if kind == "random":
        roots = len(samples) // copies
    elif kind == "given":
        roots = samples.roots[::copies]
    return Call(
        graph, samples.app, roots, copies, samples.seed, samples.first_id,
        device=listed(samples.device), dtype=samples._dtype, edges=samples.has_edges, names=False,
    )  # fmt: skip


def _changed(samples: Samples, version: Graph | HeteroGraph) -> tuple[Graph, Array | None]:
    """The graph to sample, and the bitmap of its rows that changed since that of the samples; None if it is that graph.

    Raises:
        TypeError, ValueError: the graph is no version of that of the samples, or these do not know their call.
    """
    if samples._asked is None or samples._graph is None:
        raise ValueError(
            "these samples were loaded from a file, or are those of a partitioned graph: expected samples that "
            "gonextdoor.sample returned; call it for the new graph"
        )
    if isinstance(version, HeteroGraph):
        return later_on_types(version, samples._graph)
    return version, changed_rows(version, samples._graph, "samples.graph")


def _again(call: Call, samples: Samples, changed: Array) -> Array | None:
    """The rows whose samples differ from those of the graph before, or may; None: all may."""
    before = samples.graph.num_vertices
    grown = call.graph.num_vertices > before
    result = samples._result
    if not isinstance(result, HostResult) or result.layered or call.same is not None:
        return None
    if not native.call("AppRowLocal", call.app._planned().number, grown):
        return None
    # 1. Samples that have a vertex whose row changed: first some of them, in case that it is most.
    most, rows = (result.rows >> 10), np.arange(PARTS) * (result.rows // PARTS)
    few = [_touched(call.app, result, samples._roots, changed, row, row + most) for row in rows.tolist()]
    if most and np.concatenate(few).mean() > MOST:
        return None
    marks = _touched(call.app, result, samples._roots, changed, 0, result.rows)
    # 2. Samples from other roots: random ones may be new vertices.
    if call.roots.draw is not None and grown:
        roots = call.roots.draw().reshape(-1, call.roots.width).repeat(call.copies, axis=0)
        marks |= (roots != samples.roots).any(axis=1)
    rows = np.flatnonzero(marks)
    # 3. Samples from new vertices, if every vertex is a root.
    return np.concatenate([rows, np.arange(result.rows, call.rows)])


def _touched(app: SamplingApp, result: HostResult, roots: int, changed: Array, first: int, end: int) -> Array:
    """Marks the samples from first to end - 1 that read rows that changed: (end - first,) uint8."""
    marks = np.zeros(end - first, np.uint8)
    if result.offsets is None:
        values, offsets, width = result.values[first:end], None, result.width
        slots = app.slots(roots)
        read = width - int(np.prod(slots[-1], dtype=np.int64)) if slots else 0  # rows of the last step are not read
    else:
        values, offsets, width, read = result.values, result.offsets[first : end + 1], 0, 0
    native.call(
        "Touched", memory.address(values), values.itemsize, len(marks), width, read,
        0 if offsets is None else memory.address(offsets), memory.address(changed), len(changed), memory.address(marks),
    )  # fmt: skip
    return marks


def _part(call: Call, rows: Array) -> HostResult:
    """The samples of some rows of a call."""
    roots = call.roots
    if roots.array is not None:
        chosen = roots.array.reshape(-1, roots.width)[rows // call.copies]
    elif roots.draw is not None:
        chosen = roots.draw().reshape(-1, roots.width)[rows // call.copies]
    else:
        chosen = (rows // call.copies).reshape(-1, 1)
    part = Call(
        call.graph, call.app, np.ascontiguousarray(chosen if roots.width > 1 else chosen.reshape(-1)), 1, call.seed,
        device="cpu", dtype=call.vertex, edges=call.edges, names=False,
    )  # fmt: skip
    ids = rows.astype(np.uint64) + np.uint64(call.first)
    part.ids = memory.address(ids)
    result = run(part, place(part))
    assert isinstance(result, HostResult)
    return result


def _visits(counts: Array, before: HostResult, part: HostResult, rows: Array, vertices: int) -> Array:
    """The visits of samples with some rows replaced: those before, less those of the old rows, plus the new ones."""
    old = rows[: np.searchsorted(rows, before.rows)]
    if before.offsets is None:
        gone = HostResult(np.ascontiguousarray(before.values[old]), None, None)
    else:
        lengths = before.lengths()[old]
        gone = HostResult(before.values[_places(before.offsets[:-1][old], lengths)], None, None)
    visits = part.visits(vertices)
    visits -= gone.visits(vertices)
    visits[: len(counts)] += counts
    return visits


def _places(starts: Array, lengths: Array) -> Array:
    """The positions of runs, run after run."""
    ends = np.cumsum(lengths)
    places: Array = np.repeat(starts - ends + lengths, lengths) + np.arange(ends[-1] if len(ends) else 0)
    return places


def _replaced(before: HostResult, part: HostResult, rows: Array, count: int) -> HostResult:
    """Samples of one width, with some rows replaced and those after the last added."""

    def merged(old: Array, new: Array) -> Array:
        array = memory.empty((count, *old.shape[1:]), old.dtype)
        native.call(
            "Replaced", memory.address(old), len(old), memory.address(new), memory.address(rows), len(rows),
            memory.address(array), count, array.nbytes // max(1, count),
        )  # fmt: skip
        return array

    edges = None if before.edges is None or part.edges is None else merged(before.edges, part.edges)
    return HostResult(merged(before.values, part.values), None, edges)


def _joined(before: HostResult, part: HostResult, rows: Array) -> HostResult:
    """Samples that differ in length, with some replaced and those after the last added."""
    assert before.offsets is not None and part.offsets is not None
    count = max(before.rows, int(rows[-1]) + 1 if len(rows) else 0)
    starts, lengths = np.zeros(count, np.int64), np.zeros(count, np.int64)
    starts[: before.rows], lengths[: before.rows] = before.offsets[:-1], before.lengths()
    starts[rows], lengths[rows] = part.offsets[:-1] + len(before.values), part.lengths()
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    places = _places(starts, lengths)

    def joined(old: Array, new: Array) -> Array:
        array: Array = np.concatenate([old, new])[places]
        return array

    edges = None if before.edges is None or part.edges is None else joined(before.edges, part.edges)
    return HostResult(joined(before.values, part.values), offsets, edges)
