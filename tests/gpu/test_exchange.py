"""Walks on a split graph whose steps are made by the GPU that has the vertex: the samples are those of the CPU."""

import concurrent.futures
import ctypes
import os

import consumer
import corpus
import numpy as np
import pytest

import gonextdoor as gnd

BOTH = ["cuda:0", "cuda:1"]
APPS = [
    gnd.apps.DeepWalk(7),
    gnd.apps.DeepWalk(7, weighted=False),
    gnd.apps.Walk(bias="degree", length=5),
    gnd.apps.Node2Vec(p=2, q=0.5, length=6),
    gnd.apps.Node2Vec(p=0.01, q=1, length=6, weighted=False),
    gnd.apps.NonBacktracking(6),
    gnd.apps.Restart(6, 0.3),
    gnd.apps.Jump(6, 0.3),
    gnd.apps.MetropolisHastings(6),
    gnd.apps.MetaPath([0, 1, 1], length=6, weighted=False),
]
ROOTS = [(None, 3), (40, 2), ([3, 5, 7], 33), ([9], 50), ([4], 1)]

pytestmark = pytest.mark.usefixtures("two_gpus")


@pytest.fixture(scope="module")
def graph(gpus):
    """A graph with sinks whose first rows are on the second GPU, without replicas."""
    if len(gpus) < 2:
        pytest.skip("this machine has one GPU")
    made = corpus.graph(weighted=True, symmetric=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GONEXTDOOR_DEVICE_REPLICAS", "0")
        made.place(BOTH[::-1])
        yield made
    made.place(None)


def drawn(graph, app, device, order=None, **given):
    plan = None if order is None else {"order": order}
    return gnd.sample(graph, app, seed=4, first_id=9, device=device, plan=plan, **given)


@pytest.mark.parametrize("order", ["transit", "sample"])
@pytest.mark.parametrize("app", APPS, ids=repr)
def test_exchanged_walks_are_those_of_the_cpu(graph, app, order):
    for roots, repeat in ROOTS:
        here = drawn(graph, app, "cpu", roots=roots, repeat=repeat, edges=True)
        there = drawn(graph, app, BOTH, order, roots=roots, repeat=repeat, edges=True)
        assert np.array_equal(there.numpy(), here.numpy())
        assert np.array_equal(there.edges, here.edges)
        assert np.array_equal(there.roots, here.roots)
        assert np.array_equal(there.visit_counts(), here.visit_counts())


@pytest.mark.parametrize("order", ["transit", "sample"])
def test_each_gpu_gets_the_roots_of_its_rows(graph, order):
    roots = np.random.default_rng(1).integers(0, graph.num_vertices, 17_001)
    for repeat in (1, 3):
        here = drawn(graph, APPS[0], "cpu", roots=roots, repeat=repeat)
        there = drawn(graph, APPS[0], BOTH, order, roots=roots, repeat=repeat)
        assert np.array_equal(there.numpy(), here.numpy())


def test_exchanged_walks_stay_in_shards(graph):
    here = drawn(graph, APPS[0], "cpu", repeat=3, dtype=np.int64)
    there = drawn(graph, APPS[0], BOTH, "transit", repeat=3, dtype=np.int64)
    first, second = there.shards
    assert [first.device, second.device] == BOTH
    assert (first.first_id, second.first_id) == (9, 9 + len(first))
    assert np.array_equal(np.concatenate([first.numpy(), second.numpy()]), here.numpy())
    assert np.array_equal(there.on("cuda:1").numpy(), here.numpy())


def test_the_order_decides_which_gpu_makes_a_step(graph):
    """An exchange starts a kernel per step and GPU, and other calls one per GPU."""
    if os.environ.get("GONEXTDOOR_TEST_DEVICE") == "cuda":
        pytest.skip("only the emulated driver counts launches")
    driver = consumer.driver()
    driver.emulated_get.restype = ctypes.c_longlong

    def launches(order):
        drawn(graph, APPS[1], BOTH, order).numpy()  # builds tables
        before = driver.emulated_get(b"launches")
        drawn(graph, APPS[1], BOTH, order).on("cuda:0").numpy()  # waits for the launches of both GPUs
        return driver.emulated_get(b"launches") - before

    assert launches("transit") >= 2 * APPS[1].length > launches("sample")


def test_explain_shows_the_exchange():
    graph = gnd.rmat(12, 16, seed=1)
    graph.place(BOTH)
    shown = {roots: gnd.explain(graph, APPS[0], repeat=roots, device=BOTH) for roots in (1, 300)}
    assert [shown[roots].remote for roots in (1, 300)] == ["peers", "exchange"]
    assert "the GPU that has the vertex makes each step" in str(shown[300])
    assert gnd.explain(graph, gnd.apps.PPR(0.3), repeat=300, device=BOTH).remote == "peers"
    assert gnd.explain(graph, APPS[0], repeat=300, device=BOTH[0]).remote == "peers"
    graph.place(None)


def test_threads_exchange_walks_at_the_same_time(graph):
    expected = {repr(app): drawn(graph, app, "cpu", repeat=2).numpy() for app in APPS}
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        calls = [(app, pool.submit(drawn, graph, app, BOTH, "transit", repeat=2)) for app in APPS * 3]
        for app, call in calls:
            assert np.array_equal(call.result().numpy(), expected[repr(app)])
