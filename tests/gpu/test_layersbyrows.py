"""Layered samples of a graph that exceeds the memory of the GPU copy the rows that they read."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.usefixtures("gpu")

PROGRAM = """
import numpy as np
import gonextdoor as gnd

by_gpu = {"order": "sample"}
graph = gnd.rmat(12, 8, seed=1, symmetric=True, progress=False)
roots = np.arange(0, 4000, 100)
for app, given in (
    (gnd.apps.Layer(8, 20), roots),
    (gnd.apps.LADIES([6, 5]), roots.reshape(-1, 4)),
    (gnd.apps.Snowball(2, fanout=3), roots),
    (gnd.apps.RandomNode(30, induced=True), 10),
):
    there, here = (gnd.sample(graph, app, given, seed=3, edges=True, device=d, plan=by_gpu) for d in ("cuda", "cpu"))
    for name in ("values", "offsets", "edges", "parents"):
        assert np.array_equal(getattr(there, name), getattr(here, name)), (app, name)
    assert there.drawn_on == "cuda:0"
    assert gnd.sample(graph, app, given, seed=3, device="cuda").drawn_on == "cpu"  # which is faster for so few
plan = gnd.explain(graph, gnd.apps.Layer(8, 20), 100, device="cuda", plan=by_gpu)
print([table.name for table in plan.tables])
"""

EDGES = """
import numpy as np
import gonextdoor as gnd

by_gpu = {"order": "sample"}
rows = np.sort(np.random.default_rng(2).integers(0, 1024, (1024, 64)), axis=1)
order = np.arange(rows.size)
graph = gnd.Graph.from_csr(np.arange(1025) * 64, rows.ravel(), weights=order % 5 + 1, edge_ids=order[::-1] * 3)
apps = {
    "RandomEdge": gnd.apps.RandomEdge(9),
    "RandomEdge, replaced": gnd.apps.RandomEdge(8, replace=True),
    "edge": gnd.apps.GraphSAINT("edge", budget=3),
    "multidimensional": gnd.apps.GraphSAINT("multidimensional", roots=3, budget=6),
}
for name, app in apps.items():
    for device in ("cuda:0", ["cuda:0", "cuda:1"]):
        there, here = (gnd.sample(graph, app, 12, seed=3, edges=True, device=d, plan=by_gpu) for d in (device, "cpu"))
        for part in ("values", "offsets", "edges", "parents"):
            assert np.array_equal(getattr(there, part), getattr(here, part)), (name, part)
        for sample in range(12):
            ours, theirs = there.subgraph(sample), here.subgraph(sample)
            for part in ("edge_ids", "src", "dst"):
                assert np.array_equal(getattr(ours, part), getattr(theirs, part)), (name, part)
        print("equal, by the CPU" if there.drawn_on == "cpu" else "equal")
print(gnd.sample(graph, apps["RandomEdge"], 5, device="auto").device)
"""


def run(program: str, limit: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines of a program whose GPUs have less memory for graphs than the graph needs."""
    monkeypatch.setenv("GONEXTDOOR_DEVICE_MEMORY", limit)
    monkeypatch.delenv("GONEXTDOOR_DEVICE", raising=False)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_layers_of_a_graph_larger_than_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(PROGRAM, "200KB", monkeypatch) == ["['rows of the graph']"]


# The graph has 1,024 rows of 64 edges, 270 KB; the sums of shares of its edges are twice as large.
@pytest.mark.usefixtures("two_gpus")
@pytest.mark.parametrize("limit", ["135KB", "67KB", "27KB"])
def test_edges_of_a_graph_larger_than_the_budget(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = run(EDGES, limit, monkeypatch)
    assert lines == ["equal"] * 8 + ["cpu"]


@pytest.mark.usefixtures("two_gpus")
def test_memory_without_room_for_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(EDGES, "9KB", monkeypatch) == ["equal, by the CPU"] * 8 + ["cpu"]
