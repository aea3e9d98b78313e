"""Graph.updated and Samples.updated: versions equal graphs that are built anew, and updated samples equal new ones."""

from __future__ import annotations

import filecmp
import importlib
import json
import pathlib
import pickle
from typing import Any

import corpus
import daily
import numpy as np
import numpy.typing as npt
import pytest
from graphchange import Change

import gonextdoor as gnd

Array = npt.NDArray[Any]


# The apps without a parameter per vertex, so that graphs may grow, and those that keep samples.
ANY = [app for app in corpus.APPS if "array" not in repr(vars(app))]
KEPT = [
    *(app for app in ANY if gnd.explain(corpus.graph(), app, device="cpu").kept),
    gnd.apps.Node2Vec(0.1, 3.0, 6),  # edges back are outliers
    gnd.apps.DeepWalk(5, weighted="computed"),
    gnd.apps.Walk("weight", 5),
    gnd.apps.TemporalWalk(5, "backward", "linear", strict=False),
]


def sampled(graph: gnd.Graph, app: gnd.apps.SamplingApp, roots: Any) -> gnd.Samples:
    """Samples of an app; those that choose their own vertices have no roots."""
    given = corpus.many(app) if app.pool() is not None else roots
    return gnd.sample(graph, app, given, repeat=2, seed=3, first_id=5, edges=True)


def same(got: gnd.Samples, want: gnd.Samples, app: gnd.apps.SamplingApp) -> None:
    assert got.values.dtype == want.values.dtype and (got.seed, got.first_id) == (want.seed, want.first_id)
    for name in ("values", "offsets", "edge_values", "roots"):
        assert np.array_equal(getattr(got, name), getattr(want, name)), (app, name)
    assert np.array_equal(got.visit_counts(), want.visit_counts()), app


@pytest.mark.filterwarnings("ignore:.*walks ended early")
@pytest.mark.parametrize("sequence", daily.share(range(200), 10, "versions"))
def test_samples_of_a_version(sequence: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each version of a sequence equals the graph of its edges, and so do its samples, new ones and updated ones."""
    draws = np.random.default_rng(sequence)
    weighted, symmetric = draws.random(2) < 0.5
    module = importlib.import_module("gonextdoor.sampling.updated")
    for limit in ("MOST", "COUNTED"):
        monkeypatch.setattr(module, limit, float(draws.random() < 0.9))
    graph = corpus.graph(400, 900, weighted=bool(weighted), symmetric=bool(symmetric))
    kept = [app for app in KEPT if weighted or repr(app).count("weight'") + repr(app).count("computed") == 0]
    roots = (None, 300, np.arange(0, 400, 3))[draws.integers(3)]
    walks = [(app, sampled(graph, app, roots)) for app in draws.choice(np.array(kept, object), 6, replace=False)]
    for _, samples in walks[::2]:
        samples.visit_counts()  # those of their versions are made from them
    for _ in range(3):
        change = Change.of(graph, draws)
        ids = dict(zip(graph.edge_ids.tolist(), np.repeat(np.arange(graph.num_vertices), graph.degrees()), strict=True))
        later = graph.updated(**change.arguments)
        again = change.built(later.num_vertices)
        assert later.equals(again)
        if not symmetric:  # an undirected edge has one id in two rows
            sources = np.repeat(np.arange(later.num_vertices), later.degrees())
            for id, source in zip(later.edge_ids.tolist(), sources.tolist(), strict=True):
                assert ids.get(id, source) == source, "an id moved to another edge"
        for app in draws.choice(np.array(ANY, object), 4, replace=False):
            assert np.array_equal(sampled(later, app, 9).values, sampled(again, app, 9).values), app
            same(sampled(graph, app, 9).updated(later), sampled(later, app, 9), app)
        for app, samples in walks:  # those of the first and the second version see several updates
            same(samples.updated(later), sampled(later, app, roots), app)
        if draws.random() < 0.3:
            walks = [(app, samples.updated(later)) for app, samples in walks]
        graph = later


def test_visit_counts_of_a_version() -> None:
    """They are made from those before, if these exist, and callers get copies of them."""
    graph = gnd.Graph.from_edges(np.arange(100), np.arange(100) // 10 * 10)  # ten stars
    for app in (gnd.apps.DeepWalk(3), gnd.apps.PPR(0.4)):
        samples = gnd.sample(graph, app, repeat=4, seed=1, device="cpu")
        later = graph.updated([(20, 100)], remove=graph.edge_ids[-1:])
        assert samples.updated(later)._visits is None
        samples.visit_counts()[:] = 0
        kept = samples.updated(later)
        assert kept._visits is not None
        assert np.array_equal(kept.visit_counts(), gnd.visit_counts(later, app, repeat=4, seed=1))


def test_tables_of_a_version() -> None:
    """A version copies the alias tables of its graph, also if its weights have another unit."""
    graph = gnd.rmat(8, weights=(1, 9), seed=1)
    app = gnd.apps.DeepWalk(4)
    gnd.sample(graph, app, 1)
    src, dst = np.arange(40), np.arange(40)[::-1]
    later = graph.updated((src, dst), weights=np.exp2(np.arange(40) - 20), remove=graph.edge_ids[::50])
    tables = gnd.explain(later, app, device="cpu").tables
    assert tables[0].name == "alias tables" and tables[0].built
    again = gnd.Graph.from_csr(later.indptr, later.indices, weights=later.weights)
    assert np.array_equal(gnd.sample(later, app, seed=1), gnd.sample(again, app, seed=1))
    assert later.equals(again) and not graph.updated().equals(later) and graph.updated().equals(graph)


def test_edge_set_of_a_version() -> None:
    """A version copies the edge set of its graph, but not that of a symmetric graph if it is not symmetric itself."""
    graph = gnd.rmat(8, seed=1)
    app = gnd.apps.Node2Vec(2.0, 0.2, 10)
    gnd.sample(graph, app, repeat=20, seed=1, device="cpu")
    for src, dst, both, built in (([1, 2], [3, 200], True, True), ([0], [255], False, False)):
        gone = (np.repeat(np.arange(256), graph.degrees())[:3], graph.indices[:3])
        later = graph.updated((src, dst), remove=gone, symmetric=both)
        tables = {table.name: table.built for table in gnd.explain(later, app, device="cpu").tables}
        assert tables["edge set"] == built
        again = gnd.Graph.from_csr(later.indptr, later.indices)
        assert np.array_equal(gnd.sample(later, app, repeat=20, seed=1), gnd.sample(again, app, repeat=20, seed=1))


def test_ids_of_a_version() -> None:
    """Ids of removed edges are not used again, and both directions of an undirected edge have its id."""
    graph = gnd.Graph.from_edges([0, 1], [1, 2], symmetric=True)
    one = graph.updated([(0, 2)], remove=[1], symmetric=True)
    assert one.edge_ids.tolist() == [0, 2, 0, 2] and one.indices.tolist() == [1, 2, 0, 0]
    two = one.updated(remove=[2]).updated(np.array([[2], [1]]), symmetric=True)
    assert two.edge_ids.tolist() == [0, 0, 3, 3]
    three = two.updated([(0, 1)], symmetric=True).updated(remove=([1, 0], [0, 1]), symmetric=True)
    assert three.edge_ids.tolist() == [3, 3], "each pair removed one of two parallel edges"


def test_ids_after_saving(tmp_path: pathlib.Path) -> None:
    """A graph that is saved or pickled between updates continues with the ids of one that is not."""
    draws = np.random.default_rng(8)
    graph = gnd.Graph.from_edges(draws.integers(0, 60, (2, 200)), weights=draws.random(200))
    for step in range(6):
        graph.save(tmp_path / str(step))
        record = json.loads((tmp_path / str(step) / "graph.json").read_text())
        assert record.get("next_id", 0) == (200 + 10 * step if step else 0)
        others = [gnd.Graph.open(tmp_path / str(step)), pickle.loads(pickle.dumps(graph))]
        others += [pickle.loads(pickle.dumps(others[0]))]
        edges: dict[str, Any] = {"add": draws.integers(0, 60, (2, 10)), "weights": draws.random(10)}
        gone = np.union1d(draws.choice(graph.edge_ids, 15), graph.edge_ids.max() - np.arange(3))
        edges["remove"] = gone[np.isin(gone, graph.edge_ids)]
        between = [other.updated(**edges).updated(remove=[200 + 10 * step + 9]) for other in others]
        graph = graph.updated(**edges).updated(remove=[200 + 10 * step + 9])  # the largest id
        for other in between:
            assert other.equals(graph) and np.array_equal(other.edge_ids, graph.edge_ids)
    graph.save(tmp_path / "none", edge_ids=False)
    assert "next_id" not in json.loads((tmp_path / "none" / "graph.json").read_text())


def test_folders_of_graphs_with_all_their_ids(tmp_path: pathlib.Path) -> None:
    """The folder of a version whose largest id is the last one has no other files and no other text."""
    graph = gnd.Graph.from_edges([3, 0, 1], [1, 2, 2])
    later = graph.updated([(0, 3)], remove=[0])
    again = gnd.Graph.from_csr(later.indptr, later.indices, edge_ids=later.edge_ids)
    later.save(tmp_path / "later")
    again.save(tmp_path / "again")
    compared = filecmp.dircmp(tmp_path / "later", tmp_path / "again")
    assert not (compared.diff_files or compared.left_only or compared.right_only)


@pytest.mark.parametrize("next_id", [-1, 3, 1 << 50, 1 << 64])
def test_refused_next_ids(next_id: int, tmp_path: pathlib.Path) -> None:
    gnd.Graph.from_edges([3, 0, 1, 1], [1, 2, 2, 0]).updated(remove=[0]).save(tmp_path / "graph")
    record = json.loads((tmp_path / "graph" / "graph.json").read_text())
    (tmp_path / "graph" / "graph.json").write_text(json.dumps(record | {"next_id": next_id}))
    with pytest.raises(gnd.FormatError, match="next_id"):
        gnd.Graph.open(tmp_path / "graph").updated([(0, 1)])


def test_names_of_a_version(tmp_path: pathlib.Path) -> None:
    """New names get the next numbers, and a graph that is mapped from a folder is copied."""
    graph = gnd.Graph.from_edges([("bob", "alice"), ("alice", "carol")])
    graph.save(tmp_path / "graph")
    for before in (graph, gnd.Graph.open(tmp_path / "graph")):
        later = before.updated([("zoe", "bob"), ("bob", "adam")], remove=[("alice", "carol")])
        assert later.vertex_names.tolist() == ["alice", "bob", "carol", "adam", "zoe"]
        assert later.neighbors("bob").tolist() == [0, 3] and later.neighbors("zoe").tolist() == [1]
    numbered = gnd.Graph.from_edges([10, 30], [20, 10], relabel=True)
    later = numbered.updated([(30, 20), (5, 10)], names=True, remove=[(10, 20)])
    assert later.vertex_names.tolist() == [10, 20, 30, 5]
    assert later.indices.tolist() == [0, 1, 0]


def test_dates_of_a_version() -> None:
    """Dates become integers of the unit of the graph, and a window leaves out edges that are older."""
    graph = gnd.Graph.from_edges([0, 1], [1, 0], times=np.array(["2024-05-01", "2024-05-03"], "M8[s]"))
    dates = np.array(["2024-05-04", "2024-05-01"], "M8[D]")
    later = graph.updated([(1, 1), (0, 1)], times=dates, window="2024-05-02")
    assert later.times.tolist() == [1714694400, 1714780800] and later.edge_ids.tolist() == [1, 2]
    assert later.time_unit == "s"


REFUSALS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"add": 5}, TypeError, r"add: expected an array or a list of vertices, got int"),
    ({"add": [("a", "b")]}, ValueError, r"add has 'a', but the vertices of the graph have no names: pass numbers"),
    ({"add": [(0, -1)]}, ValueError, r"add\[1\]\[0\] = -1 is out of range"),
    ({"add": ([0, 1], [1])}, ValueError, r"add\[1\] has 1 elements: expected 2, as add\[0\] has"),
    ({"add": [(0, 1 << 30)]}, ValueError, r"add has vertex 1073741824: the result would have 1,073,741,825 vertices"),
    ({"add": [(0, 1)], "weights": [1.0]}, ValueError, r"weights was given, but the edges of the graph have none"),
    ({"weights": [1.0]}, ValueError, r"weights was given without add"),
    ({"remove": [7]}, ValueError, r"remove\[0\] = 7: the graph has no edge with this id"),
    ({"remove": [0, 0]}, ValueError, r"remove\[1\] = 0 is the second element with this id"),
    ({"remove": [0.5]}, TypeError, r"remove: expected ids of edges as ints, or pairs of vertices, got float64"),
    ({"remove": {}}, TypeError, r"remove: expected ids of edges or pairs of vertices, got dict"),
    ({"remove": [(0, 1), (0, 1)]}, ValueError, r"remove\[1\] = \(0, 1\): the graph has no such edge, or fewer of them"),
    ({"remove": [(1, 2)], "symmetric": True}, ValueError, r"or not its reverse \(symmetric=True\)"),
    ({"symmetric": 1}, TypeError, r"symmetric = 1: expected True or False"),
    ({"window": 3}, ValueError, r"window = 3, but the edges of the graph have no times"),
    ({"window": "soon"}, ValueError, r"window = 'soon': expected a date of ISO 8601"),
]


@pytest.mark.parametrize(("arguments", "kind", "text"), REFUSALS)
def test_refusals(arguments: dict[str, Any], kind: type[Exception], text: str) -> None:
    graph = gnd.Graph.from_edges([0, 0, 1], [1, 2, 2])
    with pytest.raises(kind, match=text):
        graph.updated(**arguments)


def test_refusals_of_samples(tmp_path: pathlib.Path) -> None:
    graph = gnd.rmat(6, seed=1)
    walks = gnd.sample(graph, gnd.apps.DeepWalk(3), seed=1)
    assert walks.updated(graph) is walks
    other = gnd.rmat(6, seed=1)
    with pytest.raises(ValueError, match=r"graph: expected a version of samples\.graph, which"):
        walks.updated(other)
    later = graph.updated([(0, 1)])
    with pytest.raises(ValueError, match=r"graph: expected a version of samples\.graph, which"):
        walks.updated(later).updated(graph)
    with pytest.raises(TypeError, match=r"graph: expected a version of samples\.graph, got str"):
        walks.updated("later")  # type: ignore[arg-type]
    walks.save(tmp_path / "walks")
    with pytest.raises(ValueError, match=r"these samples were loaded from a file"):
        gnd.Samples.load(tmp_path / "walks", graph=graph).updated(later)
