"""The examples of users' apps, each of which is a built-in app written again.

If both choose by the same selector and words, their samples are equal, bit for bit. Otherwise they are equal in
distribution, by a test with a stated rate of false alarms.
"""

from __future__ import annotations

import importlib.util
import pathlib
from collections import Counter
from types import ModuleType

import corpus
import daily
import numpy as np
import pytest

import gonextdoor as gnd

pytest.importorskip("llvmlite", reason="hooks written in Python are compiled by llvmlite")

EXAMPLES = corpus.ROOT / "examples" / "apps"


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", daily.share(sorted(EXAMPLES.glob("*.py")), 3), ids=lambda path: path.stem)
def test_it_runs(path: pathlib.Path) -> None:
    assert corpus.program(f"import runpy; runpy.run_path({str(path)!r}, run_name='__main__')")


def same(ours: gnd.App, built_in: gnd.apps.SamplingApp, graph: gnd.Graph, roots: object = None) -> None:
    for seed, threads in [(1, 1), (2, 2)]:
        got = gnd.sample(graph, ours, roots, seed=seed, repeat=3, threads=threads, edges=True)
        want = gnd.sample(graph, built_in, roots, seed=seed, repeat=3, edges=True)
        assert np.array_equal(got.numpy(), want.numpy())
        assert np.array_equal(got.edges, want.edges)


@pytest.mark.parametrize("weighted", [False, True])
def test_deepwalk_is_the_built_in(weighted: bool) -> None:
    same(example("deepwalk").plain(12), gnd.apps.DeepWalk(12), corpus.graph(weighted=weighted))


def test_khop_is_the_built_in() -> None:
    for replace in (False, True):
        khop = gnd.apps.KHop([4, 3], replace=replace)
        same(example("khop").khop([4, 3], replace), khop, corpus.graph())


def test_metropolis_hastings_is_the_built_in() -> None:
    same(example("metropolis_hastings").metropolis_hastings(15), gnd.apps.MetropolisHastings(15), corpus.graph())


def test_multi_dimensional_is_the_built_in() -> None:
    pools = np.random.default_rng(1).integers(0, 200, (40, 7))
    walk = gnd.apps.MultiDimensionalWalk(9)
    same(example("multi_dimensional").multi_dimensional(9), walk, corpus.graph(), pools)


def test_layer_is_the_built_in() -> None:
    batches = np.random.default_rng(1).integers(0, 180, (20, 5))
    same(example("layer").layer(20, 50), gnd.apps.Layer(20, 50), corpus.graph(), batches)


def test_snowball_is_the_built_in() -> None:
    same(example("snowball").snowball(2), gnd.apps.Snowball(2), corpus.graph(), np.arange(30))


def test_forest_fire_is_the_built_in() -> None:
    same(example("forest_fire").forest_fire(0.4, 3), gnd.apps.ForestFire(0.4, 3), corpus.graph())


def outcomes(app: gnd.apps.SamplingApp, graph: gnd.Graph, seed: int) -> Counter[tuple[int, ...]]:
    whole = gnd.sample(graph, app, [0], repeat=200_000, seed=seed).numpy()
    rows, counts = np.unique(whole, axis=0, return_counts=True)
    return Counter({tuple(v for v in row if v >= 0): n for row, n in zip(rows.tolist(), counts.tolist(), strict=True)})


@pytest.mark.parametrize(
    "ours, built_in",
    daily.share(
        [
            (lambda: example("deepwalk").by_next(3), gnd.apps.DeepWalk(3, weighted=False)),
            (lambda: example("restart").restart(3, 0.3), gnd.apps.Restart(3, 0.3)),
            (lambda: example("jump").jump(2, 0.3), gnd.apps.Jump(2, 0.3)),
            (lambda: example("node2vec").node2vec(4.0, 0.25, 3), gnd.apps.Node2Vec(4.0, 0.25, 3)),
            (lambda: example("node2vec").node2vec(4.0, 0.25, 3, False), gnd.apps.Node2Vec(4.0, 0.25, 3)),
            (lambda: example("node2vec").node2vec(4.0, 0.25, 3), gnd.apps.Node2Vec(4.0, 0.25, 3, weighted="computed")),
            (lambda: example("ppr").ppr(0.5), gnd.apps.PPR(0.5)),
            (lambda: example("metapath").metapath([0, 1, 0], 5), gnd.apps.MetaPath([0, 1, 0], 5, weighted=False)),
        ],
        4,
    ),
    ids=["deepwalk", "restart", "jump", "node2vec, bounded", "node2vec", "node2vec, computed", "ppr", "metapath"],
)
def test_same_distribution(ours, built_in) -> None:
    """A sound pair fails once in 10^12 (a p-value below 1e-12)."""
    assert likeness(ours(), built_in) >= 1e-12


def test_another_distribution_is_seen() -> None:
    assert likeness(example("node2vec").node2vec(4.0, 0.3, 3), gnd.apps.Node2Vec(4.0, 0.25, 3)) < 1e-12


def likeness(ours: gnd.App, built_in: gnd.apps.SamplingApp) -> float:
    """The p-value of the chi-square test of two samples of 200,000 walks each, rare outcomes pooled."""
    stats = pytest.importorskip("scipy.stats")
    # Without a sink: built-in restarts and jumps also leave sinks, but no update hook is called there.
    src, dst, weights = [0, 0, 1, 1, 2, 2, 0, 3], [1, 2, 0, 2, 0, 1, 3, 1], [1, 2, 1, 3, 5, 1, 1, 2]
    graph = gnd.Graph.from_edges(src, dst, weights=weights, labels=[0, 0, 1, 1, 0, 1, 1, 0])
    one, other = outcomes(ours, graph, 11), outcomes(built_in, graph, 12)
    table = np.array([[count[key] for key in sorted({*one, *other})] for count in (one, other)])
    rare = table.sum(axis=0) < 50
    table = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)])
    return float(stats.chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue)


@pytest.mark.parametrize("gamma", [0.0, 0.7])
@pytest.mark.parametrize("p, q", [(4.0, 0.25), (0.5, 3.0)])
def test_node2vec_plus_has_its_distribution(p: float, q: float, gamma: float) -> None:
    """Two steps from a vertex, against probabilities from a matrix of weights. A sound app fails once in 10^12."""
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(3)
    weights = np.triu(np.round(rng.uniform(0.1, 4, (7, 7)), 2) * (rng.random((7, 7)) < 0.7), 1)
    weights += weights.T
    src, dst = np.nonzero(weights)
    graph = gnd.Graph.from_edges(src, dst, weights=weights[src, dst], num_vertices=7)
    app = example("node2vec_plus").node2vec_plus(graph, p, q, 2, gamma)
    want = node2vec_plus_paths(weights, p, q, gamma)
    rows, counts = np.unique(gnd.sample(graph, app, [0], repeat=200_000, seed=5).numpy(), axis=0, return_counts=True)
    got = {(v, x): n for (_, v, x), n in zip(rows.tolist(), counts.tolist(), strict=True)}
    assert set(got) <= set(want)
    observed, expected = [got.get(path, 0) for path in want], [200_000 * chance for chance in want.values()]
    assert stats.chisquare(observed, expected).pvalue >= 1e-12
    other = node2vec_plus_paths(weights, p, q, gamma + 0.5)
    assert stats.chisquare(observed, [200_000 * other[path] for path in want]).pvalue < 1e-12, "the test has power"


def node2vec_plus_paths(weights: np.ndarray, p: float, q: float, gamma: float) -> dict[tuple[int, int], float]:
    """The probability of each path 0, v, x, by the definition in the paper."""
    rows = [row[row > 0] for row in weights]
    noise = [max(row.mean() + gamma * row.std(), 0) for row in rows]
    paths = {}
    for v in np.flatnonzero(weights[0]):
        bias = weights[v].copy()
        for x in np.flatnonzero(bias):
            if x == 0:
                bias[x] /= p
            elif weights[0, x] < noise[x]:
                alpha = 1 / q + (1 - 1 / q) * weights[0, x] / noise[x]
                bias[x] *= min(1, 1 / q) if weights[v, x] < noise[v] else alpha
        for x in np.flatnonzero(bias):
            paths[int(v), int(x)] = weights[0, v] / weights[0].sum() * bias[x] / bias.sum()
    return paths
