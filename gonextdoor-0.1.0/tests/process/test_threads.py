"""Many Python threads at once: the same results as one, whatever is dropped meanwhile."""

from __future__ import annotations

import contextlib
import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import corpus
import numpy as np
from gonextdoor._core import native

import gonextdoor as gnd


def test_threads_share_a_graph_and_a_sampler() -> None:
    graph = corpus.graph(weighted=True)
    sampler = gnd.PGSampler([5, 5], seed=3)

    def work(i: int) -> list[object]:
        app = corpus.APPS[i % len(corpus.APPS)]
        blocks = sampler.sample(graph, np.arange(i % 7 + 1), seed=i)[2]
        return [gnd.sample(graph, app, seed=i, threads=2).numpy().tolist(), blocks[0].indices.tolist()]

    want = [work(i) for i in range(40)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(40))) == want


def test_objects_dropped_in_other_threads() -> None:
    gc.collect()
    before = [native.call("Living", what) for what in range(3)]

    def work(i: int) -> int:
        graph = corpus.graph(50 + i, 300)
        row = gnd.sample(graph, gnd.apps.DeepWalk(20_000), [1] * 60, seed=i).numpy()[-1]
        del graph
        gc.collect()
        return int(row[0])

    with ThreadPoolExecutor(6) as pool:
        assert set(pool.map(work, range(20))) == {1}
    gc.collect()
    assert [native.call("Living", what) for what in range(3)] == before


def test_the_interpreter_goes_on_during_a_call() -> None:
    graph = corpus.graph(20_000, 200_000)
    ticks, stop = 0, threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not stop.wait(0.002):
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    gnd.sample(graph, gnd.apps.DeepWalk(200), repeat=20, threads=1, progress=False)
    stop.set()
    thread.join()
    assert ticks >= 3


def test_roots_that_change_during_a_call() -> None:
    """Only checked roots are sampled: no root that is written later leads out of the graph's memory."""
    graph = corpus.graph()
    roots = np.zeros(200_000, np.int32)
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            roots[:] = 1 << 30
            roots[:] = 0

    thread = threading.Thread(target=change)
    thread.start()
    for _ in range(20):
        with contextlib.suppress(IndexError):
            assert gnd.sample(graph, gnd.apps.DeepWalk(3), roots).numpy().max() < graph.num_vertices
    stop.set()
    thread.join()


def test_a_shorter_list_of_processors() -> None:
    corpus.program(
        """
        import os
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        import corpus, gonextdoor as gnd
        from gonextdoor._core.arguments import checked_threads
        assert checked_threads(None) == 1
        a = gnd.sample(corpus.graph(), gnd.apps.DeepWalk(5), seed=1).numpy().tolist()
        assert a == gnd.sample(corpus.graph(), gnd.apps.DeepWalk(5), seed=1, threads=64).numpy().tolist()
        """
    )
