"""The garbage collector does not run in the threads that draw and gather batches, and garbage does not pile up."""

import gc
import os
import threading
import time

import pytest
import torch
from gonextdoor.pipeline.collector import Collector, collector, number_of_objects
from gonextdoor.pyg import NeighborLoader


@pytest.fixture(autouse=True)
def collection_as_it_was():
    enabled, limits = gc.isenabled(), gc.get_threshold()
    yield
    gc.set_threshold(*limits)
    (gc.enable if enabled else gc.disable)()
    gc.collect()  # iterators that a traceback holds, with their threads


class Finalized:
    """Garbage that only the collector finds, which notes the thread of its finalizer."""

    seen: list[str] = []  # noqa: RUF012

    def __init__(self):
        self.cycle = self

    def __del__(self):
        Finalized.seen.append(threading.current_thread().name)


def test_other_libraries_finalizers_do_not_run_in_our_threads(edges):
    Finalized.seen.clear()
    gc.set_threshold(20, 2, 2)
    for _ in range(3):
        for _ in NeighborLoader(edges.pyg(), [5, 5], batch_size=20, prefetch=8, threads=3):
            Finalized()
    assert len(Finalized.seen) > 200  # and it did not wait for the end of the loops
    assert "gonextdoor" not in Finalized.seen
    assert gc.isenabled() and collector._pauses == 0


def test_collection_that_is_off_stays_off(edges):
    gc.disable()
    list(NeighborLoader(edges.pyg(), [5], batch_size=100, prefetch=4, threads=2))
    assert not gc.isenabled()


def test_pauses_are_counted():
    some = Collector()
    some.pause()
    some.pause()
    some.resume()
    assert not gc.isenabled()
    some.resume()
    assert gc.isenabled()


@pytest.mark.parametrize("limits", [(30, 2, 2), (30, 2, 10_000)], ids=["all", "young"])
def test_garbage_is_collected_within_a_pause(limits):
    """By the thread that asks, if so much was made since, and not otherwise."""
    some, ran = Collector(), []
    gc.collect()
    gc.set_threshold(*limits)
    some.pause()
    note = lambda phase, info: ran.append(info["generation"]) if phase == "start" else None  # noqa: E731
    gc.callbacks.append(note)
    Finalized.seen.clear()
    try:
        some.collect_if_due()
        for _ in range(2000):
            Finalized()
            some.collect_if_due()
    finally:
        gc.callbacks.remove(note)
        some.resume()
    assert len(Finalized.seen) > 1900
    assert set(ran) == ({0, 1, 2} if limits[2] == 2 else {0, 1})
    assert ran.count(0) > ran.count(1) >= ran.count(2)


def test_counting_objects_leaves_other_threads_alone():
    """A list of all objects must not exist while another thread makes a tuple: that thread would get a SystemError."""
    junk, errors, over, made = [[] for _ in range(200_000)], [], threading.Event(), []

    def work():
        try:
            while not over.is_set():
                made.append(len(tuple(str(i) for i in range(12))))
        except SystemError as why:
            errors.append(why)

    others = [threading.Thread(target=work) for _ in range(3)]
    for thread in others:
        thread.start()
    until, counts = time.monotonic() + 1.5, []
    while time.monotonic() < until:
        counts.append(number_of_objects())
    over.set()
    for thread in others:
        thread.join()
    assert min(counts) > len(junk) and made and not errors


def test_a_forked_child_collects():
    some = Collector()
    some.pause()
    pid = os.fork()
    if not pid:
        some.forked()
        os._exit(not (gc.isenabled() and some._pauses == 0))
    some.resume()
    assert os.waitpid(pid, 0)[1] == 0


def test_errors_in_threads_end_their_pause(edges):
    nodes = torch.tensor([1, 2, edges.vertices])
    with pytest.raises(IndexError):
        list(NeighborLoader(edges.pyg(), [5], nodes, batch_size=1, prefetch=4, threads=2))
    until = time.monotonic() + 60  # the traceback may hold the iterator, whose threads finish what they were at
    while collector._pauses and time.monotonic() < until:
        time.sleep(0.01)
    assert gc.isenabled() and collector._pauses == 0
