"""The examples for PyG run and learn."""

import os
import pathlib
import re
import subprocess
import sys

import daily
import pytest

import gonextdoor

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = pathlib.Path(gonextdoor.__file__).resolve().parents[1]


@pytest.mark.parametrize("name", daily.share(["pyg_graphsage", "pyg_links", "pyg_node2vec"], 3))
def test_examples_learn(name, tmp_path):
    command = [sys.executable, "-W", "ignore", str(ROOT / "examples" / "gnn" / f"{name}.py")]
    env = {**os.environ, "PYTHONPATH": str(PACKAGE)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=170, cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    losses = [float(loss) for loss in re.findall(r"loss (\d+\.\d+)", done.stdout)]
    assert len(losses) >= 3 and losses[-1] < 0.9 * losses[0], done.stdout
