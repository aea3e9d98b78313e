"""Ctrl-C is never lost: no object of this package runs Python code in which it would be, when it is deleted."""

from __future__ import annotations

import ctypes
import functools
import gc
import os
import signal
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from gonextdoor._core import memory, native, running, weak
from gonextdoor.graph.sharedfile import Shared
from gonextdoor.pipeline.threads import Threads

import gonextdoor as gnd

GRAPH = gnd.rmat(10, 8, seed=1)
TABLE: weak.WeakTable[Any, int] = weak.WeakTable()

# A press without a bytecode: the C function raise, called for a weak reference.
press = ctypes.CDLL(None)["raise"]
press.argtypes = (ctypes.c_int, ctypes.py_object)


class Pressing:
    """Presses Ctrl-C when it is deleted."""

    def __init__(self) -> None:
        presses.append(weakref.ref(self, functools.partial(press, signal.SIGINT)))


presses: list[Any] = []


@pytest.fixture
def lost(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The exceptions that Python lost. Ctrl-C raises, also in the background, where a shell ignores it."""
    before, texts = signal.signal(signal.SIGINT, signal.default_int_handler), []
    monkeypatch.setattr(sys, "unraisablehook", lambda found: texts.append(f"{found.exc_value!r} in {found.object!r}"))
    yield texts
    signal.signal(signal.SIGINT, before)


def begun(**given: Any) -> Any:
    epoch = iter(gnd.loader(GRAPH, [3, 2], range(400), 10, seed=1, **given))
    next(epoch)
    return epoch


def used_graph() -> gnd.Graph:
    """A graph that other objects know: a plan, a reverse graph, a sampler, a table."""
    graph = gnd.rmat(6, weights=(1, 3), seed=1)
    gnd.sample(graph, WALK), gnd.PGSampler([2]).sample(graph, [1])
    TABLE.put(graph, 1)
    return graph


def sampled_app() -> gnd.apps.DeepWalk:
    app = gnd.apps.DeepWalk(4)
    gnd.sample(GRAPH, app)
    return app


def read(tmp_path: Any) -> Any:
    np.save(tmp_path / "x.npy", np.zeros((100, 4), np.float32))
    return gnd.features.open(tmp_path / "x.npy").read_async(np.arange(50))


def ended_threads(_: Any) -> Threads:
    threads = Threads(3)
    threads.close()
    return threads


def ended_thread(_: Any) -> threading.Thread:
    made = weak.thread(int)
    made.start()
    made.join()
    return made


def bar(_: Any) -> Any:
    return running.bar(total=3)


WALK = gnd.apps.DeepWalk(3)
KINDS: dict[str, Callable[[Any], Any]] = {
    "memory": lambda _: memory.empty((memory.LEND_FROM,), np.uint8),
    "a batch": lambda _: next(iter(gnd.loader(GRAPH, [3, 2], range(400), 10, seed=1))),
    "a graph": lambda _: used_graph(),
    "an app": lambda _: sampled_app(),
    "a file": lambda _: Shared.new(),
    "features": lambda path: [read(path), gnd.features.open(path / "x.npy")],
    "an epoch": lambda _: begun(),
    "an epoch with features": lambda _: begun(features=np.zeros((1024, 4), np.float32)),
    "an epoch without threads": lambda _: begun(prefetch=0),
    "an epoch with a line": lambda _: begun(progress=True),
    "a bar": bar,
    "threads": ended_threads,
    "a thread": ended_thread,
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_press_before_an_object_is_deleted(kind: str, lost: list[str], tmp_path: Any) -> None:
    """The press is pending when the finalizers of the object run, and is delivered after them."""
    for collected in (False, True):
        holder = [KINDS[kind](tmp_path), Pressing()]  # a list drops its last element first
        if collected:
            holder.append(holder)
        gc.disable()
        try:
            with pytest.raises(KeyboardInterrupt):
                del holder
                if collected:
                    gc.collect()
                for _ in range(100):
                    time.sleep(0)
        finally:
            gc.enable()
        assert not lost
    presses.clear()


def test_presses_at_any_time(lost: list[str]) -> None:
    """Each of some hundred presses at random times in epochs is heard once.

    If one arrives within a ``threading.Condition`` of a close(), CPython may raise a RuntimeError in its place.
    """
    random, heard, handled = np.random.default_rng(), 0, [0]

    def handler(*_: Any) -> None:
        handled[0] += 1
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, handler)
    timer = signal.signal(signal.SIGALRM, handler)
    features = np.zeros((1024, 4), np.float32)
    loader = gnd.loader(GRAPH, [3, 2], range(100), 10, seed=1, features=features)
    try:
        for _ in range(400):
            try:
                signal.setitimer(signal.ITIMER_REAL, random.random() * 0.008 + 1e-5)
                while True:
                    for batch in loader:
                        del batch
                    begun()
            except (KeyboardInterrupt, RuntimeError) as error:  # noqa: PERF203
                heard += isinstance(error, KeyboardInterrupt) or isinstance(error.__context__, KeyboardInterrupt)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, timer)
    assert heard == handled[0] == 400 and not lost


def test_an_end_that_is_interrupted_is_called_again(lost: list[str]) -> None:
    calls = []

    class Ending(native.Closing):
        def _end(self) -> None:
            calls.append(1)
            if len(calls) < 3:
                os.kill(os.getpid(), signal.SIGINT)
            calls.append(2)

    with pytest.raises(KeyboardInterrupt):
        Ending()
        for _ in range(100):
            time.sleep(0)
    assert calls[-2:] == [1, 2] and calls.count(1) > 1 and not lost


def test_a_hook_is_not_cut_short(lost: list[str]) -> None:
    ended = []

    def hook() -> None:
        if not ended:
            ended.append(0)
            os.kill(os.getpid(), signal.SIGINT)
        ended.append(1)

    with pytest.raises(KeyboardInterrupt):
        native.uninterrupted(hook)()
        for _ in range(100):
            time.sleep(0)
    assert ended[-1] == 1 and not lost


def test_an_object_that_was_not_made_is_not_released() -> None:
    class Failing(native.Held):
        def __init__(self) -> None:
            raise ValueError

        def remade(self) -> int:
            return 0

    with pytest.raises(ValueError):
        Failing()


def test_weak_tables() -> None:
    class Key:
        pass

    table: weak.WeakTable[Key, list[int]] = weak.WeakTable()
    key, other = Key(), Key()
    assert table.of(key) is None
    first = table.put_first(key, [1])
    assert table.put_first(key, [2]) is first is table.of(key)
    assert table.put(key, [3]) == table.of(key) == [3] and table.pairs() == [(key, [3])]
    gone = weakref.ref(table.put(other, Value()))
    del other
    assert gone() is None and len(table) == 1
    left = weakref.ref(table)
    del table
    assert left() is None, "a table is not part of a cycle"
    del key


class Value(list[int]):
    pass


def test_objects_are_released_once(tmp_path: Any) -> None:
    gc.collect()
    before = [native.call("Living", what) for what in range(8)]
    for kind in KINDS.values():
        kind(tmp_path)
    gc.collect()
    assert [native.call("Living", what) for what in range(8)] == before
