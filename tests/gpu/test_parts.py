"""Graphs larger than GPU memory, which are copied to the GPU part by part."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.usefixtures("two_gpus")

HEAD = """
import numpy as np
import gonextdoor as gnd

rows = gnd.rmat(10, 6, weights=(1.0, 3.0), seed=2)
order = np.arange(rows.num_edges)
graph = gnd.Graph.from_csr(rows.indptr, rows.indices, weights=rows.weights, labels=order % 3, times=order * 7 % 50)
walk = gnd.apps.DeepWalk(7, weighted=False)


def check(app, **given):
    given |= {"seed": 4, "repeat": 2, "edges": True}
    here = gnd.sample(graph, app, device="cpu", **given)
    for plan in ({"order": "transit"}, None):  # an order is one of a GPU; without, the CPU makes most samples
        there = gnd.sample(graph, app, device="cuda", plan=plan, **given)
        assert there.device == "cuda:0" and (plan is None or there.drawn_on == "cuda:0")
        assert np.array_equal(there.numpy(), here.numpy())
        assert np.array_equal(there.edges, here.edges)
        assert np.array_equal(there.lengths, here.lengths)
    if not isinstance(app, (gnd.apps.MetropolisHastings, gnd.apps.MultiDimensionalWalk)):  # these keep the degrees
        assert not graph.device_bytes
"""


def program(text, limit):
    """The output of a program whose GPUs have less memory for graphs than the graph needs."""
    environment = {**os.environ, "GONEXTDOOR_DEVICE_MEMORY": limit}
    done = subprocess.run([sys.executable, "-c", HEAD + text], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_parts_give_the_samples_of_the_cpu():
    text = """
for app in (
    walk,
    gnd.apps.Node2Vec(p=2, q=0.5, length=5, weighted=False),
    gnd.apps.PPR(0.3, weighted=False),
    gnd.apps.Restart(6, 0.2, weighted=False),
    gnd.apps.NonBacktracking(6, weighted=False),
    gnd.apps.Node2Vec(p=0.25, q=2, length=5, weighted=False),
    gnd.apps.MetropolisHastings(6),
    gnd.apps.MetaPath([0, 2, 1], length=6, weighted=False),
    gnd.apps.MetaPath([0, 2, 1], length=6),
):
    check(app)
    check(app, dtype="int64")
for app in (walk, gnd.apps.NonBacktracking(6, weighted=False), gnd.apps.MetaPath([0, 2, 1], length=6, weighted=False)):
    for count in (gnd.visit_counts, gnd.end_points):
        there, here = (count(graph, app, seed=4, device=on) for on in ("cuda", "cpu"))
        assert np.array_equal(there, here)
"""
    program(text, "25KB")


def test_larger_parts():
    text = """
for app in (
    gnd.apps.DeepWalk(7, weighted=True),
    gnd.apps.TemporalWalk(6, bias="exponential"),
    gnd.apps.Node2Vec(p=0.25, q=0.5, length=5, weighted=True),
):
    check(app)
"""
    program(text, "70KB")


def test_several_roots_in_parts():
    text = """
roots = np.arange(300, dtype=np.uint32).reshape(100, 3)
for app in (gnd.apps.MultiIndependent(5, weighted=False), gnd.apps.MultiDimensionalWalk(6, dimension=3)):
    check(app, roots=roots)
"""
    program(text, "25KB")


def test_explain_shows_the_parts():
    text = """
plan = gnd.explain(graph, walk, roots=1000, device="cuda", plan={"order": "transit"})
print(plan.tables[0].name, "|", plan.tables[0].bytes, "|", str(plan))
"""
    name, size, text = program(text, "25KB").split("|", 2)
    assert "parts of the graph" in name
    assert "parts of the graph" in text
    assert 0 < int(size) <= 25_000


def test_explain_tells_which_device_is_faster():
    text = """
for roots in (10, 10**9):
    plan = gnd.explain(graph, walk, roots=roots, device="cuda")
    print(plan.device, plan.tables[0].name, plan.why, sep="|")
samples = gnd.sample(graph, walk, roots=10, seed=1, device="cuda")
print(samples.device, samples.drawn_on, sep="|")
two = gnd.explain(graph, walk, roots=10, device="cuda", threads=2)
print(two.why)
"""
    few, many, drawn, two = program(text, "25KB").splitlines()
    on, table, why = few.split("|")
    assert (on, table) == ("cuda:0", "packed vertex records")
    assert why.startswith("the GPU, as device says; the CPU makes the samples, which are copied to the GPU: estimated ")
    assert "; the GPU " in why and "which copies the graph in" in why
    on, table, why = many.split("|")
    assert (on, "parts of the graph" in table) == ("cuda:0", True)
    assert "because it does not fit: estimated" in why and "; the CPU " in why
    assert drawn == "cuda:0|cpu"
    assert "the CPU makes the samples" in two
