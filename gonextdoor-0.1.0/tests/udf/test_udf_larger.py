"""Users' apps on GPUs whose memory the graph exceeds equal those on the CPU, faults and their places included."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import daily
import pytest

pytest.importorskip("llvmlite", reason="no llvmlite for this Python: there is nothing to compare with")
pytestmark = pytest.mark.usefixtures("gpu")

# The graphs of the corpora have 1.1 kB and more, those of the examples 50 kB: a half, a quarter and a tenth at most.
BUDGETS = ("600", "280", "110")
CORPORA = [
    "apps",
    "faults",
    "examples",
    *(f"{which} {seed} {seed + 2}" for seed in range(0, 60, 3) for which in ("fuzz", "grown", "inferred")),
]


@pytest.mark.parametrize("corpus", daily.share(CORPORA, 21, "larger"))
@pytest.mark.parametrize("budget", BUDGETS)
def test_apps_on_a_graph_that_exceeds_the_memory(budget, corpus):
    command = [sys.executable, str(pathlib.Path(__file__).parent / "gpu_hooks.py"), *corpus.split()]
    environment = {**os.environ, "GONEXTDOOR_DEVICE_MEMORY": budget, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    *_, ran, drawn = done.stdout.split("\n")[:-1]  # how many apps a GPU would run, and which device made the choices
    assert int(ran.split()[0]) > 0
    assert drawn in ("cpu cpu, cuda cpu", "")  # "": all calls ended with faults
