"""Ctrl-C stops a long call within half a second and leaves everything usable."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import time

import corpus
import daily
import pytest

pytestmark = pytest.mark.quiet

PROGRAM = """
import time, numpy as np, gonextdoor as gnd, corpus
from gonextdoor._core import native
g = corpus.graph(20_000, 400_000)
gnd.sample(g, gnd.apps.DeepWalk(3)), gnd.sample(g, gnd.apps.PPR(0.5)), gnd.PGSampler([2]).sample(g, [1])
before = [native.call("Living", what) for what in range(3)]
print("ready", flush=True)
began = time.monotonic()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - began, flush=True)
assert [native.call("Living", what) for what in range(3)] == before, before
import threading
assert [t.name for t in threading.enumerate()] == ["MainThread"]
print(len(gnd.sample(g, gnd.apps.DeepWalk(5), seed=1)))
"""

CALLS = {
    "a matrix": "gnd.sample(g, gnd.apps.DeepWalk(2000), repeat=60)",
    "int64": "gnd.sample(g, gnd.apps.DeepWalk(1000), repeat=60, dtype='int64')",
    "ragged": "gnd.sample(g, gnd.apps.PPR(0.001), repeat=100)",
    "node2vec": "gnd.sample(g, gnd.apps.Node2Vec(0.01, 100.0, 1000), repeat=20)",
    "trees": "gnd.sample(g, gnd.apps.KHop([20, 20, 10]), repeat=4)",
    "a bar": "gnd.sample(g, gnd.apps.DeepWalk(2000), repeat=60, progress=True)",
    "layers": "gnd.sample(g, gnd.apps.LADIES([200, 200, 200]), repeat=60)",
    "snowballs": "gnd.sample(g, gnd.apps.Snowball(None), repeat=20)",
    "subgraphs": "gnd.sample(g, gnd.apps.GraphSAINT('node', budget=20_000), 20_000)",
    "a mini-batch": "gnd.PGSampler([-1] * 60).sample(g, [1])",
    "generating": "gnd.rmat(23)",
    "generating into a folder": "import tempfile; gnd.rmat(22, folder=tempfile.mkdtemp() + '/g')",
    "one thread": "gnd.sample(g, gnd.apps.DeepWalk(2000), repeat=60, threads=1)",
}


def interrupted(call: str, signals: int = 1) -> str:
    """Runs the call, interrupts it after half a second, and returns the program's output."""
    command = [sys.executable, "-u", "-c", textwrap.dedent(PROGRAM).replace("{call}", call)]
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=corpus.ROOT / "tests"
    )
    try:
        assert child.stdout is not None
        first = child.stdout.readline()
        time.sleep(0.5)
        for _ in range(signals):
            child.send_signal(signal.SIGINT)
            time.sleep(0.02)
        out, err = child.communicate(timeout=60)
    finally:
        child.kill()
    assert first == "ready\n", err
    assert child.returncode == 0, f"{out}\n{err}"
    return out


@pytest.mark.parametrize("name", daily.share(CALLS, 2))
def test_an_interrupt_ends_a_call(name: str) -> None:
    word, seconds, rows = interrupted(CALLS[name]).split()
    assert word == "interrupted"
    assert float(seconds) < 0.5 + 0.5 + 0.5  # the wait, the promise, and a busy machine
    assert rows == "20000"


def test_a_second_interrupt_waits_for_the_call_too() -> None:
    """It must not break anything. Those that arrive after the call's end are ignored."""
    ends = "signal.signal(signal.SIGINT, signal.SIG_IGN)"
    call = f"\n    import signal\n    try: gnd.sample(g, gnd.apps.DeepWalk(2000), repeat=60)\n    finally: {ends}"
    assert "interrupted" in interrupted(call, signals=3)
