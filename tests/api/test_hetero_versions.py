"""HeteroGraph.updated: versions equal graphs of relations that are built anew, and so do samples and mini-batches."""

from __future__ import annotations

import importlib
import re
from typing import Any

import corpus
import numpy as np
import pytest
from graphchange import Change

import gonextdoor as gnd

BUYS, BOUGHT, LIKE = ("user", "buys", "item"), ("item", "bought_by", "user"), ("item", "like", "item")
TYPES = {"item": 300, "user": 300}


def shop(*, weighted: bool, symmetric: bool = False) -> gnd.HeteroGraph:
    """Three relations, each with as many vertices as its types."""
    one = corpus.graph(300, 700, weighted=weighted, symmetric=symmetric)
    weights = one.weights
    other = gnd.Graph.from_csr(one.indptr, one.indices, weights=weights, labels=one.labels, times=one.times)
    return gnd.HeteroGraph({BUYS: one, BOUGHT: other, LIKE: gnd.rmat(8, 2, seed=3).updated([(299, 0)])}, TYPES)


def change_of(graph: gnd.Graph, draws: np.random.Generator) -> tuple[dict[str, Any], gnd.Graph]:
    """A change that adds no vertex, and the graph of the result, built anew."""
    while True:
        change = Change.of(graph, draws)
        if np.concatenate([*change.arguments["add"], [0]]).max() < graph.num_vertices:
            return change.arguments, change.built(graph.num_vertices)


@pytest.mark.parametrize("seed", range(12))
def test_versions(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relations without a change are shared; samples and batches are those of relations that are built anew."""
    draws = np.random.default_rng(seed)
    monkeypatch.setattr(importlib.import_module("gonextdoor.sampling.updated"), "MOST", float(draws.random() < 0.9))
    graph = shop(weighted=bool(seed & 1), symmetric=bool(seed & 2))
    walk = gnd.apps.MetaPath([BUYS, LIKE, BOUGHT] if seed & 4 else ["user", "item"], 5)
    samples = gnd.sample(graph, walk, repeat=2, seed=seed, edges=seed % 3 == 0)
    for _ in range(3):
        chosen = [BUYS, BOUGHT] if draws.random() < 0.5 else [BOUGHT]
        changes = {relation: change_of(graph.relations[relation], draws) for relation in chosen}
        later = graph.updated({relation: arguments for relation, (arguments, _) in changes.items()})
        again = gnd.HeteroGraph(graph.relations | {relation: built for relation, (_, built) in changes.items()}, TYPES)
        for relation, one in later.relations.items():
            assert (one is graph.relations[relation]) == (relation not in changes)
            assert one.equals(again.relations[relation])
        got = samples.updated(later)
        assert got.updated(later) is got
        for want in (gnd.sample(new, walk, repeat=2, seed=seed, edges=seed % 3 == 0) for new in (later, again)):
            assert np.array_equal(got.numpy(), want.numpy())
            assert not want.has_edges or np.array_equal(got.edge_values, want.edge_values)
        batches = [gnd.NeighborSampler(new, [3, 2]).sample({"item": np.arange(9)}, 1) for new in (later, again)]
        for kind in TYPES:
            assert np.array_equal(batches[0].nodes[kind], batches[1].nodes[kind])
        graph, samples = later, got if draws.random() < 0.5 else samples


def test_edges_with_another_weight_or_relation() -> None:
    """Rows with the neighbours from before are made again if an edge has another weight or relation."""
    users, items = np.repeat(np.arange(20), 4), np.tile(np.arange(4), 20)
    rates = ("user", "rates", "item")
    weights = np.tile([1.0, 1.0, 1.0, 9.0], 20)
    some, others = slice(0, 2), slice(2, 4)
    empty = gnd.Graph.from_edges([], [], num_vertices=20)
    for walk in (gnd.apps.MetaPath([BUYS], 1), gnd.apps.MetaPath([BUYS], 1, weighted=False)):
        buys = gnd.Graph.from_edges(items, users, weights=weights, num_vertices=20)
        graph = gnd.HeteroGraph({BUYS: buys, rates: empty}, {"user": 20, "item": 4})
        samples = gnd.sample(graph, walk, repeat=50, seed=1)
        ends = [(items[some], users[some]), (items[others], users[others])]
        moved = graph.updated({BUYS: {"remove": ends[0]}, rates: ends[0]})
        heavy = graph.updated({BUYS: {"remove": ends[1], "add": ends[1], "weights": [50.0, 1.0]}})
        for later in (moved, heavy):
            assert np.array_equal(samples.updated(later), gnd.sample(later, walk, repeat=50, seed=1))


def test_types_that_grow() -> None:
    """Graphs of relations without a change get the vertices, too."""
    graph = shop(weighted=False)
    edges = {"add": ([300], [2]), "labels": [0], "times": [0]}
    later = graph.updated({BUYS: edges}, num_vertices={"item": 301})
    assert later.num_vertices == {"item": 301, "user": 300}
    assert later.relations[BUYS].neighbors(300).tolist() == [2] and later.relations[LIKE].num_vertices == 301
    assert later.relations[LIKE].neighbors(300).size == 0 and graph.num_vertices == TYPES
    again = gnd.HeteroGraph(
        {name: gnd.Graph.from_csr(one.indptr, one.indices) for name, one in later.relations.items()}, later.num_vertices
    )
    walk = gnd.apps.MetaPath(["user", "item"], 3)
    assert np.array_equal(gnd.sample(later, walk, seed=1), gnd.sample(again, walk, seed=1))
    with pytest.raises(ValueError, match=r"graph: a type has more vertices than in the HeteroGraph that was sampled"):
        gnd.sample(graph, walk, seed=1).updated(later)


def test_times_of_vertices() -> None:
    """A version has the dates of the vertices."""
    dates = np.array(["2024-05-01", "2024-05-03"], "M8[s]")
    graph = gnd.HeteroGraph({LIKE: gnd.Graph.from_edges([0], [1])}, {"item": 2}, {"item": dates})
    later = graph.updated({LIKE: [(1, 1)]})
    assert later.time_unit == "s" and np.array_equal(later.times["item"], graph.times["item"])
    with pytest.raises(ValueError, match=r"num_vertices\['item'\] = 3: vertices of this type have times"):
        graph.updated({}, {"item": 3})


@pytest.mark.parametrize(
    "arguments, kind, text",
    [
        (([LIKE],), TypeError, "changes: expected a dict of changes by relation, got list"),
        (
            ({("item", "hates", "item"): []},),
            ValueError,
            "changes has the relation ('item', 'hates', 'item'): expected",
        ),
        (({"like": []},), ValueError, "changes has the relation 'like': expected one of ('user', 'buys', 'item')"),
        (({LIKE: {"edges": []}},), ValueError, f"changes[{LIKE!r}] has the key 'edges': expected add, remove"),
        (
            ({LIKE: {"remove": [1 << 40]}},),
            ValueError,
            f"changes[{LIKE!r}]: remove[0] = 1099511627776: the graph has no",
        ),
        (({LIKE: [("a", "b")]},), ValueError, f"changes[{LIKE!r}]: add has 'a'"),
        (({LIKE: 3},), TypeError, f"changes[{LIKE!r}]: add: expected"),
        (({BUYS: [(300, 1)]},), ValueError, "add has vertex 300 of the type 'item', which has 300 vertices: pass"),
        (({BUYS: [(1, 300)]},), ValueError, "vertices: pass num_vertices={'user': 301} if it is new"),
        (({BUYS: [(1, 1)]},), ValueError, f"changes[{BUYS!r}]: labels was not given"),
        (({}, {"shop": 3}), ValueError, "num_vertices has the type 'shop': expected one of 'item', 'user'"),
        (({}, {"item": 2}), ValueError, "num_vertices['item'] = 2: the type has 300 vertices, and none is removed"),
        (({}, 3), TypeError, "num_vertices: expected a dict, got int"),
    ],
)
def test_refusals(arguments: Any, kind: type[Exception], text: str) -> None:
    graph = shop(weighted=False)
    with pytest.raises(kind, match=re.escape(text)):
        graph.updated(*arguments)


def test_samples_of_another_graph() -> None:
    walks = gnd.sample(shop(weighted=False), gnd.apps.MetaPath(["user", "item"], 3), seed=1)
    with pytest.raises(ValueError, match=r"expected a version of the HeteroGraph that was sampled"):
        walks.updated(shop(weighted=False))
    with pytest.raises(ValueError, match=r"expected a version of the HeteroGraph that was sampled"):
        gnd.sample(gnd.rmat(6, seed=1), gnd.apps.DeepWalk(2), seed=1).updated(shop(weighted=False))
