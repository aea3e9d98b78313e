"""Mini-batches on a GPU: the same as on the CPU, taken by others without a copy, and given back."""

from __future__ import annotations

import gc
import pickle
import sys
from typing import Any

import consumer
import corpus
import numpy as np
import pytest
from gonextdoor._core import native
from gonextdoor.neighbor.batch import NeighborBatch
from gonextdoor.neighbor.sampler import NeighborSampler

import gonextdoor as gnd

pytestmark = pytest.mark.usefixtures("gpu")

BATCHES = [np.array([3, 150, 7, 190]), np.arange(40), np.array([], np.int64), np.array([5])]
WORDS = [7, 2**64 - 1, 0, 12]


def flat(parts: Any) -> list[np.ndarray]:
    """All arrays of a Parts, as numpy's."""
    if isinstance(parts, (list, tuple)):
        return [array for part in parts for array in flat(part)]
    return [np.asarray(parts)]


def same(there: NeighborBatch, here: NeighborBatch) -> None:
    got, want = there.split(there.arena), here.split(here.arena)
    assert (there.num_nodes, there.num_edges, there.destinations) == (here.num_nodes, here.num_edges, here.destinations)
    for name in want._fields:
        arrays = list(zip(flat(getattr(got, name)), flat(getattr(want, name)), strict=True))
        assert all(np.array_equal(*pair) for pair in arrays), name


def living() -> int:
    gc.collect()
    return int(native.call("Living", 4))


def test_a_plain_batch_takes_few_functions() -> None:
    """A batch without times or excluded edges passes by the checks of several, from both methods."""
    graph = gnd.rmat(8, seed=1)
    sampler = gnd.NeighborSampler(graph, [3, 2], device="cuda")
    called: list[str] = []

    def watch(frame: Any, event: str, arg: Any) -> None:
        if event == "call":
            called.append(frame.f_code.co_name)

    for draw in (lambda: sampler.sample(BATCHES[1], 7), lambda: sampler.sample_many([BATCHES[1]], [7])[0]):
        same(draw(), draw())
        called.clear()
        sys.setprofile(watch)
        batch = draw()
        sys.setprofile(None)
        assert "sample_one" in called and len(called) <= 24, called
        same(batch, gnd.NeighborSampler(graph, [3, 2]).sample(BATCHES[1], 7))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {"layout": "csc", "expand": "all"},
        {"layout": "coo", "expand": "new"},
        {"layout": "csc", "disjoint": True},
        {"replace": True},
        {"fanouts": [-1, 2]},
        {"fanouts": [3, 0, 2]},
    ],
    ids=str,
)
def test_batches_are_as_on_the_cpu(weighted: bool, options: dict[str, Any]) -> None:
    graph = corpus.graph(weighted=weighted)
    options = {"fanouts": [5, 3], "weighted": "auto"} | options
    there, here = (NeighborSampler(graph, device=device, **options) for device in ("cuda", "cpu"))
    assert (there.device, here.device) == ("cuda:0", "cpu")
    several = there.draw_many(BATCHES, WORDS)
    for drawn, batch, word in zip(several, BATCHES, WORDS, strict=True):
        same(drawn, here.draw(batch, word))
    same(there.draw(BATCHES[0], 9), here.draw(BATCHES[0], 9))
    assert (several[0].drawn_on, here.draw([1], 2).drawn_on) == ("cuda:0", "cpu")
    assert there.draw_many([], []) == []


@pytest.mark.parametrize("layer_dependency", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {"method": "labor"},
        {"method": "labor", "weighted": True, "layout": "coo"},
        {"method": "labor-poisson", "expand": "new"},
        {"method": "labor", "fanouts": [-1, 2], "weighted": True},
        {"method": "labor-poisson", "fanouts": [3, 0, 100]},
    ],
    ids=str,
)
def test_batches_by_labor_are_as_on_the_cpu(options: dict[str, Any], layer_dependency: bool) -> None:
    graph = corpus.graph(weighted=bool(options.get("weighted")))
    options = {"fanouts": [5, 3], "layer_dependency": layer_dependency} | options
    there, here = (NeighborSampler(graph, device=device, **options) for device in ("cuda", "cpu"))
    for drawn, batch, word in zip(there.draw_many(BATCHES, WORDS), BATCHES, WORDS, strict=True):
        same(drawn, here.draw(batch, word))
    left_out = [0, 5, 9, 10, 11]
    same(there.draw(BATCHES[1], 9, exclude=left_out), here.draw(BATCHES[1], 9, exclude=left_out))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("temporal", ["uniform", "last"])
def test_batches_by_time_are_as_on_the_cpu(weighted: bool, temporal: Any) -> None:
    graph = corpus.graph(weighted=weighted)
    years = np.random.default_rng(1).integers(1990, 2020, graph.num_vertices)
    there, here = (
        NeighborSampler(graph, [5, 3], disjoint=True, temporal=temporal, weighted="auto", times=years, device=device)
        for device in ("cuda", "cpu")
    )
    moments = [np.full(len(batch), 2005 + i) for i, batch in enumerate(BATCHES)]
    excluded = [np.arange(0, graph.num_edges // 2, 3)] * len(BATCHES)
    windows = [np.arange(len(batch)) % 9 for batch in BATCHES]
    given: Any
    for given in (
        {},
        {"times": moments},
        {"time_window": [12] * len(BATCHES)},
        {"times": moments, "exclude": excluded},
        {"times": moments, "time_window": windows, "exclude": excluded},
    ):
        batches = zip(there.draw_many(BATCHES, WORDS, **given), here.draw_many(BATCHES, WORDS, **given), strict=True)
        for drawn, wanted in batches:
            same(drawn, wanted)
    with pytest.raises(ValueError, match=r"times has 4 elements: expected 3, one per seed"):
        there.draw_many([[1], [2, 3]], [1, 2], times=[[5], [5, 6, 7]])
    with pytest.raises(IndexError, match=r"batch 1: seed_nodes\[0\] = 100000"):
        there.draw_many([[1], [100000]], [1, 2])


def test_several_types_by_time() -> None:
    follows = gnd.Graph.from_edges([0, 1, 2, 3, 0, 2], [1, 2, 3, 0, 2, 0], times=[5, 3, 9, 4, 1, 7], num_vertices=4)
    likes = gnd.Graph.from_edges([0, 1, 2, 2, 3], [3, 0, 1, 0, 2], weights=[1, 2, 3, 4, 0], num_vertices=4)
    graph = gnd.HeteroGraph(
        {("user", "follows", "user"): follows, ("item", "liked", "user"): likes},
        {"user": 4, "item": 4},
        times={"item": [2, 4, 6, 8]},
    )
    for temporal in ("uniform", "last"):
        there, here = (
            NeighborSampler(graph, [2, -1], disjoint=True, temporal=temporal, weighted="auto", device=device)
            for device in ("cuda", "cpu")
        )
        given: Any = {"times": {"user": [4, 6, 6]}, "exclude": {("item", "liked", "user"): [1]}}
        for more in ({}, {"time_window": 3}, {"time_window": {"user": [0, 2, 5]}}):
            seeds = {"user": [0, 2, 0]}
            same(there.draw(seeds, 3, **given, **more), here.draw(seeds, 3, **given, **more))
        with pytest.raises(ValueError, match=r"times is missing"):
            there.draw({"user": [0]}, 3)


def test_excluded_edges_by_weight() -> None:
    graph = corpus.graph(weighted=True)
    ids = np.arange(0, graph.num_edges // 2, 2)
    for options in ({"replace": True}, {}, {"fanouts": [-1]}):
        there, here = (
            NeighborSampler(graph, **({"fanouts": [4, 3], "weighted": True} | options), device=device)
            for device in ("cuda", "cpu")
        )
        same(there.draw(BATCHES[1], 5, exclude=ids), here.draw(BATCHES[1], 5, exclude=ids))


def test_large_fan_outs() -> None:
    hub = np.arange(1, 6001)
    graph = gnd.Graph.from_edges(np.zeros(6000, int), hub, weights=1 + hub % 7)
    for options in ({}, {"weighted": True}, {"weighted": True, "replace": True}):
        for fanout in (4097, 5990, 6000, 7000):
            there, here = (NeighborSampler(graph, [fanout], device=device, **options) for device in ("cuda", "cpu"))
            same(there.draw([0, 5], 3), here.draw([0, 5], 3))
            same(there.draw([0, 5], 3, exclude=[1, 8]), here.draw([0, 5], 3, exclude=[1, 8]))


def test_several_types() -> None:
    likes, follows = gnd.rmat(6, 4, symmetric=False, seed=1), gnd.rmat(6, 3, symmetric=False, seed=2)
    graph = gnd.HeteroGraph(
        {("user", "follows", "user"): follows, ("item", "liked", "user"): likes}, {"user": 64, "item": 64}
    )
    there, here = (NeighborSampler(graph, [3, 2], device=device) for device in ("cuda", "cpu"))
    seeds = {"user": [1, 5, 9], "item": [2]}
    same(there.draw(seeds, 4), here.draw(seeds, 4))


def test_edges_that_are_left_out() -> None:
    graph = corpus.graph()
    there, here = (NeighborSampler(graph, [4, 3], device=device) for device in ("cuda", "cpu"))
    out = graph.edge_ids[::3]
    same(there.draw([3, 7], 1, exclude=out), here.draw([3, 7], 1, exclude=out))


def test_batches_that_leave_out_different_edges() -> None:
    graph = corpus.graph()
    there, here = (NeighborSampler(graph, [4, 3], device=device) for device in ("cuda", "cpu"))
    before = living()
    out = [graph.edge_ids[::3], None, graph.edge_ids[::3], graph.edge_ids[1::2]]
    several = there.draw_many(BATCHES, WORDS, exclude=out)
    for drawn, alone in zip(several, here.draw_many(BATCHES, WORDS, exclude=out), strict=True):
        same(drawn, alone)
    with pytest.raises(IndexError, match=r"batch 1: seed_nodes\[0\] = 100000"):
        there.draw_many([[1], [100000]], [1, 2], exclude=[None, [0]])
    del several, drawn
    assert living() == before


def test_more_batches_than_a_launch_has() -> None:
    graph = corpus.graph()
    there, here = (NeighborSampler(graph, [2], device=device) for device in ("cuda", "cpu"))
    batches = [[i % graph.num_vertices] for i in range(600)]
    for drawn, alone in zip(there.draw_many(batches, range(600)), here.draw_many(batches, range(600)), strict=True):
        same(drawn, alone)


@pytest.mark.parametrize("weighted", [False, True])
def test_pgsampler(weighted: bool) -> None:
    graph = corpus.graph(weighted=weighted)
    samplers = [gnd.PGSampler([5, 3], weighted=weighted, seed=1, device=device) for device in ("cuda:0", "cpu")]
    for seeds in (BATCHES[0], [9]):
        (inputs, outputs, blocks), want = (sampler.sample(graph, seeds) for sampler in samplers)
        assert isinstance(inputs.numpy(), np.ndarray)
        assert np.array_equal(inputs, want[0])
        assert np.array_equal(outputs, want[1])
        for block, other in zip(blocks, want[2], strict=True):
            assert repr(block) == repr(other)
            for name in block.__slots__:
                assert np.array_equal(getattr(block, name), getattr(other, name)), name
    many, alone = (sampler.sample_many(graph, BATCHES) for sampler in samplers)
    assert all(np.array_equal(a, b[0]) for (a, _, _), b in zip(many, alone, strict=True))
    copied = pickle.loads(pickle.dumps(samplers[0]))
    assert copied.device == "cuda:0"
    assert np.array_equal(copied.sample(graph, [4])[0], samplers[1].sample(graph, [4])[0])


@pytest.mark.parametrize("stream", [1, 2, -1, None])
@pytest.mark.parametrize("versioned", [False, True])
def test_the_arena_is_one_tensor(stream: int | None, versioned: bool) -> None:
    before = living()
    here = NeighborSampler(corpus.graph(), [5, 3]).draw(BATCHES[1], 3)
    there = NeighborSampler(corpus.graph(), [5, 3], device="cuda").draw(BATCHES[1], 3)
    if stream == -1:
        there.arena.numpy()  # who says that it waits for nothing must have waited
    parts = there.split(there.arena)
    whole, part = (consumer.ImportedTensor(a, stream=stream, versioned=versioned) for a in (there.arena, parts.row[0]))
    assert (whole.shape, whole.strides, whole.dtype) == (there.arena.shape, (1,), np.int64)
    want = here.split(here.arena).row[0]
    assert part.address >= whole.address
    del there, parts
    gc.collect()
    assert living() > before  # the tensors hold it
    assert np.array_equal(part.numpy(), want)
    whole.release()
    part.release()
    assert living() == before


def test_arrays_that_are_slices() -> None:
    drawn = NeighborSampler(corpus.graph(), [5], device="cuda").draw([3], 1)
    arena = drawn.arena
    assert repr(arena) == f"DeviceArray(shape={arena.shape}, dtype=int64, device='cuda:0')"
    whole = arena.numpy()
    for part in (slice(None), slice(2, 5), slice(-3, None), slice(4, 2), slice(0, 10**9)):
        assert np.array_equal(arena[part], whole[part])
        assert len(arena[part]) == len(whole[part])
    assert np.array_equal(arena[3:9][2:4], whole[5:7])
    face = arena[3:5].__cuda_array_interface__
    assert face["data"][0] == arena.__cuda_array_interface__["data"][0] + 24
    assert (face["shape"], face["typestr"]) == ((2,), "<i8")
    for wrong, error in ((2, TypeError), (slice(0, 4, 2), ValueError)):
        with pytest.raises(error):
            arena[wrong]
    assert np.array_equal(pickle.loads(pickle.dumps(arena)), whole)


def test_seeds_on_the_card() -> None:
    graph = corpus.graph()
    there, here = (NeighborSampler(graph, [4, 2], device=device) for device in ("cuda", "cpu"))
    first = there.draw([3, 9, 4], 5)
    seeds = first.split(first.arena).nodes[0]
    same(there.draw(seeds, 6), here.draw(seeds.numpy(), 6))
    auto = NeighborSampler(graph, [4, 2], device="auto")
    assert auto.device == "auto"
    for lie, want in ((seeds, np.asarray(seeds)), ([5, 6], [5, 6])):  # the arrays are on the device of the seeds
        drawn = auto.draw(lie, 6)
        assert isinstance(drawn.arena, np.ndarray) == (lie is not seeds)
        same(drawn, here.draw(want, 6))
    by_seeds = gnd.PGSampler([3], seed=1).sample(graph, seeds)
    assert np.array_equal(by_seeds[0], gnd.PGSampler([3], seed=1).sample(graph, seeds.numpy())[0])
    assert by_seeds[0].device == "cuda:0"
    with pytest.raises(ValueError, match=r"seed_nodes: expected an array in this machine's memory or on device='cpu'"):
        here.draw(seeds, 6)
    small = gnd.rmat(2, 2, seed=1)
    with pytest.raises(IndexError, match=r"seed_nodes\[\d+\] = \d+: the graph has 4 vertices"):
        NeighborSampler(small, [2], device="cuda").draw(seeds, 6)
    sampler = gnd.PGSampler([3], seed=1, device="cuda")
    with pytest.raises(IndexError, match=r"seed_nodes\[\d+\] = \d+: the graph has 4 vertices"):
        sampler.sample(small, seeds)
