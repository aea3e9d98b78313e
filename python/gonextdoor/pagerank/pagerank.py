"""personalized_pagerank: estimates of personalised PageRank from random walks."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import apps
from .._core import advice, memory, native, running
from .._core.arguments import checked_threads, integer_kind, vertex_type
from .._core.binding import advised
from .._core.checks import check_int, checked_number
from .._core.log import logger
from .._core.seeds import entropy, signed
from ..apps.parameters import Weighted, checked_weighted
from ..device import devices
from ..errors import DeviceError
from ..graph.graph import Graph
from ..graph.names import no_vertex
from ..graph.versions import changed_rows
from .counts import Counts
from .personalization import Personalization, personalization
from .scores import Scores

if TYPE_CHECKING:
    from .._core.seeds import Seed
    from ..device.devices import Device

__all__ = ["personalized_pagerank"]

Array = npt.NDArray[Any]

LEAST_STOP = 1e-6  # as in the core
ROW_VISITS = 1 << 31  # expected visits of a row, at most; as in the core
ERROR = 0.01  # the bound that walks=None asks for
MOST = 0.5  # the share of rows up to which only those are made again
FIRST_WALKS = 1 << 10  # of a row whose number of walks is to be found; then twice as many, and so on


@advised
def personalized_pagerank(
    graph: Graph,
    seeds: Any,
    *,
    stop: float = 0.15,
    walks: int | None = None,
    error: float | None = None,
    top_k: int | None = None,
    weighted: Weighted = "auto",
    sinks: str = "restart",
    confidence: float = 0.99,
    device: Device = "auto",
    threads: int | None = None,
    seed: Seed = None,
    first_id: int = 0,
    progress: bool | None = None,
) -> Scores:
    """Personalised PageRank of each seed vertex, or set of them, estimated from random walks with standard errors and a
    bound.

    The score of a vertex is the probability that a walk from the seeds is there when it stops. A walk begins at a seed,
    drawn in proportion to the weights of the set. At each vertex, the first included, it stops with probability
    ``stop``; otherwise it takes an edge. The estimates are unbiased: their expectation is the result of
    ``networkx.pagerank`` with ``alpha=1 - stop`` and the seeds as ``personalization``, edge weights and parallel edges
    included. They use all visits of the walks, not only their end points, which would take about ``1 / stop`` times as
    many walks (Fogaras et al. 2005; Avrachenkov et al. 2007). ``scores.standard_errors`` and ``scores.bound`` estimate
    and bound their distance from the exact scores.

    The walks of a row depend on the graph, the parameters, the random seed and the row's id alone: the result is the
    same on any number of threads, however the rows are split by ``first_id``, and on CPUs and GPUs.

    Args:
        graph: the graph. Walks follow the edges from source to target.
        seeds: a vertex or (rows,) vertices: one row per vertex. Or one row per set of seeds: a dict {vertex: weight},
            like networkx's ``personalization``, which is one row; a list of such dicts; a list of arrays of vertices,
            or an array of shape (rows, members), whose members have equal weights; a SciPy sparse matrix of shape
            (rows, num_vertices), whose rows are the weights. Weights of a set need not sum to 1. A vertex is
            given by its number, as an int, or by its name, as text.
        stop: the probability of stopping at each vertex, from 1e-6 to 1 (default 0.15); rounded to a multiple of 2^-32.
            It is 1 - alpha, and the walks visit 1 / stop vertices on average.
        walks: walks of each row, at least 1; None (default): as many as ``error`` needs.
        error: the number of walks of each row is doubled, from 1,024, until the row's ``bound`` is at most this, if
            ``walks`` is None. None (default): 0.01. Four times as many walks halve the bound.
        top_k: keep only the entries of the highest estimates of each row, highest first (equal ones by vertex); None
            (default): keep all, sorted by vertex.
        weighted: ``"auto"`` (default) uses edge weights if the graph has them; ``True`` requires them; ``False``
            ignores them.
        sinks: the continuation of a walk at a vertex without edges (or without positive weights). "restart" (default):
            it continues from the row's seeds, which is the convention of ``networkx.pagerank`` (``dangling=None``);
            "stop": it ends there, as if the sink had one edge, to itself.
        confidence: the probability with which ``scores.bound`` holds, between 0 and 1 (default 0.99).
        device: "cpu"; "cuda" or "cuda:1"; "auto" (default): a GPU if one is available and is expected to be faster, or
            the device that the environment variable GONEXTDOOR_DEVICE names. ``scores.device`` is the device that was
            used.
        threads: CPU threads, at least 1; None (default): one per core that this process may use.
        seed: the random seed: an int from 0 to 2^64 - 1; a numpy Generator, of which one word is taken; None (default):
            fresh entropy, kept in ``scores.seed``.
        first_id: the id of the first row (default 0); row i has first_id + i, and draws the random words of that id.
        progress: whether to show a progress bar; None (default): in interactive use, if the call takes over a second.

    Returns:
        The scores as arrays in compressed sparse rows; ``scores.scipy()`` is the matrix (rows, num_vertices).

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range, or ``error`` needs too many walks.
        IndexError: a seed is not a vertex of the graph.
        MemoryError: the result does not fit in memory.
        DeviceError: the GPU is missing or has too little memory.

    Examples:
        >>> graph = gnd.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 1])
        >>> scores = gnd.personalized_pagerank(graph, [0, 2], walks=100_000, seed=1)
        >>> scores.values[:3].round(2)
        array([0.29, 0.38, 0.33])
    """
    if not isinstance(graph, Graph):
        raise advice.graph_error("a gonextdoor.Graph", graph, "out")
    stop = checked_number("stop", stop)
    if not LEAST_STOP <= stop <= 1:
        raise ValueError(f"stop = {stop}: expected a probability from {LEAST_STOP} to 1 (it is 1 - alpha)")
    if sinks not in ("restart", "stop"):
        raise ValueError(f'sinks = {sinks!r}: expected "restart" or "stop"')
    confidence = checked_number("confidence", confidence)
    if not 0 < confidence < 1:
        raise ValueError(f"confidence = {confidence}: expected a probability between 0 and 1")
    weighted = checked_weighted(weighted)
    if top_k is not None:
        top_k = check_int("top_k", top_k, 1, (1 << 32) - 1)
    if progress is not None and not isinstance(progress, bool):
        raise TypeError(f"progress = {progress!r}: expected True, False or None")
    count, within = _effort(walks, error, stop)
    rows = personalization(graph, seeds)
    first = check_int("first_id", first_id, 0, (1 << 64) - 1)
    if first + rows.rows > 1 << 64:
        raise ValueError(f"first_id = {first}: expected at most 2^64 - {rows.rows}, so that all ids fit in 64 bits")
    params = {"stop": stop, "sinks": sinks, "weighted": weighted}
    effort = _Effort(count, within, confidence)
    run = _Run(graph, rows, params, effort, top_k, entropy(seed), first, device, checked_threads(threads), progress)
    return run.scores(*run.of_rows(np.arange(rows.rows)))


def _effort(walks: int | None, error: float | None, stop: float) -> tuple[int | None, float]:
    """The number of walks, or None and the bound asked for."""
    if walks is not None:
        if error is not None:
            raise ValueError(f"walks = {walks} and error = {error}: pass only one of them")
        return check_int("walks", walks, 1, math.floor(ROW_VISITS * stop)), 0.0
    error = checked_number("error", ERROR if error is None else error)
    if not 0 < error < 1:
        raise ValueError(f"error = {error}: expected a number between 0 and 1, the largest error of a score")
    return None, error


@dataclasses.dataclass(frozen=True)
class _Effort:
    """How many walks a row has.

    Attributes:
        walks: the walks of each row; None: as many as its bound needs to be at most ``error``.
        error: see walks.
        confidence: the probability with which the bounds hold.
    """

    walks: int | None
    error: float
    confidence: float


class _Run:
    """A checked call."""

    def __init__(
        self,
        graph: Graph,
        rows: Personalization,
        params: dict[str, Any],
        effort: _Effort,
        top_k: int | None,
        seed: int,
        first: int,
        device: Device,
        threads: int,
        progress: bool | None,
    ) -> None:
        self.graph, self.rows, self.params, self.effort, self.top_k = graph, rows, params, effort, top_k
        self.seed, self.first, self.threads, self.progress = seed, first, threads, progress
        self.stop = max(1, round(params["stop"] * (1 << 32))) / (1 << 32)
        ids = devices.among(device)
        if ids is not None and len(ids) > 1:
            raise ValueError(f"device = {device!r}: expected one GPU; split the seeds by first_id for several")
        self.auto, self.devices = ids is None, ids

    def counts(self, walks: Array) -> Counts:
        """The visits of that many walks of each row."""
        walks = walks.astype(np.int64)
        expected = np.zeros(2)  # seconds on the CPU and on a GPU
        asked = self.stop, float(walks.sum()), self.threads
        native.call("EstimateScores", self.graph._held.number, *asked, memory.address(expected))
        seconds, gpu = expected.tolist()
        if self.devices is None:
            self.devices = self._paying(seconds, gpu)
        logger.debug(
            "personalized_pagerank, %d rows, %d walks on %s: expected %.3g s on the CPU, %.3g s on a GPU",
            self.rows.rows, walks.sum(), devices.named(self.devices), seconds, gpu,
        )  # fmt: skip
        try:
            return self._counted(walks, seconds)
        except DeviceError as why:
            if not self.auto or not self.devices:
                raise
            warnings.warn(
                f'device = "auto": running personalized_pagerank on the CPU instead, since {why}',
                RuntimeWarning,
                stacklevel=4,
            )
        self.devices = devices.CPU
        return self._counted(walks, seconds)

    def _paying(self, cpu: float, gpu: float) -> tuple[int, ...]:
        """The GPU that "auto" selects for a call with those expected seconds on CPU and GPU, or none."""
        ids = devices.preferred()
        if ids is not None:
            return ids[:1]
        if cpu < gpu:
            return devices.CPU
        app, rows = apps.PPR(self.stop, weighted=self.params["weighted"]), self.rows.rows
        id = native.call("DeviceFor", self.graph._held.number, app._planned().number, 1, rows, cpu, gpu)
        return devices.CPU if id < 0 else (id,)

    def _counted(self, walks: Array, seconds: float) -> Counts:
        assert self.devices is not None
        rows, lent = self.rows, np.zeros(9, np.int64)
        table = 0 if rows.sets is None else rows.sets._held.number
        try:
            running.call(
                "PageRankScores",
                self.graph._held.number,
                json.dumps(self.params),
                memory.address(rows.vertices),
                len(rows.vertices),
                integer_kind(rows.vertices),
                table,
                rows.rows,
                memory.address(walks),
                self.top_k or 0,
                signed(self.seed),
                signed(self.first),
                self.threads,
                devices.mask(self.devices),
                memory.address(lent),
                seconds=seconds,
                total=rows.rows,
                progress=self.progress,
                label="PageRank",
            )
        except BaseException as error:
            for block in lent[:6].tolist():
                if block:
                    native.call("Return", block)
            if isinstance(error, IndexError):
                raise no_vertex(self.graph, error) from None
            raise
        offsets, *columns, totals, size, threshold, from_host = lent.tolist()
        assert threshold == round(self.stop * (1 << 32))
        if from_host:
            self.devices = devices.CPU  # for the next counts, too
        kinds: list[Any] = [np.int32, np.uint32, np.uint32, np.uint8]
        entries = [
            memory.wrap(at, (size,), kind)
            for at, kind in zip(columns, kinds, strict=True)
            if at  # the last column is missing if walks never end at sinks
        ]
        if vertex_type(self.graph._info["vertices"], None) == np.int64:
            entries[0] = entries[0].view(np.uint32).astype(np.int64)
        return Counts(
            memory.wrap(offsets, (rows.rows + 1,), np.int64),
            tuple(entries),
            memory.wrap(totals, (rows.rows,), np.int64),
            walks,
        )

    def of_rows(self, rows: Array) -> tuple[Counts, Array]:
        """The counts of some rows, and the probability with which the bound of each fails."""
        if self.effort.walks is None:
            return self._within(rows)
        n = np.zeros(self.rows.rows, np.int64)
        n[rows] = self.effort.walks
        counts = self.counts(n)
        return counts if len(rows) == len(n) else counts.take(rows), np.full(len(rows), 1 - self.effort.confidence)

    def _within(self, chosen: Array) -> tuple[Counts, Array]:
        """As many walks of each row as its bound needs to be at most the error: 1,024 times a power of two. The bound
        with exponent k fails with probability (1 - confidence) / (k + 1) / (k + 2) at most: together with 1 -
        confidence, whichever exponents are tried."""
        rows, most = self.rows.rows, math.floor(ROW_VISITS * self.stop)
        error, risk = self.effort.error, 1 - self.effort.confidence
        exponents = np.zeros(rows, np.int64)
        open_rows = chosen
        parts, order, failures = [], [], np.empty(rows)
        while len(open_rows):
            n = np.zeros(rows, np.int64)
            n[open_rows] = np.minimum(FIRST_WALKS << exponents[open_rows], most)
            counts = self.counts(n)
            failures[open_rows] = risk / (exponents[open_rows] + 1.0) / (exponents[open_rows] + 2.0)
            counts = counts.take(open_rows)
            bound = self.scores(counts, failures[open_rows]).bound
            done = bound <= error
            if (~done & (counts.walks == most)).any():
                row = int(open_rows[np.flatnonzero(~done & (counts.walks == most))[0]])
                raise ValueError(f"error = {error}: row {row} needs more than {most} walks; expected a larger error")
            if done.any():
                parts.append(counts.take(np.flatnonzero(done)))
                order.append(open_rows[done])
            # The bound falls as 1 / sqrt(n); one doubling less, since a bound of 1 gives no estimate.
            more = np.ceil(2 * np.log2(np.maximum(bound[~done] / error, 1.0))).astype(np.int64) - 1
            open_rows = open_rows[~done]
            exponents[open_rows] += np.clip(more, 1, 10)
        if not parts:
            return self.counts(exponents), failures
        back = np.argsort(np.concatenate(order), kind="stable")
        return Counts.join(parts).take(back), failures[chosen]

    def updated(self, scores: Scores, graph: Graph) -> Scores:
        """See ``Scores.updated``."""
        changed = changed_rows(graph, self.graph, "the graph of the scores")
        if changed is None:
            return scores
        later = copy.copy(self)
        later.graph, later.devices = graph, None if self.auto else self.devices
        # 1. Find the rows that visited a vertex whose row changed, and those whose entries are not all of their visits.
        marks = np.zeros(len(scores), np.uint8)
        native.call(
            "Touched", memory.address(scores.indices), scores.indices.itemsize, len(marks), 0, 0,
            memory.address(scores.indptr), memory.address(changed), len(changed), memory.address(marks),
        )  # fmt: skip
        if self.top_k is not None:
            sums = np.concatenate([[0], np.cumsum(scores.visits, dtype=np.int64)])[scores.indptr]
            marks |= np.diff(sums) != scores.total_visits
        again = np.flatnonzero(marks)
        logger.debug("personalized_pagerank: %d of %d rows made again", len(again), len(scores))
        if len(again) > MOST * len(scores) or vertex_type(graph._info["vertices"], None) != scores.indices.dtype:
            return later.scores(*later.of_rows(np.arange(len(scores))))
        # 2. Count their visits again.
        ends = () if scores._ends is None else (scores._ends,)
        columns = (scores.indices, scores.visits, scores.visitors, *ends)
        counts, failures = Counts(scores.indptr, columns, scores.total_visits, scores.walks), scores._failure
        if not len(again):
            later.devices = self.devices
            return later.scores(counts, failures)
        part, risks = later.of_rows(again)
        order, failures = np.arange(len(scores)), failures.copy()
        order[again], failures[again] = len(scores) + np.arange(len(again)), risks
        return later.scores(Counts.join([counts, part]).take(order), failures)

    def scores(self, counts: Counts, failures: Array) -> Scores:
        """The result of some counts."""
        assert self.devices is not None
        vertices, visits, visitors, *ends = counts.entries
        return Scores(
            (counts.indptr, vertices, visits, visitors),
            ends[0] if ends else None,
            counts.totals,
            counts.walks,
            num_vertices=self.graph.num_vertices,
            stop=self.stop,
            sinks=self.params["sinks"],
            top_k=self.top_k,
            seed=self.seed,
            first_id=self.first,
            confidence=self.effort.confidence,
            device=devices.named(self.devices),
            failure=failures,
            seeds=np.array(self.rows.vertices) if self.rows.sets is None else None,
            names=self.graph._name_table(),
            run=self,
        )
