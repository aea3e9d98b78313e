"""Prefetcher: batches that are drawn and gathered before they are requested, in order."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sized
from concurrent import futures
from typing import Any, Generic, Protocol, TypeVar

from .._core import native
from .._core.weak import cause
from .meter import Meter
from .threads import PATIENCE, Threads, refuse_process

__all__ = ["Pending", "Prefetcher", "Reads", "numbered"]

D = TypeVar("D")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
D_contra = TypeVar("D_contra", contravariant=True)

READS = 3  # batches whose features are read at once


class Pending(Protocol[T_co]):
    """A batch whose features are being read."""

    def wait(self) -> T_co:
        """The batch, complete."""


class Reads(Protocol[D_contra, T_co]):
    """Reads the features of batches in the background, in the order of the batches."""

    def begin(self) -> None:
        """Begins an epoch. Batches of the previous one that were announced are not read."""

    def announce(self, drawn: D_contra) -> None:
        """Announces the next batch that will be read."""

    def size(self, drawn: D_contra) -> int:
        """The bytes of the features of a batch."""

    def start(self, drawn: D_contra) -> Pending[T_co]:
        """Begins to read the features of a batch, and returns without waiting for them."""


class Prefetcher(native.Closing, Iterator[T], Generic[D, T]):
    """Iterates over batches processed by threads, in order. The threads end when it ends, fails or is deleted.

    The batches in the pipeline are bounded by their number and by their bytes. Their bytes are known once they are
    drawn, so a batch is begun if it fits in the budget with the size of the largest batch so far. The first batch is
    drawn alone. If features are read in the background, those of at most three batches are held.

    Several threads may share the iterator: each batch is returned once, and the end reaches all of them. An error
    reaches one of them and ends the iteration. A forked child cannot go on with it.

    Args:
        batches: names what is to be drawn; read in the thread that iterates.
        draw: what some batches become, in order. finish: what each of these becomes, several at once; None: it stays.
            Neither may hold a reference to this iterator.
        sized: an object whose length is the number of batches.
        group: batches of one call of draw. ahead: the number of groups that are begun in advance.
        threads: for draw and finish; 0: they are called by the thread that iterates, when a batch is requested.
        timeout: seconds to wait for a batch; 0: without end.
        reads: reads the features of drawn batches in the background; None: there are none, or finish gathers them.
        size: the bytes of a batch after draw and finish.
        budget: the bytes of batches in the pipeline; None: not limited. One batch is always allowed.
        meter: counts seconds and bytes.
    """

    def __init__(
        self,
        batches: Iterator[Any],
        draw: Callable[[list[Any]], list[D]],
        finish: Callable[[D], Any] | None,
        sized: Sized,
        *,
        group: int,
        ahead: int,
        threads: int,
        timeout: float = 0,
        reads: Reads[D, T] | None = None,
        size: Callable[[Any], int] = lambda _: 0,
        budget: int | None = None,
        meter: Meter | None = None,
    ) -> None:
        self._batches, self._sized = batches, sized
        self._meter = Meter() if meter is None else meter
        self._work = _Work(draw, finish, size, self._meter, None if reads is None else reads.size)
        self._group, self._ahead, self._timeout, self._budget = group, ahead, timeout or None, budget
        self._begun: deque[futures.Future[list[Any]]] = deque()
        self._ready: deque[Any] = deque()  # drawn batches, in order
        self._reading: deque[tuple[Pending[T], int, float]] = deque()  # batches whose features are read
        self._reads = reads
        self._told = 0  # groups of self._begun whose batches were announced
        self._drawing = 0  # batches that were begun and not handed over
        self._named = self._number = 0  # batches that were begun, and handed over
        self._failed: Exception | None = None  # raised while naming batches; the batches before are returned first
        self._turn, self._process = threading.Lock(), native.generation
        self._threads = Threads(threads) if threads else None
        self._meter.begin()
        if reads is not None:
            reads.begin()

    def __len__(self) -> int:
        return len(self._sized)

    def __next__(self) -> T:
        if self._process != native.generation:
            refuse_process()
        with self._turn:
            try:
                return self._alone() if self._threads is None else self._next(self._threads)
            except RuntimeError as error:
                raise cause(error)  # noqa: B904  # its context and cause are kept

    def _next(self, threads: Threads) -> T:
        begin = self._meter.requested(self._number)
        try:
            self._fill(threads)
            drawn = time.perf_counter()
            one, size = self._taken() if self._reads is None else self._read()
            self._drawing -= 1
            self._begin(threads)
        except futures.CancelledError:  # another thread has closed it
            raise StopIteration from None
        except futures.TimeoutError:
            self._discard()
            raise RuntimeError(
                f"timeout = {self._timeout}: no batch was ready after that many seconds; pass a larger timeout"
            ) from None
        except BaseException as error:
            # An interrupt may have left the lock of a future held, for which a thread then waits without end.
            self._discard(None if isinstance(cause(error), Exception) else PATIENCE)
            raise
        self._meter.ready = len(self._ready) + len(self._reading)
        self._meter.drawing = max(0, self._drawing - self._meter.ready)
        self._work.handed(size)
        self._meter.handed(self._number, size, begin, drawn)
        self._number += 1
        return one

    def _alone(self) -> T:
        """Processes one batch in this thread."""
        self._meter.requested(self._number)
        work, named, begin = self._work, next(self._batches), time.perf_counter()
        made = work.draw([named])[0]
        drawn = time.perf_counter()
        if work.finish is not None:
            made = work.finish(made)
        size = work.size(made)
        if self._reads is not None:
            self._reads.announce(made)
            size += self._reads.size(made)
            made = self._reads.start(made).wait()
        self._meter.alone(self._number, size, begin, drawn)
        self._number += 1
        return made  # type: ignore[no-any-return]

    # ---- drawing

    def _fill(self, threads: Threads) -> None:
        """Begins to draw batches, and waits until one is drawn unless one is being read.

        Raises:
            StopIteration: there are no more batches.
        """
        self._begin(threads)
        if not self._ready and not self._reading:
            if not self._begun:
                raise self._failed or StopIteration
            self._append(self._begun.popleft().result(self._timeout))
            self._begin(threads)
        while self._reads is not None and len(self._ready) < READS and self._begun and self._begun[0].done():
            self._append(self._begun.popleft().result())
            self._begin(threads)
        while self._reads is not None and self._told < len(self._begun) and _succeeded(self._begun[self._told]):
            self._announce(self._begun[self._told].result())
            self._told += 1

    def _append(self, drawn: list[Any]) -> None:
        """Appends drawn batches to those that are ready, and announces them unless they were."""
        self._ready.extend(drawn)
        if self._told:
            self._told -= 1
        else:
            self._announce(drawn)

    def _announce(self, drawn: list[Any]) -> None:
        if self._reads is not None:
            for one, _ in drawn:
                self._reads.announce(one)

    def _begin(self, threads: Threads) -> None:
        """Begins to draw as many groups as are allowed."""
        while len(self._begun) < self._ahead and (room := self._room()):
            try:
                some = list(itertools.islice(self._batches, room))
            except Exception as why:
                self._failed, self._batches, some = why, iter(()), []
            if not some:
                return
            self._begun.append(threads.submit(self._work.drawn, threads, some, self._named))
            self._drawing += len(some)
            self._named += len(some)

    def _room(self) -> int:
        """The number of batches that the next call may draw; 0: none now."""
        if self._budget is None:
            return self._group
        largest, rows = self._meter.largest, self._meter.largest_rows
        fit = self._budget // (largest + rows) if largest else 0
        if fit >= READS:  # of further batches, no rows are held
            fit = (self._budget - READS * rows) // largest
        return min(self._group, max(fit - self._drawing, int(self._drawing == 0)))

    # ---- gathering

    def _taken(self) -> tuple[T, int]:
        """The next drawn batch, once it is finished, and its bytes."""
        one = self._ready.popleft()
        made: tuple[T, int] = one.result(self._timeout) if self._work.finish else one
        return made

    def _read(self) -> tuple[T, int]:
        """Begins to read the next batches, and waits for the first of them."""
        assert self._reads is not None
        while self._ready and len(self._reading) < READS:
            one, size = self._ready.popleft()
            size += self._work.hold_rows(one)
            begin = time.perf_counter()
            self._reading.append((self._reads.start(one), size, begin))
        pending, size, begin = self._reading.popleft()
        made = pending.wait()
        self._meter.add("gather", self._number, begin)
        return made, size

    def close(self) -> None:
        """Ends the threads and discards prefetched batches. A thread that waits for a batch receives the end of the
        iteration."""
        if self._threads is not None:
            self._threads.end()
        with self._turn:
            self._discard()

    def _discard(self, patience: float | None = None) -> None:
        self._batches = iter(())
        self._abandon()
        self._begun.clear()
        self._ready.clear()
        if self._threads is not None:
            self._threads.close(patience)
        self._work.end()

    def _abandon(self) -> None:
        """Waits for the reads that have begun, which use the memory of the ids."""
        while self._reading:
            with contextlib.suppress(Exception):
                self._reading[0][0].wait()
            self._reading.popleft()

    def _end(self) -> None:
        """Ends the threads when the iterator is deleted."""
        threads = getattr(self, "_threads", None)
        if threads is not None and self._process == native.generation:
            self._abandon()
            threads.close(PATIENCE)
            self._work.end()


class _Work:
    """What threads do with batches. It counts the bytes of those that were not handed over."""

    def __init__(
        self,
        draw: Callable[[list[Any]], list[Any]],
        finish: Any,
        size: Callable[[Any], int],
        meter: Meter,
        rows: Callable[[Any], int] | None,
    ) -> None:
        self.draw, self.finish, self.size, self._rows = draw, finish, size, rows
        self._meter, self._held, self._over, self._lock = meter, 0, False, threading.Lock()

    def drawn(self, threads: Threads, some: list[Any], first: int) -> list[Any]:
        """Draws batches, of which the first has that number. Each has its bytes, or is pending if it is to be
        finished."""
        begin = time.perf_counter()
        made = self.draw(some)
        self._meter.add("draw", first, begin)
        if self.finish is None:
            return [(one, self._hold(one)) for one in made]
        return [threads.submit(self.finished, one, first + i) for i, one in enumerate(made)]

    def finished(self, one: Any, number: int) -> tuple[Any, int]:
        """Finishes a drawn batch, and returns it with its bytes."""
        begin = time.perf_counter()
        made = self.finish(one)
        self._meter.add("gather", number, begin)
        return made, self._hold(made)

    def handed(self, size: int) -> None:
        """Counts a batch that was handed over."""
        with self._lock:
            self._held -= size

    def end(self) -> None:
        """Counts the batches as discarded, also those that threads still process."""
        with self._lock:
            held, self._held, self._over = self._held, 0, True
        self._meter.release(held)

    def _hold(self, made: Any) -> int:
        size, meter = self.size(made), self._meter
        if size > meter.largest:
            meter.largest = size
        if self._rows is not None:
            meter.largest_rows = max(meter.largest_rows, self._rows(made))
        return self._add(size)

    def hold_rows(self, made: Any) -> int:
        """Counts the rows that are read for a batch from now on, and returns their bytes."""
        return 0 if self._rows is None else self._add(self._rows(made))

    def _add(self, size: int) -> int:
        meter = self._meter
        with self._lock:
            if not self._over:
                self._held += size
                meter.hold(size)
        return size


def _succeeded(group: futures.Future[list[Any]]) -> bool:
    return group.done() and group.exception() is None


def numbered(why: Exception, batch: Any) -> Exception:
    """The same error with the number and the epoch of the batch, to be raised from the original."""
    text = f"batch {batch.number} of epoch {batch.epoch}: {why}"
    try:
        made = type(why)(text)
    except Exception:  # not every class takes one text
        return RuntimeError(f"{type(why).__name__} in {text}")
    return made if str(text) in str(made) else RuntimeError(f"{type(why).__name__} in {text}")
