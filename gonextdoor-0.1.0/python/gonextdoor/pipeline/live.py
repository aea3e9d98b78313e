"""LiveLine: a line that shows how an epoch proceeds, and which stage limits it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

from .._core import native
from .._core.running import bar
from .meter import NAMES, Counts, Meter, limiting

__all__ = ["LiveLine"]

T = TypeVar("T")

EVERY = 0.25  # seconds between two looks at the counts
OVER = 5.0  # seconds that the named stage and its share are of, at most
FORMAT = "{desc}{percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}, {rate_noinv_fmt}{postfix}]"


class LiveLine(native.Closing, Iterator[T], Generic[T]):
    """Iterates over the batches of an epoch, with a line of tqdm on stderr: the batches so far, batches per second, the
    stage that limits the loop, and the fraction of the last seconds in which that stage worked.

    Args:
        batches: the batches.
        meter: counts for their stages.
        total: the number of batches; None: not known.
    """

    def __init__(self, batches: Iterator[T], meter: Meter, total: int | None) -> None:
        self._batches, self._meter = batches, meter
        self._handed, now = 0, time.perf_counter()
        self._looks: list[tuple[float, Counts]] = [(now, meter.counts())]
        self._due = now + EVERY
        form = FORMAT if total is not None else "{n_fmt} [{elapsed}, {rate_noinv_fmt}{postfix}]"
        self._bar: Any = bar(total=total, unit=" batches", bar_format=form, mininterval=0.0, leave=True)

    def __next__(self) -> T:
        try:
            one = next(self._batches)
        except BaseException:
            self.close()
            raise
        self._handed += 1
        if time.perf_counter() >= self._due:
            self._show()
        return one

    def _show(self) -> None:
        now, counts = time.perf_counter(), self._meter.counts()
        self._looks = [*(look for look in self._looks if now - look[0] <= OVER), (now, counts)]
        (begin, before), self._due = self._looks[0], now + EVERY
        if counts.batches > before.batches:  # not with workers, whose stages are not counted
            stage, _ = limiting(_since(before, counts))
            share = self._meter.busy(stage, begin, now)
            self._bar.set_postfix_str(f"{NAMES[stage]} {round(100 * share)} % busy", refresh=False)
        self._bar.update(self._handed - self._bar.n)

    def close(self) -> None:
        """Draws the line for the last time."""
        if self._bar is not None:
            self._show()
            self._bar.close()
            self._bar = None

    def _end(self) -> None:
        """Ends the line when the iterator is deleted."""
        if getattr(self, "_bar", None) is not None:
            with contextlib.suppress(OSError, ValueError):  # stderr may be closed
                self.close()


def _since(before: Counts, now: Counts) -> Counts:
    """The counts of the time between."""
    return Counts(
        now.batches - before.batches,
        {stage: now.seconds[stage] - before.seconds[stage] for stage in now.seconds},
        {stage: now.waits[stage] - before.waits[stage] for stage in now.waits},
    )
