"""Mini-batches on several GPUs, which draw in turn."""

import gc
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from gonextdoor._core import native

import gonextdoor as gnd

BOTH = ["cuda:0", "cuda:1"]

pytestmark = pytest.mark.usefixtures("two_gpus")


@pytest.fixture(scope="module")
def graph():
    return gnd.rmat(8, 6, weights=(1.0, 3.0), seed=2)


def seed_nodes(batches):
    draw = np.random.default_rng(3)
    return [draw.choice(256, 20, replace=False) for _ in range(batches)]


def whole(batch):
    """The arrays of a batch in host memory."""
    parts = batch.split(batch.arena)
    return [np.asarray(part) for part in (parts.nodes[0], parts.row[0], parts.col[0], parts.edges[0])]


def same(there, here):
    assert all(np.array_equal(ours, theirs) for ours, theirs in zip(whole(there), whole(here), strict=True))


@pytest.mark.parametrize("count", [1, 2, 5, 8])
@pytest.mark.parametrize("options", [{}, {"weighted": True}, {"method": "labor"}])
def test_batches_are_those_of_the_cpu(graph, count, options):
    there = gnd.NeighborSampler(graph, [4, 3], device=BOTH, **options)
    here = gnd.NeighborSampler(graph, [4, 3], **options)
    batches, seeds = seed_nodes(count), list(range(count))
    excluded = [np.arange(10 * (i % 2)) for i in range(count)]
    for exclude in (None, excluded):
        ours = there.draw_many(batches, seeds, exclude=exclude)
        theirs = here.draw_many(batches, seeds, exclude=exclude)
        for one, other in zip(ours, theirs, strict=True):
            same(one, other)


def test_gpus_take_turns_over_calls(graph):
    sampler = gnd.NeighborSampler(graph, [3], device=BOTH)
    assert sampler.device == "cuda:0,cuda:1"
    first = [sampler.draw(nodes, 1).arena.device for nodes in seed_nodes(3)]
    assert first == ["cuda:0", "cuda:1", "cuda:0"]
    then = [batch.arena.device for batch in sampler.draw_many(seed_nodes(4), [1, 2, 3, 4])]
    assert then == ["cuda:1", "cuda:0", "cuda:1", "cuda:0"]


def test_pgsampler_and_pickles(graph):
    sampler = gnd.PGSampler([3, 2], seed=5, device=BOTH)
    here = gnd.PGSampler([3, 2], seed=5, device="cpu")
    for nodes in seed_nodes(3):
        for ours, theirs in zip(sampler.sample(graph, nodes)[:2], here.sample(graph, nodes)[:2], strict=True):
            assert np.array_equal(ours, theirs)
    again = pickle.loads(pickle.dumps(sampler))
    assert again.device == "cuda:0,cuda:1"
    assert again.sample(graph, [1])[0].device == "cuda:0"


def test_an_error_names_the_batch_of_the_call(graph):
    sampler = gnd.NeighborSampler(graph, [3], device=BOTH)
    batches = seed_nodes(4)
    batches[3] = np.array([1, 999])
    with pytest.raises(IndexError, match=r"batch 3: seed_nodes\[1\] = 999"):
        sampler.draw_many(batches, [1, 2, 3, 4])
    same(sampler.draw([1], 2), gnd.NeighborSampler(graph, [3]).draw([1], 2))


def test_a_loader_draws_on_gpus_in_turn(graph):
    """Epochs, ranks and positions are those of a loader on the CPU."""
    given = {"batch_size": 30, "shuffle": True, "seed": 4}
    here = gnd.loader(graph, [3, 2], range(150), **given)
    wanted = [list(here) for _ in range(2)]
    there = gnd.loader(graph, [3, 2], range(150), device=BOTH, **given)
    for batches in wanted:
        for ours, theirs in zip(there, batches, strict=True):
            same(ours, theirs)
    resumed = gnd.loader(graph, [3, 2], range(150), device=BOTH, rank=1, world=2, **given)
    resumed.load_state_dict({**here.state_dict(), "epoch": 1, "batches": 1})
    for ours, theirs in zip(resumed, wanted[1][2::2], strict=True):
        same(ours, theirs)


def live():
    """The number of results in GPU memory, and of calls that have not ended."""
    gc.collect()
    return native.call("Living", 4)


def test_a_call_of_several_batches_ends_when_one_is_read(graph):
    """The call before it ends with the next. All batches are those of the CPU, read in any order, and copies too."""
    sampler, here = gnd.NeighborSampler(graph, [4, 3], device=BOTH), gnd.NeighborSampler(graph, [4, 3])
    batches, before = seed_nodes(5), live()
    sampler.sample_many(batches, range(5))  # it uploads the graph, and ends
    calls = [sampler.sample_many(batches, [10 * k + i for i in range(5)]) for k in range(4)]
    assert [call[0]._call is not None and call[0]._call._result is None for call in calls] == [False] * 3 + [True]
    calls[1] = pickle.loads(pickle.dumps(calls[1]))
    for k in (3, 1, 0, 2):
        for i, batch in reversed(list(enumerate(calls[k]))):
            same(batch, here.sample(batches[i], 10 * k + i))
    del calls, batch
    assert live() == before


def test_batches_that_nobody_reads_are_released(graph):
    sampler, before = gnd.NeighborSampler(graph, [4, 3], device=BOTH), live()
    batches = seed_nodes(3)
    for k in range(4):
        sampler.sample_many(batches, [k, k + 1, k + 2])
    del sampler
    assert live() == before


def test_the_call_refuses_what_its_batches_would(graph):
    """Also if the GPUs would find the fault when they have drawn."""
    sampler = gnd.NeighborSampler(graph, [4, 3], device=BOTH)
    batches = seed_nodes(3)
    pending = sampler.sample_many(batches, [1, 2, 3]), sampler.sample_many(batches, [1, 2, 3])
    for given, kind, text in (
        ([5, 6, 5], ValueError, r"batch 1: seed_nodes\[2\] = 5: this"),
        ([5, 256], IndexError, "batch 1"),
    ):
        with pytest.raises(kind, match=text):
            sampler.sample_many([batches[0], np.array(given), batches[2]], [1, 2, 3])
    for one, other in zip(*pending, strict=True):
        same(one, other)
    trees = gnd.NeighborSampler(graph, [4], device=BOTH, disjoint=True)
    for _ in range(2):
        assert trees.sample_many([[5, 5], [6, 6]], [1, 2])[1].num_nodes[0][0] == 2


def test_threads_read_one_call(graph):
    sampler, here = gnd.NeighborSampler(graph, [4, 3], device=BOTH), gnd.NeighborSampler(graph, [4, 3])
    batches = seed_nodes(8)
    for k in range(4):
        drawn = sampler.sample_many(batches, range(k, k + 8))
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(whole, drawn * 2))
        for i, arrays in enumerate(found):
            wanted = whole(here.sample(batches[i % 8], k + i % 8))
            assert all(np.array_equal(ours, theirs) for ours, theirs in zip(arrays, wanted, strict=True))
