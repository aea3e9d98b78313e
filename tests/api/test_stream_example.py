"""The example of a stream runs, and its embeddings find the classes of a graph that grew."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_embeddings_of_a_stream(tmp_path):
    pytest.importorskip("gensim", reason="gensim is not installed")
    command = [sys.executable, "-W", "ignore", str(ROOT / "examples" / "streams" / "embeddings.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=170, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("StreamUpdate") == 2
    assert float(re.search(r"same class: ([\d.]+)", done.stdout)[1]) > 0.9
