"""Meter: the seconds that each stage of a loader takes, and the bytes that it holds."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import NamedTuple

from .._core import native

__all__ = ["NAMES", "STAGES", "Counts", "LoaderStats", "Meter", "Span", "limiting"]

STAGES = ("draw", "gather", "hand over", "wait", "caller")
NAMES = {"draw": "drawing", "gather": "gathering features", "hand over": "handing over", "caller": "the caller"}
SPANS = 4096  # that are kept for a picture


class LoaderStats(NamedTuple):
    """What a loader has done since it was made.

    Attributes:
        batches: the number of batches that were handed over.
        seconds: by stage. "draw": calls that draw batches. "gather": reading their features. "hand over": assembling
            batches in the calling thread. "wait": the caller waited for a batch. "caller": the time between two
            batches, in which the caller uses one. Stages run at the same time.
        bytes: the bytes of the batches that were handed over.
        held_bytes, peak_bytes: the bytes of batches that are drawn and not handed over, now and at most.
        drawing, ready: the number of batches that are being drawn now, and that are drawn and not handed over.
        hits: the fraction of the rows of features that were in GPU memory; None if none are read to a GPU.
        cache_bytes: the memory that the loader's caches take of each GPU; None if no features are read to a GPU.
        misses: how rows that are not cached are read, in words; None if no features are read to a GPU.
        bottleneck: the stage that limits the loop, in words.
    """

    batches: int
    seconds: dict[str, float]
    bytes: int
    held_bytes: int
    peak_bytes: int
    drawing: int
    ready: int
    hits: float | None
    cache_bytes: int | None
    misses: str | None
    bottleneck: str


class Span(NamedTuple):
    """A period in which a stage worked.

    Attributes:
        stage: its name.
        number: the batch, counted from the begin of the iteration; the first of several.
        begin, end: seconds of ``time.perf_counter``.
    """

    stage: str
    number: int
    begin: float
    end: float


class Counts(NamedTuple):
    """The counts of a loader at some time.

    Attributes:
        batches: the number of batches that were handed over.
        seconds: by stage.
        waits: the parts of "wait", by the stage that the caller waited for.
    """

    batches: int
    seconds: dict[str, float]
    waits: dict[str, float]


class Meter:
    """Counts for the stages of one loader. Threads may call it at once.

    A small batch takes 0.1 ms, so each method counts as much as one call can.

    Attributes:
        largest: the bytes of the largest batch so far; 0 before the first.
        largest_rows: the most bytes of features that are read for a batch, if they are read in the background.
        drawing, ready: as ``LoaderStats`` has them.
    """

    def __init__(self) -> None:
        self._lock, self._process = threading.Lock(), native.generation
        self._seconds = dict.fromkeys(STAGES, 0.0)
        self._waits = {"draw": 0.0, "gather": 0.0}  # the parts of "wait"
        self._batches = self._bytes = self._held = self._peak = 0
        self._left: float | None = None  # when the caller received the last batch
        self.largest = self.largest_rows = self.drawing = self.ready = 0
        self._spans: deque[tuple[str, int, float, float]] = deque(maxlen=SPANS)

    def __reduce__(self) -> tuple[type[Meter], tuple[()]]:
        return Meter, ()  # a copy counts from the beginning

    def spans(self) -> list[Span]:
        """The last periods of all stages."""
        with self._lock:
            spans = list(self._spans)
        return list(map(Span._make, spans))

    def add(self, stage: str, number: int, begin: float) -> None:
        """Counts a period of a stage that ends now."""
        end = time.perf_counter()
        with self._lock:
            self._seconds[stage] += end - begin
            self._spans.append((stage, number, begin, end))

    def hold(self, size: int) -> None:
        """Counts a batch that the pipeline holds from now on."""
        with self._lock:
            self._held += size
            if self._held > self._peak:
                self._peak = self._held

    def release(self, size: int) -> None:
        """Counts batches that were dropped."""
        with self._lock:
            self._held -= size

    def begin(self) -> None:
        """Begins an epoch: the time since the last batch is not the caller's."""
        self._left = None
        if self._process != native.generation:  # a thread of the parent may have held the lock
            self._lock, self._process = threading.Lock(), native.generation

    def requested(self, number: int) -> float:
        """Ends the caller's time with the last batch, and returns the time."""
        now, left = time.perf_counter(), self._left
        if left is not None:
            with self._lock:
                self._seconds["caller"] += now - left
                self._spans.append(("caller", number, left, now))
            self._left = None
        return now

    def handed(self, number: int, size: int, begin: float, drawn: float) -> None:
        """Counts a batch that the caller receives now.

        Args:
            number: the batch.
            size: its bytes, which were held.
            begin: when the caller began to wait for it.
            drawn: when it was drawn; the rest of the wait was for its features.
        """
        end = time.perf_counter()
        with self._lock:
            self._seconds["wait"] += end - begin
            self._waits["draw"] += drawn - begin
            self._waits["gather"] += end - drawn
            self._spans.append(("wait", number, begin, end))
            self._batches += 1
            self._bytes += size
            self._held -= size
        self._left = end

    def alone(self, number: int, size: int, begin: float, drawn: float) -> None:
        """Counts a batch that the calling thread drew from begin to drawn and gathered until now, and receives."""
        end = time.perf_counter()
        with self._lock:
            self._seconds["draw"] += drawn - begin
            self._seconds["gather"] += end - drawn
            self._spans.append(("draw", number, begin, drawn))
            self._spans.append(("gather", number, drawn, end))
            self._spans.append(("wait", number, begin, end))
            self._seconds["wait"] += end - begin
            self._waits["draw"] += drawn - begin
            self._waits["gather"] += end - drawn
            if self._held + size > self._peak:
                self._peak = self._held + size
            self._batches += 1
            self._bytes += size
        self._left = end

    def assembled(self, number: int, begin: float) -> None:
        """Counts the time since begin as that of handing a batch over."""
        end = self._left = time.perf_counter()
        with self._lock:
            self._seconds["hand over"] += end - begin
            self._spans.append(("hand over", number, begin, end))

    def counts(self) -> Counts:
        """The counts so far, which no later call changes."""
        with self._lock:
            return Counts(self._batches, dict(self._seconds), dict(self._waits))

    def busy(self, stage: str, begin: float, end: float) -> float:
        """The fraction of a period in which a stage worked, in one thread at least."""
        spans = self.spans()
        if len(spans) == SPANS:  # earlier ones are forgotten
            begin = max(begin, spans[0].end)
        busy, last = 0.0, begin
        for first, until in sorted((span.begin, min(span.end, end)) for span in spans if span.stage == stage):
            if until > max(first, last):
                busy += until - max(first, last)
                last = until
        return busy / (end - begin) if end > begin else 0.0

    def stats(self, hits: float | None, cache_bytes: int | None = None, misses: str | None = None) -> LoaderStats:
        """The counts so far.

        Args:
            hits: the fraction of rows that a cache had.
            cache_bytes: the memory of the caches.
            misses: how missed rows are read.
        """
        counts = self.counts()
        with self._lock:
            size, held, peak = self._bytes, self._held, self._peak
        return LoaderStats(
            counts.batches,
            counts.seconds,
            size,
            held,
            peak,
            self.drawing,
            self.ready,
            hits,
            cache_bytes,
            misses,
            _bottleneck(counts),
        )


def limiting(counts: Counts) -> tuple[str, float]:
    """The stage that limits the loop, and the fraction of the loop's time that the loader takes."""
    seconds, waits = counts.seconds, counts.waits
    inside = seconds["wait"] + seconds["hand over"]
    whole = inside + seconds["caller"]
    if inside <= 0.1 * whole:
        stage = "caller"
    elif seconds["hand over"] > seconds["wait"]:
        stage = "hand over"
    else:
        stage = "gather" if waits["gather"] > waits["draw"] else "draw"
    return stage, inside / whole if whole else 0.0


def _bottleneck(counts: Counts) -> str:
    if not counts.batches:
        return "no batch was handed over yet"
    stage, inside = limiting(counts)
    name, share = NAMES[stage], f"the loader takes {round(100 * inside)} % of the loop"
    if stage == "caller":
        return f"{name}: {share}"
    if stage == "hand over":
        return f"{name}: {share}, most of it to assemble batches in the calling thread"
    return f"{name}: {share}, most of it waiting for {name}"
