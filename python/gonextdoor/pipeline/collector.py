"""Keeps Python's garbage collector out of this package's threads.

The collector runs in whichever thread allocates one object too many, and with it the finalizers of whatever it finds:
those of torch's iterators with workers wait up to 5 s for each worker, use locks, and close files. In a thread that
gathers batches they hold up the training loop. So automatic collection pauses while our threads have tasks, and the
thread that iterates collects in their place.
"""

from __future__ import annotations

import gc
import os
import threading

__all__ = ["collector"]


class Collector:
    """Pauses automatic garbage collection, and leaves it disabled if the user has disabled it.

    ``pause`` and ``resume`` allocate nothing that the collector counts, so that a thread is never interrupted between
    them and its work.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a finalizer may call this object again
        self._pauses = 0
        self._enabled = False  # whether collection was on when the first pause began
        self._pending = 0  # at most that many objects have become old since the last full collection
        self._old = 0  # the number of old objects after it

    def pause(self) -> None:
        """Turns automatic collection off until ``resume`` was called as often as this."""
        self._lock.acquire()
        if self._pauses == 0:
            self._enabled = gc.isenabled()
            gc.disable()
        self._pauses += 1
        self._lock.release()

    def resume(self) -> None:
        """Ends a pause. The end of the last pause restores the state from before the first."""
        self._lock.acquire()
        if self._pauses > 0:  # not in a forked child, where tasks of the parent are dropped
            self._pauses -= 1
            if self._pauses == 0 and self._enabled:
                gc.enable()
        self._lock.release()

    def collect_if_due(self) -> None:
        """Collects in this thread what automatic collection would have collected, had it not been paused.

        By CPython's rule: the youngest objects if more were made than the first threshold says, older ones after a
        number of these collections, and all only if a quarter of those that were there before have been added.
        """
        if self._pauses == 0 or not self._enabled:
            return
        counts, limits = gc.get_count(), gc.get_threshold()
        if not limits[0] or counts[0] <= limits[0]:
            return
        if counts[1] <= limits[1]:
            gc.collect(0)
        elif counts[2] <= limits[2] or self._pending < self._old // 4:
            gc.collect(1)
            self._pending += limits[0] * (limits[1] + 1)
        else:
            gc.collect()
            self._pending, self._old = 0, number_of_objects()

    def forked(self) -> None:
        """Clears all pauses in a forked child, which has no threads to end them."""
        self._lock = threading.RLock()
        if self._pauses and self._enabled:
            gc.enable()
        self._pauses = 0


def number_of_objects() -> int:
    """The number of objects that the garbage collector tracks.

    ``len(gc.get_objects())`` lets another thread run while the list exists. If that thread is making a tuple from an
    iterator, the list refers to the unfinished tuple, and CPython raises a SystemError in that thread. Here one call
    makes, measures and drops the list, so no other thread runs meanwhile.
    """
    return sum(map(len, map(gc.get_objects, (None,))))


collector = Collector()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=collector.forked)
