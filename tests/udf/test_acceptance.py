"""The estimate of whether an inferred bound pays: the values of probes, the estimate, and the apps that it decides."""

from __future__ import annotations

import json

import bound_fuzzer
import numpy as np
import oracle
import pytest
from agreement import EDGES, GRAPHS
from gonextdoor._core import native
from gonextdoor.udf.bound import acceptance
from gonextdoor.udf.bound.graphfacts import GraphFacts
from oracle_numbers import I64, Edge, faults, guarded_range
from oracle_view import Ctx, Transit

import gonextdoor as gnd

pytestmark = pytest.mark.usefixtures("no_tables")
VERTICES = 1 << 10
GRAPH = gnd.rmat(10, 16, seed=1)
SPARSE = gnd.Graph.from_edges(np.arange(60).repeat(2), (np.arange(120) * 7 + 1) % 60)


def by_attribute(ctx, edge, dst):
    return ctx.attribute[dst]


def near(ctx, edge, dst):
    if ctx.prev == gnd.NULL:
        return 1.0
    return 1.0 if dst == ctx.prev else 3.0 if ctx.has_edge(ctx.prev, dst) else 0.5


def spread(largest: float, vertices: int = VERTICES) -> dict[str, np.ndarray]:
    values = np.ones(vertices)
    values[vertices // 2] = largest
    return {"attribute": values}


def bound(graph: gnd.Graph, largest: float) -> str:
    app = gnd.App(edge_bias=by_attribute, steps=4, arrays=spread(largest, graph.num_vertices))
    return gnd.explain(graph, app, device="cpu").bound or ""


def test_a_loose_bound_is_not_used() -> None:
    assert bound(GRAPH, 1.0) == "inferred: 1.0" and bound(GRAPH, 1.9) == "inferred: 1.9"
    text = bound(GRAPH, 10_000.0)
    assert text.startswith("measured: the largest edge_bias of each row; not inferred, since of proposals under")
    assert "under 10000.0 about 0.0001 would be accepted" in text


def test_second_order_walks_are_estimated() -> None:
    app = gnd.App(edge_bias=near, steps=4)
    assert gnd.explain(GRAPH, app).bound == "inferred: 1.0 if ctx.prev == -1 else 3.0"
    facts = GraphFacts(GRAPH, {}, {}, 4, False)
    found = acceptance.acceptance(app._functions["edge_bias"], acceptance.tree.Constant("float", 3.0), facts)
    assert found is not None and 0.5 / 3 < found[0] < 0.99
    assert gnd.explain(SPARSE, app).selector == "Reservoir"


def test_a_probe_that_no_walk_reaches_is_no_error() -> None:
    def by_previous(ctx, edge, dst):
        if ctx.step == 0:
            return 1.0
        return 1.0 / ctx.degree(ctx.prev)

    def by_next_array(ctx, edge, dst):
        if ctx.prev == gnd.NULL or ctx.prev >= 2:
            return 1.0
        return ctx.attribute[ctx.prev]

    star = gnd.Graph.from_edges([0] * 20 + [1] * 20, [1, *range(2, 21), 0, *range(21, 40)])  # most vertices are sinks
    assert gnd.explain(star, gnd.App(edge_bias=by_previous, steps=3)).selector == "Reject(4+d/16), Reservoir"
    app = gnd.App(edge_bias=by_next_array, steps=3, arrays={"attribute": np.ones(2)})
    assert gnd.explain(star, app).selector == "Reject(4+d/16), Reservoir"
    assert gnd.sample(star, app, seed=1).numpy().shape == (40, 4)


def test_short_rows_need_a_tight_bound() -> None:
    assert bound(SPARSE, 1.0) == "inferred: 1.0"
    assert bound(SPARSE, 2.0).startswith("none: of proposals under 2.0 about 0.5")
    assert bound(GRAPH, 1.9) == "inferred: 1.9"


def test_the_tighter_of_two_bounds_is_used() -> None:
    text = bound(GRAPH, 8.0)
    assert text.startswith("measured: the largest edge_bias of each row; not inferred, since of proposals under 8.0")
    assert text.endswith("about 0.12 would be accepted")
    even = {"attribute": np.where(np.arange(VERTICES) % 2, 9.0, 1.0)}  # most rows have an end point of each kind
    app = gnd.App(edge_bias=by_attribute, steps=4, arrays=even)
    assert gnd.explain(GRAPH, app, device="cpu").bound == "inferred: 9.0"

    def by_previous(ctx, edge, dst):  # depends on the walk: it would be measured for each value of the condition
        return 0.1 if ctx.prev == gnd.NULL or dst != ctx.prev else 1.0

    assert gnd.explain(GRAPH, gnd.App(edge_bias=by_previous, steps=4)).bound == "inferred: 1.0"


@pytest.mark.parametrize("largest", [1.0, 2.0, 50.0])
def test_the_estimate_is_the_share_that_is_accepted(largest: float) -> None:
    app = gnd.App(edge_bias=by_attribute, steps=4, arrays=spread(largest))
    facts = GraphFacts(GRAPH, {}, app.arrays, 4, False)
    most = acceptance.tree.Constant("float", largest)
    found = acceptance.acceptance(app._functions["edge_bias"], most, facts)
    values = app.arrays["attribute"][GRAPH.indices] / largest
    assert found is not None and abs(found[0] - values.mean()) < 0.1


def test_the_work_of_proposals() -> None:
    assert acceptance._work([100], 1.0) == acceptance.PROPOSAL - 100
    assert acceptance._work([100], 0.0) == 10 * acceptance.PROPOSAL
    assert acceptance._work([64, 64], 0.5) == pytest.approx(
        2 * (2 * acceptance.PROPOSAL * (1 - 2**-8) + 64 * 2**-8 - 64)
    )


def test_hooks_that_probes_do_not_know_have_their_bound() -> None:
    def of_edge(ctx, edge, dst):
        return 1.0 if ctx.step == 0 or ctx.label(edge) != ctx.label(ctx.prev_edge) else 0.001

    def loops(ctx, edge, dst):
        n = 0
        for i in range(65):
            n = min(n + i, 3)
        return 1.0 + min(max(n, 0), 3) / 1000.0

    for hook, most in ((of_edge, "1.0 if ctx.step == 0 else 0.001"), (loops, "1.003")):
        assert gnd.explain(GRAPH, gnd.App(edge_bias=hook, steps=4)).bound == f"inferred: {most}"


def test_probes_are_choices_of_the_graph() -> None:
    for graph, _ in GRAPHS.values():
        found = json.loads(native.call("GraphProbes", graph._held.number, 20, 0))
        assert len(found) == 20
        for probe in found:
            row = graph.neighbors(probe["transit"])
            assert probe["dst"] in row and probe["prev"] in row and probe["transit_degree"] == len(row)
            assert probe["near"] == graph.has_edge(probe["prev"], probe["dst"])
            place = np.flatnonzero(graph.edge_ids == probe["edge_id"])[0]
            assert graph.indices[place] == probe["dst"] and graph.labels[place] == probe["label"]


def compared(seed: int) -> int:
    """Compares the biases of probes by a random hook with plain Python, and returns how many are known."""
    kind = ("weighted", "plain", "dense")[seed % 3]
    (graph, rows), spec = GRAPHS[kind], bound_fuzzer.spec(seed, EDGES)
    app = spec.app()
    facts = GraphFacts(graph, app.params, app.arrays, 3, False)
    hook = oracle.prepared(spec.hooks["edge_bias"])
    known = 0
    for number, probe in enumerate(json.loads(native.call("GraphProbes", graph._held.number, 20, 0))):
        run = acceptance.Probe(app._functions["edge_bias"], probe, number, facts)
        try:
            got = run.result()
        except (acceptance.UnknownError, ArithmeticError, IndexError, ValueError):
            continue
        place = int(np.flatnonzero(graph.edge_ids == probe["edge_id"])[0])
        sampled = oracle.Sampled(spec, rows, 1, 0, 0, [probe["prev"]])
        sampled.vertices, sampled.ends = [probe["prev"], probe["transit"]], [1, 2]
        ctx = Ctx(sampled, 1, Transit(probe["transit"], probe["prev"]), run.key, 0)
        faults.clear()
        guarded_range.rounds = 0  # type: ignore[attr-defined]
        want = hook(ctx, Edge(place), I64(probe["dst"]))
        assert faults or got == want, (seed, number)
        known += not faults
    return known


def test_probes_have_the_values_of_plain_python() -> None:
    assert sum(compared(seed) for seed in range(100)) > 400
