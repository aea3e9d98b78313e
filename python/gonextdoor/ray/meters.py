"""Meters: what a run on the parts of a graph does, for the progress line and for Ray's metrics."""

from __future__ import annotations

import dataclasses
import functools
import time
from typing import Any, NamedTuple

from ray.util import metrics

from .._core import running
from .._core.units import byte_text
from .calls import Counts
from .framework import ray

__all__ = ["Busy", "Clock", "Meter", "count"]


class Busy(NamedTuple):
    """The CPU time that a process has used, and the time since it began.

    Attributes:
        cpu: seconds.
        wall: seconds.
    """

    cpu: float
    wall: float


class Clock:
    """Measures how busy this process is, from now on."""

    def __init__(self) -> None:
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    def now(self) -> Busy:
        """The times since this clock was made."""
        return Busy(time.process_time() - self._cpu, time.perf_counter() - self._wall)


TEXTS = {
    "steps": "steps of walks",
    "messages": "walkers that were sent, questions and answers",
    "bytes": "bytes of boxes and answers",
    "restarts": "how often lost parts were made again",
}


@functools.cache
def _counter(name: str) -> Any:
    return metrics.Counter(f"gonextdoor_{name}", TEXTS[name], () if name == "restarts" else ("part",))


def count(counts: Counts, part: int) -> None:
    """Adds the counts of a range to Ray's metrics."""
    for name, value in dataclasses.asdict(counts).items():
        if value:
            _counter(name).inc(value, {"part": str(part)})


class Meter:
    """Counts what the parts do, and shows it in a line of progress.

    Args:
        ranges: their number.
        cpus: of an actor.

    Attributes:
        counts: of all ranges.
        restarts: how often lost parts were made again.
    """

    def __init__(self, ranges: int, cpus: float) -> None:
        self.counts, self.restarts, self._cpus = Counts(), 0, cpus
        self._busy: dict[int, Busy] = {}
        shown = running.interactive() and ray.data.DataContext.get_current().enable_progress_bars
        self._bar = running.bar(total=ranges, desc="files", leave=False) if shown else None

    @property
    def idle(self) -> float:
        """The share of the CPU time of the parts that was not used, from 0 to 1."""
        there = sum(busy.wall for busy in self._busy.values()) * self._cpus
        return max(0.0, 1 - sum(busy.cpu for busy in self._busy.values()) / there) if there else 0.0

    def made(self, part: int, counts: Counts, busy: Busy) -> None:
        """A part has made a range."""
        self.counts.add(counts)
        self._busy[part] = busy
        if self._bar is not None:
            self._bar.update(1)
            self._bar.set_postfix_str(str(self))

    def restarted(self) -> None:
        """Lost parts were made again."""
        self.restarts += 1
        _counter("restarts").inc()

    def close(self) -> None:
        """Ends the line."""
        if self._bar is not None:
            self._bar.close()

    def __str__(self) -> str:
        counts = self.counts
        moved = f"{counts.steps:,} steps, {counts.messages:,} messages ({byte_text(counts.bytes)})"
        return f"{moved}, {self.restarts} restart{'s' * (self.restarts != 1)}, {self.idle:.0%} idle"
