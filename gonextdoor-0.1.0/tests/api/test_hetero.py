"""HeteroGraph, and what NeighborSampler and HeteroGraph refuse."""

from __future__ import annotations

import copy
import gc
import pickle
from collections.abc import Callable
from typing import Any

import corpus
import numpy as np
import pytest
from gonextdoor._core import native

import gonextdoor as gnd

HETERO = corpus.hetero()
CITES, WRITES, OF = HETERO.relations
ONE = {CITES: HETERO.relations[CITES]}
PLAIN = gnd.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 0])
TIMED = gnd.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 0], times=[4, 5, 6, 7])
WEIGHTED = gnd.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 0], weights=[1, 2, 3, 4])
NARROW = gnd.Graph.from_edges([0, 3], [1, 2], num_vertices=4)  # row 3, end points up to 2


def test_its_parts() -> None:
    assert HETERO.num_vertices == {"paper": 50, "author": 30}
    assert list(HETERO.relations) == [
        ("paper", "cites", "paper"),
        ("author", "writes", "paper"),
        ("paper", "of", "author"),
    ]
    assert HETERO.times is None
    assert "paper/cites/paper" in repr(HETERO)
    assert copy.deepcopy(HETERO) is copy.copy(HETERO) is HETERO


def test_it_may_be_pickled() -> None:
    graph = gnd.HeteroGraph(HETERO.relations, HETERO.num_vertices, {"paper": np.arange(50)})
    again = pickle.loads(pickle.dumps(graph))
    assert repr(again) == repr(graph)
    assert again.times["paper"].tolist() == list(range(50))
    for which in (graph, again):
        drawn = gnd.NeighborSampler(which, [3, 2], disjoint=True, temporal="last").draw({"paper": [7, 40]}, 3)
        assert max(drawn.split(drawn.arena).nodes[0][drawn.split(drawn.arena).trees[0] == 0].tolist()) <= 7


def test_times_are_copied() -> None:
    times = np.arange(50)
    graph = gnd.HeteroGraph(HETERO.relations, HETERO.num_vertices, {"paper": times})
    around = gnd.NeighborSampler(graph, [-1], disjoint=True, temporal="uniform")
    before = around.draw({"paper": [30]}, 1).num_edges
    times[:] = 10**6
    assert around.draw({"paper": [30]}, 1).num_edges == before
    with pytest.raises(ValueError, match="read-only"):
        graph.times["paper"][0] = 1  # type: ignore[index]


def test_graphs_live_as_long_as_what_draws_from_them() -> None:
    gc.collect()
    before = [native.call("Living", what) for what in range(3)]
    around = gnd.NeighborSampler(corpus.hetero(), [2, 2])
    one = gnd.NeighborSampler(gnd.Graph.from_edges([0, 1], [1, 0]), [2])
    gc.collect()
    first, other = around.draw({"author": [3]}, 1), one.draw([1], 1)
    del around, one
    gc.collect()
    assert first.split(first.arena).nodes[1][0] == 3
    assert other.split(other.arena).nodes[0].tolist() == [1, 0]
    del first, other
    gc.collect()
    assert [native.call("Living", what) for what in range(3)] == before


def test_later_edges_are_never_taken() -> None:
    draws = np.random.default_rng(5)
    times = draws.integers(-50, 50, 3000)
    graph = gnd.Graph.from_edges(draws.integers(0, 100, 3000), draws.integers(0, 100, 3000), times=times)
    of_seed = draws.integers(-50, 50, 40)
    seeds = draws.integers(0, 100, 40)
    for temporal in ("uniform", "last"):
        around = gnd.NeighborSampler(graph, [4, 3], disjoint=True, temporal=temporal)  # type: ignore[arg-type]
        drawn = around.draw(seeds, 9, times=of_seed)
        parts = drawn.split(drawn.arena)
        limits = of_seed[parts.trees[0][parts.col[0]]]
        assert (times[parts.edges[0]] <= limits).all()
        assert (times[parts.edges[0]] == limits).any()
        if temporal == "last":
            taken = np.sort(times[parts.edges[0][parts.col[0] == 0]])
            row = slice(int(graph.indptr[seeds[0]]), int(graph.indptr[seeds[0] + 1]))
            row_times = times[graph.edge_ids[row]]
            assert taken.tolist() == np.sort(row_times[row_times <= of_seed[0]])[-4:].tolist()


def test_times_of_the_seeds_own_vertices() -> None:
    around = gnd.NeighborSampler(PLAIN, [-1, -1], disjoint=True, temporal="uniform", times=[5, 3, 5])
    own, given = around.draw([0, 1], 1), around.draw([0, 1], 1, times=[5, 3])
    assert own.num_edges == given.num_edges == [[2, 2]]
    assert own.split(own.arena).edges[0].tolist() == given.split(given.arena).edges[0].tolist()
    assert pickle.loads(pickle.dumps(around)).draw([0, 1], 1).num_edges == own.num_edges


def test_weights_count_among_times_too() -> None:
    graph = gnd.Graph.from_edges([0] * 5, [1, 2, 3, 4, 5], weights=[0, 1, 0, 5, 9], times=[1, 1, 1, 2, 3])
    for temporal, expected in (("uniform", {1, 3}), ("last", {3})):
        around = gnd.NeighborSampler(graph, [1], weighted=True, disjoint=True, temporal=temporal)  # type: ignore[arg-type]
        drawn = around.draw([0] * 50, 4, times=[2] * 50)
        assert set(drawn.split(drawn.arena).edges[0].tolist()) == expected


def test_excluded_edges_by_relation() -> None:
    around = gnd.NeighborSampler(HETERO, [-1])
    whole = around.draw({"paper": [1, 2, 3]}, 5)
    ids = whole.split(whole.arena).edges[1][::2]
    left = around.draw({"paper": [1, 2, 3]}, 5, exclude={WRITES: ids})
    parts = left.split(left.arena)
    assert parts.edges[0].tolist() == whole.split(whole.arena).edges[0].tolist()
    assert set(parts.edges[1].tolist()) == set(whole.split(whole.arena).edges[1].tolist()) - set(ids.tolist())


def test_a_relation_without_weights_is_drawn_alike() -> None:
    graph = gnd.HeteroGraph({("a", "x", "a"): WEIGHTED, ("a", "y", "a"): PLAIN}, {"a": 3})
    assert gnd.NeighborSampler(graph, [1], weighted="auto").draw({"a": [0]}, 1).num_edges == [[1], [1]]


def around(graph: Any = PLAIN, fanouts: Any = (2,), **options: Any) -> gnd.NeighborSampler:
    return gnd.NeighborSampler(graph, fanouts, **options)


TEMPORAL = {"disjoint": True, "temporal": "uniform"}
REFUSED: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: gnd.HeteroGraph([], {}), TypeError, "relations: expected a dict"),  # type: ignore[arg-type]
    (lambda: gnd.HeteroGraph({}, {"a": 1}), ValueError, "relations is empty"),
    (lambda: gnd.HeteroGraph({("a", "b"): PLAIN}, {"a": 3}), TypeError, "source type, name"),  # type: ignore[dict-item]
    (lambda: gnd.HeteroGraph({("a", "b", "c"): PLAIN}, {"a": 3}), ValueError, "has no type 'c'"),
    (lambda: gnd.HeteroGraph({("a", "b", "a"): 3}, {"a": 3}), TypeError, "expected a gonextdoor.Graph"),  # type: ignore[dict-item]
    (lambda: gnd.HeteroGraph({("a", "b", "a"): PLAIN}, {"a": -1}), ValueError, r"num_vertices\['a'\] = -1"),
    (lambda: gnd.HeteroGraph({("a", "b", "a"): PLAIN}, {1: 3}), TypeError, "types as str"),  # type: ignore[dict-item]
    (lambda: gnd.HeteroGraph({("a", "b", "a"): PLAIN}, {"a": 4}), ValueError, "has 3 vertices, expected at least 4"),
    (lambda: gnd.HeteroGraph({("a", "b", "c"): NARROW}, {"a": 4, "c": 2}), ValueError, "vertex 3 has edges"),
    (lambda: gnd.HeteroGraph({("a", "b", "c"): NARROW}, {"a": 2, "c": 4}), ValueError, "edge 1 ends at vertex 2"),
    (lambda: gnd.HeteroGraph(ONE, {"paper": 50}, {"paper": [1]}), ValueError, r"times\['paper'\]"),
    (lambda: gnd.HeteroGraph(ONE, {"paper": 50}, {"x": [1]}), ValueError, r"times\['x'\]"),
    (lambda: around(3), TypeError, "HeteroGraph, got int"),
    (lambda: around(fanouts=[]), ValueError, "fanouts is empty"),
    (lambda: around(fanouts=3), TypeError, "fanouts = 3"),
    (lambda: around(fanouts=[-2]), ValueError, r"fanouts\[0\] = -2"),
    (lambda: around(fanouts=[1 << 40]), ValueError, r"fanouts\[0\] = 1099511627776"),
    (lambda: around(fanouts=[1.5]), TypeError, r"fanouts\[0\] = 1.5"),
    (lambda: around(fanouts=[{CITES: 2}]), TypeError, "one relation"),
    (lambda: around(HETERO, [{CITES: 2}]), ValueError, r"fanouts\[0\] has no number for \('author'"),
    (lambda: around(HETERO, [{CITES: 2, ("x", "y", "z"): 1}]), ValueError, r"\('x', 'y', 'z'\)"),
    (lambda: around(expand="met"), ValueError, "expand = 'met': expected 'new' or 'all'"),
    (lambda: around(layout=3), TypeError, "layout = 3"),
    (lambda: around(replace=1), TypeError, "replace = 1"),
    (lambda: around(disjoint="yes"), TypeError, "disjoint = 'yes'"),
    (lambda: around(weighted=True), ValueError, "weighted = True: the graph has no weights"),
    (lambda: around(HETERO, weighted=True), ValueError, r"weighted = True: \('paper', 'cites', 'paper'\)"),
    (lambda: around(device="tpu"), ValueError, "device = 'tpu'"),
    (lambda: around(TIMED, temporal="uniform"), ValueError, "disjoint = False"),
    (lambda: around(TIMED, disjoint=True, temporal="first"), ValueError, "temporal = 'first'"),
    (lambda: around(TIMED, disjoint=True, temporal="last", replace=True), ValueError, "replace = True"),
    (lambda: around(HETERO, times=[1]), ValueError, "HeteroGraph has its own"),
    (lambda: around(times=[1, 2]), ValueError, r"times: expected shape \(3,\)"),
    (lambda: around(times=[0.5, 1, 2]), TypeError, "times"),
    (lambda: around(**TEMPORAL), ValueError, "temporal = 'uniform': the graph has no times"),
    (lambda: around(TIMED, **TEMPORAL).draw([0], 1), ValueError, "times is missing"),
    (lambda: around(TIMED, **TEMPORAL).draw([0], 1, times=[2, 3]), ValueError, "times has 2 elements: expected 1"),
    (lambda: around(TIMED).draw([0], 1, times=[2]), ValueError, "temporal is None"),
    (lambda: around(TIMED, **TEMPORAL).draw([0], 1, times=[2.0]), TypeError, "times"),
    (lambda: around().draw([0, 3], 1), IndexError, r"seed_nodes\[1\] = 3: the graph has 3 vertices"),
    (lambda: around(disjoint=True).draw([-1], 1), IndexError, r"seed_nodes\[0\] = -1"),
    (lambda: around().draw([2, 0, 2], 1), ValueError, r"seed_nodes\[2\] = 2: .* also seed_nodes\[0\]"),
    (lambda: around().draw([[0]], 1), ValueError, r"seed_nodes: expected shape \(n,\)"),
    (lambda: around().draw([0.5], 1), TypeError, "seed_nodes"),
    (lambda: around().draw({"a": [0]}, 1), TypeError, "seed_nodes"),
    (lambda: around().draw([0], -1), ValueError, "batch_seed = -1"),
    (lambda: around().draw([0], 1, threads=-1), ValueError, "threads = -1"),
    (lambda: around().draw([0], 1, exclude=[4]), IndexError, r"exclude\[0\] = 4"),
    (lambda: around(HETERO).draw([0], 1), TypeError, "seed_nodes: expected a dict"),
    (lambda: around(HETERO).draw({"x": [0]}, 1), ValueError, r"seed_nodes\['x'\]: expected one of 'paper'"),
    (lambda: around(HETERO).draw({"author": [1, 30]}, 1), IndexError, r"seed_nodes\['author'\]\[1\] = 30"),
    (lambda: around(HETERO).draw({"author": [1, 1]}, 1), ValueError, r"\['author'\]\[1\] = 1: .* also seed_nodes"),
    (lambda: around(HETERO).draw({"paper": [1]}, 1, exclude={"x": [1]}), ValueError, r"exclude\['x'\]"),
    (lambda: around(HETERO).draw({"paper": [1]}, 1, exclude={OF: [200]}), IndexError, r"'of', 'author'\)\]\[0\]"),
    (lambda: around().draw_many([[0], [1]], [1]), ValueError, "batch_seeds has 1 elements: expected 2"),
    (lambda: around().draw_many([[0]], [1], exclude=[]), ValueError, "exclude has 0 elements"),
    (lambda: around().draw_many([[0], [5]], [1, 2]), IndexError, r"batch 1: seed_nodes\[0\] = 5"),
    (lambda: around().draw_many([[0], [1, 1]], [1, 2]), ValueError, r"batch 1: seed_nodes\[1\] = 1"),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_refusals(case: int) -> None:
    call, kind, text = REFUSED[case]
    with pytest.raises(kind, match=text):
        call()


@pytest.mark.parametrize("direction", ["out", "in"])
def test_all_relations_as_one_graph(direction: Any) -> None:
    graph = corpus.hetero(weighted=True)
    joined, first = graph.to_homogeneous(direction)
    assert first == {"paper": 0, "author": 50}
    assert joined.num_vertices == 80 and joined.num_edges == 700 and joined.weighted and joined.times is None
    labels, weights = joined.labels, joined.weights
    assert labels is not None and weights is not None
    rows = np.repeat(np.arange(80), joined.degrees())
    offset = 0
    for number, ((source, _, destination), part) in enumerate(graph.relations.items()):
        mine = np.flatnonzero(labels == number)
        mine = mine[np.argsort(joined.edge_ids[mine])]
        assert (joined.edge_ids[mine] == offset + np.arange(part.num_edges)).all()
        own, ends = rows[mine], joined.indices[mine].astype(np.int64)
        if direction == "out":
            own, ends = ends, own
        assert (own == np.repeat(np.arange(part.num_vertices), part.degrees()) + first[destination]).all()
        assert (ends == part.indices.astype(np.int64) + first[source]).all()
        assert part.weights is not None
        np.testing.assert_allclose(weights[mine], part.weights, rtol=1e-6)
        offset += part.num_edges


def test_walks_along_a_path_of_relations() -> None:
    graph, first = HETERO.to_homogeneous("in")  # as in the rows: from a paper to its author, and to a paper of his
    app = gnd.apps.MetaPath([1, 2])
    walks = gnd.sample(graph, app, np.arange(50), repeat=200, seed=1).numpy()
    writes, of = HETERO.relations[WRITES], HETERO.relations[OF]
    for paper in range(50):
        counts = np.bincount(walks[200 * paper : 200 * (paper + 1), 1] + 1, minlength=81)
        expected = np.bincount(writes.neighbors(paper), minlength=30) if paper < writes.num_vertices else np.zeros(30)
        there = counts[first["author"] + 1 :]
        assert ((there > 0) <= (expected > 0)).all() and counts[1 : first["author"] + 1].sum() == 0
        if expected.sum():  # edges are chosen uniformly at random: 6 standard deviations
            p = expected / expected.sum()
            assert (np.abs(there - 200 * p) <= 6 * np.sqrt(200 * p * (1 - p)) + 1e-9).all()
    last = walks[walks[:, 2] >= 0]
    assert len(last) and all(b in of.neighbors(a - first["author"]) for a, b in last[:500, 1:].tolist())


def test_one_graph_of_relations_with_and_without_attributes() -> None:
    timed = gnd.HeteroGraph({("a", "x", "a"): TIMED, ("a", "y", "b"): TIMED}, {"a": 3, "b": 3}).to_homogeneous().graph
    assert timed.times is not None and sorted(timed.times.tolist()) == [4, 4, 5, 5, 6, 6, 7, 7] and not timed.weighted
    mixed = (
        gnd.HeteroGraph({("a", "x", "a"): WEIGHTED, ("a", "y", "b"): TIMED}, {"a": 3, "b": 3}).to_homogeneous().graph
    )
    assert mixed.times is None and mixed.weights is not None and mixed.labels is not None
    assert (mixed.weights[mixed.labels == 1] == 1).all() and mixed.weights[mixed.labels == 0].sum() == 10
    empty = gnd.HeteroGraph({("a", "x", "b"): gnd.Graph.from_edges([], [], num_vertices=3)}, {"a": 3, "b": 2, "c": 1})
    assert empty.to_homogeneous().first == {"a": 0, "b": 3, "c": 5} and empty.to_homogeneous().graph.num_vertices == 6
    for wrong, kind in (("both", ValueError), (1, TypeError)):
        with pytest.raises(kind, match='expected "out" or "in"'):
            HETERO.to_homogeneous(wrong)  # type: ignore[arg-type]
