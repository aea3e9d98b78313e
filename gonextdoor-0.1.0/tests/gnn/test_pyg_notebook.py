"""The notebook about PyG runs, and prints what it shows."""

import os
import pathlib
import subprocess
import sys

import pytest

import gonextdoor

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = pathlib.Path(gonextdoor.__file__).resolve().parents[1]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_notebook_runs():
    pytest.importorskip("matplotlib")
    paths = os.pathsep.join(filter(None, [str(PACKAGE), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, str(ROOT / "notebooks" / "run.py"), "--check", "pyg"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": paths})
    assert done.returncode == 0, done.stdout + done.stderr
