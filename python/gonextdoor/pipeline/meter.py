"""Meter: the seconds that each stage of a loader takes, and the bytes that it holds."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import NamedTuple

__all__ = ["STAGES", "LoaderStats", "Meter", "Span"]

STAGES = ("draw", "gather", "hand over", "wait", "caller")
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
        hits: the fraction of the rows of features that were in GPU memory; None if the loader has no cache.
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


class Meter:
    """Counts for the stages of one loader. Threads may call it at once.

    A small batch takes 0.1 ms, so each method counts as much as one call can.

    Attributes:
        largest: the bytes of the largest batch so far; 0 before the first.
        drawing, ready: as ``LoaderStats`` has them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seconds = dict.fromkeys(STAGES, 0.0)
        self._waits = {"draw": 0.0, "gather": 0.0}  # the parts of "wait"
        self._batches = self._bytes = self._held = self._peak = 0
        self._left: float | None = None  # when the caller received the last batch
        self.largest = self.drawing = self.ready = 0
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
        self.add("hand over", number, begin)
        self._left = time.perf_counter()

    def stats(self, hits: float | None) -> LoaderStats:
        """The counts so far.

        Args:
            hits: the fraction of rows that a cache had.
        """
        with self._lock:
            seconds = dict(self._seconds)
            held, peak = self._held, self._peak
        return LoaderStats(
            self._batches,
            seconds,
            self._bytes,
            held,
            peak,
            self.drawing,
            self.ready,
            hits,
            _bottleneck(self._batches, seconds, self._waits),
        )


def _bottleneck(batches: int, seconds: dict[str, float], waits: dict[str, float]) -> str:
    if not batches:
        return "no batch was handed over yet"
    inside = seconds["wait"] + seconds["hand over"]
    whole = inside + seconds["caller"]
    share = f"{round(100 * inside / whole) if whole else 0} % of the loop"
    if inside <= 0.1 * whole:
        return f"the caller: the loader takes {share}"
    if seconds["hand over"] > seconds["wait"]:
        return f"handing over: the loader takes {share}, most of it to assemble batches in the calling thread"
    stage = "gathering features" if waits["gather"] > waits["draw"] else "drawing"
    return f"{stage}: the loader takes {share}, most of it waiting for {stage}"
