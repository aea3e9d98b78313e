"""Progress bars are shown if requested, or in a terminal if a run takes over a second."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import corpus
import daily
import pytest

PROGRAM = """
import sys, corpus, gonextdoor as gnd
from gonextdoor._core import running
running.SHOW_AFTER = 0.1  # a second, otherwise
{before}
gnd.sample(corpus.graph(), gnd.apps.{app}, repeat={repeat}, threads=1, progress={progress})
import threading
assert threading.active_count() == 1
"""
SLOW = {"app": "Node2Vec(0.01, 100, 1000)", "repeat": 40}
LAYERS = {"app": "LADIES([300, 300])", "repeat": 20}
FAST = {"app": "DeepWalk(5)", "repeat": 1}
TERMINAL = "sys.stderr.isatty = lambda: True"


@pytest.mark.parametrize(
    ("run", "before", "progress", "shown"),
    daily.share(
        [
            (SLOW, "", "True", True),
            (SLOW, TERMINAL, "None", True),
            (LAYERS, "", "True", True),
            (SLOW, TERMINAL, "False", False),
            (SLOW, "", "None", False),
            (FAST, TERMINAL, "None", False),
        ],
        3,  # one bar and one call without a bar
    ),
)
def test_bars(run: dict[str, Any], before: str, progress: str, shown: bool) -> None:
    program = PROGRAM.format(before=before, progress=progress, **run)
    command = [sys.executable, "-c", program]
    here = {**os.environ, "GONEXTDOOR_DEVICE": "cpu"}  # a GPU could end before a bar is shown
    done = subprocess.run(command, capture_output=True, text=True, timeout=90, cwd=corpus.ROOT / "tests", env=here)
    assert done.returncode == 0, done.stderr
    assert (run["app"].partition("(")[0] in done.stderr) == shown
    assert shown or done.stderr == ""
