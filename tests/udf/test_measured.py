"""Measured bounds: the largest bias of each row, for which hooks they exist, the samples, and the distribution."""

from __future__ import annotations

import re

import bound_fuzzer
import daily
import numpy as np
import pytest
from agreement import EDGES, GRAPHS, expected, outcome
from compiler import by_compiler
from gonextdoor.udf.bound import choice, hookranges, measured
from gonextdoor.udf.bound.outcome import NoBoundError
from oracle_view import Spec
from test_bounds import KINDS, excess
from test_inferred import exact_walks

import gonextdoor as gnd

pytest.importorskip("llvmlite", reason="no llvmlite for this Python: hooks cannot be compiled")
pytestmark = pytest.mark.usefixtures("loose_bounds", "loops_as_a_whole")
NULL = gnd.NULL
WEIGHTED = GRAPHS["weighted"][0]
VALUES = np.array([3, -1, 4, 1, 5] * 8)


def bound(hook, graph: gnd.Graph = WEIGHTED, **rest) -> str:
    return gnd.explain(graph, gnd.App(edge_bias=hook, **{"steps": 3, **rest}), device="cpu").bound or ""


@pytest.fixture
def loops_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """The analysis runs no iteration of a loop by itself, so that what it assigns is unknown."""
    monkeypatch.setattr(hookranges, "MOST_UNROLLED", 0)


# ---- hooks whose range is unknown: a loop assigns what they return


def cubed(ctx, edge, dst):
    x = 1.0
    for _ in range(3):
        x *= ctx.weight(edge)
    return x


def second_order(ctx, edge, dst):
    x = 1.0
    for _ in range(2):
        x *= ctx.weight(edge)
    if ctx.prev == NULL or ctx.has_edge(ctx.prev, dst):
        return x
    return x * (ctx.back if dst == ctx.prev else ctx.away)


def by_local(ctx, edge, dst):
    p = ctx.prev
    n = 1
    near = p != NULL and ctx.has_edge(p, dst)
    for _ in range(2):
        n *= 2 + dst % 3
    n += 1 if ctx.step > 1 else 0
    return 3 * n if near else n


def of_row(ctx, edge, dst):
    return ctx.values[ctx.transit] - ctx.values[dst] + 6


def by_word(ctx, edge, dst):
    n = 0
    for i in range(2):
        n += i + dst % 3
    return n + 1 if ctx.chance(0) < 2**31 else n


MEASURED = {
    "cubed": (cubed, {}, []),
    "second_order": (
        second_order, {"params": {"back": 0.25, "away": 4.0}},
        ["ctx.prev == -1", "ctx.has_edge(ctx.prev, dst)", "dst == ctx.prev"],
    ),
    "by_local": (by_local, {}, ["p != -1", "ctx.has_edge(p, dst)", "ctx.step > 1"]),
    "of_row": (of_row, {"arrays": {"values": VALUES + 1}}, []),
    "by_word": (by_word, {}, ["ctx.chance(0) < 2147483648"]),
}  # fmt: skip


@pytest.fixture
def not_inferred(monkeypatch: pytest.MonkeyPatch) -> None:
    """No bound is inferred, so that all are measured."""

    def refused(*_: object) -> None:
        raise NoBoundError("tests", 1)

    monkeypatch.setattr(choice, "inferred", refused)


def as_hook(app: gnd.App, spec: Spec) -> Spec:
    """The app with its measured bound as a hook."""
    (array,) = app._bound_arrays

    def whole(ctx):
        return ctx.largest_bias[ctx.transit]

    def real(ctx):
        return ctx.largest_bias[ctx.transit] * 2.0**-16

    hook = real if app._functions["edge_bias"].returns == "float" else whole
    arrays = {**spec.arrays, "largest_bias": array}
    return Spec(**{**vars(spec), "hooks": {**spec.hooks, "bound": hook}, "arrays": arrays})


@pytest.mark.parametrize("name", MEASURED)
@pytest.mark.usefixtures("not_inferred")
def test_the_bound_is_the_largest_bias(name: str, tmp_path) -> None:
    hook, rest, conditions = MEASURED[name]
    text = bound(hook, **rest)
    values = f", for all values of {', '.join(conditions)}" if conditions else ""
    assert text.startswith(f"measured: the largest edge_bias of each row{values}; not inferred, since tests (")
    spec = Spec({"edge_bias": hook}, steps=4, floats=("edge_bias",) * (name in ("cubed", "second_order")), **rest)
    for kind in KINDS:
        graph, rows = GRAPHS[kind]
        app = spec.app(bound="auto")
        same = as_hook(app._on(graph), spec)
        assert excess(same, kind) <= 0
        want = expected(same, rows, range(40))
        for threads in (1, 2):
            assert outcome(graph, app, range(40), threads) == want
        other = by_compiler(spec.app(bound="auto")._on(graph), tmp_path)
        assert outcome(graph, other, range(40), 1) == want, "the C++ of a GPU"
        assert gnd.explain(graph, app).selector == "Reject(4+d/16), Reservoir"


def test_the_largest_bias_of_a_row_is_reached() -> None:
    (found,) = gnd.App(edge_bias=cubed, steps=3)._on(WEIGHTED)._bound_arrays
    weights = WEIGHTED.weights
    assert weights is not None
    rows = np.split(weights**3 * 65536, WEIGHTED.indptr[1:-1])
    assert found.dtype == np.uint32 and found.tolist() == [int(row.max(initial=0.0)) for row in rows]


def test_rows_longer_than_a_block_of_biases() -> None:
    src = np.concatenate([np.zeros(10_000, int), np.arange(1, 3_000), [2_999]])
    weights = np.random.default_rng(1).random(len(src))
    weights[9_999] = 2.0  # in the last block of the hub
    graph = gnd.Graph.from_edges(src, np.arange(len(src)) % 3_000, weights=weights)
    app = gnd.App(edge_bias=cubed, steps=3)._on(graph)
    assert graph.weights is not None
    cubes = (graph.weights * graph.weights * graph.weights * 65536).astype(int)
    want = np.maximum.reduceat(np.maximum(cubes, 1), graph.indptr[:-1])
    assert app._bound_arrays[0].tolist() == want.tolist() and want[0] == 8 * 65536


def test_hooks_that_have_an_inferred_bound_are_not_measured() -> None:
    def weight(ctx, edge, dst):
        return ctx.weight(edge)

    assert bound(weight).startswith("inferred: ")
    assert bound(cubed).startswith("measured: ")


# ---- errors


def with_an_error(ctx, edge, dst):
    n = 0
    for i in range(2):
        n += i
    return n if ctx.prev == NULL or ctx.degree(ctx.prev) > 3 else n + 1


def assigned_with_an_error(ctx, edge, dst):
    n = 0
    d = ctx.degree(ctx.prev) if ctx.prev != NULL else 0
    for i in range(2):
        n += i
    return n if d > 3 else n + 1


def negative(ctx, edge, dst):
    n = 0
    for _ in range(2):
        n += ctx.values[dst]
    return n


ERRORS = [
    (with_an_error, "a condition depends on the walk, and may have an error"),
    (assigned_with_an_error, "d depends on the walk, and may have an error"),
    (negative, "an edge has an error"),
]


@pytest.mark.parametrize(("hook", "why"), ERRORS, ids=[hook.__name__ for hook, _ in ERRORS])
def test_edges_with_an_error_have_no_bias(hook, why: str) -> None:
    arrays = {"values": VALUES} if hook is negative else {}
    text = bound(hook, arrays=arrays)
    assert text.startswith("measured: ") and f"  # found for proposed edges only: {why}" in text
    spec = Spec({"edge_bias": hook}, steps=3, arrays=arrays)
    for kind in KINDS:
        graph, rows = GRAPHS[kind]
        app = spec.app(bound="auto")
        same = as_hook(app._on(graph), spec)
        assert app._on(graph)._bound_arrays[0].min() == 1  # so every choice evaluates a candidate
        assert outcome(graph, app, range(40), 2) == expected(same, rows, range(40))


# ---- no bound


def numeric(ctx, edge, dst):
    n = 0
    for i in range(2):
        n += i
    return n + ctx.prev + 1


def in_a_loop(ctx, edge, dst):
    n = 0
    for i in range(2):
        n += 1 if ctx.step > i else 0
    return n


def endless(ctx, edge, dst):
    n = 0
    for i in range(ctx.degree(dst)):
        n += i
    return n


def five(ctx, edge, dst):
    n = 0
    for i in range(2):
        n += i
    n += 1 if ctx.step > 1 else 0
    n += 1 if ctx.step > 2 else 0
    n += 1 if ctx.step > 3 else 0
    n += 1 if ctx.step > 4 else 0
    return n + 1 if ctx.step > 5 else n


NONE = [
    (numeric, "a bias depends on the walk, not only by conditions"),
    (in_a_loop, "a condition in a loop depends on the walk"),
    (endless, "a loop may take more than 64 rounds"),
    (five, "more than 4 conditions depend on the walk"),
]


@pytest.mark.parametrize(("hook", "why"), NONE, ids=[hook.__name__ for hook, _ in NONE])
def test_a_hook_without_a_bound(hook, why: str) -> None:
    text = bound(hook, arrays={"values": VALUES})
    assert re.fullmatch(rf"none: .* \(.*:\d+\); not measured, since {re.escape(why)}( \(.*:\d+\))?", text)
    app = gnd.App(edge_bias=hook, arrays={"values": VALUES}, steps=3)
    assert gnd.explain(WEIGHTED, app).selector == "Reservoir"
    without = gnd.App(edge_bias=hook, arrays={"values": VALUES}, steps=3, bound=None)
    assert outcome(WEIGHTED, app, range(40), 2) == outcome(WEIGHTED, without, range(40), 2)


def test_the_last_array_is_needed() -> None:
    arrays = {f"a{i}": VALUES + 1 for i in range(16)}
    assert bound(cubed, arrays=arrays).endswith("the app has no room for another array and parameter")
    assert bound(cubed, arrays=dict(list(arrays.items())[:15])).startswith("measured: ")


def test_a_loose_bound_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gonextdoor.udf.bound.acceptance.PROPOSAL", 2.0)
    graph = gnd.rmat(10, 16, seed=1)
    values = np.ones(1 << 10)
    values[5] = 10_000.0
    assert bound(of_end, graph, arrays={"values": values}).startswith("measured: ")  # few rows have an edge to vertex 5
    ends = (np.arange(120) * 7 + 1) % 60
    uneven = gnd.Graph.from_edges(np.arange(60).repeat(2), ends, weights=np.tile([100.0, 1.0], 60))
    text = bound(by_weight, uneven)
    assert text.startswith("none: ") and "; not measured, since of proposals under the largest bias" in text


def of_end(ctx, edge, dst):
    return ctx.values[dst]


def by_weight(ctx, edge, dst):
    return ctx.weight(edge)


# ---- random hooks, and mistakes


def violated(seed: int) -> bool:
    """Whether the measured bound of a random hook is below a bias."""
    spec, kind = bound_fuzzer.spec(seed, EDGES), KINDS[seed % 3]
    app = spec.app(bound="auto")._on(GRAPHS[kind][0])
    return bool(app._bound_arrays) and excess(as_hook(app, spec), kind) > 0


@pytest.mark.usefixtures("not_inferred")
@pytest.mark.parametrize("seed", daily.share(range(400), 12, "measured bounds"))
def test_bounds_of_random_hooks_are_bounds(seed: int) -> None:
    assert not violated(seed)


def _always(self, x, looped):
    found = measured.tree.Constant("bool", True)
    self.conditions.append(x)
    return found


def _never(self, x, looped):
    return measured.tree.Constant("bool", False)


def _first_case(hook, facts, cases, with_bias):
    return LARGEST(hook, facts, 1, with_bias)


def _one_too_low(hook, facts, cases, with_bias):
    found, valid = LARGEST(hook, facts, cases, with_bias)
    return found - (found > 0).astype(np.uint32), valid


LARGEST = measured._largest
MUTANTS = {
    "conditions are true": (measured._Parts, "bit", _always),
    "conditions are false": (measured._Parts, "bit", _never),
    "one case": (measured, "_largest", _first_case),
    "one unit too low": (measured, "_largest", _one_too_low),
}


@pytest.mark.usefixtures("not_inferred")
@pytest.mark.parametrize("name", MUTANTS)
def test_a_mistake_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*MUTANTS[name])

    def caught(hook, rest) -> bool:
        spec = Spec({"edge_bias": hook}, steps=4, **rest)
        app = spec.app(bound="auto")._on(WEIGHTED)
        return excess(as_hook(app, spec), "weighted", range(40)) > 0

    assert any(caught(hook, rest) for hook, rest, _ in MEASURED.values())


# ---- the distribution


def test_the_distribution_is_that_of_the_biases() -> None:
    """Exact probabilities of second-order walks of three steps; a sound app fails once in 10^9."""
    stats = pytest.importorskip("scipy.stats")
    src, dst = [0, 0, 0, 1, 1, 2, 2, 2, 3, 3], [1, 2, 3, 0, 2, 0, 1, 3, 1, 0]
    graph = gnd.Graph.from_edges(src, dst, weights=[1, 2, 1, 1, 3, 5, 1, 1, 2, 0.5])
    params = {"back": 0.25, "away": 4.0}

    def biases(step: int, prev: int, transit: int) -> list[int]:
        a, b = graph.indptr[transit : transit + 2]
        found = []
        for to, w in zip(graph.indices[a:b].tolist(), graph.weights[a:b].tolist(), strict=True):
            near = prev != NULL and graph.has_edge(prev, to)
            factor = 1.0 if prev == NULL or near else 0.25 if to == prev else 4.0
            found.append(int(65536 * factor * w * w))
        return found

    want = exact_walks(graph, biases, 3)
    app = gnd.App(edge_bias=second_order, steps=3, params=params)
    assert gnd.explain(graph, app).selector == "Reject(4+d/16), Reservoir"
    assert bound(second_order, graph, params=params).startswith("measured: ")
    rows = gnd.sample(graph, app, [0], repeat=200_000, seed=3).numpy()
    walks, counts = np.unique(rows, axis=0, return_counts=True)
    count = dict(zip(map(tuple, walks.tolist()), counts.tolist(), strict=True))
    assert count.keys() <= want.keys()
    observed = np.array([count.get(walk, 0) for walk in want])
    assert stats.chisquare(observed, np.array(list(want.values())) * len(rows)).pvalue > 1e-9
