"""NeighborSampler: batches on graphs of one type and of several, against the contract evaluated in Python."""

from __future__ import annotations

import pickle
from typing import Any

import corpus
import numpy as np
import pytest

import gonextdoor as gnd
from gonextdoor import rng

OPTIONS: list[dict[str, Any]] = [
    {"expand": expand, "layout": layout, "disjoint": disjoint, "replace": replace}
    for expand in ("new", "all")
    for layout in ("coo", "csc")
    for disjoint in (False, True)
    for replace in (False, True)
]


@pytest.fixture(scope="module")
def graph() -> gnd.Graph:
    return corpus.graph(weighted=False)


@pytest.fixture(scope="module")
def hetero() -> gnd.HeteroGraph:
    return corpus.hetero()


def below(word: int, n: int) -> int:
    return word * n >> 64


def permute(key: int, count: int, n: int) -> list[int]:
    if n <= count:
        return list(range(n))
    picks: list[int] = []
    for i in range(count):
        r = below(rng.word(key, i), n - count + i + 1)
        picks.insert(picks.index(r) if r in picks else len(picks), n - count + i if r in picks else r)
    return picks


def expected_batch(
    relations: list[tuple[gnd.Graph, int, int]],  # graph, destination, source
    fanouts: list[list[int]],
    seeds: list[list[int]],
    word: int,
    *,
    expand: str,
    disjoint: bool,
    replace: bool,
) -> tuple[list[list[tuple[int, int]]], list[list[list[tuple[int, int, int]]]]]:
    """The nodes of each type as (tree, vertex), and for each hop and relation its edges (source, destination, id)."""
    nodes: list[list[tuple[int, int]]] = [[] for _ in seeds]
    tree = 0
    for t, vertices in enumerate(seeds):
        for v in vertices:
            nodes[t].append((tree, v))
            tree += disjoint
    begin, hops = [0] * len(seeds), []
    for h, numbers in enumerate(fanouts):
        known, hop = [len(n) for n in nodes], []
        for r, (graph, d, s) in enumerate(relations):
            edges = []
            for at in range(begin[d], known[d]):
                tree, v = nodes[d][at]
                key = rng.key(rng.word(rng.key(rng.stream(word, rng.BATCHES), r), h), tree if disjoint else v)
                if disjoint:
                    key = rng.key(rng.word(key, 0), v)
                first, degree = int(graph.indptr[v]), int(graph.degrees()[v])
                if replace and numbers[r] >= 0:
                    picks = [below(rng.word(key, i), degree) for i in range(numbers[r])] if degree else []
                else:
                    picks = permute(key, degree if numbers[r] < 0 else numbers[r], degree)
                for pick in picks:
                    node = (tree, int(graph.indices[first + pick]))
                    if node not in nodes[s]:
                        nodes[s].append(node)
                    edges.append((nodes[s].index(node), at, int(graph.edge_ids[first + pick])))
            hop.append(edges)
        hops.append(hop)
        if expand == "new":
            begin = known
    return nodes, hops


def check(drawn: gnd.NeighborBatch, nodes: Any, hops: Any, options: dict[str, Any]) -> None:
    parts = drawn.split(drawn.arena)
    assert [part.tolist() for part in parts.nodes] == [[v for _, v in of_type] for of_type in nodes]
    if options["disjoint"]:
        assert [part.tolist() for part in parts.trees] == [[tree for tree, _ in of_type] for of_type in nodes]
    assert drawn.num_edges == [[len(hop[r]) for hop in hops] for r in range(len(hops[0]))]
    assert [sum(counts) for counts in drawn.num_nodes] == [len(of_type) for of_type in nodes]
    for r in range(len(hops[0])):
        if options["layout"] == "coo":
            found = list(zip(parts.row[r].tolist(), parts.col[r].tolist(), parts.edges[r].tolist(), strict=True))
            assert found == [edge for hop in hops for edge in hop[r]]
            continue
        for h, hop in enumerate(hops):
            indptr, indices, ids = parts.hops[h][r]
            first, count = drawn.destinations[h][r]
            assert len(indptr) == count + 1
            col = np.repeat(np.arange(first, first + count), np.diff(indptr)).tolist()
            assert list(zip(indices.tolist(), col, ids.tolist(), strict=True)) == hop[r]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_one_type_follows_the_contract(graph: gnd.Graph, options: dict[str, Any]) -> None:
    seeds, word = [3, 150, 7, 190], (1 << 64) - 5
    rule = {name: options[name] for name in ("expand", "disjoint", "replace")}
    for fanouts in ([4], [3, 2], [-1, 2], [2, 0, 2]):
        drawn = gnd.NeighborSampler(graph, fanouts, **options).draw(seeds, word)
        check(drawn, *expected_batch([(graph, 0, 0)], [[f] for f in fanouts], [seeds], word, **rule), options)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_several_types_follow_the_contract(hetero: gnd.HeteroGraph, options: dict[str, Any]) -> None:
    graphs, word = list(hetero.relations.values()), 77
    relations = [(graphs[0], 0, 0), (graphs[1], 0, 1), (graphs[2], 1, 0)]
    rule = {name: options[name] for name in ("expand", "disjoint", "replace")}
    fanouts: list[Any] = [2, dict(zip(hetero.relations, [3, -1, 0], strict=True)), 1]
    numbers = [[2, 2, 2], [3, -1, 0], [1, 1, 1]]
    for seeds in ({"paper": [4, 9, 0]}, {"author": [2, 29], "paper": [49]}):
        drawn = gnd.NeighborSampler(hetero, fanouts, **options).draw(seeds, word)
        by_type = [seeds.get("paper", []), seeds.get("author", [])]
        check(drawn, *expected_batch(relations, numbers, by_type, word, **rule), options)


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
