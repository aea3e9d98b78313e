"""Apps with an inferred bound: its text, the choices it applies to, errors without it, and the distribution."""

from __future__ import annotations

import json
import pickle
from collections import Counter

import fuzzer
import numpy as np
import pytest
from agreement import GRAPHS, expected, outcome, pools
from gonextdoor._core import native
from oracle_view import Spec
from test_udf import METAPATH, any_edge, by_degree, edge_bias, stay
from test_udf_faults import FAULTS

import gonextdoor as gnd

pytest.importorskip("llvmlite", reason="no llvmlite for this Python: hooks cannot be compiled")

NULL = gnd.NULL
WEIGHTED, PLAIN = GRAPHS["weighted"][0], GRAPHS["plain"][0]
LARGEST = "ctx.max_weight(ctx.transit)"
pytestmark = pytest.mark.usefixtures("loose_bounds")
VALUES = np.array([3, -1, 4, 1, 5] * 8)


def bound(hook, graph: gnd.Graph = WEIGHTED, **rest) -> str | None:
    return gnd.explain(graph, gnd.App(edge_bias=hook, **{"steps": 3, **rest}), device="cpu").bound


# ---- the text of bounds


def weight(ctx, edge, dst):
    return ctx.weight(edge)


def exact(ctx, edge, dst):
    return ctx.values[ctx.step] + 2


def of_vertex(ctx, edge, dst):
    return ctx.values[dst] + ctx.least


def by_label(ctx, edge, dst):
    return 1.5 if ctx.label(edge) == 2 else 0.5


def degree(ctx, edge, dst):
    return ctx.weight(edge) * ctx.degree(dst)


def positive(ctx, edge, dst):
    if ctx.degree(dst) == 0:
        return 0.0
    return 1.0 / ctx.degree(dst)


def shared(ctx, edge, dst):
    n = 0
    if ctx.prev != NULL:
        for i in range(ctx.degree(dst)):
            if ctx.has_edge(ctx.prev, ctx.neighbor(dst, i)):
                n += 1
    return 1 + max(0, min(n, 7))


def after_the_first(ctx, edge, dst):
    if ctx.step == 0:
        return 1.0
    return 2.0 if ctx.has_edge(ctx.prev, dst) else 1.0 / ctx.degree(ctx.prev)


def of_edges(ctx, edge, dst):
    other = edge
    for i in range(ctx.degree(ctx.transit)):
        other = ctx.edge(ctx.transit, i)
        if ctx.label(other) > 1:
            break
    return ctx.weight(other)


def flag(ctx, edge, dst):
    return dst != ctx.prev


TEXTS = [
    (edge_bias, {"params": {"back": 0.25, "away": 4.0}}, f"{LARGEST} if ctx.prev == -1 else 4.0 * {LARGEST}"),
    (weight, {}, LARGEST),
    (exact, {"arrays": {"values": VALUES}}, "ctx.values[ctx.step] + 2"),
    (of_vertex, {"arrays": {"values": VALUES}, "params": {"least": 2}}, "7"),
    (by_label, {}, "1.5"),
    (degree, {}, f"{LARGEST} * {float(WEIGHTED.degrees()[WEIGHTED.indices].max())!r}"),
    (positive, {}, "1.0"),
    (shared, {}, "1 + max(0, min(9 if ctx.prev != -1 else 0, 7))"),
    (after_the_first, {}, "1.0 if ctx.step == 0 else 2.0"),
    (of_edges, {}, LARGEST),
    (flag, {}, "1"),
]  # fmt: skip


@pytest.mark.parametrize(("hook", "rest", "text"), TEXTS, ids=[hook.__name__ for hook, *_ in TEXTS])
def test_the_bound_of_a_hook(hook, rest, text: str) -> None:
    assert bound(hook, **rest) == f"inferred: {text}"


def test_it_depends_on_parameters_and_graph() -> None:
    assert (
        bound(edge_bias, params={"back": 9.0, "away": 4.0})
        == f"inferred: {LARGEST} if ctx.prev == -1 else 9.0 * {LARGEST}"
    )
    assert bound(edge_bias, PLAIN, params={"back": 9.0, "away": 4.0}) == "inferred: 1.0 if ctx.prev == -1 else 9.0"
    assert bound(weight, PLAIN) == "inferred: 1.0"


# ---- errors


@pytest.mark.parametrize("place", [i for i, (spec, _, _) in enumerate(FAULTS) if "edge_bias" in spec.hooks])
def test_faults_are_found_with_a_bound(place: int) -> None:
    spec, error, text = FAULTS[place]
    given = {} if "bound" in spec.hooks else {"bound": "auto"}
    kind, message = outcome(PLAIN, spec.app(**given), range(40), 2)
    assert kind == error and message.startswith(text)
    assert (kind, message) == expected(spec, GRAPHS["plain"][1], range(40))


def test_hooks_that_are_too_large_have_none() -> None:
    def written(body: str) -> str:
        hook = fuzzer.made(f"def edge_bias(ctx, edge, dst):\n{body}", "edge_bias")
        return bound(hook) or ""

    branches = "".join(f"    if dst == {v}:\n        return {v}\n" for v in range(1, 91))
    assert written(f"{branches}    return 0\n") == "inferred: 39"  # the last vertex
    assert written(f"{branches}{branches}    return 0\n").startswith("none: it is too deep to analyse")
    assert written(f"    return {' + '.join(['dst'] * 80)}\n") == f"inferred: {39 * 80}"
    assert written(f"    return {' + '.join(['dst'] * 120)}\n").startswith("none: it is too deep to analyse")
    nested = "dst"
    for _ in range(12):
        nested = f"(1 if {nested} > 0 else 2)"
    assert "; not inferred, since it is too long to analyse" in written(f"    return {nested}\n")


# ---- when a bound is inferred


def seven(ctx):
    return 7.0


def test_a_hook_and_none_are_kept() -> None:
    assert bound(weight, bound=seven) == "given by seven"
    assert bound(weight, bound=None) is None
    assert gnd.explain(WEIGHTED, gnd.App(edge_bias=weight, bound=None, steps=3)).selector == "Reservoir"
    assert repr(gnd.App(edge_bias=weight, bound=None, steps=3)) == "App(edge_bias=weight, steps=3, bound=None)"
    assert repr(gnd.App(edge_bias=weight, steps=3)) == "App(edge_bias=weight, steps=3)"
    with pytest.raises(gnd.AppError, match="bound: 'seven': expected a function"):
        gnd.App(edge_bias=weight, bound="seven", steps=3)


@pytest.mark.parametrize(
    "rest",
    [{"sample_size": 2}, {"sample_size": [1, 2, 1]}, {"unique": True}, {"scope": "collective"}, {"sample_size": "all"}],
    ids=str,
)
def test_other_choices_have_none(rest) -> None:
    app = gnd.App(edge_bias=weight, **{"steps": 3, **rest})
    assert bound(weight, **rest) is None and app._on(WEIGHTED) is app


def test_samples_name_the_selector() -> None:
    for rest, selector in (({}, "Reject(4+d/16), Reservoir"), ({"bound": None}, "Reservoir")):
        app = gnd.App(edge_bias=weight, steps=1, **rest)
        if not rest:
            assert gnd.sample(WEIGHTED, app, seed=1).selector == selector
        assert gnd.explain(WEIGHTED, app).selector == selector


def test_pools_have_bounds() -> None:
    spec = Spec({"vertex_bias": by_degree, "edge_bias": any_edge, "update": stay}, steps=12)
    app = spec.app(bound="auto")
    assert gnd.explain(WEIGHTED, app, pools()).bound == "inferred: 1"

    def one(ctx):
        return 1

    want = Spec(**{**vars(spec), "hooks": {**spec.hooks, "bound": one}})
    assert outcome(WEIGHTED, app, pools(), 2) == expected(want, GRAPHS["weighted"][1], pools())
    unknown = gnd.App(vertex_bias=by_degree, edge_bias=after_the_first, steps=3)
    assert ": a vertex may be out of range" in (gnd.explain(WEIGHTED, unknown, pools()).bound or "")


def test_bounds_belong_to_a_graph() -> None:
    app = gnd.App(edge_bias=weight, steps=4)
    first = app._on(WEIGHTED)
    assert app._on(WEIGHTED) is first and app._on(PLAIN) is not first and first._on(WEIGHTED) is first
    for factor in range(1, 4):  # of which each may have the id of the one before
        graph = gnd.Graph.from_edges([0, 1], [1, 0], weights=[1.0, 2.0 * factor])
        assert bound(degree, graph) == f"inferred: {LARGEST}"
        assert app._on(graph)._bound() == f"inferred: {LARGEST}"
        del graph
    assert len(app.__dict__["_bounded"]) == 2
    copy = pickle.loads(pickle.dumps(app))
    assert "_bounded" not in copy.__dict__
    assert np.array_equal(gnd.sample(WEIGHTED, copy, seed=1).numpy(), gnd.sample(WEIGHTED, app, seed=1).numpy())


def test_a_graph_without_edges_has_none() -> None:
    empty = gnd.Graph.from_edges([], [], num_vertices=3)
    assert (bound(weight, empty) or "").startswith("none: the graph has no edges")
    assert gnd.sample(empty, gnd.App(edge_bias=weight, steps=2), seed=1).numpy().tolist() == [
        [v, -1, -1] for v in range(3)
    ]


def test_more_numbers_than_parameters() -> None:
    params = {f"p{i}": 1.0 + i for i in range(32)}

    def many(ctx, edge, dst):
        return ctx.p0 * ctx.degree(dst) + ctx.p31 * ctx.label(edge) + 64.0

    app = gnd.App(edge_bias=many, steps=2, params=params)
    most = float(WEIGHTED.degrees()[WEIGHTED.indices].max()) + 32.0 * 3 + 64.0
    assert gnd.explain(WEIGHTED, app).bound == f"inferred: {most!r}"
    assert gnd.sample(WEIGHTED, app, seed=1).numpy().shape == (40, 3)


# ---- the ranges of a graph


def test_ranges_of_a_graph() -> None:
    for g, _ in GRAPHS.values():
        edges = json.loads(native.call("GraphRanges", g._held.number, False, 0))
        ends = json.loads(native.call("GraphRanges", g._held.number, True, 0))
        degrees = g.degrees()[g.indices]
        weights = np.ones(1) if g.weights is None else g.weights
        assert (ends["least"], ends["largest"]) == (degrees.min(), degrees.max())
        assert (edges["least_weight"], edges["largest_weight"]) == (weights.min(), weights.max())
        assert (edges["least_label"], edges["largest_label"]) == (g.labels.min(), g.labels.max())
        assert edges["largest_id"] == g.edge_ids.max()


# ---- the distribution


def exact_walks(graph: gnd.Graph, biases, steps: int) -> dict[tuple[int, ...], float]:
    """The probabilities of the walks from vertex 0; biases gives those of a row, from (step, prev, transit)."""
    walks = {(0,): 1.0}
    for step in range(steps):
        longer: dict[tuple[int, ...], float] = {}
        for walk, p in walks.items():
            row = graph.neighbors(walk[-1]).tolist()
            b = biases(step, walk[-2] if step else NULL, walk[-1])
            for to, bias in zip(row, b, strict=True):
                if bias:
                    longer[(*walk, to)] = longer.get((*walk, to), 0.0) + p * bias / sum(b)
        walks = longer
    return walks


def test_the_distribution_is_that_of_the_biases() -> None:
    """Exact probabilities of node2vec walks of three steps; a sound app fails once in 10^9."""
    stats = pytest.importorskip("scipy.stats")
    src, dst = [0, 0, 0, 1, 1, 2, 2, 2, 3, 3], [1, 2, 3, 0, 2, 0, 1, 3, 1, 0]
    graph = gnd.Graph.from_edges(src, dst, weights=[1, 2, 1, 1, 3, 5, 1, 1, 2, 0.5])
    params = {"back": 0.25, "away": 4.0}

    def biases(step: int, prev: int, transit: int) -> list[int]:
        a, b = graph.indptr[transit : transit + 2]
        found = []
        for to, w in zip(graph.indices[a:b].tolist(), graph.weights[a:b].tolist(), strict=True):
            near = prev != NULL and graph.has_edge(prev, to)
            factor = 1.0 if prev == NULL else 0.25 if to == prev else 1.0 if near else 4.0
            found.append(int(65536 * factor * w))
        return found

    want = exact_walks(graph, biases, 3)
    assert abs(sum(want.values()) - 1) < 1e-12
    for rest in ({}, {"bound": None}):
        app = gnd.App(edge_bias=edge_bias, steps=3, params=params, **rest)
        assert gnd.explain(graph, app).selector == ("Reservoir" if rest else "Reject(4+d/16), Reservoir")
        rows = gnd.sample(graph, app, [0], repeat=200_000, seed=3).numpy()
        count = Counter(map(tuple, rows.tolist()))
        assert count.keys() <= want.keys()
        observed = np.array([count[walk] for walk in want])
        test = stats.chisquare(observed, np.array(list(want.values())) * len(rows))
        assert test.pvalue > 1e-9, rest


def test_metapath_has_the_distribution_of_whole_rows() -> None:
    stats = pytest.importorskip("scipy.stats")
    ends = []
    for rest in ({"bound": "auto"}, {}):
        app = METAPATH.app(**rest)
        rows = gnd.sample(WEIGHTED, app, repeat=5_000, seed=5 + len(rest)).numpy()[:, :3]
        ends.append(Counter(map(tuple, rows.tolist())))
    table = np.array([[one[key] for key in sorted({*ends[0], *ends[1]})] for one in ends])
    rare = table.sum(axis=0) < 50
    table = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)])
    assert table.shape[1] > 3
    assert stats.chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue > 1e-9
