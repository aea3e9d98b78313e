"""Samples of a partitioned graph."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._core import memory, running
from .._core.arguments import vertex_type
from .._core.binding import advised
from .._core.checks import check_int, checked_flag
from .._core.costs import costs
from .._core.seeds import entropy, signed
from ..apps import SamplingApp
from ..graph.names import no_vertex, vertices
from ..samples.arrays import Saved
from ..samples.host import HostResult, of_type
from ..samples.samples import Samples
from .driver import Done, Driver, Work
from .exchange import Asking
from .graph import PartitionedGraph, described
from .part import EDGES, ENDS, TRACES, VISITS, Cohort
from .transport import InProcess, Transport
from .trees import TREES, grown, per_cohort

if TYPE_CHECKING:
    from .._core.seeds import Seed

__all__ = ["Run", "end_points", "sample", "visit_counts"]

Array = npt.NDArray[Any]
Roots = npt.ArrayLike | None

# Walks of all cohorts in flight, and of a cohort, unless the caller says otherwise. Fewer walks than the first are
# divided among the cohorts in flight. A superstep of fewer than the second costs more to start than to make.
MOST_WALKS = 1 << 21
LEAST_WALKS = 1 << 14
MISSING = np.uint32(0xFFFFFFFF)


class Run:
    """A call: its checked arguments, and the cohorts that make its samples.

    Args:
        graph, app, roots, repeat, seed, first_id, transport: as for ``sample``.
        record: what the parts record.
        cohort: the largest number of walks of a cohort; None: the walks of the call, 2^21 at most, divided by the
            number of cohorts in flight.
        in_flight: the number of cohorts in flight; None: ``Transport.cohorts``.
    """

    def __init__(
        self,
        graph: PartitionedGraph,
        app: SamplingApp,
        roots: Roots,
        repeat: int,
        seed: Seed,
        first_id: int,
        transport: Transport | None,
        record: int,
        cohort: int | None,
        in_flight: int | None,
    ) -> None:
        if not isinstance(graph, PartitionedGraph):
            raise TypeError(
                f"graph = {graph!r}: expected a PartitionedGraph; gonextdoor.partition.open returns one. A "
                "heterogeneous one has mini-batches only"
            )
        self.graph, self.app, self.seed = graph, app, entropy(seed)
        self.repeat = check_int("repeat", repeat, 1, 1 << 62)
        self.first = check_int("first_id", first_id, 0, (1 << 64) - 1)
        self._in_flight = None if in_flight is None else check_int("in_flight", in_flight, 1, 1 << 10)
        most = None if cohort is None else check_int("cohort", cohort, 1, 1 << 31)
        text = described(app)
        self.roots = self._given(roots)
        count, self.each = self.roots.shape
        self.selector = graph._selector(app, self.each)
        self.rows = count * self.repeat
        if self.first + self.rows > 1 << 64:
            raise ValueError(
                f"first_id = {first_id}: expected at most 2^64 - {self.rows}, so that all ids fit in 64 bits"
            )
        self._walks = most
        self._template = Cohort(0, text, self.each, self.seed, self.first, 0, record)
        if transport is not None and transport.parts != graph.parts:
            raise ValueError(f"transport has {transport.parts} parts, but the graph has {graph.parts}")
        self._transport = transport
        self.messages = self.size = self.supersteps = 0

    def _given(self, roots: Any) -> Array:
        """The roots of the first repeat of each sample: (count, each) uint32."""
        n = self.graph.num_vertices
        if roots is None:
            return np.arange(n, dtype=np.uint32)[:, None]
        if isinstance(roots, (int, np.integer)) and not isinstance(roots, bool):
            drawn = np.empty((check_int("roots", roots, 0, 1 << 40), 1), np.uint32)
            ids = signed(self.seed), signed(self.first), self.repeat
            out = memory.address(drawn), len(drawn), 1
            seconds = costs().draw_root * len(drawn)
            running.call("PartitionDrawRoots", self.graph._held.number, *ids, *out, seconds=seconds)
            return drawn
        array = vertices(self.graph, "roots", roots)
        if array.ndim not in (1, 2) or (array.ndim == 2 and not array.shape[1]):
            raise ValueError(f"roots: expected shape (n,) or (n, r), got {array.shape}")
        bad = np.flatnonzero((array < 0) | (array >= n))
        if bad.size:
            at, value = int(bad[0]), array.reshape(-1)[bad[0]]
            error = IndexError(f"roots[{at}] = {value}: the graph has {n} vertices, expected 0 to {n - 1}")
            raise no_vertex(self.graph, error)
        return array.astype(np.uint32).reshape(
            len(array), -1 if array.size else array.shape[-1] if array.ndim == 2 else 1
        )

    def _work(self, each: int) -> Iterator[Work]:
        """Cohorts of a number of samples each."""
        for lo in range(0, self.rows, each):
            rows = np.arange(lo, min(lo + each, self.rows)) // self.repeat
            yield Work(self.first + lo, self.roots[rows])

    def trees(self, home: int | None, edges: bool) -> HostResult:
        """Makes the samples of an app whose samples are trees, at a part."""
        asking = Asking(self.graph, home, self._transport)
        most = MOST_WALKS if self._walks is None else self._walks
        work = self._work(min(max(1, most // self.each), per_cohort(self.app, self.each)))
        try:
            return grown(asking, self.app, work, (self.rows, self.each), self.seed, edges)
        finally:
            self.messages, self.size = asking.traffic.messages, asking.traffic.bytes
            asking.close()

    def cohorts(self) -> Iterator[tuple[slice, Done]]:
        """Makes the samples. Yields the rows of each cohort with the records of the parts."""
        transport = self._transport or InProcess(self.graph)
        in_flight = transport.cohorts if self._in_flight is None else self._in_flight
        share = -(-min(self.rows * self.each, MOST_WALKS) // in_flight)
        walks = max(share, LEAST_WALKS) if self._walks is None else self._walks
        try:
            work = self._work(max(1, walks // self.each))
            for done in Driver(self.graph, transport, in_flight).run(work, self._template):
                lo = done.work.first_id - self.first
                self.messages, self.size = self.messages + done.messages, self.size + done.size
                self.supersteps += done.supersteps
                yield slice(lo, lo + len(done.work.roots)), done
        finally:
            if self._transport is None:
                transport.close()


@advised
def sample(
    graph: PartitionedGraph,
    app: SamplingApp,
    roots: Roots = None,
    *,
    repeat: int = 1,
    seed: Seed = None,
    first_id: int = 0,
    dtype: npt.DTypeLike | None = None,
    edges: bool = False,
    transport: Transport | None = None,
    cohort: int | None = None,
    in_flight: int | None = None,
    home: int | None = None,
) -> Samples:
    """Samples a partitioned graph: ``repeat`` samples from each root.

    The samples are equal to those of ``gonextdoor.sample`` on the whole graph with the same arguments, for any parts. A
    part makes the steps of the walks at its vertices and sends each walk on when it leaves. Trees grow in one part,
    which asks the others for the edges of their vertices.

    Args:
        graph: the partitioned graph.
        app: an app whose choices read the rows of a sample's vertices. Walks: DeepWalk, PPR, Walk, Node2Vec,
            NonBacktracking, MetropolisHastings, Jump, Restart, MetaPath, TemporalWalk and MultiIndependent. Trees:
            KHop, Neighbor and ForestFire.
        roots: (n,) vertices by number, or a list of their names; (n, r) for samples that grow from r roots each
            (MultiIndependent and trees); an int n: n random vertices; None (default): every vertex in order.
        repeat: samples from each root, at least 1 (default 1).
        seed: as for ``gonextdoor.sample``.
        first_id: the id of the first row (default 0).
        dtype: of vertices, int32 or int64; None (default): int32 unless the graph has 2^31 vertices.
        edges: whether to record the id of each edge taken (default False); see ``Samples.edges``.
        transport: reaches the parts; None (default): ``InProcess``, which opens them in this process for the call.
        cohort: the largest number of walks or trees that are made together; None (default): those of the call, 2^21 at
            most, divided by the number of cohorts in flight. It bounds the memory of boxes and traces, and is what is
            lost if a part dies.
        in_flight: the number of cohorts of walks in flight, at least 1; None (default): ``Transport.cohorts``, which
            follows from the cores.
        home: the part in which trees grow, which is opened in this process; None (default): ``Transport.home``. It
            changes the speed only.

    Returns:
        The samples.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range, the app cannot be sampled by parts, or the graph lacks what it needs.
        IndexError: a root is not a vertex of the graph.
        PartLostError: a part was lost too often.
        OSError: a part cannot be read.
        FormatError: a part is damaged, or of another run.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> parts = gnd.partition.split(graph, 3, "hash", hot=0.1)
        >>> walks = gnd.partition.sample(parts, gnd.apps.Node2Vec(p=0.5, q=2, length=4), [0, 7], seed=1)
        >>> bool((walks.numpy() == gnd.sample(graph, walks.app, [0, 7], seed=1).numpy()).all())
        True
    """
    recorded = TRACES + EDGES * checked_flag("edges", edges)
    run = Run(graph, app, roots, repeat, seed, first_id, transport, recorded, cohort, in_flight)
    vertex = vertex_type(graph.num_vertices, dtype)
    began = time.perf_counter()
    width = app.width(run.each)
    if type(app).__name__ in TREES:
        result = run.trees(home, edges)
    else:
        result = _ragged(run, edges) if width is None else _matrix(run, width, edges)
    result.values = of_type(vertex, result.values) if width is None else _widened(vertex, result.values)
    result.seconds = time.perf_counter() - began
    saved = Saved(graph.num_vertices, graph.num_edges, run.selector, None)
    return Samples(
        None, app, result, roots=run.each, seed=run.seed, first_id=run.first, device="cpu", dtype=vertex, saved=saved
    )


def _widened(vertex: np.dtype[Any], values: Array) -> Array:
    """Vertices as they are or as int64, in which missing ones are -1 too."""
    if vertex == np.int32:
        return values
    wide = values.view(np.uint32).astype(np.int64)
    wide[values == -1] = -1
    return wide


def _matrix(run: Run, width: int, edges: bool) -> HostResult:
    """Samples of one width."""
    each = run.each
    memory.check(run.rows * (4 * width + 8 * (width - each) * edges))
    out = memory.empty((run.rows, width), np.int32)
    ids = memory.empty((run.rows, width - each), np.int64) if edges else None
    for rows, done in run.cohorts():
        place = np.arange(rows.stop - rows.start)
        out[rows, each:] = -1
        if ids is not None:
            ids[rows] = -1
        taken = None if ids is None else ids[rows].reshape(-1)
        _assemble(done, place * width, out[rows].reshape(-1), place * (width - each), taken)
    return HostResult(out, None, ids)


def _ragged(run: Run, edges: bool) -> HostResult:
    """Samples that differ in length, of one root each."""
    blocks: dict[int, tuple[Array, Array, Array]] = {}  # by the first row: vertices, ids of edges, lengths
    for rows, done in run.cohorts():
        count = np.ones(rows.stop - rows.start, np.int64)
        for part in done.recorded:
            count += np.bincount(part.steps[:, 0], minlength=len(count))
        first = np.cumsum(count) - count
        block = memory.empty((int(count.sum()),), np.int32)
        ids = np.full(len(block) if edges else 0, -1, np.int64)
        _assemble(done, first, block, first + 1, ids if edges else None)
        blocks[rows.start] = block, ids, count
    none = np.empty(0, np.int32), np.empty(0, np.int64), np.zeros(1, np.int64)
    values, taken, lengths = zip(none, *(blocks[first] for first in sorted(blocks)), strict=True)
    return HostResult(
        np.concatenate(values), np.cumsum(np.concatenate(lengths)), np.concatenate(taken) if edges else None
    )


def _assemble(done: Done, first: Array, values: Array, first_id: Array, ids: Array | None) -> None:
    """Writes the walks of a cohort: row i from ``values[first[i]]`` on, ids of edges from ``ids[first_id[i]]``."""
    each = done.work.roots.shape[1]
    for root in range(each):
        values[first + root] = done.work.roots[:, root].view(np.int32)
    for part in done.recorded:
        row, walk = np.divmod(part.steps[:, 0], np.uint32(each)) if each > 1 else (part.steps[:, 0], 0)
        at = part.steps[:, 1].astype(np.int64) * each + walk
        values[first[row] + each + at] = part.steps[:, 2].view(np.int32)
        if ids is not None and part.edges is not None:
            ids[first_id[row] + at] = part.edges


@advised
def visit_counts(
    graph: PartitionedGraph,
    app: SamplingApp,
    roots: Roots = None,
    *,
    repeat: int = 1,
    seed: Seed = None,
    first_id: int = 0,
    transport: Transport | None = None,
    cohort: int | None = None,
    in_flight: int | None = None,
) -> Array:
    """Counts how often walks visit each vertex, roots included, without their traces.

    Args:
        graph: the partitioned graph.
        app: an app whose samples are walks, as for ``sample``.
        roots: as for ``sample``; None (default): every vertex in order.
        repeat: samples from each root, at least 1 (default 1).
        seed: as for ``gonextdoor.sample``.
        first_id: the id of the first sample (default 0).
        transport: reaches the parts; None (default): ``InProcess``.
        cohort: as for ``sample``.
        in_flight: as for ``sample``.

    Returns:
        (num_vertices,) int64, equal to ``gonextdoor.visit_counts`` on the whole graph.

    Raises:
        TypeError: as for ``sample``.
        ValueError: as for ``sample``.
        IndexError: as for ``sample``.
        PartLostError: as for ``sample``.
        OSError: as for ``sample``.
        FormatError: as for ``sample``.

    Examples:
        >>> path = gnd.Graph.from_edges([0, 1, 2], [1, 2, 3], symmetric=True)
        >>> parts = gnd.partition.split(path, 2)
        >>> gnd.partition.visit_counts(parts, gnd.apps.DeepWalk(length=5), repeat=100, seed=1)
        array([439, 807, 761, 393])
    """
    run = Run(graph, app, roots, repeat, seed, first_id, transport, VISITS, cohort, in_flight)
    counts = memory.empty((graph.num_vertices,), np.int64)
    counts[:] = 0
    for _, done in run.cohorts():
        for part in done.recorded:
            counts[part.vertices] += part.counts  # each vertex once per part
    return counts


@advised
def end_points(
    graph: PartitionedGraph,
    app: SamplingApp,
    roots: Roots = None,
    *,
    repeat: int = 1,
    seed: Seed = None,
    first_id: int = 0,
    transport: Transport | None = None,
    cohort: int | None = None,
    in_flight: int | None = None,
) -> Array:
    """Returns the last vertex of each sample, without the traces of walks.

    Args:
        graph: the partitioned graph.
        app: an app whose samples are walks, as for ``sample``.
        roots: as for ``sample``; None (default): every vertex in order.
        repeat: samples from each root, at least 1 (default 1).
        seed: as for ``gonextdoor.sample``.
        first_id: the id of the first sample (default 0).
        transport: reaches the parts; None (default): ``InProcess``.
        cohort: as for ``sample``.
        in_flight: as for ``sample``.

    Returns:
        (rows,) int32, or int64 if the graph has 2^31 vertices; equal to ``gonextdoor.end_points`` on the whole graph.

    Raises:
        TypeError: as for ``sample``.
        ValueError: as for ``sample``.
        IndexError: as for ``sample``.
        PartLostError: as for ``sample``.
        OSError: as for ``sample``.
        FormatError: as for ``sample``.

    Examples:
        >>> parts = gnd.partition.split(gnd.rmat(8, seed=1), 2)
        >>> gnd.partition.end_points(parts, gnd.apps.DeepWalk(length=5), [0, 1, 2], seed=1)
        array([146, 209, 246], dtype=int32)
    """
    run = Run(graph, app, roots, repeat, seed, first_id, transport, ENDS, cohort, in_flight)
    ends = memory.empty((run.rows,), np.int32)
    for rows, done in run.cohorts():
        # Of the walks of a sample, the one that ended last has the last vertex; of several, the one with the last root.
        steps = np.concatenate([part.steps for part in done.recorded]).astype(np.int64)
        row, walk = np.divmod(steps[:, 0], run.each)
        order = np.argsort(steps[:, 1] * run.each + walk, kind="stable")
        ends[rows][row[order]] = steps[order, 2].astype(np.uint32).view(np.int32)
    return _widened(vertex_type(graph.num_vertices, None), ends)
