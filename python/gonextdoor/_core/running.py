"""Long calls of the core run in a thread, so that Ctrl-C can stop them and a bar can show their progress."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
import time
from typing import Any

import numpy as np

from . import native, weak
from .memory import address

LONG = 0.05  # seconds; a shorter call runs in the calling thread, where Ctrl-C waits for its end
SHOW_AFTER = 1.0  # seconds after which a bar appears
GLANCE = 0.05  # seconds between two polls of the call

_jobs: dict[int, Any] = {}  # the jobs of calls in flight, by address


def call(
    name: str, *args: Any, seconds: float, total: int | None = None, progress: bool | None = None, label: str = ""
) -> Any:
    """Calls a Go function whose last parameter is a job's address, in a thread if it may take long.

    Args:
        name, args: the function, and its arguments except the last.
        seconds: the expected time of the call.
        total: the final count of the job, for the bar.
        progress: whether to show a bar; None: if interactive, after a second.
        label: the text of the bar.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed; the call has ended.
    """
    if seconds < LONG and not progress:
        return native.call(name, *args, 0)
    job = np.zeros(2, np.int64)  # stop, done
    where = address(job)
    _jobs[where] = job
    try:
        if threading.current_thread() is not threading.main_thread():
            return _here(name, *args, where)
        return _beside(job, _Bar(total, progress, label), name, *args, where)
    finally:
        _jobs.pop(where, None)


def _here(name: str, *args: Any) -> Any:
    """Calls the function in a thread other than the main thread, which receives no signals. Only the end of the
    interpreter stops the call, and with it the thread."""
    try:
        return native.call(name, *args)
    except KeyboardInterrupt:
        raise SystemExit from None


def _beside(job: Any, bar: _Bar, name: str, *args: Any) -> Any:
    """Calls in a thread and waits for it. An exception that a signal raises stops the call before it propagates."""
    result: list[Any] = []
    error: list[BaseException] = []
    done = threading.Event()

    def work() -> None:
        try:
            if not job[0]:  # stopped before it began: the caller has returned, and the memory may be freed
                result.append(native.call(name, *args))
        except BaseException as e:
            error.append(e)
        finally:
            done.set()

    thread = weak.thread(work)
    started = False
    try:
        weak.start(thread)
        started = True
        while not done.wait(GLANCE):
            bar.show(int(job[1]))
    except BaseException:
        job[0] = 1
        while (started or thread.ident is not None) and not done.is_set():
            with contextlib.suppress(BaseException):  # a second Ctrl-C: the call still writes into our memory
                done.wait(GLANCE)
        raise
    finally:
        bar.close(int(job[1]))
    if error:
        raise error[0]
    return result[0]


class _Bar:
    """A tqdm bar that appears once a call has taken SHOW_AFTER seconds."""

    def __init__(self, total: int | None, wanted: bool | None, label: str) -> None:
        self._total, self._label = total, label
        self._wanted = interactive() if wanted is None else wanted
        self._from = time.monotonic() + (0 if wanted else SHOW_AFTER)
        self._bar: Any = None

    def show(self, done: int) -> None:
        if not self._wanted:
            return
        if self._bar is None:
            if time.monotonic() < self._from:
                return
            self._bar = bar(total=self._total, desc=self._label, unit_scale=True, leave=False)
        self._bar.update(done - self._bar.n)

    def close(self, done: int) -> None:
        if self._bar is not None:
            self._bar.update(done - self._bar.n)
            self._bar.close()


def bar(**options: Any) -> Any:
    """A bar of tqdm, for a notebook in a notebook."""
    if "ipykernel" in sys.modules:
        from tqdm.auto import tqdm
    else:
        from tqdm import tqdm
    # tqdm's monitor is a thread that never ends, and its finalizer is Python code.
    quiet = type("Bar", (native.Closing, tqdm), {"monitor_interval": 0, "_end": tqdm.close})
    return quiet(**options)


def interactive() -> bool:
    if "ipykernel" in sys.modules:
        return True
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # no stderr, or a closed one
        return False


def _stop_all() -> None:
    """Stops all calls at the end of the interpreter, which would otherwise kill daemon threads within a call."""
    end = time.monotonic() + 2.0
    while _jobs and time.monotonic() < end:
        for job in list(_jobs.values()):
            job[0] = 1
        time.sleep(0.002)


atexit.register(native.uninterrupted(_stop_all))
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_jobs.clear)  # written in C
