"""C-SAW's and FlowWalker's walks: what each is beside what all apps have in common."""

import dataclasses

import corpus
import numpy as np
import pytest
from neighborreference import biases as biases_of

import gonextdoor as gnd
from gonextdoor.apps import (  # fmt: skip
    PPR,
    DeepWalk,
    Jump,
    MetaPath,
    MetropolisHastings,
    MultiDimensionalWalk,
    MultiIndependent,
    Node2Vec,
    NonBacktracking,
    Restart,
    Walk,
)

WEIGHTED = corpus.graph(weighted=True)
PLAIN = corpus.graph()
ROOTS = np.arange(180)  # none is a sink


def rows(graph, app, roots=ROOTS, **options):
    return gnd.sample(graph, app, roots, seed=3, **options).numpy()


@pytest.mark.parametrize("length", [0, 1, 7])
def test_a_walk_by_weight_is_deepwalk(length):
    want = rows(WEIGHTED, DeepWalk(length))
    assert np.array_equal(rows(WEIGHTED, Walk("weight", length)), want)
    assert np.array_equal(rows(PLAIN, Walk(None, length)), rows(PLAIN, DeepWalk(length)))  # type: ignore[arg-type]
    assert np.array_equal(rows(WEIGHTED, Walk(length=length)), rows(WEIGHTED, DeepWalk(length, weighted=False)))
    computed = rows(WEIGHTED, DeepWalk(length, weighted="computed"))
    assert np.array_equal(rows(WEIGHTED, Walk("weight", length, computed=True)), computed)


@pytest.mark.parametrize("graph", [PLAIN, WEIGHTED], ids=["plain", "weighted"])
def test_degrees_are_weights_like_any_other(graph):
    degrees = graph.degrees()[graph.indices].astype(float)
    same = gnd.Graph.from_csr(graph.indptr, graph.indices, weights=degrees)
    walks = gnd.sample(graph, Walk("degree", 2), [int(graph.degrees().argmax())], repeat=20_000, seed=1)
    other = gnd.sample(same, DeepWalk(2), [int(graph.degrees().argmax())], repeat=20_000, seed=2)
    assert walks.selector == other.selector == "Alias"
    ours, theirs = (np.bincount(s.numpy()[:, 1], minlength=200) / 20_000 for s in (walks, other))
    assert np.abs(ours - theirs).sum() / 2 < 0.05


def test_a_view_by_degree_keeps_edge_ids_and_goes_with_its_graph():
    samples = gnd.sample(WEIGHTED, Walk("degree", 5), ROOTS, seed=1, edges=True)
    whole, edges = samples.numpy(), samples.edges
    by_id = np.argsort(WEIGHTED.edge_ids, kind="stable")
    assert set(by_id.tolist()) == set(range(WEIGHTED.num_edges))
    ends = {}
    for position, e in enumerate(WEIGHTED.edge_ids.tolist()):
        ends.setdefault(e, set()).add(int(WEIGHTED.indices[position]))
    assert all(v in ends[e] for v, e in zip(whole[:, 1:].ravel().tolist(), edges.ravel().tolist(), strict=True))


def test_where_metropolis_hastings_stays_no_edge_led():
    samples = gnd.sample(PLAIN, MetropolisHastings(40), ROOTS, seed=1, edges=True)
    whole, edges = samples.numpy(), samples.edges
    stayed = edges < 0
    assert 0.05 < stayed.mean() < 0.8
    assert np.array_equal(whole[:, 1:][stayed], whole[:, :-1][stayed])
    assert all(PLAIN.has_edge(u, v) for u, v in zip(whole[:, 0], whole[:, 1], strict=True) if u != v)


def test_metropolis_hastings_is_everywhere_equally_often():
    degrees = PLAIN.degrees()
    walks = rows(PLAIN, MetropolisHastings(400), ROOTS, repeat=20)[:, 200:]
    visits = np.bincount(walks.ravel(), minlength=200)[degrees > 0]
    assert np.abs(visits / visits.mean() - 1).max() < 0.1


def test_a_walk_that_never_jumps_is_deepwalk():
    for app in (Jump, Restart):
        assert np.array_equal(rows(PLAIN, app(9, 0)), rows(PLAIN, DeepWalk(9)))
        assert np.array_equal(rows(WEIGHTED, app(9, 0.0)), rows(WEIGHTED, DeepWalk(9)))


def test_sinks_are_left_by_jumps_and_returns():
    sinks = np.arange(190, 200)
    back = gnd.sample(PLAIN, Restart(5, 0.0), sinks, seed=1, edges=True)
    assert (back.numpy() == sinks[:, None]).all() and (back.edges == -1).all()
    away = gnd.sample(PLAIN, Jump(1, 0.0), sinks, repeat=4000, seed=1).numpy()[:, 1]
    assert np.bincount(away, minlength=200).min() > 100


def test_always_jumping_and_always_returning():
    assert (rows(WEIGHTED, Restart(6, 1)) == ROOTS[:, None]).all()
    jumps = gnd.sample(WEIGHTED, Jump(50, 1.0), ROOTS, repeat=20, seed=1, edges=True)
    assert (jumps.edges == -1).all()
    assert np.bincount(jumps.numpy()[:, 1:].ravel(), minlength=200).min() > 700


@pytest.mark.parametrize("graph", [PLAIN, WEIGHTED], ids=["plain", "weighted"])
def test_walkers_of_one_sample(graph):
    roots = np.arange(60).reshape(20, 3)
    samples = gnd.sample(graph, MultiIndependent(7), roots, seed=1)
    assert samples.numpy().shape == (20, 24)
    assert [step.shape for step in samples.steps] == [(20, 3)] * 7
    before = roots
    for step in samples.steps:
        assert all(graph.has_edge(u, v) for u, v in zip(before.ravel(), step.ravel(), strict=True))
        before = step
    one = gnd.sample(graph, MultiIndependent(7), roots[:, 0], seed=1)
    assert [step.shape for step in one.steps] == [(20,)] * 7


def test_a_pool_is_drawn_or_given():
    drawn = gnd.sample(PLAIN, MultiDimensionalWalk(12), 5, seed=1)
    assert drawn.numpy().shape == (5, 112) and drawn.roots.shape == (5, 100)
    given = gnd.sample(PLAIN, MultiDimensionalWalk(30), [[1, 2], [199, 3]], seed=1).numpy()
    pools = [[1, 2], [199, 3]]
    for pool, row in zip(pools, given[:, 2:].tolist(), strict=True):
        for v in row:  # it comes from one of the pool, and takes its place
            from_ = [i for i, u in enumerate(pool) if PLAIN.has_edge(u, v)]
            assert from_
            pool[from_[0]] = v if len(from_) == 1 else pool[from_[0]]
            if len(from_) > 1:
                break  # which one moved is not recorded
    assert (gnd.sample(PLAIN, MultiDimensionalWalk(4), [[198, 199]], seed=1).numpy()[0, 2:] == -1).all()


def test_meta_paths_follow_labels():
    labels = {int(e): int(a) for e, a in zip(PLAIN.edge_ids, PLAIN.labels, strict=True)}
    samples = gnd.sample(PLAIN, MetaPath([0, 2], 7), ROOTS, seed=1, edges=True)
    for row in samples.edges.tolist():
        for s, e in enumerate(row):
            assert e < 0 or labels[e] == [0, 2][s % 2]
    assert (samples.edges >= 0).any(axis=0).all()
    assert MetaPath([1, 0, 2]).length == 3


def test_a_label_that_nobody_has_ends_the_walk():
    walks = rows(PLAIN, MetaPath([0, 77, 1], 5))
    assert (walks[:, 1] >= 0).any() and (walks[:, 2:] == -1).all()


def test_meta_paths_stop():
    assert (rows(PLAIN, MetaPath([0, 1, 2], 6, stop=1))[:, 2:] == -1).all()
    never, often = (
        (rows(PLAIN, MetaPath([0, 1, 2], 6, stop=stop), repeat=50) >= 0).sum(axis=1).mean() for stop in (0, 0.5)
    )
    assert often < never


@pytest.mark.parametrize("app", [DeepWalk(3), PPR(0.4, 3), Node2Vec(4.0, 0.25, 3)], ids=corpus.names)
def test_computed_weights_have_the_same_distribution(app):
    computed = type(app)(**{**vars(app), "weighted": "computed"})
    root = int(WEIGHTED.degrees().argmax())
    pair = [gnd.sample(WEIGHTED, one, [root], repeat=40_000, seed=i) for i, one in enumerate((app, computed))]
    expected = "Reject(4+d/16), Reservoir" if isinstance(app, Node2Vec) else "Search"
    assert pair[1].selector == expected != pair[0].selector
    for step in (1, 2, 3):
        ours, theirs = (np.bincount(s.numpy()[:, step] + 1, minlength=201) / 40_000 for s in pair)
        assert np.abs(ours - theirs).sum() / 2 < 0.05


@pytest.mark.parametrize("graph", [PLAIN, WEIGHTED], ids=["plain", "weighted"])
def test_non_backtracking_walks_end_at_dead_ends_only(graph):
    walks = rows(graph, NonBacktracking(20), repeat=20)
    assert ((walks[:, 2:] != walks[:, :-2]) | (walks[:, 2:] == -1)).all()
    leaf = gnd.Graph.from_edges([0, 0, 1, 2], [1, 1, 2, 2], symmetric=True)  # 0 = 1 - 2, and a loop at 2
    walks = rows(leaf, NonBacktracking(4), [0, 1, 2], repeat=1000)
    assert {tuple(w) for w in walks.tolist()} == {
        (0, 1, 2, 2, 1), (1, 0, -1, -1, -1), (1, 2, 2, 1, 0), (2, 2, 1, 0, -1), (2, 1, 0, -1, -1),
    }  # fmt: skip


def test_non_backtracking_walks_choose_evenly_among_the_other_edges():
    root = int(PLAIN.degrees().argmax())
    first = int(PLAIN.neighbors(root)[0])
    walks = rows(PLAIN, NonBacktracking(2), [root], repeat=200_000)
    third = walks[walks[:, 1] == first, 2]
    others = PLAIN.neighbors(first)
    others = others[others != root]
    want = np.bincount(others, minlength=200) / len(others)
    assert np.abs(np.bincount(third, minlength=200) / len(third) - want).sum() / 2 < 0.06


def below(word, n):
    return word * n >> 64


def test_docs_law_recomputes_metropolis_hastings():
    key, degrees = gnd.rng.key(gnd.rng.stream(3), 0), PLAIN.degrees().tolist()
    u, walk = 5, [5]
    for s in range(30):
        row = PLAIN.neighbors(u)
        v = int(row[below(gnd.rng.word(key, s << 8), len(row))])
        u = v if below(gnd.rng.word(key, s << 8 | 192), degrees[v]) < degrees[u] else u
        walk.append(u)
    assert rows(PLAIN, MetropolisHastings(30), [5])[0].tolist() == walk


@pytest.mark.parametrize("app", [Jump(30, 0.3), Restart(30, 0.3)], ids=corpus.names)
def test_docs_law_recomputes_leaps(app):
    key, u, walk = gnd.rng.key(gnd.rng.stream(3), 0), 199, [199]
    for s in range(30):
        row, word = PLAIN.neighbors(u), gnd.rng.word(key, s << 8)
        leaps = (word * len(row) & (1 << 64) - 1) >> 32 < round(0.3 * 2**32)
        if not leaps and len(row):
            u = int(row[below(word, len(row))])
        else:
            u = below(gnd.rng.word(key, s << 8 | 1), 200) if isinstance(app, Jump) else 199
        walk.append(u)
    assert rows(PLAIN, app, [199])[0].tolist() == walk


def test_docs_law_recomputes_a_pool():
    key, degrees = gnd.rng.key(gnd.rng.stream(3), 0), PLAIN.degrees()
    pool = [7, 199, 31, 7]
    walk = list(pool)
    for s in range(30):
        sums = np.cumsum(degrees[pool])
        at = int(np.searchsorted(sums, below(gnd.rng.word(key, s << 8 | 224), int(sums[-1])), side="right"))
        row = PLAIN.neighbors(pool[at])
        pool[at] = int(row[below(gnd.rng.word(key, s << 8), len(row))])
        walk.append(pool[at])
    assert rows(PLAIN, MultiDimensionalWalk(30), [[7, 199, 31, 7]])[0].tolist() == walk


def labelled_walk(graph, root, path, length, stop, seed, biases=None):
    """A MetaPath walk by the contract: sample 0. biases: of the edges, if it is weighted."""
    key, walk = gnd.rng.key(gnd.rng.stream(seed), 0), [root]
    for s in range(length):
        if s > 0 and gnd.rng.word(key, s << 8 | 192) >> 32 < round(stop * 2**32):
            break
        first, end = int(graph.indptr[walk[-1]]), int(graph.indptr[walk[-1] + 1])
        right = np.flatnonzero(graph.labels[first:end] == path[s % len(path)])
        if not len(right):
            break
        word = gnd.rng.word(key, s << 8)
        if biases is None:
            at = right[below(word, len(right))]
        else:
            sums = np.cumsum(biases[first + right])
            at = right[np.searchsorted(sums, word * int(sums[-1]) >> 64, "right")]
        walk.append(int(graph.indices[first + at]))
    return walk + [-1] * (length + 1 - len(walk))


@pytest.mark.parametrize("stop", [0.0, 0.1])
@pytest.mark.parametrize("batch", [1, 3000], ids=["by counting", "by a table"])
def test_docs_law_recomputes_a_meta_path(stop, batch):
    heads = np.repeat(np.arange(WEIGHTED.num_vertices), WEIGHTED.degrees())
    biases = np.array(biases_of(heads.tolist(), WEIGHTED.weights.tolist()))
    for graph in (PLAIN, WEIGHTED):
        app = MetaPath([0, 2, 1, 1], 30, weighted=False, stop=stop)
        for seed in range(5):
            root = int(graph.degrees().argmax())
            samples = gnd.sample(graph, app, [root] * batch, seed=seed)
            assert samples.selector == "Uniform"
            assert samples.numpy()[0].tolist() == labelled_walk(graph, root, app.labels, 30, stop, seed)
            if graph is WEIGHTED:
                samples = gnd.sample(graph, dataclasses.replace(app, weighted=True), [root] * batch, seed=seed)
                assert samples.selector == "Search"
                walk = labelled_walk(graph, root, app.labels, 30, stop, seed, biases)
                assert samples.numpy()[0].tolist() == walk


def test_docs_law_recomputes_a_computed_walk():
    """Degrees are biases under the largest one: proposals, and the reservoir if none was accepted."""
    src, dst = np.random.default_rng(5).integers(0, 180, (2, 900))
    src = np.append(src, np.full(60, 190))  # a hub, so that the bound is loose
    graph = gnd.Graph.from_edges(src, np.append(dst, np.arange(60)), num_vertices=200)
    key, degrees = gnd.rng.key(gnd.rng.stream(3), 0), graph.degrees().tolist()
    u, walk, weighed, bound = 5, [5], 0, max(degrees)
    for s in range(30):
        row = graph.neighbors(u).tolist()
        for t in range(min(128, 4 + len(row) // 16)):
            product = gnd.rng.word(key, s << 8 | t) * len(row)
            at = product >> 64
            if row and (product & (1 << 64) - 1) * bound >> 64 < degrees[row[at]]:
                break
        else:
            inner, at, held, total, weighed = gnd.rng.key(gnd.rng.word(key, s << 8 | 128), 0), -1, 0, 0, weighed + 1
            words = word = 0
            for i, v in enumerate(row):
                total += degrees[v]
                if degrees[v] and (at < 0 or word * total >> 64 >= held):
                    at, held, word = i, total, gnd.rng.word(inner, words)
                    words += 1
        u = row[at] if at >= 0 else -1
        walk.append(u)
        if u < 0:
            break
    walk += [-1] * (31 - len(walk))
    assert rows(graph, Walk("degree", 30, computed=True), [5])[0].tolist() == walk
    assert weighed > 0


REFUSALS = [
    (lambda: Walk("size"), ValueError, 'bias = \'size\': expected "uniform", "weight" or "degree"'),  # type: ignore[arg-type]
    (lambda: Walk(3), TypeError, "bias = 3"),  # type: ignore[arg-type]
    (lambda: Walk("degree", -1), ValueError, "length = -1"),
    (lambda: Walk("degree", computed=2), TypeError, "computed = 2"),  # type: ignore[arg-type]
    (lambda: MetropolisHastings(1 << 25), ValueError, "length = 33554432"),
    (lambda: Jump(3, 1.5), ValueError, "probability = 1.5: expected a probability from 0 to 1"),
    (lambda: Jump(3, float("nan")), ValueError, "probability = nan"),
    (lambda: Restart(3, -0.1), ValueError, "probability = -0.1"),
    (lambda: Restart(3, "a"), TypeError, "probability = 'a'"),  # type: ignore[arg-type]
    (lambda: Restart(3, 0.5, weighted="computed"), TypeError, "weighted = 'computed'"),  # type: ignore[arg-type]
    (lambda: DeepWalk(3, weighted="sometimes"), TypeError, '"auto", "computed", True or False'),  # type: ignore[arg-type]
    (lambda: MultiIndependent(2, weighted="computed"), TypeError, "weighted = 'computed'"),  # type: ignore[arg-type]
    (lambda: MultiDimensionalWalk(3, 0), ValueError, "dimension = 0"),
    (lambda: MetaPath([]), ValueError, r"labels = \[\]"),
    (lambda: MetaPath(3), TypeError, "labels = 3"),  # type: ignore[arg-type]
    (lambda: MetaPath([1, 1 << 31]), ValueError, r"labels\[1\] = 2147483648"),
    (lambda: MetaPath([0.5]), TypeError, r"labels\[0\] = 0.5"),  # type: ignore[list-item]
    (lambda: MetaPath([1], stop=2), ValueError, "stop = 2"),
    (lambda: rows(PLAIN, Walk("weight")), ValueError, 'bias = "weight": the graph has no weights'),
    (
        lambda: rows(PLAIN, DeepWalk(3, weighted="computed")),
        ValueError,
        'weighted = "computed": the graph has no weights',
    ),
    (lambda: rows(PLAIN, PPR(0.5, weighted="computed")), ValueError, "the graph has no weights"),
    (lambda: rows(PLAIN, MetaPath([1], weighted=True)), ValueError, "weighted = True: the graph has no weights"),
    (lambda: rows(corpus.directed(), MetaPath([1]), [0]), ValueError, "graph: its edges have no labels"),
    (lambda: rows(PLAIN, Jump(3, 0.5), [[1, 2]]), ValueError, "Jump takes one root per sample"),
]


@pytest.mark.parametrize(("call", "kind", "text"), REFUSALS)
def test_refusals(call, kind, text):
    with pytest.raises(kind, match=text):
        call()


def test_flowwalker_s_graph_with_its_labels(tmp_path):
    folder = corpus.data("flowwalker-wiki-Vote")
    n, m, *indptr = np.fromfile(folder / "wiki-Vote_xadj.bin", np.int32).tolist()
    indices, labels = (np.fromfile(folder / f"wiki-Vote_{name}.bin", np.int32)[:m] for name in ("edge", "label"))
    weights = np.fromfile(folder / "wiki-Vote_weight.bin", np.float32)[:m]
    if not (np.isfinite(weights).all() and (weights >= 1e-3).all()):  # they are integers in some versions of the file
        weights = np.fromfile(folder / "wiki-Vote_weight.bin", np.int32)[:m].astype(np.float32)
    graph = gnd.Graph.from_csr(indptr[: n + 1], indices, weights=weights, labels=labels)
    roots = np.flatnonzero(graph.degrees() > 100)
    for weighted, selector in (False, "Uniform"), ("auto", "Search"):
        path = MetaPath([0, 1, 2, 3, 4], 10, weighted=weighted)
        samples = gnd.sample(graph, path, roots, seed=1, edges=True)
        assert samples.selector == selector
        taken = samples.edges
        assert (taken >= 0).mean() > 0.5
        for s in range(10):
            assert (labels[taken[taken[:, s] >= 0, s]] == s % 5).all()
    graph.save(tmp_path / "graph")
    again = gnd.sample(gnd.Graph.open(tmp_path / "graph"), path, roots, seed=1, threads=2)
    assert np.array_equal(again.numpy(), samples.numpy())
