"""Layered samples of a graph that exceeds the memory of the GPU copy the rows that they read."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.usefixtures("gpu")

PROGRAM = """
import numpy as np
import gonextdoor as gnd

graph = gnd.rmat(12, 8, seed=1, symmetric=True, progress=False)
roots = np.arange(0, 4000, 100)
for app, given in (
    (gnd.apps.Layer(8, 20), roots),
    (gnd.apps.LADIES([6, 5]), roots.reshape(-1, 4)),
    (gnd.apps.Snowball(2, fanout=3), roots),
    (gnd.apps.RandomNode(30, induced=True), 10),
):
    there, here = (gnd.sample(graph, app, given, seed=3, edges=True, device=d) for d in ("cuda", "cpu"))
    for name in ("values", "offsets", "edges", "parents"):
        assert np.array_equal(getattr(there, name), getattr(here, name)), (app, name)
    assert there.device == "cuda:0"
plan = gnd.explain(graph, gnd.apps.Layer(8, 20), 100, device="cuda")
print([table.name for table in plan.tables])
"""


def test_layers_of_a_graph_larger_than_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GONEXTDOOR_DEVICE_MEMORY", "200KB")
    monkeypatch.delenv("GONEXTDOOR_DEVICE", raising=False)
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "['rows of the graph']\n"
