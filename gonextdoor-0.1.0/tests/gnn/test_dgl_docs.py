"""The code of docs/gnn-dgl.md runs, and so do the tutorial and the example."""

import os
import re
import subprocess
import sys
from pathlib import Path

import daily
import docpages
import pytest

import gonextdoor

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(gonextdoor.__file__).resolve().parents[1]


def section():
    page = (ROOT / "docs" / "gnn-dgl.md").read_text(encoding="utf-8")
    return page.split("\n## GraphBolt\n")


def run(texts):
    blocks = [block for text in texts for block in re.findall(r"^```py\n(.*?)^```", text, re.MULTILINE | re.DOTALL)]
    assert blocks
    exec(compile("\n".join(blocks), "docs/gnn-dgl.md", "exec"), {})


def test_the_section_runs():
    run(section()[:1])


def test_the_section_on_graphbolt_runs(graphbolt):
    run(section())


@pytest.mark.filterwarnings("ignore:Dataloader CPU affinity")
def test_the_tutorial_prints_what_it_shows():
    assert docpages.run_page("docs/tutorials/dgl.md", "py") == 3


@pytest.mark.parametrize("number", daily.share(["0", "2"], 2))
def test_the_example_learns(tmp_path, number):
    command = [sys.executable, "-W", "ignore", str(ROOT / "examples" / "gnn" / "dgl_graphsage.py")]
    command += ["--vertices", "4000", "--epochs", "4", "--workers", number]
    env = {**os.environ, "PYTHONPATH": str(PACKAGE), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=170, cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    losses = [float(loss) for loss in re.findall(r"loss (\d+\.\d+)", done.stdout)]
    assert len(losses) == 4 and losses[-1] < 0.5 * losses[0], done.stdout
    assert float(re.search(r"held out: (\d\.\d+)", done.stdout)[1]) > 0.6, done.stdout
