"""Threads that work through tasks and end with their owner.

concurrent.futures' pools take locks for each task and at their end, and before each fork of the process. If the
garbage collector finds a pool while a task is being handed over, its end waits for a lock that the same thread has.
"""

from __future__ import annotations

import atexit
import contextlib
import queue
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from .collector import collector

__all__ = ["Threads"]

T = TypeVar("T")

Task = tuple["Future[Any]", Callable[..., Any], tuple[Any, ...]]

PATIENCE = 1.0  # seconds to wait where the collector may have interrupted what a thread waits for


class Threads:
    """A number of threads, which do tasks in the order of their arrival."""

    def __init__(self, number: int) -> None:
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._over = threading.Event()
        self._threads = [
            threading.Thread(target=_work, args=(self._tasks, self._over), name="gonextdoor", daemon=True)
            for _ in range(number)
        ]
        for thread in self._threads:
            collector.pause()  # which ends when the thread waits for its first task
            try:
                thread.start()
            except BaseException:
                collector.resume()
                self.close()
                raise
        _all.add(self)

    def submit(self, function: Callable[..., T], *args: Any) -> Future[T]:
        """Calls the function in a thread. The future receives the result or the exception."""
        future: Future[T] = Future()
        task = future, function, args
        collector.pause()  # until it is done: the thread that takes it allocates from its first instruction on
        self._tasks.put(task)
        return future

    def close(self, patience: float | None = None) -> None:
        """Ends the threads after their current tasks. Pending tasks are discarded. A second call has no effect once all
        threads have ended: the interpreter may have cleared modules that it needs.

        Args:
            patience: seconds to wait for each thread; None: until it has ended.
        """
        if self._over.is_set() and not any(thread.is_alive() for thread in self._threads):
            return
        self._over.set()
        _drop(self._tasks)
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            if thread is not threading.current_thread() and thread.ident is not None:
                thread.join(patience)


def _work(tasks: queue.SimpleQueue[Task | None], over: threading.Event) -> None:
    collector.resume()
    while (task := tasks.get()) is not None:
        if not over.is_set():
            _done(*task)
        del task  # nothing is held while there is nothing to do
        collector.resume()
    if not tasks.empty():  # tasks that another one submitted meanwhile
        _drop(tasks)


def _drop(tasks: queue.SimpleQueue[Task | None]) -> None:
    """Takes all tasks from the queue and ends their pauses; marks of the end stay."""
    ends = 0
    with contextlib.suppress(queue.Empty):
        while True:
            if tasks.get_nowait() is None:
                ends += 1
            else:
                collector.resume()
    for _ in range(ends):
        tasks.put(None)


def _done(future: Future[Any], function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    try:
        future.set_result(function(*args))
    except BaseException as why:
        future.set_exception(why)


_all: weakref.WeakSet[Threads] = weakref.WeakSet()


@atexit.register
def _end() -> None:
    for threads in list(_all):
        threads.close()
