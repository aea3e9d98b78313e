"""Times of edges in users' hooks: ctx.time(edge)."""

import corpus
import numpy as np
import pytest

import gonextdoor as gnd

pytest.importorskip("llvmlite", reason="no llvmlite for this Python")

GRAPH = corpus.graph(weighted=True)
BY_ID = np.empty(int(GRAPH.edge_ids.max()) + 1, np.int64)  # both directions of an edge have one id and one time
BY_ID[GRAPH.edge_ids] = GRAPH.times


def late(ctx, edge, dst):
    return ctx.time(edge) + 51


def late_by_array(ctx, edge, dst):
    return ctx.times[edge] + 51


def highest(ctx):
    return 101


def first_edge(ctx):
    i = ctx.below(0, ctx.degree(ctx.transit))
    best = ctx.time(ctx.edge(ctx.transit, i))
    return ctx.neighbor(ctx.transit, max(0, min(i, best)))


def first_edge_by_array(ctx):
    i = ctx.below(0, ctx.degree(ctx.transit))
    best = ctx.times[ctx.edge(ctx.transit, i)]
    return ctx.neighbor(ctx.transit, max(0, min(i, best)))


def beyond(ctx, edge, dst):
    return ctx.time(ctx.edge(dst, ctx.degree(dst)))


APPS = {
    "in one pass": ({"edge_bias": late}, {"edge_bias": late_by_array}),
    "by proposals": ({"edge_bias": late, "bound": highest}, {"edge_bias": late_by_array, "bound": highest}),
    "of a chosen vertex": ({"next": first_edge}, {"next": first_edge_by_array}),
    "several picks": ({"edge_bias": late, "sample_size": [2, 2]}, {"edge_bias": late_by_array, "sample_size": [2, 2]}),
}


@pytest.mark.parametrize("name", APPS)
def test_times_are_those_of_the_graph(name):
    agree(name, "cpu")


@pytest.mark.parametrize("name", ["in one pass", "by proposals", "of a chosen vertex"])
@pytest.mark.usefixtures("gpu")
def test_times_are_those_of_the_graph_on_a_gpu(name):
    agree(name, "cuda")


def agree(name, device):
    """An app that reads times samples what the app samples that reads them from an array."""
    ours, theirs = APPS[name]
    # Samples follow the bound, and the two hooks do not get the same one by inference.
    options = {"bound": None} | ({} if "sample_size" in ours else {"steps": 5})
    samples = [
        gnd.sample(GRAPH, app, range(180), seed=4, device=device, edges=True)
        for app in (gnd.App(**options | ours), gnd.App(**options | theirs, arrays={"times": BY_ID}))
    ]
    assert np.array_equal(samples[0].values, samples[1].values)
    assert np.array_equal(samples[0].edges, samples[1].edges)


def hundred(ctx):
    return 100


def test_the_bound_of_a_time_is_the_largest_one_of_the_graph(no_tables):
    assert GRAPH.times.max() == 49
    app = gnd.App(edge_bias=late, steps=3)
    assert gnd.explain(GRAPH, app).bound == "inferred: 100"
    inferred = gnd.sample(GRAPH, app, range(180), seed=2)
    written = gnd.sample(GRAPH, gnd.App(edge_bias=late, bound=hundred, steps=3), range(180), seed=2)
    assert np.array_equal(inferred.values, written.values)


def after(ctx, edge, dst):
    if ctx.step == 0:
        return 1
    return ctx.time(edge) > ctx.time(ctx.prev_edge)


def linear(ctx, edge, dst):
    """The rank of an edge in TemporalWalk: one for each edge that is as far in time, ties in the order of the row."""
    if ctx.step > 0 and ctx.time(edge) <= ctx.time(ctx.prev_edge):
        return 0
    rank = 0
    before = True
    for i in range(ctx.degree(ctx.transit)):
        other = ctx.edge(ctx.transit, i)
        before = before and other != edge
        if ctx.time(other) > ctx.time(edge) or (ctx.time(other) == ctx.time(edge) and not before):
            rank += 1
    return rank


@pytest.mark.parametrize(("hook", "bias"), [(after, "uniform"), (linear, "linear")])
def test_a_walk_of_ones_own_has_the_distribution_of_temporal_walk(hook, bias):
    draws = np.random.default_rng(2)
    src, dst = draws.integers(0, 5, (2, 24))  # parallel edges and loops, several edges at one time
    graph = gnd.Graph.from_edges(src, dst, times=draws.integers(0, 9, 24), num_vertices=5)
    root, repeat = int(graph.degrees().argmax()), 100_000
    ours = gnd.sample(graph, gnd.App(edge_bias=hook, steps=3), [root], repeat=repeat, seed=1, edges=True, device="cpu")
    theirs = gnd.sample(graph, gnd.apps.TemporalWalk(3, bias=bias), [root], repeat=repeat, seed=2, edges=True)
    walks = [np.ravel_multi_index((edges + 1).T, (25, 25, 25)) for edges in (ours.edges, theirs.edges)]
    counts = [np.bincount(w, minlength=25**3) / repeat for w in walks]
    assert (counts[1] > 0).sum() > 15
    assert np.abs(counts[0] - counts[1]).sum() / 2 < 0.02


def last(ctx, edge, dst):
    if ctx.step == 0:
        return 1
    return 1 + (ctx.edge_id(ctx.prev_edge) + dst) % 3 + (2 if edge == ctx.prev_edge else 0)


@pytest.mark.parametrize("options", [{"steps": 4}, {"sample_size": [3, 2]}, {"steps": 3, "bound": highest}])
def test_the_previous_edge_is_the_recorded_one(options):
    def noted(ctx, edge, dst):
        return dst if ctx.step == 0 or ctx.edge_id(ctx.prev_edge) >= 0 else ctx.transit

    samples = gnd.sample(GRAPH, gnd.App(edge_bias=last, update=noted, **options), range(50), seed=4, edges=True)
    again = gnd.sample(GRAPH, gnd.App(edge_bias=last, **options), range(50), seed=4, edges=True, threads=1)
    assert np.array_equal(samples.values, again.values) and np.array_equal(samples.edges, again.edges)


def always(ctx, edge, dst):
    return ctx.time(ctx.prev_edge) > 0


def test_a_root_has_no_previous_edge():
    with pytest.raises(IndexError, match="edge out of range"):
        gnd.sample(GRAPH, gnd.App(edge_bias=always, steps=2), [0], seed=1, device="cpu")


def some(ctx, v):
    return 1 + v % 3


def onwards(ctx, edge, dst):
    return 1 if edge == ctx.prev_edge else 4


KINDS = {
    "walks": {"steps": 9},
    "walks with a bound": {"steps": 9, "bound": highest},
    "walks that end": {"edge_bias": after, "steps": gnd.INF},
    "several walkers": {"steps": 4, "roots": 3},
    "pools": {"edge_bias": onwards, "steps": 5, "roots": 3, "vertex_bias": some},
    "trees": {"sample_size": [3, 2]},
}


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("options", KINDS.values(), ids=KINDS)
def test_the_previous_edge_is_the_same_on_a_gpu(options):
    options = dict(options)
    roots = np.arange(60).reshape(-1, options.pop("roots", 1)) % GRAPH.num_vertices
    app = gnd.App(**{"edge_bias": last, **options})
    there, here = (gnd.sample(GRAPH, app, roots, seed=4, edges=True, device=device) for device in ("cuda", "cpu"))
    assert there.device == "cuda:0"
    assert np.array_equal(there.values, here.values) and np.array_equal(there.edges, here.edges)


def test_a_graph_without_times_is_refused():
    app = gnd.App(edge_bias=late, steps=2)
    for call in (gnd.sample, gnd.explain):
        with pytest.raises(ValueError, match=r"read ctx.time\(edge\), and its edges have no times"):
            call(corpus.directed(), app, [0])


def test_the_time_of_no_edge_is_an_error():
    with pytest.raises(IndexError, match="edge out of range"):
        gnd.sample(GRAPH, gnd.App(edge_bias=beyond, steps=2), [0], seed=1, device="cpu")
