"""Threads that work through tasks and end with their owner.

concurrent.futures' pools take locks for each task and at their end, and before each fork of the process. If the
garbage collector finds a pool while a task is being handed over, its end waits for a lock that the same thread has.
"""

from __future__ import annotations

import atexit
import contextlib
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, NoReturn, TypeVar

from .._core import native
from .._core.weak import start, thread

__all__ = ["PATIENCE", "Threads", "refuse_process"]

T = TypeVar("T")

Task = tuple["Future[Any]", Callable[..., Any], tuple[Any, ...]]

PATIENCE = 1.0  # seconds to wait for a thread that may wait for what a finalizer or an interrupt left locked


class _Ended:
    """Whether threads are to end. An interrupt of ``threading.Event.set`` can leave the lock of the event held, so that
    the next call waits forever."""

    __slots__ = ("now",)

    def __init__(self) -> None:
        self.now = False


class Threads:
    """A number of threads, which do tasks in the order of their arrival."""

    def __init__(self, number: int) -> None:
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._ended, self._process = _Ended(), native.generation
        self._threads = [thread(_work, self._tasks, self._ended) for _ in range(number)]
        try:
            for one in self._threads:
                start(one)
        except BaseException:
            self.close()
            raise
        _all.add(self)

    def submit(self, function: Callable[..., T], *args: Any) -> Future[T]:
        """Calls the function in a thread. The future receives the result or the exception; it is cancelled if the
        threads end before."""
        future: Future[T] = Future()
        self._tasks.put((future, function, args))
        if self._ended.now:  # all threads may have ended
            _drop(self._tasks)
        return future

    def end(self) -> None:
        """Lets the threads end after their current tasks, without waiting for them. Pending tasks are cancelled."""
        self._ended.now = True
        _drop(self._tasks)
        for _ in self._threads:
            self._tasks.put(None)

    def close(self, patience: float | None = None) -> None:
        """Ends the threads after their current tasks. Pending tasks are cancelled. A second call has no effect once all
        threads have ended: the interpreter may have cleared modules that it needs. In a forked child, which has no
        threads, it has none either.

        Args:
            patience: seconds to wait for each thread; None: until it has ended.
        """
        if self._process != native.generation:
            return
        if self._ended.now and not any(one.is_alive() for one in self._threads):
            return
        self.end()
        for one in self._threads:
            # An interrupt may have ended start() before the thread ran. It ends as soon as it does.
            if one is not threading.current_thread() and one.is_alive():
                one.join(patience)


def refuse_process() -> NoReturn:
    """Refuses an iterator that a forked child has inherited: ``native.generation`` is another one there."""
    raise RuntimeError(
        "this iterator was begun before the process was forked, and its threads are in the parent: "
        "begin an epoch in the child, by iter(loader)"
    )


def _work(tasks: queue.SimpleQueue[Task | None], ended: _Ended) -> None:
    while (task := tasks.get()) is not None:
        if ended.now:
            task[0].cancel()
        else:
            future, function, args = task
            try:
                future.set_result(function(*args))
            except BaseException as why:
                future.set_exception(why)
            del future, function, args
        del task  # nothing is held while there is nothing to do
    if not tasks.empty():  # tasks that another one submitted meanwhile
        _drop(tasks)


def _drop(tasks: queue.SimpleQueue[Task | None]) -> None:
    """Takes all tasks from the queue and cancels them; marks of the end stay."""
    ends = 0
    with contextlib.suppress(queue.Empty):
        while True:
            task = tasks.get_nowait()
            if task is None:
                ends += 1
            else:
                task[0].cancel()
    for _ in range(ends):
        tasks.put(None)


_all = native.WeakValues()


def _end() -> None:
    for threads in _all.present():
        # Threads that were closed before and have not ended may wait for what an interrupt left locked.
        threads.close(PATIENCE if threads._ended.now else None)


atexit.register(native.uninterrupted(_end))
