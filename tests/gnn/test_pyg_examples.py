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


def test_a_stream_feeds_a_loader(tmp_path):
    """The model is tested on the nodes that a batch of edges changed, before it is trained on them."""
    command = [sys.executable, "-W", "ignore", str(ROOT / "examples" / "streams" / "pyg_temporal.py")]
    env = {**os.environ, "PYTHONPATH": str(PACKAGE)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=170, cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    lines = re.findall(r"(\d+) of (\d+) samples changed\), loss .*, accuracy (\d\.\d+)", done.stdout)
    assert len(lines) == 3, done.stdout
    assert all(int(changed) < 0.25 * int(count) for changed, count, _ in lines), done.stdout
    assert float(lines[-1][2]) > 0.9, done.stdout
