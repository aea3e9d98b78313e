"""gonextdoor.explain: what it says is what a call does, and it refuses what a call refuses."""

from __future__ import annotations

import json

import corpus
import numpy as np
import pytest
from gonextdoor._core import native

import gonextdoor as gnd


@pytest.mark.parametrize("app", corpus.APPS, ids=corpus.names)
def test_every_app_is_explained_as_it_runs(app: gnd.apps.SamplingApp) -> None:
    graph = corpus.graph()
    plan = gnd.explain(graph, app, 3, device="cpu")
    assert (plan.app, plan.device, plan.samples) == (type(app).__name__, "cpu", 3)
    assert plan.selector == native.call("AppSelector", app._planned().number, graph._held.number)
    assert plan.device_bytes == plan.transfer_seconds == 0
    samples = gnd.sample(graph, app, 3, seed=1, device="cpu")
    after = gnd.explain(graph, app, 3, device="cpu")
    assert [table.name for table in after.tables] == [table.name for table in plan.tables]
    assert all(table.built for table in after.tables if not table.when), after
    width = app.width(samples.roots.shape[1] if samples.roots.ndim > 1 else 1)
    if width is not None:
        assert plan.result_bytes == samples.numpy().nbytes
    assert json.loads(json.dumps(plan.to_dict()))["driver"] == plan.driver


def test_it_builds_and_uploads_nothing() -> None:
    graph = gnd.rmat(8, 4, weights=(1.0, 5.0), seed=1)
    apps = gnd.apps.DeepWalk(9), gnd.apps.Walk("degree", 9), gnd.apps.Node2Vec(2, 0.5, 9), gnd.apps.FastGCN([5])
    for _ in range(2):
        for app in apps:
            plan = gnd.explain(graph, app, 10_000, device="cpu")
            assert plan.tables and not any(table.built for table in plan.tables), plan
            assert plan.tables_seconds > 0
    assert graph.device_bytes == {}


def test_an_app_of_the_user_s_own_is_not_compiled() -> None:
    def edge_bias(ctx, edge, dst):  # type: ignore[no-untyped-def]
        return 0.5 if dst == ctx.prev else ctx.weight(edge)

    app = gnd.App(edge_bias=edge_bias, steps=4)
    plan = gnd.explain(gnd.rmat(6, 4, weights=(1.0, 5.0), seed=1), app, 5, device="cpu")
    assert "weights as 64-bit numbers" in [table.name for table in plan.tables]
    assert "_compiled" not in app.__dict__ and plan.choices == 20


def test_small_floats_as_biases_become_equal() -> None:
    """As the plan tells: two edges whose biases are 1e-7 and 1e-5, both below 2^-16, are taken equally often."""

    def tiny(ctx, edge, dst):  # type: ignore[no-untyped-def]
        return 1e-7 if dst == 1 else 1e-5

    def whole(ctx, edge, dst):  # type: ignore[no-untyped-def]
        return 1 if dst == 1 else 100

    graph = gnd.Graph.from_edges([0, 0], [1, 2])
    plan = gnd.explain(graph, gnd.App(edge_bias=tiny, steps=1), [0], device="cpu")
    assert plan.biases and "positive ones below 2^-16 become equal" in str(plan)
    assert gnd.explain(graph, gnd.App(edge_bias=whole, steps=1), [0], device="cpu").biases is None
    assert gnd.explain(graph, gnd.apps.DeepWalk(1), [0], device="cpu").biases is None
    for hook, share in ((tiny, 1 / 2), (whole, 1 / 101)):
        ends = gnd.sample(graph, gnd.App(edge_bias=hook, steps=1), [0], repeat=4000, seed=1, device="cpu").numpy()[:, 1]
        assert abs(float((ends == 1).mean()) - share) < 0.05


def test_the_text_has_all_of_it() -> None:
    text = str(gnd.explain(corpus.graph(), gnd.apps.DeepWalk(9), 10, device="cpu", repeat=2))
    words = [line.split()[0] for line in text.splitlines()]
    assert words == ["app", "selector", "driver", "device", "samples", "choices", "table", "time", "memory"]
    assert "the CPU, as device says" in text and "20" in text
    endless = gnd.explain(corpus.graph(), gnd.apps.Snowball(2), 1, device="cpu")
    assert endless.samples == 1 and "unknown" not in str(endless)


def test_it_does_not_change() -> None:
    plan = gnd.explain(corpus.graph(), gnd.apps.DeepWalk(9), 10)
    with pytest.raises(AttributeError):
        plan.device = "cuda:7"  # type: ignore[misc]
    assert plan == gnd.explain(corpus.graph(), gnd.apps.DeepWalk(9), 10)


def test_auto_without_a_gpu_that_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GONEXTDOOR_DEVICE", raising=False)
    plan = gnd.explain(corpus.graph(), gnd.apps.DeepWalk(9), 10)
    assert plan.device == "cpu"
    assert plan.why.startswith("the CPU: estimated ") and "; the GPU " in plan.why, plan.why
    monkeypatch.setenv("GONEXTDOOR_DEVICE", "cpu")
    assert "GONEXTDOOR_DEVICE" in gnd.explain(corpus.graph(), gnd.apps.DeepWalk(9), 10).why


@pytest.mark.parametrize(
    ("app", "given"),
    [
        (gnd.apps.DeepWalk(5), {"roots": [10_000]}),
        (gnd.apps.DeepWalk(5), {"roots": [[1, 2]]}),
        (gnd.apps.DeepWalk(5), {"roots": -1}),
        (gnd.apps.DeepWalk(5), {"roots": "a"}),
        (gnd.apps.DeepWalk(5), {"repeat": 0}),
        (gnd.apps.DeepWalk(5), {"threads": 0}),
        (gnd.apps.DeepWalk(5), {"device": "gpu"}),
        (gnd.apps.DeepWalk(5, weighted=True), {}),
        (gnd.apps.Walk("weight", 5), {}),
        (gnd.apps.MetaPath([1], 5), {}),
        (gnd.apps.Layer(bias="weight"), {}),
        (gnd.apps.RandomNode(5), {"roots": [1]}),
        (gnd.apps.MVS(2, [2], scores=np.ones(3)), {}),
        ("DeepWalk", {}),
    ],
)
def test_refusals_are_those_of_sample(app: gnd.apps.SamplingApp, given: dict[str, object]) -> None:
    graph = gnd.rmat(5, 4, seed=1)
    with pytest.raises((TypeError, ValueError, IndexError)) as of_sample:
        gnd.sample(graph, app, **given)  # type: ignore[arg-type]
    with pytest.raises(type(of_sample.value)) as of_explain:
        gnd.explain(graph, app, **given)  # type: ignore[arg-type]
    assert str(of_explain.value) == str(of_sample.value)


@pytest.mark.usefixtures("gpu")
def test_a_gpu_s_plan() -> None:
    graph = gnd.rmat(8, 4, weights=(1.0, 5.0), seed=1)
    for app in (gnd.apps.DeepWalk(5), gnd.apps.Walk("degree", 5)):  # whose tables are not shared
        before = gnd.explain(graph, app, 10, device="cuda")
        assert before.device == "cuda:0" and "as device says" in before.why
        assert not any(table.built for table in before.tables if table.name not in ("Rows", "IDs")), before
        held = sum(graph.device_bytes.values())
        missing = sum(table.bytes for table in before.tables if not table.built)
        gnd.sample(graph, app, 10, device="cuda").numpy()
        after = gnd.explain(graph, app, 10, device="cuda")
        assert all(table.built for table in after.tables), after
        assert sum(table.bytes for table in after.tables) >= missing
        assert sum(graph.device_bytes.values()) > held
