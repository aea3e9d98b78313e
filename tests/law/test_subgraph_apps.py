"""Snowballs, fires and subgraphs: their samples on awkward graphs, and the errors."""

from __future__ import annotations

import os
from typing import Any

import corpus
import numpy as np
import pytest

import gonextdoor as gnd
from gonextdoor import rng
from gonextdoor.apps import ClusterGCN, ForestFire, GraphSAINT, Neighbor, RandomEdge, RandomNode, Snowball

SUBGRAPHS: list[gnd.apps.SamplingApp] = [
    RandomNode(30), ClusterGCN(5, 2), GraphSAINT("node", budget=40), GraphSAINT("edge", budget=30),
    GraphSAINT("walk", roots=10, length=4), GraphSAINT("multidimensional", roots=5, budget=40),
]  # fmt: skip


def between(graph: gnd.Graph, nodes: np.ndarray[Any, Any]) -> list[tuple[int, int, int]]:
    """The edges between vertices, each with its id, in the order of the vertices and their rows."""
    return [
        (u, int(graph.indices[e]), int(graph.edge_ids[e]))
        for u in nodes.tolist()
        for e in range(int(graph.indptr[u]), int(graph.indptr[u + 1]))
        if graph.indices[e] in nodes
    ]


@pytest.mark.parametrize("app", SUBGRAPHS, ids=corpus.names)
def test_subgraphs_are_induced(app: gnd.apps.SamplingApp) -> None:
    graph = corpus.graph()
    samples = gnd.sample(graph, app, 5, seed=1)
    assert samples.roots.shape == (5, 0)
    for i in range(5):
        part = samples.subgraph(i)
        assert len(set(part.nodes.tolist())) == len(part.nodes)
        got = zip(part.nodes[part.src], part.nodes[part.dst], part.edge_ids, strict=True)
        assert [(int(u), int(v), int(e)) for u, v, e in got] == between(graph, part.nodes)
        assert (part.values == 1).all()


def test_random_edges_are_the_edges_drawn() -> None:
    graph = corpus.directed()
    part = gnd.sample(graph, RandomEdge(99), seed=1).subgraph()
    assert part.edge_ids.tolist() == [0, 1, 2, 3, 4]  # all, in their order
    assert part.nodes.tolist() == [0, 1, 2, 3]
    assert part.nodes[part.src].tolist() == [0, 0, 1, 2, 2]
    assert part.nodes[part.dst].tolist() == [1, 2, 2, 0, 3]
    again = gnd.sample(graph, RandomEdge(50, replace=True), seed=1).subgraph()
    assert set(again.edge_ids.tolist()) == {0, 1, 2, 3, 4}
    assert len(again.edge_ids) == 50


def test_snowball_is_breadth_first() -> None:
    graph = corpus.directed()
    samples = gnd.sample(graph, Snowball(None), [0, 3], edges=True)
    assert [s.tolist() for s in samples.steps] == [[[1, 2], [-1, -1]], [[3], [-1]]]
    assert samples.parents.tolist() == [-1, 0, 0, 2, -1]
    assert samples.edges.tolist() == [[0, 1, 4], [-1, -1, -1]]
    assert gnd.sample(graph, Snowball(1), [0]).numpy().tolist() == [[0, 1, 2]]
    assert gnd.sample(graph, Snowball(1), [[1, 0]]).numpy().tolist() == [[1, 0, 2]]  # 1 comes first, and has it


def test_fires_of_probability_0_and_1() -> None:
    graph = corpus.graph()
    assert gnd.sample(graph, ForestFire(0), seed=1).numpy().tolist() == [[v] for v in range(200)]
    want = gnd.sample(graph, Snowball(None), seed=1)
    got = gnd.sample(graph, ForestFire(1), seed=1)
    assert np.array_equal(want, got)
    assert np.array_equal(gnd.sample(graph, ForestFire(1.0, 2), seed=1), gnd.sample(graph, Snowball(2), seed=1))


def test_neighbor_is_khop_with_a_bias() -> None:
    graph = corpus.graph(weighted=True)
    for bias, weighted in [("uniform", False), ("weight", True)]:
        want = gnd.sample(graph, gnd.apps.KHop([3, 3], weighted=weighted), seed=1, edges=True)
        got = gnd.sample(graph, Neighbor(3, 2, bias=bias), seed=1, edges=True)  # type: ignore[arg-type]
        assert np.array_equal(want, got)
        assert np.array_equal(want.edges, got.edges)


def test_neighbor_expands_a_frontier() -> None:
    graph = corpus.graph()
    samples = gnd.sample(graph, Neighbor([4, 3, 2], frontier_size=2), 30, seed=1)
    parents, ends = samples.parents, [step.shape[1] for step in samples.steps]
    assert ends == [4, 6, 4]
    for i in range(30):
        places = parents[samples.offsets[i] : samples.offsets[i + 1]].tolist()
        assert len(set(places[5:])) <= 4  # two transits at each of two steps
    loose = gnd.sample(graph, Neighbor([4, 3], frontier_size=50), 30, seed=1)
    whole = gnd.sample(graph, gnd.apps.KHop([4, 3]), loose.roots, seed=1).numpy()
    assert [row[row >= 0].tolist() for row in loose.numpy()] == [row[row >= 0].tolist() for row in whole]


def test_clusters_given_and_empty() -> None:
    graph = corpus.directed()
    app = ClusterGCN([3, 0, 3, 3, 0], 1)
    rows = {tuple(v for v in row if v >= 0) for row in gnd.sample(graph, app, 200, seed=1).numpy().tolist()}
    assert rows == {(), (1, 4), (0, 2, 3)}
    everything = gnd.sample(graph, ClusterGCN([3, 0, 3, 3, 0], 9), 1, seed=1)
    assert everything.numpy().tolist() == [[1, 4, 0, 2, 3]]  # all clusters, in their order
    only = gnd.sample(graph, ClusterGCN(1), 1, seed=1).subgraph()
    assert only.nodes.tolist() == [0, 1, 2, 3, 4]
    assert len(only.src) == 5


def test_clusters_that_are_random_by_the_contract() -> None:
    graph = corpus.graph()
    stream = rng.stream(8, rng.CLUSTERS)
    ids = [rng.below(rng.word(rng.key(stream, v), 0), 6)[0] for v in range(200)]
    want = gnd.sample(graph, ClusterGCN(ids, 2), 20, seed=3)
    assert np.array_equal(want, gnd.sample(graph, ClusterGCN(6, 2, seed=8), 20, seed=3))


def test_clusters_are_copied_and_survive_a_fork() -> None:
    graph, ids = corpus.graph(), np.arange(200) % 9
    app = ClusterGCN(ids, 2)
    want = gnd.sample(graph, app, 10, seed=1).numpy()
    ids[:] = 0
    assert np.array_equal(want, gnd.sample(graph, app, 10, seed=1))
    pid = os.fork()
    if pid == 0:
        same = np.array_equal(want, gnd.sample(graph, app, 10, seed=1))
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_one_app_serves_graphs_of_different_sizes() -> None:
    app = ClusterGCN(3)
    for n in (5, 9, 5, 0):
        graph = gnd.Graph.from_edges([], [], num_vertices=n)
        whole = gnd.sample(graph, ClusterGCN(3, 3), 1, seed=1)
        assert sorted(whole.values.tolist()) == list(range(n))
        assert len(gnd.sample(graph, app, 4, seed=1)) == 4


def test_graphs_without_edges_or_vertices() -> None:
    nothing, points = gnd.Graph.from_edges([], []), gnd.Graph.from_edges([], [], num_vertices=4)
    for app in [*SUBGRAPHS, RandomEdge(3), RandomNode(3, replace=True)]:
        assert gnd.sample(nothing, app, 2, seed=1).numpy().shape == (2, 0)
        part = gnd.sample(points, app, 2, seed=1).subgraph(1)
        assert len(part.src) == 0
    assert gnd.sample(points, GraphSAINT("edge", budget=3), 2, seed=1).numpy().shape == (2, 0)
    assert sorted(gnd.sample(points, RandomNode(9), 1, seed=1).numpy()[0].tolist()) == [0, 1, 2, 3]
    frontier = GraphSAINT("multidimensional", roots=2, budget=50)
    assert gnd.sample(points, frontier, 1, seed=1).numpy().shape[1] <= 2


REFUSALS: list[tuple[Any, type[Exception], str]] = [
    (lambda: Neighbor([0]), ValueError, r"fanouts\[0\] = 0: expected at least 1"),
    (lambda: Neighbor([2, 3], depth=3), ValueError, "depth = 3: expected 2, one per fan-out, or one fan-out"),
    (lambda: Neighbor(2, depth=40), ValueError, "at most 2\\^28 vertices per root"),
    (lambda: Neighbor(2, frontier_size=0), ValueError, "frontier_size = 0: expected from 1"),
    (lambda: Neighbor(2, bias="x"), ValueError, "bias = 'x'"),  # type: ignore[arg-type]
    (lambda: gnd.sample(corpus.directed(), Neighbor(2, bias="weight")), ValueError, "the graph has no weights"),
    (lambda: Snowball(0), ValueError, "depth = 0: expected from 1"),
    (lambda: Snowball(2, fanout=0), ValueError, "fanout = 0: expected from 1"),
    (lambda: ForestFire(1.5), ValueError, "probability = 1.5: expected from 0 to 1"),
    (lambda: ForestFire(float("nan")), ValueError, "probability = nan"),
    (lambda: ForestFire("x"), TypeError, "probability = 'x': expected a number"),  # type: ignore[arg-type]
    (lambda: ForestFire(0.5, -1), ValueError, "depth = -1"),
    (lambda: RandomNode(0), ValueError, "n = 0: expected from 1"),
    (lambda: RandomNode(2.0), TypeError, "n = 2.0: expected an int"),  # type: ignore[arg-type]
    (lambda: RandomNode(2, induced=1), TypeError, "induced = 1: expected True or False"),  # type: ignore[arg-type]
    (lambda: RandomEdge(-3), ValueError, "n = -3: expected from 1"),
    (lambda: ClusterGCN(0), ValueError, "clusters = 0: expected from 1"),
    (lambda: ClusterGCN(True), TypeError, "clusters = True"),
    (lambda: ClusterGCN("x"), TypeError, "clusters: expected an array of ints"),
    (lambda: ClusterGCN([0.5]), TypeError, "clusters: expected an array of ints"),
    (lambda: ClusterGCN([[0], [1]]), ValueError, r"clusters: expected an int or shape \(num_vertices,\), got \(2, 1\)"),
    (lambda: ClusterGCN([0, -1]), ValueError, r"clusters\[1\] = -1: expected from 0 to 1, for 2 vertices"),
    (lambda: ClusterGCN([0, 5, 1]), ValueError, r"clusters\[1\] = 5: expected from 0 to 2, for 3 vertices"),
    (lambda: ClusterGCN(3, 0), ValueError, "per_sample = 0"),
    (lambda: ClusterGCN(3, seed=-1), ValueError, "seed = -1"),
    (lambda: gnd.sample(corpus.directed(), ClusterGCN([0, 0])), ValueError, "has 2 elements, but the graph has 5"),
    (lambda: GraphSAINT("nodes"), ValueError, "method = 'nodes': expected 'node', 'edge'"),  # type: ignore[arg-type]
    (lambda: GraphSAINT(3), TypeError, "method = 3"),  # type: ignore[arg-type]
    (lambda: GraphSAINT("node"), TypeError, "budget = None: method 'node' needs it"),
    (lambda: GraphSAINT("node", budget=5, roots=2), ValueError, "roots = 2: method 'node' does not take it"),
    (lambda: GraphSAINT("walk", roots=5), TypeError, "length = None: method 'walk' needs it"),
    (lambda: GraphSAINT("walk", roots=0, length=2), ValueError, "roots = 0"),
    (lambda: GraphSAINT("multidimensional", roots=5, budget=4), ValueError, "budget = 4: expected at least roots = 5"),
    (lambda: GraphSAINT("walk", roots=1 << 20, length=1 << 20), ValueError, "at most 2\\^28 vertices"),
    (lambda: gnd.sample(corpus.directed(), RandomNode(2), [1]), ValueError, "chooses its own vertices"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "kind", "text"), REFUSALS, ids=lambda x: x if isinstance(x, str) else "")
def test_refusals(make: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        make()


def test_a_subgraph_is_a_matrix() -> None:
    graph = gnd.Graph.from_edges([0, 0, 1, 2, 2], [1, 1, 2, 2, 0])
    sparse = pytest.importorskip("scipy.sparse")
    part = gnd.sample(graph, gnd.apps.RandomNode(3), 1, seed=1).subgraph(0)
    whole = sparse.coo_array(([1.0, 1, 1, 1, 1], ([0, 0, 1, 2, 2], [1, 1, 2, 2, 0])), shape=(3, 3)).toarray()
    assert (part.scipy().toarray() == whole[np.ix_(part.nodes, part.nodes)]).all()
    alone = gnd.sample(graph, gnd.apps.ClusterGCN([2, 2, 2]), 20, seed=1)
    empty = int(np.flatnonzero(alone.lengths == 0)[0])
    assert alone.subgraph(empty).scipy().shape == (0, 0)
