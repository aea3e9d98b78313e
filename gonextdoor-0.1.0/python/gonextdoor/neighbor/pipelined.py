"""What loaders have in common that draw batches and read features in a pipeline."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sized
from typing import TYPE_CHECKING, Any, Protocol, SupportsIndex

import numpy as np
import numpy.typing as npt

from .._core.adapters import adapter
from .._core.arguments import cores
from .._core.checks import check_int
from ..errors import DeviceError
from ..graph.direction import facing
from ..graph.graph import Graph
from ..pipeline.live import LiveLine
from ..pipeline.meter import LoaderStats, Meter
from ..pipeline.prefetch import Prefetcher, numbered
from .order import Batch, HandedOut, Pass
from .sampler import NeighborSampler

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..features.loading import PendingBatch

__all__ = [
    "BUDGET",
    "FeatureReads",
    "Pipelined",
    "checked_budget",
    "depth",
    "edges_to",
    "looks_ahead",
]

SUPER = 8  # batches of each GPU per call, and at most per call on the CPU
ANNOUNCED = 64  # batches that are drawn in advance for a cache that looks ahead
BUDGET = 2_000_000_000  # bytes of batches in the pipeline
LARGEST = (1 << 63) - 1


class Rows(Protocol):
    """Reads rows of features to a GPU, batch by batch: ``GPURows``, or what keeps one."""

    @property
    def looks_ahead(self) -> bool:
        """Whether a cache evicts by the batches that are announced."""

    def begin(self) -> None:
        """Begins an epoch."""

    def announce(self, ids: Mapping[Any, Any]) -> None:
        """Announces the ids of the next batch."""

    def start(self, ids: Mapping[Any, Any]) -> PendingBatch:
        """Begins to read the rows of a batch."""

    @property
    def hits(self) -> float:
        """The fraction of the rows that were in GPU memory."""

    @property
    def cache_bytes(self) -> int:
        """The memory that the caches take of each GPU."""

    @property
    def misses(self) -> str:
        """How missed rows are read, in words."""


class Pipelined:
    """The common base of loaders that draw batches in a pipeline."""

    _meter: Meter
    _rows: Any  # Rows, or None
    _prefetch: int  # batches that are drawn in advance
    _budget: int  # their bytes
    _threads: int  # that draw and gather
    _progress: bool  # whether a line shows how an epoch proceeds

    def _sample(self, batches: list[Batch]) -> list[Any]:
        """What the sampler returns for several batches, sampled by one call."""
        raise NotImplementedError

    def _size(self, batch: Batch) -> int:
        """The bytes of a batch, without rows that are read in the background."""
        raise NotImplementedError

    def _reads(self) -> FeatureReads | None:
        """Reads features to a GPU in advance; None: there are none, or threads gather them."""
        return None

    def _draw(self, batches: list[Batch]) -> list[Batch]:
        """Samples several batches. The result of a failed batch is its error, so that the others are handed over.

        Raises:
            MemoryError, DeviceError: they concern all batches, so none is sampled again.
        """
        try:
            for batch, out in zip(batches, self._sample(batches), strict=True):
                batch.out = out
            return batches
        except (MemoryError, DeviceError) as why:
            if len(batches) > 1:
                raise
            raise numbered(why, batches[0]) from why
        except Exception as why:
            if len(batches) == 1:
                batches[0].out = error = numbered(why, batches[0])
                error.__cause__ = why
                return batches
        return [self._draw([batch])[0] for batch in batches]  # the error is of one of them, such as an id out of range

    def _handed_out(self, batches: Iterator[Any], begun: Pass) -> HandedOut[Any]:
        """The batches that the caller receives, with a live line if it is wanted."""
        return HandedOut(LiveLine(batches, self._meter, begun.rounds) if self._progress else batches, begun)

    def _prefetched(
        self,
        batches: Iterator[Batch],
        sized: Sized,
        finish: Callable[[Batch], Batch] | None = None,
        *,
        together: bool = True,
        timeout: float = 0,
    ) -> Prefetcher[Batch, Batch]:
        """The batches of an epoch, drawn in the pipeline.

        Args:
            batches: names them.
            sized: an object whose length is their number.
            finish: gathers the features of a drawn batch in a thread; None: they are read by ``_reads``, or not here.
            together: whether one call draws several batches; otherwise one thread draws one after the other.
            timeout: seconds to wait for a batch; 0: without end.
        """
        far = self._rows is not None and self._rows.looks_ahead
        group = _per_call(self._prefetch, far) if together else 1
        return Prefetcher(
            batches,
            self._draw,
            finish,
            sized,
            group=group,
            ahead=-(-self._prefetch // group),
            threads=min(self._prefetch, 1 + self._threads if finish is not None else 2 if together else 1),
            timeout=timeout,
            reads=self._reads(),
            size=self._size,
            budget=self._budget,
            meter=self._meter,
        )

    def stats(self) -> LoaderStats:
        """Returns what this loader has done since it was made: seconds by stage, bytes, the lengths of its queues, the
        hits of its cache, and in words, the stage that limits the loop."""
        if self._rows is None:
            return self._meter.stats(None)
        return self._meter.stats(self._rows.hits, self._rows.cache_bytes, self._rows.misses)

    def plot(self, seconds: float = 1.0, *, ax: Axes | None = None) -> Axes:
        """Draws with matplotlib when each stage worked, a row per stage: drawing, gathering features, handing over, the
        caller's wait, and the caller's own time. Returns the Axes. *Experimental.*

        Args:
            seconds: the time to draw, up to the last batch (default 1). At most the last 4,096 periods are kept.
            ax: the axes to draw on; None: those of a new figure.

        Raises:
            ImportError: matplotlib is missing.
            ValueError: no batch was handed over yet, or ``seconds`` is not positive.
        """
        if not seconds > 0:
            raise ValueError(f"seconds = {seconds!r}: expected a positive number")
        axes: Axes = adapter("pipeline")(self._meter.spans(), self.stats().bottleneck, seconds, ax=ax)
        return axes


def depth(prefetch: SupportsIndex | None, gpus: int, looks_ahead: bool = False) -> int:
    """The number of batches that are drawn in advance. Two calls are in progress, so that one is always queued on each
    GPU while the results of the other are read.

    Args:
        prefetch: as given; None: as many as two calls draw.
        gpus: the number of GPUs that draw; 0: the CPU draws.
        looks_ahead: whether a cache evicts rows by the batches that were drawn.
    """
    if prefetch is None:
        return max(2 * (SUPER * gpus if gpus else min(SUPER, cores())), ANNOUNCED if looks_ahead else 0)
    return check_int("prefetch", prefetch, 0, 1 << 20)


def _per_call(prefetch: int, looks_ahead: bool) -> int:
    """The number of batches of a call: half of those that are drawn in advance. For a cache that looks ahead, more and
    smaller calls are in progress, so that almost all of these batches have been drawn at any time."""
    return max(1, prefetch // (ANNOUNCED // SUPER if looks_ahead else 2))


def looks_ahead(cache: Any, policy: Any) -> bool:
    """Whether a loader has a cache that evicts rows by the batches that were drawn."""
    return cache not in (None, 0) and isinstance(policy, str) and policy == "lookahead"


def checked_budget(prefetch_bytes: Any) -> int:
    """The bytes of batches that a pipeline may hold.

    Raises:
        TypeError, ValueError: it is no positive int.
    """
    return BUDGET if prefetch_bytes is None else check_int("prefetch_bytes", prefetch_bytes, 1, LARGEST)


def edges_to(sampler: NeighborSampler, kind: str | None) -> npt.NDArray[Any]:
    """The number of edges by which a vertex can be sampled, for all vertices of a type."""
    graph = sampler.graph
    if isinstance(graph, Graph):
        return np.bincount(facing(graph, sampler.direction).indices, minlength=graph.num_vertices)
    assert kind is not None
    counts = np.zeros(graph.num_vertices[kind], np.int64)
    for (source, _, _), part in graph.relations.items():
        if source == kind:
            counts += np.bincount(part.indices, minlength=len(counts))
    return counts


class FeatureReads:
    """Reads the features of drawn batches to a GPU, in the order of the batches.

    Args:
        rows: reads the rows.
        ids_of: the ids of a batch by type, of what the sampler returned.
        size_of: the bytes of the rows of a batch.
    """

    def __init__(self, rows: Rows, ids_of: Callable[[Any], Mapping[Any, Any]], size_of: Callable[[Any], int]) -> None:
        self._rows, self._ids_of, self._size_of = rows, ids_of, size_of

    def begin(self) -> None:
        """Begins an epoch."""
        self._rows.begin()

    def announce(self, batch: Batch) -> None:
        """Announces the next batch to caches that look ahead, unless it could not be drawn."""
        if self._rows.looks_ahead and not isinstance(batch.out, Exception):
            try:
                self._rows.announce(self._ids_of(batch.out))
            except Exception as why:
                raise numbered(why, batch) from why

    def size(self, batch: Batch) -> int:
        """The bytes of the rows of a batch."""
        return 0 if isinstance(batch.out, Exception) else self._size_of(batch.out)

    def start(self, batch: Batch) -> PendingRows:
        """Begins to read the rows of a batch."""
        if isinstance(batch.out, Exception):
            return PendingRows(batch, None)
        try:
            return PendingRows(batch, self._rows.start(self._ids_of(batch.out)))
        except Exception as why:
            raise numbered(why, batch) from why


class PendingRows:
    """A batch whose features are being read."""

    __slots__ = ("_batch", "_pending")

    def __init__(self, batch: Batch, pending: PendingBatch | None) -> None:
        self._batch, self._pending = batch, pending

    def wait(self) -> Batch:
        """The batch with its rows."""
        if self._pending is not None:
            try:
                self._batch.rows = self._pending.wait()
            except Exception as why:
                raise numbered(why, self._batch) from why
        return self._batch
