"""Hooks that are run as DeepWalk by the biases of all edges: which ones, and the distribution of their walks."""

from __future__ import annotations

import gc
import os
import pickle
import weakref
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from gonextdoor.udf import tabled
from gonextdoor.udf.bound import measured

import gonextdoor as gnd

pytest.importorskip("llvmlite", reason="no llvmlite for this Python: hooks cannot be compiled")

NULL = gnd.NULL
VERTICES = 7
EDGES = 22


def graph(**attributes) -> gnd.Graph:
    random = np.random.default_rng(4)
    ends = random.integers(0, VERTICES, (2, EDGES))
    return gnd.Graph.from_edges(*ends, num_vertices=VERTICES, **attributes)


WEIGHTED = graph(weights=np.random.default_rng(5).uniform(0.1, 4, EDGES), times=np.arange(EDGES))
PLAIN = graph()
ARRAYS = {"toll": np.arange(1, VERTICES + 1) ** 3 / 40.0, "number": np.arange(EDGES) % 5}


def by_weight(ctx, edge, dst):
    return ctx.weight(edge) * ctx.toll[dst]


def by_edge(ctx, edge, dst):  # some edges have no bias
    return ctx.number[edge] * (2 if dst > ctx.transit else 1)


def by_loop(ctx, edge, dst):
    x = 0.0
    for i in range(3):
        x += ctx.toll[(dst + i) % 7] / (1 + i)
    return x * x


def by_time(ctx, edge, dst):
    return ctx.time(edge) + 1


STATIC = [by_weight, by_edge, by_loop, by_time]


def biases_of(hook, on: gnd.Graph) -> list[int]:
    """The biases of all edges, as the core has them."""
    source = np.repeat(np.arange(VERTICES), on.degrees())
    found = []
    for place, (u, v, id) in enumerate(zip(source.tolist(), on.indices.tolist(), on.edge_ids.tolist(), strict=True)):
        w = 1.0 if on.weights is None else float(on.weights[place])
        ctx = SimpleNamespace(transit=u, weight=lambda e, w=w: w, time=lambda e, at=place: int(on.times[at]), **ARRAYS)
        bias = hook(ctx, id, v)
        found.append(int(bias * 65536) if isinstance(bias, float) else int(bias))
    return found


def exact(biases: list[int], on: gnd.Graph, steps: int) -> dict[tuple[int, ...], float]:
    """The probabilities of walks from vertex 0."""
    walks = {(0,): 1.0}
    for _ in range(steps):
        longer: Counter[tuple[int, ...]] = Counter()
        for walk, p in walks.items():
            first, end = on.indptr[walk[-1] : walk[-1] + 2] if walk[-1] != NULL else (0, 0)
            total = sum(biases[first:end])
            for to, bias in zip(on.indices[first:end].tolist(), biases[first:end], strict=True):
                longer[(*walk, to)] += p * bias / total if total else 0.0
            if not total:
                longer[(*walk, NULL)] += p
        walks = dict(longer)
    return {walk: p for walk, p in walks.items() if p}


def app(hook, **rest) -> gnd.App:
    return gnd.App(edge_bias=hook, **{"steps": 3, "arrays": ARRAYS, **rest})


CASES = [(hook, on) for hook in STATIC for on in (WEIGHTED, PLAIN) if hook is not by_time or on is WEIGHTED]


@pytest.mark.parametrize(("hook", "on"), CASES)
def test_the_distribution_is_that_of_the_hook(hook, on: gnd.Graph) -> None:
    """A sound app fails once in 10^9."""
    stats = pytest.importorskip("scipy.stats")
    plan = gnd.explain(on, app(hook))
    assert (plan.app, plan.selector) == ("DeepWalk", "Alias") and (plan.bound or "").startswith("none: alias tables")
    assert (plan.biases is None) == (hook in (by_edge, by_time))
    want = exact(biases_of(hook, on), on, 3)
    assert abs(sum(want.values()) - 1) < 1e-12
    for rest in ({}, {"bound": None}):
        given = app(hook, **rest)
        samples = gnd.sample(on, given, [0], repeat=50_000, seed=3)
        assert samples.selector == ("Reservoir" if rest else "Alias")
        assert samples.app is given and samples.graph is on
        found = Counter(map(tuple, samples.numpy().tolist()))
        assert found.keys() <= want.keys()
        observed = np.array([found[walk] for walk in want])
        assert stats.chisquare(observed, np.array(list(want.values())) * 50_000).pvalue > 1e-9, rest


def test_edges_counts_and_threads() -> None:
    one, other = (gnd.sample(WEIGHTED, app(by_weight), repeat=90, seed=2, threads=n, edges=True) for n in (1, 2))
    assert np.array_equal(one.values, other.values) and np.array_equal(one.edges, other.edges)
    walks, edges = one.numpy(), one.edges.reshape(-1, 3)
    ends = dict(zip(WEIGHTED.edge_ids.tolist(), WEIGHTED.indices.tolist(), strict=True))
    taken = edges >= 0
    assert [ends[e] for e in edges[taken].tolist()] == walks[:, 1:][taken].tolist()
    visits = gnd.visit_counts(WEIGHTED, app(by_weight), repeat=90, seed=2)
    assert np.array_equal(visits, np.bincount(walks[walks >= 0], minlength=VERTICES))


def test_the_biases_are_those_of_long_rows() -> None:
    """A call of the kernel has at most 4,096 edges and 256 rows."""
    ends = np.concatenate([np.arange(9_000) % 5_001, np.zeros(600, int)])
    on = gnd.Graph.from_edges(np.concatenate([np.zeros(9_000, int), np.arange(1, 601)]), ends, num_vertices=5_001)
    weights = np.arange(on.num_edges) % 7

    def numbered(ctx, edge, dst):
        return ctx.number[edge]

    same = gnd.App(edge_bias=numbered, steps=2, arrays={"number": weights})._on(on)._same
    assert same is not None and np.array_equal(same.view.weights, weights[on.edge_ids])


# ---- other hooks and apps


def by_step(ctx, edge, dst):
    return 1 + ctx.step * dst


def by_prev(ctx, edge, dst):
    return ctx.toll[dst] if dst != ctx.prev else 0.1


def by_word(ctx, edge, dst):
    return 1 + ctx.below(0, 9) * dst


def by_local(ctx, edge, dst):
    p = ctx.prev
    q = p
    return 1 + (dst if q == NULL else 0)


def by_prev_edge(ctx, edge, dst):
    return 5 if ctx.step == 0 or ctx.weight(ctx.prev_edge) > dst else 1


def with_an_error(ctx, edge, dst):
    return 1.0 / (dst - 3) if dst > 3 else ctx.toll[dst + 4]


def never_rejected(ctx, edge, dst):
    return 3 if dst else 4


def by_long_loop(ctx, edge, dst):
    n = 1
    for i in range(100):
        n += (dst + i) % 5
    return n


OTHER = [by_step, by_prev, by_word, by_local, by_prev_edge, with_an_error, by_long_loop]


@pytest.mark.parametrize("hook", OTHER, ids=lambda hook: hook.__name__)
def test_other_hooks_are_run_as_they_are(hook) -> None:
    arrays = ARRAYS | {"toll": ARRAYS["toll"][:4]} if hook is with_an_error else ARRAYS
    assert gnd.explain(WEIGHTED, app(hook, arrays=arrays)).app == "App"


def test_other_apps_are_run_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(ctx):
        return ctx.step == 2

    def bound(ctx):
        return 100.0

    for rest in ({"stop": stop}, {"bound": None}, {"bound": bound}, {"steps": gnd.INF}, {"sample_size": 2}):
        assert gnd.explain(WEIGHTED, app(by_weight, **rest)).app == "App"
    pairs = gnd.sample(WEIGHTED, app(by_weight), [[0, 1], [2, 3]], seed=1)
    assert pairs.numpy().shape == (2, 8) and "Reservoir" in pairs.selector
    longer = gnd.rmat(10, 16, seed=1)  # proposals pay among long rows only
    assert gnd.explain(longer, app(never_rejected)).app == "App"
    empty = gnd.Graph.from_edges([], [], num_vertices=3)
    assert gnd.explain(empty, app(by_weight)).app == "App"
    monkeypatch.setattr(tabled, "MOST_EDGES", EDGES - 1)
    assert gnd.explain(WEIGHTED, app(by_weight)).app == "App"


def test_other_parameters_have_other_tables() -> None:
    def scaled(ctx, edge, dst):
        return ctx.a if dst % 2 else ctx.b

    walks = [gnd.sample(PLAIN, app(scaled, params=p), repeat=20, seed=1) for p in ({"a": 0, "b": 5}, {"a": 5, "b": 0})]
    assert not (walks[0].numpy()[:, 1] % 2 == 1).any() and not (walks[1].numpy()[:, 1] % 2 == 0).any()


# ---- the view of the graph


def test_the_view_is_dropped_with_the_app_and_with_the_graph() -> None:
    for kept in ("app", "graph"):
        one, given = graph(), app(by_weight)
        view = weakref.ref(given._on(one)._same.view)
        gnd.sample(one, given, seed=1)
        if kept == "app":
            del one
        else:
            del given
        gc.collect()
        assert view() is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_has_the_tables() -> None:
    given = app(by_weight)
    here = gnd.sample(WEIGHTED, given, repeat=20, seed=1, threads=1).numpy()
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(gnd.sample(WEIGHTED, given, repeat=20, seed=1, threads=1).numpy(), here) else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert np.array_equal(gnd.sample(WEIGHTED, pickle.loads(pickle.dumps(given)), repeat=20, seed=1).numpy(), here)


# ---- the rule with a mistake


def recognised(hook) -> bool:
    try:
        return app(hook)._on(graph(weights=np.ones(EDGES)))._same is not None
    except ValueError as error:
        return "reads only the transit" in str(error)


MISTAKES = {
    "fields of the walk are ignored": ("_WALK_FIELDS", set()),
    "methods of the walk are ignored": ("_WALK_CALLS", set()),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_the_rule_is_found(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hook that depends on the walk is then recognised, or refused by the core."""
    monkeypatch.setattr(measured, *MISTAKES[mistake])
    found = [recognised(hook) for hook in OTHER]
    assert any(found)
