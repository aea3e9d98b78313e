"""Trees of given fan-outs in GPU memory equal those of the CPU."""

from __future__ import annotations

import consumer
import corpus
import numpy as np
import pytest

import gonextdoor as gnd

pytestmark = pytest.mark.usefixtures("gpu")

TREES = [
    gnd.apps.KHop([3, 2]),
    gnd.apps.KHop([4, 2], replace=True),
    gnd.apps.KHop([3, 2], weighted=True),
    gnd.apps.KHop([2, 3], replace=True, weighted=True),
    gnd.apps.Neighbor([40, 2], bias="degree"),
]


@pytest.mark.parametrize("app", TREES, ids=repr)
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_trees_are_as_on_the_cpu(app: gnd.apps.SamplingApp, dtype: type) -> None:
    graph, roots = corpus.graph(weighted=True), [[3, 4], [5, 6], [7, 0]]
    there, here = (
        gnd.sample(graph, app, roots, seed=4, repeat=12, edges=True, dtype=dtype, device=device)
        for device in ("cuda", "cpu")
    )
    assert (there.device, here.device) == ("cuda:0", "cpu")
    taken = consumer.ImportedTensor(there)
    assert taken.strides[0] == 1
    assert np.array_equal(taken.numpy(), here)
    taken.release()
    for name in ("edges", "lengths", "roots"):
        assert np.array_equal(getattr(there, name), getattr(here, name)), name
    assert all(map(np.array_equal, there.steps, here.steps))


@pytest.mark.parametrize("order", ["sample", "transit"])
def test_the_order_changes_no_sample(order: str) -> None:
    graph, plan = corpus.graph(weighted=True), {"order": order}
    for app in TREES[:2]:
        there = gnd.sample(graph, app, seed=4, edges=True, device="cuda", plan=plan)
        here = gnd.sample(graph, app, seed=4, edges=True, device="cpu")
        assert np.array_equal(there, here) and np.array_equal(there.edges, here.edges)
        explained = gnd.explain(graph, app, device="cuda", plan=plan)
        assert explained.orders == (order, order) and f"order     {order}, {order}" in str(explained)
    assert gnd.explain(graph, TREES[0], device="cuda").orders == ("sample", "sample")
    assert gnd.explain(graph, gnd.apps.DeepWalk(4), device="cuda", plan=plan).orders == ()


@pytest.mark.parametrize("app", TREES, ids=repr)
def test_visits_of_trees(app: gnd.apps.SamplingApp) -> None:
    graph = corpus.graph(weighted=True)
    there, here = (
        gnd.visit_counts(graph, app, [[3, 4]], repeat=9, seed=4, device=device) for device in ("cuda", "cpu")
    )
    assert np.array_equal(there, here)


def test_trees_on_several_gpus(gpus: list[str]) -> None:
    there, here = (gnd.sample(corpus.graph(), TREES[0], seed=2, device=device) for device in (gpus, "cpu"))  # type: ignore[arg-type]
    assert np.array_equal(there, here)


def test_large_fanouts_without_replacement() -> None:
    star = gnd.Graph.from_edges(np.zeros(5000, int), np.arange(1, 5001))
    for fanout in (4097, 5000):
        app = gnd.apps.KHop([fanout])
        there, here = (gnd.sample(star, app, [0, 1], seed=1, device=device) for device in ("cuda", "cpu"))
        assert np.array_equal(there, here)
