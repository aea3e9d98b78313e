"""Graphs larger than GPU memory, which are copied to the GPU part by part."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.usefixtures("two_gpus")

HEAD = """
import numpy as np
import gonextdoor as gnd

graph = gnd.rmat(10, 6, weights=(1.0, 3.0), seed=2)
walk = gnd.apps.DeepWalk(7, weighted=False)


def check(app, **given):
    there, here = (gnd.sample(graph, app, seed=4, repeat=2, edges=True, device=on, **given) for on in ("cuda", "cpu"))
    assert there.device == "cuda:0"
    assert np.array_equal(there.numpy(), here.numpy())
    assert np.array_equal(there.edges, here.edges)
    assert np.array_equal(there.lengths, here.lengths)
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
):
    check(app)
    check(app, dtype="int64")
for count in (gnd.visit_counts, gnd.end_points):
    there, here = (count(graph, walk, seed=4, device=on) for on in ("cuda", "cpu"))
    assert np.array_equal(there, here)
"""
    program(text, "25KB")


def test_alias_tables_in_parts():
    program("check(gnd.apps.DeepWalk(7, weighted=True))", "70KB")


def test_explain_shows_the_parts():
    text = """
plan = gnd.explain(graph, walk, roots=1000, device="cuda")
print(plan.tables[0].name, "|", plan.tables[0].bytes, "|", str(plan))
"""
    name, size, text = program(text, "25KB").split("|", 2)
    assert "parts of the graph" in name
    assert "parts of the graph" in text
    assert 0 < int(size) <= 25_000


def test_apps_that_do_not_run_in_parts():
    text = """
walk = gnd.apps.NonBacktracking(5)
try:
    gnd.sample(graph, walk, device="cuda")
except gnd.DeviceError as error:
    print(error)
print(gnd.sample(graph, walk, device="auto").device)
"""
    error, device = program(text, "25KB").splitlines()
    assert "GONEXTDOOR_DEVICE_MEMORY" in error
    assert device == "cpu"
