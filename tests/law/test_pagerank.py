"""Personalised PageRank: the exact scores of networkx, standard errors, bounds, and the same counts everywhere."""

import pickle

import networkx
import numpy as np
import pytest
import scipy.sparse
from gonextdoor.pagerank import pagerank

import gonextdoor as gnd

STOPS = (0.05, 0.15, 0.5)


def directed():
    """A graph with many sinks."""
    return gnd.rmat(8, 3, symmetric=False, seed=5)


def weighted():
    return gnd.rmat(8, 3, symmetric=False, weights=(1, 9), seed=6)


def network(trial):
    """Directed or not, with parallel edges or not, with weights, some of them 0, or not; with sinks and isolated
    vertices."""
    draws = np.random.default_rng(trial)
    kinds = (networkx.Graph, networkx.DiGraph, networkx.MultiGraph, networkx.MultiDiGraph)
    n = int(draws.integers(5, 60))
    g = kinds[trial % 4]()
    g.add_nodes_from(range(n))
    for u, v in draws.integers(0, n, (int(draws.integers(n // 2, 4 * n)), 2)).tolist():
        g.add_edge(u, v, weight=float(draws.integers(0, 5)) if trial % 8 > 3 else 1.0)
    return g, "weight" if trial % 8 > 3 else None


def exact(g, weight, stop, personalization):
    ranks = networkx.pagerank(
        g, alpha=1 - stop, personalization=personalization, weight=weight, tol=1e-13, max_iter=10_000
    )
    return np.array([ranks[v] for v in range(len(g))])


def seed_sets(n):
    return [{0: 1.0}, {1: 2.0, 3: 1.0, 4: 0.5}, dict.fromkeys(range(n), 1)]


@pytest.mark.parametrize("trial", range(20))
def test_within_four_standard_errors_of_networkx(trial):
    g, weight = network(trial)
    ours = gnd.Graph.from_networkx(g, weight=weight)
    sets = seed_sets(len(g))
    for stop in STOPS:
        scores = gnd.personalized_pagerank(ours, sets, stop=stop, walks=100_000, seed=trial)
        for row, personalization in enumerate(sets):
            want = exact(g, weight, stop, personalization)
            here = slice(*scores.indptr[row : row + 2])
            off = np.abs(scores.values[here] - want[scores.indices[here]])
            often = scores.visitors[here] >= 100  # with fewer a normal distribution is none
            assert (off <= 4 * scores.standard_errors[here] + 1e-9)[often].all()
            assert np.abs(scores.dense(row) - want).max() <= scores.bound[row]


def test_standard_errors_are_those_of_many_trials():
    ours, trials = gnd.Graph.from_edges(*np.random.default_rng(1).integers(0, 12, (2, 30)), num_vertices=13), 1500
    scores = gnd.personalized_pagerank(ours, [{0: 1, 3: 2, 12: 1}] * trials, walks=1000, seed=1)
    errors, counts = np.zeros(13), np.bincount(scores.indices, minlength=13)
    np.add.at(errors, scores.indices, scores.standard_errors**2)
    often = counts == trials
    spread = scores.scipy().toarray()[:, often].std(axis=0)
    assert often.sum() >= 5
    assert np.abs(np.sqrt(errors[often] / trials) / spread - 1).max() < 0.1


@pytest.mark.parametrize("trial", range(4))
@pytest.mark.parametrize("sinks", ["restart", "stop"])
def test_the_bound_covers_all_entries_at_once(trial, sinks):
    """Of 1,000 rows with confidence 0.9 no more than 100, and 3 standard deviations, are outside."""
    g, weight = network(trial)
    ours, trials = gnd.Graph.from_networkx(g, weight=weight), 1000
    want = exact(looped(g, weight) if sinks == "stop" else g, weight, 0.15, {1: 1})
    for walks in (20, 500):
        scores = gnd.personalized_pagerank(ours, [1] * trials, walks=walks, sinks=sinks, confidence=0.9, seed=trial)
        off = np.abs(scores.scipy().toarray() - want).max(axis=1)
        assert (off > scores.bound).sum() <= 128


def looped(g, weight):
    """The graph with an edge from each sink to itself, which is what it means that walks end there."""
    g = g.copy()
    g.add_edges_from(
        [(v, v, {"weight": 1.0}) for v in list(g) if not g.out_degree(v, weight=weight)]
        if g.is_directed()
        else [(v, v, {"weight": 1.0}) for v in list(g) if not g.degree(v, weight=weight)]
    )
    return g


@pytest.mark.parametrize("trial", range(8))
def test_walks_that_end_at_sinks(trial):
    g, weight = network(trial)
    ours = gnd.Graph.from_networkx(g, weight=weight)
    scores = gnd.personalized_pagerank(ours, seed_sets(len(g)), walks=100_000, sinks="stop", seed=trial)
    for row, personalization in enumerate(seed_sets(len(g))):
        want = exact(looped(g, weight), weight, 0.15, personalization)
        here = slice(*scores.indptr[row : row + 2])
        off = np.abs(scores.values[here] - want[scores.indices[here]])
        often = scores.visitors[here] >= 100
        assert (off <= 4 * scores.standard_errors[here] + 1e-9)[often].all()
        assert np.abs(scores.dense(row) - want).max() <= scores.bound[row]


def test_an_error_asked_for(monkeypatch):
    g, weight = network(5)
    ours, sets = gnd.Graph.from_networkx(g, weight=weight), seed_sets(len(g))
    scores = gnd.personalized_pagerank(ours, sets, error=0.004, seed=3)
    assert (scores.bound <= 0.004).all()
    assert (np.log2(scores.walks / 1024) % 1 == 0).all()
    for row, personalization in enumerate(sets):
        assert np.abs(scores.dense(row) - exact(g, weight, 0.15, personalization)).max() <= 0.004
        alone = gnd.personalized_pagerank(ours, sets[row], error=0.004, seed=3, first_id=row)
        assert alone.walks[0] == scores.walks[row] and (alone.dense(0) == scores.dense(row)).all()
    assert (gnd.personalized_pagerank(ours, [0, 1], seed=1).bound <= 0.01).all()
    monkeypatch.setattr(pagerank, "ROW_VISITS", 1 << 16)
    with pytest.raises(ValueError, match=r"error = 0.001: row 0 needs more than 9830 walks; expected a larger error"):
        gnd.personalized_pagerank(ours, [0], error=0.001)


def equal(a, b):
    for name in ("indptr", "indices", "visits", "visitors", "total_visits", "values"):
        assert getattr(a, name).tolist() == getattr(b, name).tolist(), name


@pytest.mark.parametrize("options", [{}, {"top_k": 5}, {"sinks": "stop"}, {"sinks": "stop", "top_k": 3, "stop": 0.4}])
def test_threads_splits_and_gpus_count_the_same(options):
    for g in (directed(), weighted()):
        seeds = [{3: 1.0, 5: 2.5}, {7: 1}, {2: 1, 9: 1, 11: 4}, {0: 1}]
        whole = gnd.personalized_pagerank(g, seeds, walks=3000, seed=4, device="cpu", threads=1, **options)
        equal(whole, gnd.personalized_pagerank(g, seeds, walks=3000, seed=4, device="cpu", threads=7, **options))
        for row, one in enumerate(seeds):
            part = gnd.personalized_pagerank(g, one, walks=3000, seed=4, first_id=row, device="cpu", **options)
            assert part.row(0)[0].tolist() == whole.row(row)[0].tolist()
            assert part.row(0)[1].tolist() == whole.row(row)[1].tolist()


@pytest.mark.parametrize("options", [{}, {"top_k": 5}, {"sinks": "stop"}, {"error": 0.05}])
def test_a_gpu_counts_what_the_cpu_does(gpu, options):
    options = {"walks": 400, "seed": 4} | options
    if "error" in options:
        del options["walks"]
    for g in (directed(), weighted()):
        for seeds in (np.arange(0, 100, 7), [{3: 1.0, 5: 2.5}, {7: 1}], [[1, 2, 3], [4, 5]]):
            there = gnd.personalized_pagerank(g, seeds, device="cuda", **options)
            assert there.device == "cuda:0"
            equal(there, gnd.personalized_pagerank(g, seeds, device="cpu", **options))


def test_a_gpu_refuses_very_long_walks(gpu):
    with pytest.raises(gnd.DeviceError, match=r'stop = 0.001 below 0.01.*use device="cpu"'):
        gnd.personalized_pagerank(directed(), [1], stop=0.001, walks=10, device="cuda")


def test_forms_of_seeds():
    g = directed()
    options = {"walks": 500, "seed": 9}
    single = gnd.personalized_pagerank(g, np.array([4, 2], np.uint8), **options)
    equal(single, gnd.personalized_pagerank(g, [4, 2], **options))
    equal(single, gnd.personalized_pagerank(g, [{4: 3}, {2: 0.1, 7: 0}], **options))
    assert len(gnd.personalized_pagerank(g, 4, **options)) == 1
    assert len(gnd.personalized_pagerank(g, [], **options)) == 0
    sets = gnd.personalized_pagerank(g, [[4, 2], [1, 3]], **options)
    equal(sets, gnd.personalized_pagerank(g, np.array([[4, 2], [1, 3]]), **options))
    ragged = gnd.personalized_pagerank(g, [np.array([4, 2]), np.array([1, 3])], **options)
    equal(sets, ragged)
    weights = np.zeros((2, g.num_vertices))
    weights[0, [1, 5]], weights[1, 3] = [2, 0.5], 1
    dicts = gnd.personalized_pagerank(g, [{1: 2, 5: 0.5}, {3: 1}], **options)
    for form in (scipy.sparse.csr_array, scipy.sparse.csc_matrix, scipy.sparse.coo_matrix):
        equal(dicts, gnd.personalized_pagerank(g, form(weights), **options))


def test_seeds_by_name():
    """Names are seeds in every form that vertices are, and an unknown name is refused with the nearest one."""
    np_names = np.array(["grace", "ada", "édith", "alan"])
    g = gnd.Graph.from_edges(["ada", "grace", "édith", "alan"], ["grace", "ada", "ada", "édith"])
    ids = {name: int(g.ids(name)) for name in np_names.tolist()}
    a, b, c = ids["ada"], ids["grace"], ids["édith"]
    forms = [
        ("ada", a),
        (["ada", "grace"], [a, b]),
        (np_names, [ids[name] for name in np_names.tolist()]),
        (np.array([["ada", "grace"]]), [[a, b]]),
        ([["ada"], ["grace", "édith"]], [[a], [b, c]]),
        ({"ada": 1, "grace": 2.5}, {a: 1, b: 2.5}),
        ([{"ada": 1}, {"édith": 1}], [{a: 1}, {c: 1}]),
    ]
    for named, numbered in forms:
        made, want = (gnd.personalized_pagerank(g, seeds, walks=500, seed=3) for seeds in (named, numbered))
        assert np.array_equal(made.indptr, want.indptr)
        assert np.array_equal(made.indices, want.indices)
        assert np.array_equal(made.values, want.values)
    for unknown, place in (
        ("adda", "seeds"),
        (["ada", "adda"], r"seeds\[1\]"),
        ([["ada"], ["adda"]], r"seeds\[1\]\[0\]"),
        ({"adda": 1}, r"seeds\[0\]"),
    ):
        with pytest.raises(ValueError, match=rf"^{place} = 'adda': .* did you mean 'ada'\?"):
            gnd.personalized_pagerank(g, unknown, walks=10)


def test_the_result():
    g = directed()
    scores = gnd.personalized_pagerank(g, [4, 2], walks=5000, seed=9)
    assert scores.shape == (2, g.num_vertices) == scores.scipy().shape
    assert (scores.scipy().toarray() == np.stack([scores.dense(0), scores.dense(1)])).all()
    assert (np.diff(scores.indices[: scores.indptr[1]]) > 0).all()
    assert scores.total_visits.tolist() == np.add.reduceat(scores.visits, scores.indptr[:-1]).tolist()
    assert [len(v) for v, _ in scores] == np.diff(scores.indptr).tolist()
    assert scores[-1][0].tolist() == scores.row(1)[0].tolist()
    with pytest.raises(IndexError, match="row 2 of 2"):
        scores.row(2)
    top = gnd.personalized_pagerank(g, [4, 2], walks=5000, seed=9, top_k=6)
    for row in range(2):
        vertices, values = scores[row]
        order = np.lexsort((vertices, -values))[:6]
        assert top[row][0].tolist() == vertices[order].tolist() and top[row][1].tolist() == values[order].tolist()
    assert (top.scipy().toarray() == np.stack([top.dense(0), top.dense(1)])).all()
    assert (top.bound <= scores.bound).all()
    assert repr(top) == "Scores(2 rows, 12 entries, stop=0.15, 5,000 walks each, top_k=6)"
    assert "5,000" not in scores._repr_html_() and "10,000" in scores._repr_html_()
    assert np.isnan(gnd.personalized_pagerank(g, [4], walks=1, seed=1).standard_errors).all()
    assert repr(gnd.personalized_pagerank(g, [], walks=2)) == "Scores(0 rows, 0 entries, stop=0.15, 0 walks each)"


def test_rows_by_their_seed_vertex():
    pandas = pytest.importorskip("pandas")
    g = gnd.Graph.from_edges([("ada", "grace"), ("grace", "alan"), ("alan", "ada"), ("ada", "alan")])
    named = np.array(["grace", "ada"])
    scores = gnd.personalized_pagerank(g, named, walks=500, seed=1, first_id=7)
    named[:] = "alan"
    assert scores.vertex_names.tolist() == g.vertex_names.tolist()
    assert scores.seeds.tolist() == g.ids(["grace", "ada"]).tolist()
    for form in (pickle.loads(pickle.dumps(scores)), scores):
        for row, name in enumerate(["grace", "ada"]):
            want = form.row(row)
            for found in (form[name], form.row(name), form.row(vertex=name), form.row(vertex=np.int64(g.ids(name)))):
                assert all(map(np.array_equal, found, want))
            assert np.array_equal(form.dense(name), form.dense(row))
    frame = scores.to_pandas()
    assert frame["id"].tolist() == [7] * 3 + [8] * 3 and frame["seed"].tolist() == ["grace"] * 3 + ["ada"] * 3
    assert frame["vertex"].tolist() == [g.vertex_names[v] for v in scores.indices]
    assert (frame["score"] == scores.values).all() and (frame["standard_error"] == scores.standard_errors).all()
    ints = gnd.Graph.from_edges([(5, 3), (3, 9), (9, 5)], relabel=True)  # vertices 0, 1, 2 are 3, 5, 9
    scores = gnd.personalized_pagerank(ints, [2, 1, 1], walks=50, seed=1)
    assert scores.row("9")[0] is not None and np.array_equal(scores.row("9")[1], scores.row(vertex=2)[1])
    assert scores.to_pandas()["seed"].unique().tolist() == [9, 5]
    plain = gnd.personalized_pagerank(gnd.rmat(4, seed=1), [3, 8], walks=50, seed=1)
    assert np.array_equal(plain.row("8")[1], plain.row(1)[1]) and plain.vertex_names is None
    assert plain.to_pandas()["vertex"].tolist() == plain.indices.tolist()
    sets = gnd.personalized_pagerank(g, {"ada": 1, "alan": 2}, walks=50, seed=1)
    assert sets.seeds is None and [*sets.to_pandas().columns] == ["id", "vertex", "score", "standard_error"]
    assert isinstance(frame, pandas.DataFrame)
    for call, kind, text in (
        (lambda: sets.row("ada"), ValueError, "i = 'ada': the rows are of sets of seeds; pass the number of a row"),
        (lambda: scores.row("5"), ValueError, "i = '5': rows 1 and 2 have that seed; pass the number"),
        (lambda: scores.row(vertex=0), ValueError, "vertex = 0: no row has that seed vertex"),
        (lambda: scores.row(5), IndexError, r"row 5 of 3: expected -3 to 2; row\(vertex=5\) is that of a seed vertex"),
        (lambda: scores.row(), TypeError, r"row\(i=None, vertex=None\): pass the number of a row, or the seed vertex"),
        (lambda: scores.row(1, vertex=1), TypeError, r"row\(i=1, vertex=1\)"),
        (lambda: scores.row(1.5), TypeError, "i = 1.5: expected the number of a row, or a name as text"),
        (lambda: scores.row(vertex=1.5), TypeError, "vertex = 1.5: expected a vertex, an int or a name"),
        (lambda: form.row("adaa"), ValueError, r"i = 'adaa': no row has that seed vertex: did you mean ada\?"),
    ):
        with pytest.raises(kind, match=text):
            call()


REFUSED = [
    ({"seeds": None}, TypeError, r"seeds = None: expected vertices"),
    ({"seeds": "a"}, ValueError, r"seeds = 'a': the graph has no vertex of that name; its names are integers"),
    ({"seeds": {"0": 1, 2: 1}}, TypeError, r"seeds\[0\] has 2 among its vertices: expected only names"),
    ({"seeds": {0: 1, "2": 1}}, TypeError, r"seeds\[0\] has '2' among its vertices: expected numbers of vertices"),
    ({"seeds": [0.5]}, TypeError, r"seeds: expected an array of ints"),
    ({"seeds": [3, 99]}, IndexError, r"seeds\[1\] = 99: the graph has 4 vertices"),
    ({"seeds": [-1]}, IndexError, r"seeds\[0\] = -1"),
    ({"seeds": [{0: 1}, {9: 1}]}, IndexError, r"seeds\[1\] has vertex 9: the graph has 4 vertices, expected 0 to 3"),
    ({"seeds": [{0: 1}, {1: -1.0}]}, ValueError, r"seeds\[1\] gives vertex 1 the weight -1.0"),
    ({"seeds": [{0: float("nan")}]}, ValueError, r"seeds\[0\] gives vertex 0 the weight nan"),
    ({"seeds": [{0: 1}, {1: 0}]}, ValueError, r"seeds\[1\] has no vertex with a positive weight"),
    ({"seeds": [{0: 1}, {}]}, ValueError, r"seeds\[1\] has no vertex with a positive weight"),
    ({"seeds": [[0], []]}, ValueError, r"seeds\[1\] has no vertex"),
    ({"seeds": [{0: 1}, 3]}, TypeError, r"seeds\[1\] is a int: expected a dict"),
    ({"seeds": {"a": 1}}, ValueError, r"seeds\[0\] = 'a': the graph has no vertex of that name"),
    ({"seeds": {0: "x"}}, TypeError, r"seeds\[0\] has 'x' among its weights"),
    ({"seeds": [[0], [[1]]]}, ValueError, r"seeds\[1\] has shape \(1, 1\)"),
    ({"seeds": np.zeros((1, 1, 1), int)}, ValueError, r"seeds has shape \(1, 1, 1\)"),
    ({"seeds": scipy.sparse.csr_array((2, 3))}, ValueError, r"seeds has shape \(2, 3\): expected \(rows, 4\)"),
    ({"seeds": scipy.sparse.csr_array((1, 4))}, ValueError, r"seeds\[0\] has no vertex"),
    ({"stop": 0}, ValueError, r"stop = 0.0: expected a probability from 1e-06 to 1"),
    ({"stop": 1.5}, ValueError, r"stop = 1.5"),
    ({"stop": "a"}, TypeError, r"stop = 'a'"),
    ({"walks": 0}, ValueError, r"walks = 0: expected from 1 to 322122547"),
    ({"walks": 1 << 40}, ValueError, r"walks = 1099511627776"),
    ({"walks": 2.5}, TypeError, r"walks = 2.5"),
    ({"walks": 5, "error": 0.1}, ValueError, r"walks = 5 and error = 0.1: pass only one of them"),
    ({"walks": None, "error": 0}, ValueError, r"error = 0.0"),
    ({"top_k": 0}, ValueError, r"top_k = 0"),
    ({"sinks": "loop"}, ValueError, r'sinks = \'loop\': expected "restart" or "stop"'),
    ({"confidence": 1}, ValueError, r"confidence = 1.0"),
    ({"weighted": True}, ValueError, r"weighted = True: the graph has no weights"),
    ({"weighted": "computed"}, TypeError, r"weighted = 'computed'"),
    ({"device": "gpu"}, ValueError, r"device = 'gpu'"),
    ({"threads": 0}, ValueError, r"threads = 0"),
    ({"seed": -1}, ValueError, r"seed = -1"),
    ({"first_id": (1 << 64) - 1, "seeds": [0, 1]}, ValueError, r"first_id = 18446744073709551615: expected at most"),
    ({"progress": 1}, TypeError, r"progress = 1"),
]


@pytest.mark.parametrize(("options", "kind", "text"), REFUSED, ids=[str(i) for i in range(len(REFUSED))])
def test_refusals(options, kind, text):
    g = gnd.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], num_vertices=4)
    options = {"seeds": [0], "walks": 10} | options
    with pytest.raises(kind, match=text):
        gnd.personalized_pagerank(g, options.pop("seeds"), **options)


def test_the_graph_is_one():
    with pytest.raises(TypeError, match=r"graph: expected a gonextdoor\.Graph, got int"):
        gnd.personalized_pagerank(3, [0])
