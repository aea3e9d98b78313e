"""Loaders leave Python's garbage collector as it is, whichever thread it runs in."""

import gc
import threading

import pytest
from gonextdoor.pyg import NeighborLoader


@pytest.fixture(autouse=True)
def collection_as_it_was():
    enabled, limits = gc.isenabled(), gc.get_threshold()
    yield
    gc.set_threshold(*limits)
    (gc.enable if enabled else gc.disable)()
    gc.collect()  # iterators that a traceback holds, with their threads


class Finalized:
    """Garbage that only the collector finds."""

    seen = 0

    def __init__(self):
        self.cycle = self

    def __del__(self):
        Finalized.seen += 1


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_not_switched(edges, enabled):
    (gc.enable if enabled else gc.disable)()
    for _ in NeighborLoader(edges.pyg(), [5, 5], batch_size=20, prefetch=8, threads=3):
        assert gc.isenabled() == enabled
    assert gc.isenabled() == enabled


def test_garbage_is_collected_during_an_epoch(edges):
    """In any thread; iterators are in cycles, too, which end their threads when they are found."""
    Finalized.seen = 0
    gc.set_threshold(20, 2, 2)
    loader = NeighborLoader(edges.pyg(), [5, 5], batch_size=20, prefetch=8, threads=3)
    batches = len(loader)
    for _ in range(3):
        cycle = [iter(loader)]
        cycle.append(cycle)
        next(cycle[0])
        del cycle
        seen = 0
        for _ in loader:
            Finalized()
            seen += 1
        assert seen == batches
    assert Finalized.seen > 200
    gc.collect()
    assert all(thread.name != "gonextdoor" for thread in threading.enumerate())
