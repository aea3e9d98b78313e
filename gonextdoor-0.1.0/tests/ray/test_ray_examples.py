"""The examples for Ray run. examples/gnn/pyg_ray_train.py needs PyTorch as well, and is run by hand."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_embeddings_find_the_classes(tmp_path):
    command = [sys.executable, "-W", "ignore", str(ROOT / "examples" / "ray" / "embeddings.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=170, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert float(re.search(r"same class: ([\d.]+)", done.stdout)[1]) > 0.9
