"""The program for NVIDIA's compute-sanitizer runs, and notices a result that differs."""

import os
import subprocess
import sys

import pytest
from corpus import ROOT

PROGRAM = ROOT / "benchmarks" / "gpu" / "sanitize.py"


def run(*options):
    return subprocess.run(
        [sys.executable, str(PROGRAM), *options], capture_output=True, text=True, env=os.environ, timeout=300
    )


@pytest.mark.parametrize("family", ["walks: DeepWalk", "trees: KHop", "layered: RandomEdge", "counts: end_points"])
def test_cases_equal_the_cpu(gpu, family):
    result = run("--only", family)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "as the CPU" in result.stdout
    assert " 0 failed" in result.stdout


def test_every_family_has_cases():
    names = run("--list").stdout.splitlines()
    for family in ("walks", "users", "trees", "layered", "batches", "counts", "device"):
        assert any(name.startswith(family) for name in names), family


def test_a_case_that_differs_is_reported(monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(PROGRAM.parent))
    import sanitize

    monkeypatch.setattr(sanitize, "cases", lambda: iter([("devices", lambda device: [[len(device)]])]))
    monkeypatch.setattr(sanitize, "equal", lambda one, other: one == other)
    monkeypatch.setattr(sys, "argv", ["sanitize.py"])
    assert sanitize.main() == 1
    assert "DIFFERENT" in capsys.readouterr().out
