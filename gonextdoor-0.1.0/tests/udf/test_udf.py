"""Users' apps as the core runs them: equal to plain Python, choice by choice."""

from __future__ import annotations

import multiprocessing
import pickle

import daily
import fuzzer
import numpy as np
import pytest
from agreement import EDGES, GRAPHS, LAYOUT, agree, pools, uniform
from gonextdoor.udf import layout, vocabulary
from oracle_view import Spec

import gonextdoor as gnd

pytest.importorskip("llvmlite", reason="no llvmlite for this Python: hooks cannot be compiled")

NULL = gnd.NULL


def test_the_core_has_the_layout_that_is_compiled_for():
    assert {name: place for name, place in LAYOUT["run"].items() if name in layout.RUN} == layout.RUN
    assert (LAYOUT["run"]["Params"], LAYOUT["run"]["Arrays"]) == (layout.PARAMETERS, layout.ARRAYS)
    assert LAYOUT["run"][""] == layout.ARRAYS + 16 * layout.MAX_ARRAYS
    assert LAYOUT["block"] == {**layout.BLOCK, "": 8 * len(layout.BLOCK)}
    assert LAYOUT["array"] == {"": 16, "Address": 0, "Length": 8}
    assert (LAYOUT["max_params"], LAYOUT["max_arrays"]) == (layout.MAX_PARAMETERS, layout.MAX_ARRAYS)
    assert LAYOUT["max_rounds"] == 1 << 20 == LAYOUT["max_fanout"]
    kinds = {value for name, value in vars(layout.Kind).items() if not name.startswith("_")}
    assert {int(kind) for kind in LAYOUT["faults"]} == kinds
    read = {"row", *vocabulary.TABLES.values()} | {c for columns in vocabulary.COLUMNS.values() for c in columns}
    assert read <= set(LAYOUT["reads"])


# ---- apps as users write them


def edge_bias(ctx, edge, dst):
    w = ctx.weight(edge)
    if ctx.prev == NULL:
        return w
    if dst == ctx.prev:
        return ctx.back * w
    if ctx.has_edge(ctx.prev, dst):
        return w
    return ctx.away * w


def bound(ctx):
    return max(ctx.back, 1.0, ctx.away) * ctx.max_weight(ctx.transit)


def wide(ctx):
    return 1 + ctx.back + ctx.away


def by_degree(ctx, v):
    return ctx.degree(v)


def any_edge(ctx, edge, dst):
    return 1


def stay(ctx, edge, dst):
    if ctx.chance(0) < 2**30:
        return ctx.transit
    return dst


def on_path(ctx, edge, dst):
    if ctx.label(edge) != ctx.path[ctx.step % len(ctx.path)]:
        return 0.0
    return ctx.weight(edge) * (1.0 + ctx.alpha * ctx.attr[dst])


def tired(ctx):
    return ctx.step > 0 and ctx.chance(0) < ctx.quit


def rising(ctx, edge, dst):
    return ctx.size + dst + ctx.previous(1, 0) + ctx.root(0)


def few(ctx):
    return ctx.below(5, 4)


NODE2VEC = {"edge_bias": edge_bias, "floats": ("edge_bias", "bound"), "params": {"back": 0.5, "away": 2.0}}
METAPATH = Spec(
    {"edge_bias": on_path, "stop": tired}, steps=8, params={"alpha": 0.5, "quit": 2**29}, floats=("edge_bias",),
    arrays={"path": np.array([0, 1, 2, 1], np.uint8), "attr": np.linspace(0, 1, 40, dtype=np.float32)},
)  # fmt: skip


def node2vec(with_bound, **rest) -> Spec:
    given = dict(NODE2VEC)
    hooks = {"edge_bias": given.pop("edge_bias")} | ({"bound": with_bound} if with_bound else {})
    return Spec(hooks, **given, **rest)


CASES = {
    "node2vec by rejection": (node2vec(bound, steps=9), "weighted", range(40)),
    "node2vec in one pass": (node2vec(None, steps=9), "weighted", range(40)),
    "node2vec unweighted": (node2vec(bound, steps=9), "plain", range(40)),
    "node2vec dense": (node2vec(bound, steps=9), "dense", range(40)),
    "uniform": (Spec({"next": uniform}, steps=9), "weighted", range(40)),
    "uniform, strict": (Spec({"next": uniform}, steps=9, strict=True), "dense", range(40)),
    "uniform until a sink": (Spec({"next": uniform}), "weighted", range(40)),
    "multi-dimensional": (
        Spec({"vertex_bias": by_degree, "edge_bias": any_edge, "update": stay}, steps=12), "weighted", pools(),
    ),
    "metapath": (METAPATH, "weighted", range(40)),
    "metapath, several": (Spec(**{**vars(METAPATH), "sample_size": [3, 2], "steps": 2}), "weighted", range(40)),
    "several roots": (Spec({"edge_bias": rising}, steps=3), "weighted", pools()),
    "drawn fan-out": (Spec({"edge_bias": rising, "sample_size": few}, steps=4), "weighted", range(40)),
    "all": (Spec({"edge_bias": rising}, sample_size="all", steps=2), "weighted", range(40)),
    "collective": (
        Spec({"edge_bias": rising}, scope="collective", sample_size=[4, 6], steps=2, unique="step"),
        "weighted", pools(),
    ),
    "collective by rejection": (
        node2vec(wide, scope="collective", sample_size=4, steps=3, unique="sample"), "dense", pools(),
    ),
    "with replacement": (Spec({"edge_bias": rising}, sample_size=3, replace=True, steps=2), "weighted", range(40)),
    "no hooks": (Spec({}, sample_size=[2, 2], steps=2, unique="sample"), "plain", pools()),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_an_app_equals_plain_python(case):
    spec, kind, roots = CASES[case]
    want = agree(spec, kind, roots)
    assert isinstance(want, list)
    assert sum(len([v for v in row if v != NULL]) for row in want) > 1.2 * len(want)


@pytest.mark.parametrize("seed", daily.share(range(200), 23))
def test_random_apps_equal_plain_python(seed):
    spec = fuzzer.spec(seed, EDGES)
    many = "vertex_bias" in spec.hooks or spec.scope == "collective"
    agree(spec, ["weighted", "plain", "dense"][seed % 3], pools() if many else range(30))


def test_a_run_may_be_split():
    g, _ = GRAPHS["weighted"]
    app = node2vec(bound, steps=9).app()
    whole = gnd.sample(g, app, seed=2).numpy()
    parts = [gnd.sample(g, app, range(a, a + 10), seed=2, first_id=a).numpy() for a in range(0, 40, 10)]
    assert np.array_equal(whole, np.concatenate(parts))


def test_layered_apps_record_edges():
    g, _ = GRAPHS["plain"]
    samples = gnd.sample(g, gnd.App(edge_bias=rising, sample_size=3, steps=2, record="adjacency"), [1, 2], seed=2)
    adjacency = samples.adjacency(1)
    assert len(adjacency.offsets) == 3 and len(samples.steps) == 2
    induced = gnd.sample(g, gnd.App(next=uniform, steps=4, record="induced"), [1, 2], seed=2)
    assert len(induced.subgraph(0).nodes) >= 1


def local_hook(back: int):
    def closed(ctx, edge, dst):
        return back if dst == ctx.prev else 1

    return closed


def test_numbers_around_a_hook_are_frozen():
    g, _ = GRAPHS["plain"]
    rarely, often = gnd.App(edge_bias=local_hook(0), steps=9), gnd.App(edge_bias=local_hook(10**6), steps=9)
    assert not np.array_equal(gnd.sample(g, rarely, seed=1).numpy(), gnd.sample(g, often, seed=1).numpy())


def test_an_app_is_pickled_by_its_text():
    g, _ = GRAPHS["weighted"]
    app = gnd.App(edge_bias=local_hook(7), steps=9, params={"unused": 1.5}, arrays={"a": [1, 2]})
    other = pickle.loads(pickle.dumps(app))
    assert repr(other) == repr(app)
    assert np.array_equal(gnd.sample(g, app, seed=1).numpy(), gnd.sample(g, other, seed=1).numpy())


def _run(app):
    return gnd.sample(GRAPHS["weighted"][0], app, seed=1).numpy()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_an_app_works_in_other_processes(method):
    app = gnd.App(edge_bias=local_hook(7), steps=9, arrays={"a": [1, 2]})
    here = _run(app)
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert np.array_equal(pool.apply(_run, (app,)), here)


def test_arrays_are_copied():
    table = np.zeros(40, np.int64)

    def only_even(ctx, edge, dst):
        return ctx.table[dst]

    app = gnd.App(edge_bias=only_even, steps=1, arrays={"table": table})
    table[:] = 1
    assert (gnd.sample(GRAPHS["plain"][0], app, seed=1).numpy()[:, 1] == -1).all()
    assert not app.arrays["table"].flags.writeable


def test_only_what_is_read_is_named():
    assert gnd.App(next=uniform, steps=1).reads() == ["key", "row", "transit", "words"]
    assert "has_edge" in node2vec(bound, steps=1).app().reads()
    assert METAPATH.app().reads() == ["key", "labels", "row", "weights", "words"]


def test_repr():
    app = gnd.App(edge_bias=rising, sample_size=[2, "all"], unique="sample", scope="collective", arrays={"a": [1.0]})
    assert repr(app) == (
        "App(edge_bias=rising, steps=2, sample_size=[2, -1], unique='sample', scope='collective', "
        "arrays={a: float64[1]})"
    )
    assert repr(gnd.App(next=uniform, steps=gnd.INF, strict=True)) == "App(next=uniform, steps=INF, strict=True)"


def test_shapes():
    g, _ = GRAPHS["plain"]
    for app, roots in (
        (gnd.App(next=uniform, steps=3), [1, 2]), (gnd.App(sample_size=[2, 3]), [1, 2]),
        (gnd.App(sample_size=[2, 3], scope="collective"), [[1, 2]]), (gnd.App(next=uniform, steps=3), [[1, 2]]),
        (gnd.App(vertex_bias=by_degree, steps=3), [[1, 2]]),
    ):  # fmt: skip
        samples = gnd.sample(g, app, roots, seed=1)
        width = np.ndim(roots) and np.asarray(roots).reshape(len(roots), -1).shape[1]
        assert samples.numpy().shape[1] == app.width(width)
        assert [step.shape[1:] for step in samples.steps] == app.slots(width)
