"""Mini-batches on a GPU that fail: nothing of them is left on the GPU, and later batches are right."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import consumer
import corpus
import numpy as np
import pytest
from gonextdoor.neighbor.sampler import NeighborSampler
from test_minibatch_gpu import BATCHES, WORDS, living, same

import gonextdoor as gnd

pytestmark = pytest.mark.usefixtures("gpu")


def test_refusals() -> None:
    before = living()
    graph = corpus.graph()
    there = NeighborSampler(graph, [3], device="cuda")
    with pytest.raises(IndexError, match=r"seed_nodes\[1\] = 100000: the graph has \d+ vertices"):
        there.draw([0, 100000], 1)
    with pytest.raises(ValueError, match=r"seed_nodes\[2\] = 4: .* also seed_nodes\[0\]"):
        there.draw([4, 5, 4], 1)
    with pytest.raises(gnd.DeviceError, match="this process sees"):
        gnd.PGSampler([3], device="cuda:99")
    assert living() == before  # what failed holds nothing
    same(there.draw([1], 2), NeighborSampler(graph, [3]).draw([1], 2))


def test_a_card_without_room() -> None:
    if os.environ.get("GONEXTDOOR_TEST_DEVICE") == "cuda":
        pytest.skip("the memory of a real GPU cannot be changed")
    emulated = consumer.driver()
    emulated.emulated_get.restype = ctypes.c_longlong
    whole = emulated.emulated_get(b"memory")
    before, graph = living(), gnd.rmat(12, 16, seed=1)
    there, here = (NeighborSampler(graph, [-1, -1], device=device) for device in ("cuda", "cpu"))
    try:
        emulated.emulated_set(b"memory", ctypes.c_longlong(3 << 20))  # for the graph, and some more
        with pytest.raises(gnd.DeviceError, match=r"GPU out of memory"):
            there.draw(np.arange(300), 5)
        same(NeighborSampler(graph, [2], device="cuda").draw([1, 2], 5), NeighborSampler(graph, [2]).draw([1, 2], 5))
    finally:
        emulated.emulated_set(b"memory", ctypes.c_longlong(whole))
    same(there.draw([7], 5), here.draw([7], 5))
    assert living() == before


@pytest.fixture
def little_memory() -> Iterator[None]:
    """A GPU with less memory than the graph of ``test_a_card_without_room_for_the_graph``."""
    if os.environ.get("GONEXTDOOR_TEST_DEVICE") == "cuda":
        pytest.skip("the memory of a real GPU cannot be changed")
    emulated = consumer.driver()
    emulated.emulated_get.restype = ctypes.c_longlong
    whole = emulated.emulated_get(b"memory")
    emulated.emulated_set(b"memory", ctypes.c_longlong(288 << 10))
    yield
    emulated.emulated_set(b"memory", ctypes.c_longlong(whole))


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize(
    "options",
    [{}, {"replace": True}, {"weighted": True, "layout": "csc"}, {"method": "labor"}],
    ids=str,
)
def test_a_card_without_room_for_the_graph(options: dict[str, Any]) -> None:
    by = "cpu" if "weighted" in options or "method" in options else "cuda:0"  # the others need degrees only
    before, graph = living(), gnd.rmat(12, 16, weights=(1.0, 2.0), seed=1)
    there, here = (NeighborSampler(graph, [4, 3], device=device, **options) for device in ("cuda", "cpu"))
    several = there.draw_many(BATCHES, WORDS)
    for drawn, batch, word in zip(several, BATCHES, WORDS, strict=True):
        assert (drawn.arena.device, drawn.drawn_on) == ("cuda:0", by)
        same(drawn, here.draw(batch, word))
    same(there.draw(BATCHES[0], 9), here.draw(BATCHES[0], 9))
    with pytest.raises(IndexError, match=r"batch 1: seed_nodes\[0\] = 5000: the graph has 4096 vertices"):
        there.draw_many([[1], [5000]], [1, 2])
    several = drawn = None
    assert living() == before
    small = corpus.graph()  # which fits
    drawn = NeighborSampler(small, [2], device="cuda").draw([1, 2], 5)
    assert drawn.drawn_on == "cuda:0"
    same(drawn, NeighborSampler(small, [2]).draw([1, 2], 5))


def test_several_threads() -> None:
    graph = corpus.graph(weighted=True)
    there, here = (NeighborSampler(graph, [4, 3], weighted=True, device=device) for device in ("cuda", "cpu"))
    with ThreadPoolExecutor(4) as pool:
        for word, drawn in enumerate(pool.map(lambda word: there.draw([word, 50 + word], word), range(24))):
            same(drawn, here.draw([word, 50 + word], word))


def test_a_stopped_call_holds_nothing() -> None:
    before, graph = living(), corpus.graph()
    there = NeighborSampler(graph, [4, 3], device="cuda")
    with pytest.raises(IndexError, match="batch 1: "):
        there.draw_many([[1], [10**6], [2]], [1, 2, 3], exclude=[None, None, [0]])
    with pytest.raises(IndexError, match="batch 2: "):  # the first launch had ended
        there.draw_many([[1], [3], [10**6]], [1, 2, 3], exclude=[None, None, [0]])
    assert living() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_has_no_part_in_it() -> None:
    there = NeighborSampler(corpus.graph(), [3], device="cuda")
    drawn = there.draw([1], 2)
    there.draw([2], 3).arena.numpy()  # all work is done: a driver at work holds locks, and the child would wait
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            drawn.arena.numpy()
        except gnd.DeviceError as why:
            code = 0 if "forked" in str(why) else 2
        try:
            there.draw([1], 2)
            code = 3
        except gnd.DeviceError as why:
            code = code or (0 if "spawn" in str(why) else 4)
        os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    drawn.arena.numpy()
