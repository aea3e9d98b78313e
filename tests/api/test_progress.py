"""Bars: when asked for, or in a terminal when a run takes over a second; never elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import corpus
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
    [
        (SLOW, "", "True", True),
        (SLOW, TERMINAL, "None", True),
        (LAYERS, "", "True", True),
        (SLOW, TERMINAL, "False", False),
        (SLOW, "", "None", False),
        (FAST, TERMINAL, "None", False),
    ],
)
def test_bars(run: dict[str, Any], before: str, progress: str, shown: bool) -> None:
    program = PROGRAM.format(before=before, progress=progress, **run)
    command = [sys.executable, "-c", program]
    here = {**os.environ, "GONEXTDOOR_DEVICE": "cpu"}  # a GPU would be done sooner than a bar comes
    done = subprocess.run(command, capture_output=True, text=True, timeout=90, cwd=corpus.ROOT / "tests", env=here)
    assert done.returncode == 0, done.stderr
    assert (run["app"].partition("(")[0] in done.stderr) == shown
    assert shown or done.stderr == ""
