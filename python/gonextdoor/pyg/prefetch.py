"""Prefetcher: batches that threads draw before they are requested, in order."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator, Sized
from concurrent import futures
from typing import Any, Generic, TypeVar

from ..neighbor.order import NamedBatch
from .collector import collector
from .threads import PATIENCE, Threads

__all__ = ["Prefetcher", "numbered"]

D = TypeVar("D")
T = TypeVar("T")


class Prefetcher(Iterator[T], Generic[D, T]):
    """Iterates over batches processed by threads, in order. The threads end when it ends, fails or is deleted.

    Args:
        batches: what is to be drawn; read in the thread that iterates.
        draw: what some batches become, one after the other. finish: what each of these becomes, several at once; None:
            it stays. Neither may hold a reference to this iterator.
        sized: what says how many there are.
        group: batches of one call of draw. ahead: groups that are begun before their time.
        threads: for draw and finish; 0: they are called by the thread that iterates, when a batch is asked for.
        timeout: seconds to wait for a batch; 0: without end.
    """

    def __init__(
        self,
        batches: Iterator[NamedBatch],
        draw: Callable[[list[NamedBatch]], list[D]],
        finish: Callable[[D], T] | None,
        sized: Sized,
        *,
        group: int,
        ahead: int,
        threads: int,
        timeout: float = 0,
    ) -> None:
        self._batches, self._draw, self._finish, self._sized = batches, draw, finish, sized
        self._group, self._ahead, self._timeout = group, ahead, timeout or None
        self._begun: deque[futures.Future[list[Any]]] = deque()
        self._ready: deque[Any] = deque()  # of the group that is handed out
        self._failed: Exception | None = None  # raised while naming batches; the batches before are returned first
        self._threads = Threads(threads) if threads else None

    def __len__(self) -> int:
        return len(self._sized)

    def __next__(self) -> T:
        if self._threads is None:
            drawn: Any = self._draw([next(self._batches)])[0]
            alone: T = drawn if self._finish is None else self._finish(drawn)
            return alone
        collector.collect_if_due()
        try:
            self._begin(self._threads)
            if not self._ready:
                if not self._begun:
                    raise self._failed or StopIteration
                self._ready.extend(self._begun.popleft().result(self._timeout))
                self._begin(self._threads)
            one = self._ready.popleft()
            made: T = one if self._finish is None else one.result(self._timeout)
        except futures.TimeoutError:
            self.close()
            raise RuntimeError(
                f"timeout = {self._timeout}: no batch was ready after that many seconds; pass a larger timeout"
            ) from None
        except BaseException:
            self.close()
            raise
        return made

    def _begin(self, threads: Threads) -> None:
        while len(self._begun) < self._ahead:
            try:
                some = list(itertools.islice(self._batches, self._group))
            except Exception as why:
                self._failed, self._batches, some = why, iter(()), []
            if not some:
                return
            self._begun.append(threads.submit(_drawn, threads, self._draw, self._finish, some))

    def close(self) -> None:
        """Ends the threads and discards prefetched batches."""
        self._batches = iter(())
        self._begun.clear()
        self._ready.clear()
        if self._threads is not None:
            self._threads.close()

    def __del__(self) -> None:
        threads = getattr(self, "_threads", None)
        if threads is not None:
            threads.close(PATIENCE)


def _drawn(
    threads: Threads, draw: Callable[[list[NamedBatch]], list[D]], finish: Any, some: list[NamedBatch]
) -> list[Any]:
    """The results of several batches, finished or pending."""
    drawn = draw(some)
    return drawn if finish is None else [threads.submit(finish, one) for one in drawn]


def numbered(why: Exception, batch: NamedBatch) -> Exception:
    """The same error with the batch number, to be raised from the original."""
    text = f"batch {batch.number} of epoch {batch.epoch}: {why}"
    try:
        made = type(why)(text)
    except Exception:  # not every class takes one text
        return RuntimeError(f"{type(why).__name__} in {text}")
    return made if str(text) in str(made) else RuntimeError(f"{type(why).__name__} in {text}")
