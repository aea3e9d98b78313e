"""One iterator of a loader in several threads, and in a forked child: every batch once, and every thread ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import corpus
import numpy as np
import pytest
from gonextdoor.neighbor.order import Batch
from gonextdoor.pipeline.prefetch import Prefetcher

import gonextdoor as gnd

GRAPH = gnd.rmat(10, 8, seed=1)
FEATURES = np.arange(4096, dtype=np.float32).reshape(1024, 4)


def made(**given: Any) -> gnd.Loader:
    return gnd.loader(GRAPH, [3, 2], range(300), **{"batch_size": 5, "seed": 1, **given})


def content(batch: Any) -> Any:
    parts = batch.split(batch.arena)
    arrays = [*parts.nodes, *parts.row, *parts.col, *parts.edges]
    return [array.tolist() for array in arrays], None if batch.features is None else batch.features.tolist()


def in_threads(work: Callable[[], None], number: int) -> None:
    """Calls the function in several threads, each of which must end."""
    threads = [threading.Thread(target=work, daemon=True) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)


@pytest.mark.parametrize("features", [None, FEATURES])
@pytest.mark.parametrize("prefetch", [0, 1, None])
@pytest.mark.parametrize("progress", [False, True])
def test_threads_share_an_iterator(features: Any, prefetch: int | None, progress: bool) -> None:
    loader = made(features=features, prefetch=prefetch, progress=progress)
    wanted = list(map(content, made(features=features)))
    epoch, found, numbered, lock = iter(loader), [], [], threading.Lock()

    def work() -> None:
        for batch in epoch:
            with lock:
                numbered.append(loader.state_dict()["batches"])
            found.append(content(batch))
        with pytest.raises(StopIteration):
            next(epoch)

    in_threads(work, 6)
    assert sorted(map(str, found)) == sorted(map(str, wanted))
    assert loader.state_dict()["epoch"] == 1 and len(list(loader)) == len(wanted)


@pytest.mark.parametrize("prefetch", [0, 1, None])
def test_an_error_ends_all_threads(prefetch: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of a batch reaches the thread that takes it; an error of the machine ends the epoch."""
    for error, one in ((ValueError, True), (MemoryError, False)):
        loader = made(prefetch=prefetch)
        monkeypatch.setattr(loader, "_sample", failing(loader._sample, error, 30))
        epoch, found, errors = iter(loader), [], []

        def work(epoch: Iterator[Any] = epoch, found: list[Any] = found, errors: list[Any] = errors) -> None:
            while True:
                try:
                    found.append(next(epoch))
                except StopIteration:  # noqa: PERF203
                    return
                except Exception as why:
                    errors.append(type(why))

        in_threads(work, 5)
        assert errors == [error]
        assert len(found) == 59 if one or prefetch == 0 else 20 <= len(found) <= 30


def failing(function: Any, error: type[Exception], number: int, calls: list[Any] | None = None) -> Any:
    """The function of a loader that draws batches; it raises the error for a batch."""

    def outs(batches: list[Any]) -> Any:
        numbers = [batch.number for batch in batches]
        if calls is not None:
            calls.append(numbers)
        if number in numbers:
            raise error("on purpose")
        return function(batches)

    return outs


@pytest.mark.parametrize("error", [MemoryError, gnd.DeviceError])
@pytest.mark.parametrize("prefetch", [0, 1, 16])
def test_errors_of_the_machine_are_not_drawn_again(
    error: type[Exception], prefetch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    loader, calls, found = made(prefetch=prefetch), [], []
    monkeypatch.setattr(loader, "_sample", failing(loader._sample, error, 12, calls))
    with pytest.raises(error, match="on purpose"):
        found.extend(loader)
    drawn = [number for numbers in calls for number in numbers]
    assert len(drawn) == len(set(drawn)) and len(found) <= 12


def test_an_error_of_one_batch_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    loader, found = made(prefetch=16), []
    monkeypatch.setattr(loader, "_sample", failing(loader._sample, OSError, 12))
    with pytest.raises(OSError, match="batch 12 of epoch 0: on purpose"):
        found.extend(loader)
    assert len(found) == 12


def stuck(prefetch: int = 2) -> tuple[Prefetcher[Any, Any], threading.Event]:
    """A pipeline whose draws wait for the event."""
    go_on, batches = threading.Event(), list(range(20))

    def draw(some: list[int]) -> list[int]:
        go_on.wait(60)
        return some

    return Prefetcher(iter(batches), draw, None, batches, group=1, ahead=prefetch, threads=1), go_on


def test_close_while_other_threads_wait() -> None:
    """One of them waits for a batch that is being drawn, others for their turn."""
    epoch, go_on = stuck()
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.extend(epoch), daemon=True) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    closing = threading.Thread(target=epoch.close, daemon=True)
    closing.start()
    time.sleep(0.05)
    go_on.set()
    for thread in (*threads, closing):
        thread.join(30)
        assert not thread.is_alive()
    assert len(found) <= 1 and list(epoch) == []


def test_an_iterator_that_is_dropped_while_another_thread_waits() -> None:
    epoch, go_on = stuck()
    found: list[int] = []
    thread = threading.Thread(target=lambda some: found.extend(some), args=(epoch,), daemon=True)
    thread.start()
    time.sleep(0.05)
    del epoch
    go_on.set()
    thread.join(30)
    assert not thread.is_alive() and found == list(range(20))


def test_drawn_batches_have_no_error_of_the_machine() -> None:
    """A batch that is drawn alone raises it, with its number."""
    loader = made(prefetch=0)
    loader._sample = failing(loader._sample, MemoryError, 3)  # type: ignore[method-assign]
    named = list(loader._order.preview())
    assert isinstance(loader._draw(named[:1])[0], Batch)
    with pytest.raises(MemoryError, match="batch 3 of epoch 0: on purpose"):
        loader._draw(named[3:4])


FORK = """
import os, sys, signal, time, faulthandler, numpy as np, gonextdoor as gnd
g = gnd.rmat(10, 8, seed=1)
x = np.arange(4096, dtype=np.float32).reshape(1024, 4)
def child(work):
    pid = os.fork()
    if not pid:
        faulthandler.dump_traceback_later(30, exit=True)
        code = 1
        try:
            work()
            code = 0
        except BaseException:
            import traceback
            traceback.print_exc()
        finally:
            os._exit(code)
    assert os.waitpid(pid, 0)[1] == 0
def refused(call):
    try: call()
    except RuntimeError as why: assert "fork" in str(why), why
    else: raise AssertionError("not refused")
def content(b): return [a.tolist() for a in b.split(b.arena).nodes]
"""

CHILDREN = {
    "an iterator": """
        for given in ({}, {"features": x}, {"prefetch": 0}, {"progress": True}):
            loader = gnd.loader(g, [3, 2], range(300), 5, seed=1, **given)
            wanted = [content(b) for b in loader]
            loader.set_epoch(0)
            epoch = iter(loader)
            found = [content(next(epoch))]
            def work():
                global epoch
                refused(lambda: next(epoch))
                refused(lambda: list(epoch))
                del epoch
                loader.set_epoch(0)
                assert [content(b) for b in loader] == wanted
            for _ in range(3):
                child(work)
                found.append(content(next(epoch)))
            found.extend(map(content, epoch))
            assert found == wanted
    """,
    "a read": """
        store = gnd.features.open(x)
        reads = [store.read_async(np.arange(1000)) for _ in range(4)]
        def work():
            refused(reads[0].wait)
            assert (store.read([1, 2]) == x[1:3]).all()
        child(work)
        assert all((read.wait() == x[:1000]).all() for read in reads)
    """,
    "forks while threads draw": """
        loader = gnd.loader(g, [3, 2], range(1000), 5, seed=1, features=x)
        wanted = [content(b) for b in loader]
        for _ in range(20):
            epoch = iter(loader)
            next(epoch)
            def work():
                loader.set_epoch(0)
                assert [content(b) for b in loader] == wanted
            child(work)
    """,
}


@pytest.mark.parametrize("name", CHILDREN)
def test_a_forked_child(name: str) -> None:
    import textwrap

    corpus.program(FORK + textwrap.dedent(CHILDREN[name]))
