"""Graphs that exceed the memory of GPUs, and apps that do not run on a part of a graph: the CPU makes the samples."""

import os
import pathlib
import subprocess
import sys

import pytest

pytestmark = pytest.mark.usefixtures("two_gpus")

HEAD = """
import numpy as np
import gonextdoor as gnd

rows = gnd.rmat(10, 6, weights=(1.0, 3.0), seed=2)
order = np.arange(rows.num_edges)
mixed = np.random.default_rng(1).permutation(order)  # the graph has ids of edges
sources = np.repeat(np.arange(1024), rows.degrees())
more = {"weights": rows.weights[mixed], "labels": order % 3, "times": order % 50}
graph = gnd.Graph.from_edges(sources[mixed], rows.indices[mixed], **more)


def near(ctx, edge, dst):
    if ctx.prev == gnd.NULL:
        return ctx.weight(edge)
    return ctx.weight(edge) * (2.0 if ctx.has_edge(ctx.prev, dst) else 1.0)


walk = gnd.apps.Node2Vec(p=2, q=1, length=5, weighted="computed")
timed = gnd.apps.TemporalWalk(5, bias="linear", strict=False, start=10, end=40)
own = [gnd.App(edge_bias=near, steps=4), gnd.App(edge_bias=near, steps=2, sample_size=[3, 2], record="induced")]
APPS = [walk, *own, timed]


def same(there, here):
    for name in ("values", "offsets", "lengths", "edges") if here.has_edges else ("values", "offsets", "lengths"):
        assert np.array_equal(getattr(there, name), getattr(here, name)), name
"""


@pytest.fixture
def program(tmp_path):
    """A function that runs a program on GPUs that have less memory for graphs than the graph needs, for its output."""

    def run(text: str, limit: str = "25KB", **more: str) -> str:
        file = tmp_path / "program.py"  # hooks need the source
        file.write_text(HEAD + text)
        path = os.pathsep.join([str(pathlib.Path(__file__).parent), *sys.path])
        environment = {**os.environ, "GONEXTDOOR_DEVICE_MEMORY": limit, "PYTHONPATH": path, **more}
        done = subprocess.run([sys.executable, str(file)], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_the_samples_are_those_of_the_cpu_and_stay_on_the_gpu(program):
    text = """
import consumer
for app in APPS:
    for options in ({}, {"dtype": "int64"}, {"edges": True}, {"roots": 40}, {"roots": [[1], [5]], "first_id": 7}):
        there, here = (gnd.sample(graph, app, seed=4, repeat=2, device=on, **options) for on in ("cuda", "cpu"))
        assert (there.device, there.drawn_on, here.drawn_on) == ("cuda:0", "cpu", "cpu")
        array = there.on_device.vertices
        assert np.array_equal(consumer.ImportedTensor(array).numpy(), array.numpy())
        same(there, here)
    roots = consumer.OnCard(np.arange(50, dtype=np.int32))
    there, here = (gnd.sample(graph, app, r, seed=4, device=on) for r, on in ((roots, "cuda"), (range(50), "cpu")))
    assert there.drawn_on == "cpu"
    same(there, here)
many = np.arange(1 << 15) % 1024  # uploaded by the first call on a GPU; later calls leave them on the host
here = gnd.sample(graph, walk, many, seed=4, device="cpu")
for on in ("cuda", "cuda", ["cuda:0", "cuda:1"], ["cuda:0", "cuda:1"]):
    same(gnd.sample(graph, walk, many, seed=4, device=on), here)
assert not graph.device_bytes
"""
    program(text, "9KB")


def test_visits_and_end_points(program):
    text = """
for app in APPS:
    for count in (gnd.visit_counts, gnd.end_points):
        there, here = (count(graph, app, seed=4, repeat=2, device=on) for on in ("cuda", "cpu"))
        assert np.array_equal(there, here)
"""
    program(text)


def test_scores_of_personalised_pagerank(program):
    text = """
plain = gnd.rmat(10, 6, seed=2)
for g in (graph, plain):
    for options in ({"walks": 500}, {"error": 0.05}, {"walks": 300, "top_k": 5, "sinks": "stop"}):
        there, here = (gnd.personalized_pagerank(g, [1, 2, 7], seed=4, device=on, **options) for on in ("cuda", "cpu"))
        assert there.device == "cpu"
        for name in ("indptr", "indices", "visits", "visitors", "total_visits", "values", "bound"):
            assert np.array_equal(getattr(there, name), getattr(here, name)), name
"""
    program(text, "9KB")


def test_several_gpus_that_cannot_share_the_graph(program):
    text = """
two = ["cuda:0", "cuda:1"]
for app in APPS:
    there, here = (gnd.sample(graph, app, seed=4, edges=True, device=on) for on in (two, "cpu"))
    assert (there.device, there.drawn_on, len(there.shards)) == ("cuda:0,cuda:1", "cpu", 2)
    same(there, here)
    same(there.on("cuda:1"), here)
    assert there.on("cuda:1").drawn_on == "cpu" and there.shards[1].device == "cuda:1"
    assert np.array_equal(gnd.visit_counts(graph, app, seed=4, device=two), here.visit_counts())
print(gnd.explain(graph, walk, device=two).why)
"""
    why = program(text, "9KB")
    assert "the graph is not split over cuda:0,cuda:1" in why
    assert "the CPU makes the samples, which are copied to the GPU" in why


def test_a_graph_that_gpus_share_is_sampled_by_them(program):
    if os.environ.get("GONEXTDOOR_TEST_DEVICE") == "cuda":
        pytest.skip("the memory of a GPU is divided into pages of 2 MiB, which are larger than this graph")
    text = """
on_gpus = {"order": "sample"}  # without an order the CPU makes small calls on a split graph
there, here = (gnd.sample(graph, walk, seed=4, device=on, plan=on_gpus) for on in (["cuda:0", "cuda:1"], "cpu"))
assert there.drawn_on == "cuda:0,cuda:1", there.drawn_on
same(there, here)
app = APPS[1]
assert gnd.sample(graph, app, seed=4, device="cuda").drawn_on == "cpu"  # one of them, which undoes the split
graph.place(["cuda:0", "cuda:1"])
there, here = (gnd.sample(graph, app, seed=4, device=on, plan=on_gpus) for on in ("cuda", "cpu"))
assert there.drawn_on == "cuda:0", there.drawn_on
same(there, here)
graph.place(None)
there = gnd.sample(graph, app, seed=4, device="cuda")
assert there.drawn_on == "cpu"
same(there, here)
"""
    program(text, "120KB", GONEXTDOOR_HOST_GRANULARITY="4096")


def test_edge_ids_may_be_what_exceeds_the_memory(program):
    text = """
def again(ctx, edge, dst):
    return 2.0 if ctx.prev == gnd.NULL or ctx.has_edge(ctx.prev, dst) else 1.0


app = gnd.App(edge_bias=again, steps=4)
for edges, device in ((False, "cuda:0"), (True, "cpu"), (False, "cuda:0")):
    there, here = (gnd.sample(graph, app, seed=4, edges=edges, device=on) for on in ("cuda", "cpu"))
    assert there.drawn_on == device
    same(there, here)
"""
    program(text, "65KB")


def test_layouts_that_fit_but_cannot_be_built(program):
    text = """
app = APPS[1]
there, here = (gnd.sample(graph, app, seed=4, edges=False, device=on) for on in ("cuda", "cpu"))
assert gnd.explain(graph, app, device="cuda").tables[0].name == "Rows"
assert there.drawn_on == "cpu", there.drawn_on
same(there, here)
"""
    program(text, "140KB")


def test_files_tell_which_device_made_the_choices(program, tmp_path):
    text = f"""
path = {str(tmp_path / "walks.npz")!r}
samples = gnd.sample(graph, walk, seed=4, device="cuda")
samples.save(path)
assert gnd.Samples.load(path).device == "cpu"
import pickle
assert pickle.loads(pickle.dumps(samples)).drawn_on == "cpu"
"""
    program(text)


def test_explain_and_auto(program):
    text = """
for app in APPS:
    plan = gnd.explain(graph, app, device="cuda")
    assert plan.device == "cuda:0"
    assert plan.device_bytes == plan.result_bytes
    print(plan.why)
    plan = gnd.explain(graph, app)
    assert plan.device == "cpu"
assert gnd.sample(graph, walk).device == "cpu"
there = gnd.sample(graph, gnd.apps.DeepWalk(5, weighted=False), device="cuda", plan={"order": "transit"})
assert there.drawn_on == "cuda:0"
"""
    first, *others, last = program(text, GONEXTDOOR_DEVICE="auto").splitlines()
    assert "GONEXTDOOR_DEVICE_MEMORY" in first
    assert first.endswith("not run on a part of a graph: a choice reads the rows of two vertices together")
    assert last.endswith(
        "TemporalWalk does not run on a part of a graph: walks with a start or an end search all times"
    )
    assert len(others) == 2
    assert all(line.endswith("App does not run on a part of a graph: its hooks may read any row") for line in others)


def test_an_interrupt_ends_the_cpus_work(program):
    text = """
import _thread, threading, time
gnd.sample(graph, walk, [0], device="cuda")
threading.Timer(0.2, _thread.interrupt_main).start()
began = time.monotonic()
try:
    gnd.sample(graph, gnd.apps.Node2Vec(p=100, q=0.01, length=1000, weighted="computed"), repeat=200, device="cuda")
except KeyboardInterrupt:
    print(time.monotonic() - began)
same(*(gnd.sample(graph, walk, seed=1, device=on) for on in ("cuda", "cpu")))
"""
    assert float(program(text)) < 2


def test_what_is_refused(program):
    text = """
try:
    gnd.sample(graph, walk, device="cuda:9")
except gnd.DeviceError as error:
    print(error)
"""
    assert program(text, "9KB").startswith("device = 'cuda:9'")
