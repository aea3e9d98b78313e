"""A process with one part has less memory than the graph needs, and makes the right walks."""

import os

import daily
import numpy as np
import pytest
from partprocess import Pipes

import gonextdoor as gnd

PARTS = 8  # the limit minus a part leaves room for an arena of the Go heap, 64 MiB, which may be needed or not


def size_of(folder):
    """The bytes of the arrays in a folder."""
    return sum(entry.stat().st_size for entry in os.scandir(folder) if entry.name.endswith(".npy"))


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A graph, its parts, and a small graph in parts by which processes warm up."""
    folder = tmp_path_factory.mktemp("large")
    graph = gnd.rmat(20, 16, seed=1)
    gnd.partition.write(graph, folder / "parts", parts=PARTS, by="hash")
    gnd.partition.write(gnd.rmat(8, seed=1), folder / "small", parts=PARTS)
    graph.save(folder / "whole")
    return graph, folder


@pytest.mark.parametrize(
    "app", daily.share([gnd.apps.DeepWalk(10), gnd.apps.Node2Vec(p=2, q=0.5, length=10)], 2), ids=repr
)
def test_parts_need_less_memory_than_the_graph(large, app):
    graph, folder = large
    needed = size_of(folder / "whole")
    spare = int(0.9 * needed)
    parts = gnd.partition.open(folder / "parts")
    roots = np.flatnonzero(graph.degrees())[:20_000]
    with Pipes(folder / "small", folder / "parts", PARTS, spare) as transport:
        samples = gnd.partition.sample(parts, app, roots, seed=1, transport=transport, cohort=5000)
        peaks = transport.memory()
    assert np.array_equal(samples.numpy(), gnd.sample(graph, app, roots, seed=1, device="cpu").numpy())
    cohorts = 2 * 5000 * 10 * 12 + 2 * 5000 * 20 * 2 * 4  # two in flight: traces, and boxes in and out with copies
    for part, peak in enumerate(peaks):
        share = size_of(folder / "parts" / f"part-{part:05d}") + size_of(folder / "parts")
        assert peak <= 1.2 * share + cohorts, f"part {part}: {peak} bytes beyond {share}"


@pytest.mark.slow
def test_a_graph_twice_the_memory_of_each_process(tmp_path):
    """Half of the graph has room for a part and an arena of the Go heap, since the graph is larger than above."""
    graph = gnd.rmat(22, 16, seed=1)
    gnd.partition.write(graph, tmp_path / "parts", parts=PARTS, by="hash")
    gnd.partition.write(gnd.rmat(8, seed=1), tmp_path / "small", parts=PARTS)
    graph.save(tmp_path / "whole")
    parts = gnd.partition.open(tmp_path / "parts")
    roots = np.flatnonzero(graph.degrees())[:20_000]
    with Pipes(tmp_path / "small", tmp_path / "parts", PARTS, size_of(tmp_path / "whole") // 2) as transport:
        for app in (gnd.apps.DeepWalk(10), gnd.apps.Node2Vec(p=2, q=0.5, length=10)):
            samples = gnd.partition.sample(parts, app, roots, seed=1, transport=transport, cohort=5000)
            assert np.array_equal(samples.numpy(), gnd.sample(graph, app, roots, seed=1, device="cpu").numpy())
        sampler = gnd.partition.NeighborSampler(parts, [15, 10], home=0, transport=transport)
        whole = gnd.NeighborSampler(graph, [15, 10])
        for seed in range(3):
            ours, theirs = (one.draw(roots[:1024], batch_seed=seed) for one in (sampler, whole))
            arrays, expected = ours.split(ours.arena), theirs.split(theirs.arena)
            for name in ("nodes", "row", "col", "edges"):
                assert np.array_equal(getattr(arrays, name)[0], getattr(expected, name)[0])


def test_the_limit_is_less_than_the_graph(large):
    _, folder = large
    gnd.partition.write(gnd.Graph.open(folder / "whole"), folder / "one", parts=1)
    with (
        pytest.raises((MemoryError, OSError)),
        Pipes(folder / "small", folder / "one", 1, int(0.9 * size_of(folder / "whole"))),
    ):
        pass
