"""NeighborSampler: several batches at once, times and windows, dtypes and refusals.

Random programs compare its batches with the contract (tests/api/test_loader_programs.py).
"""

from __future__ import annotations

import pickle
from typing import Any

import corpus
import numpy as np
import pytest

import gonextdoor as gnd


@pytest.fixture(scope="module")
def graph() -> gnd.Graph:
    return corpus.graph(weighted=False)


@pytest.fixture(scope="module")
def hetero() -> gnd.HeteroGraph:
    return corpus.hetero()


def test_choices_are_not_those_of_khop_with_the_same_seed() -> None:
    """Transit t of KHop's sample 0 and vertex t of a batch differ in the purpose of their keys alone."""
    count, degree = 1000, 16
    rows = np.repeat(np.arange(count), degree)
    graph = gnd.Graph.from_edges(rows, (rows + np.tile(np.arange(1, degree + 1), count)) % count)
    seeds = np.arange(count)
    for seed in (0, 7, (1 << 64) - 1):
        drawn = gnd.NeighborSampler(graph, [1], layout="coo").draw(seeds, seed)
        parts = drawn.split(drawn.arena)
        by_batch = np.asarray(parts.nodes[0])[parts.row[0]]  # one edge per seed, in the order of the seeds
        by_khop = gnd.sample(graph, gnd.apps.KHop([1]), seeds.reshape(1, -1), seed=seed).numpy()[0, count:]
        assert np.array_equal((by_khop - seeds) % count - 1 < degree, np.ones(count, bool))
        assert np.array_equal((by_batch - seeds) % count - 1 < degree, np.ones(count, bool))
        # 62.5 coincide by chance, with a standard deviation of 7.7; all did while they had one purpose.
        assert (by_batch == by_khop).sum() < 110


def test_many_batches_are_each_as_one(graph: gnd.Graph, hetero: gnd.HeteroGraph) -> None:
    draws = np.random.default_rng(1)
    for where, names in ((graph, None), (hetero, ["paper", "author"])):
        around = gnd.NeighborSampler(where, [3, 2])
        batches: list[Any] = [draws.permutation(30)[:n] for n in (4, 0, 7)]
        if names is not None:
            batches = [{names[i % 2]: batch} for i, batch in enumerate(batches)]
        together = around.draw_many(batches, [5, 6, 7], threads=2)
        for batch, word, drawn in zip(batches, [5, 6, 7], together, strict=True):
            alone = around.draw(batch, word)
            assert alone.num_edges == drawn.num_edges
            for mine, its in zip(alone.split(alone.arena).edges, drawn.split(drawn.arena).edges, strict=True):
                assert mine.tolist() == its.tolist()
    assert around.draw_many([], []) == []


def test_a_neighborhood_may_be_pickled(graph: gnd.Graph, hetero: gnd.HeteroGraph) -> None:
    for where, seeds in ((graph, [3, 5]), (hetero, {"paper": [3, 5]})):
        around = gnd.NeighborSampler(where, [3, 2], disjoint=True, layout="csc")  # type: ignore[arg-type]
        copy = pickle.loads(pickle.dumps(around))
        assert repr(copy) == repr(around)
        a, b = around.draw(seeds, 9), copy.draw(seeds, 9)
        assert a.num_nodes == b.num_nodes
        assert a.split(a.arena).nodes[0].tolist() == b.split(b.arena).nodes[0].tolist()


def test_any_integers_are_seeds(graph: gnd.Graph, hetero: gnd.HeteroGraph) -> None:
    want = gnd.NeighborSampler(hetero, [2]).draw({"paper": [3, 5], "author": [7]}, 1)
    for first, second in (("u8", "i8"), ("i1", "u2"), ("u8", "u8")):
        seeds = {"paper": np.array([3, 5], first), "author": np.array([7], second)}
        drawn = gnd.NeighborSampler(hetero, [2]).draw(seeds, 1)
        assert drawn.split(drawn.arena).edges[0].tolist() == want.split(want.arena).edges[0].tolist()
        one = gnd.NeighborSampler(hetero, [2]).draw({"author": seeds["author"]}, 1)
        assert one.num_nodes[0][0] == 0
    with pytest.raises(IndexError, match=r"seed_nodes\['paper'\]\[0\]"):
        gnd.NeighborSampler(hetero, [2]).draw({"paper": np.array([1 << 63], np.uint64), "author": [-1]}, 1)
    with pytest.raises(ValueError, match=r"times\[1\] is None"):
        around = gnd.NeighborSampler(graph, [2], disjoint=True, temporal="last", times=np.arange(200))
        around.draw_many([[1], [2]], [1, 2], times=[[3], None])


def test_a_window_bounds_the_times() -> None:
    times = np.array([5, 1, 9, 3, 3, 7, -(1 << 63), 0, 8])
    star = gnd.Graph.from_edges(np.zeros(9, int), 1 + np.arange(9), times=times)
    around = gnd.NeighborSampler(star, [-1], disjoint=True, temporal="uniform")

    def taken(seeds: int, **given: Any) -> list[list[int]]:
        parts = (drawn := around.draw([0] * seeds, 3, **given)).split(drawn.arena)
        return [times[parts.edges[0][parts.trees[0][parts.row[0]] == tree]].tolist() for tree in range(seeds)]

    assert taken(3, times=[7, 3, 3], time_window=[2, 0, 3]) == [[5, 7], [3, 3], [0, 1, 3, 3]]
    assert taken(2, times=[8, 2], time_window=1) == [[7, 8], [1]]
    low = -(1 << 63)
    assert taken(2, times=[0, low], time_window=[(1 << 63) - 1, 5]) == [[0], [low]]
    assert taken(1, times=[3]) == [[low, 0, 1, 3, 3]]
    both = around.draw_many([[0], [0]], [1, 2], times=[[3], [9]], time_window=[0, [1]])
    assert [drawn.num_edges for drawn in both] == [[[2]], [[2]]]
    for given, text in (
        ({"times": [3], "time_window": [-1]}, r"time_window\[0\] = -1: expected 0 or more"),
        ({"times": [3], "time_window": [1, 2]}, r"time_window has 2 elements: expected 1, one per seed"),
        ({"times": [3], "time_window": -1}, r"time_window = -1: expected"),
    ):
        with pytest.raises(ValueError, match=text):
            around.draw([0], 1, **given)
    with pytest.raises(ValueError, match=r"time_window\[1\] is None"):
        around.draw_many([[0], [0]], [1, 2], times=[[3], [3]], time_window=[4, None])
    with pytest.raises(ValueError, match=r"time_window has 1 elements: expected none, since temporal is None"):
        gnd.NeighborSampler(star, [2]).draw([0], 1, time_window=4)
    with pytest.raises(TypeError, match="time_window"):
        around.draw([0], 1, times=[3], time_window=[0.5])


def test_times_of_no_edges_and_no_vertices(gpu: None) -> None:
    none = np.empty(0, np.int64)
    edges = gnd.Graph.from_edges(none, none, times=none, num_vertices=2)
    vertices = gnd.Graph.from_edges(none, none, num_vertices=0)
    typed = gnd.HeteroGraph({("b", "to", "a"): edges}, {"a": 2, "b": 0}, times={"b": none})
    for device in ("cpu", "cuda"):
        given: dict[str, Any] = {"disjoint": True, "temporal": "uniform", "device": device}
        assert gnd.NeighborSampler(edges, [3], **given).draw([1], 5, times=[9]).num_nodes == [[1, 0]]
        assert gnd.NeighborSampler(vertices, [3], times=none, **given).draw([], 5).num_nodes == [[0, 0]]
        assert gnd.NeighborSampler(typed, [3], **given).draw({"a": [1]}, 5, times={"a": [9]}).num_nodes == [
            [1, 0],
            [0, 0],
        ]


def test_windows_of_several_types(hetero: gnd.HeteroGraph) -> None:
    timed = gnd.HeteroGraph(
        hetero.relations, hetero.num_vertices, times={"paper": np.arange(hetero.num_vertices["paper"])}
    )
    around = gnd.NeighborSampler(timed, [-1, -1], disjoint=True, temporal="last")
    papers = np.arange(0, hetero.num_vertices["paper"], 7)
    drawn = around.draw({"paper": papers}, 1, time_window={"paper": papers % 5})
    parts = drawn.split(drawn.arena)
    found, root = parts.nodes[0], papers[parts.trees[0]]
    assert ((found <= root) & (root - found <= root % 5)).all() and len(found) > len(papers)
    found_by = []
    for window in (3, {"paper": 3}, {"paper": np.full(len(papers), 3)}):
        drawn = around.draw({"paper": papers}, 1, time_window=window)
        found_by.append([part.tolist() for part in drawn.split(drawn.arena).nodes])
    assert found_by[0] == found_by[1] == found_by[2]
    with pytest.raises(ValueError, match=r"time_window\['paper'\] = -1: expected"):
        around.draw({"paper": papers}, 1, time_window={"paper": -1})
    with pytest.raises(ValueError, match=r"time_window\['reader'\]: expected one of"):
        around.draw({"paper": papers}, 1, time_window={"reader": [1]})
