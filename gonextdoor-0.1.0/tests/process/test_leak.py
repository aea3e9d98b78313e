"""Objects and memory stay constant over up to 40,000 calls."""

from __future__ import annotations

import gc
import os
import pathlib
import subprocess
import sys
from collections.abc import Callable

import corpus
import daily
import numpy as np
import pytest
from gonextdoor._core import native

import gonextdoor as gnd

GRAPH = corpus.graph()
ROOTS = np.array([1, 2])
SAMPLER = gnd.PGSampler([3, 2], seed=1)


def refused() -> None:
    with pytest.raises(IndexError):
        gnd.sample(GRAPH, gnd.apps.DeepWalk(1), [-1])


def interesting() -> None:
    app = gnd.apps.DeepWalk(2)
    samples = gnd.sample(GRAPH, app, ROOTS, edges=True)
    assert samples.selector and samples.stats and samples.lengths.size


def layers() -> None:
    samples = gnd.sample(GRAPH, gnd.apps.LADIES([2, 2]), ROOTS, edges=True)
    assert samples.numpy().size and samples.steps and len(samples.adjacency(1)) and samples.subgraph(1).nodes.size


CALLS: dict[str, tuple[int, Callable[[], object]]] = {
    "sample": (40_000, lambda: gnd.sample(GRAPH, gnd.apps.DeepWalk(1), ROOTS)),
    "ragged": (20_000, lambda: gnd.sample(GRAPH, gnd.apps.PPR(0.5), ROOTS, edges=True).numpy()),
    "layers": (10_000, layers),
    "minibatch": (30_000, lambda: SAMPLER.sample(GRAPH, ROOTS)),
    "refusal": (5_000, refused),
    "everything": (4_000, interesting),
    "graph": (1_000, lambda: gnd.Graph.from_edges([0, 1], [1, 2], weights=[1.0, 2.0]).weights),
}


def resident() -> float:
    """This process's memory in MB."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 1e6


def living() -> list[int]:
    gc.collect()
    return [native.call("Living", what) for what in (0, 1, 2, 5)]


def stays(name: str) -> None:
    """Makes the calls and asserts that neither objects nor memory grow."""
    times, call = CALLS[name]
    for _ in range(times // 4):  # caches fill, and Go's heap finds its size
        call()
    objects, memory = living(), resident()
    for _ in range(times):
        call()
    assert living() == objects
    assert resident() - memory < 8


# In a new process: objects of other tests affect when Go's and Python's collectors run, and thus the growth of memory.
@pytest.mark.parametrize("name", daily.share(CALLS, 4))
def test_nothing_stays(name: str) -> None:
    here = pathlib.Path(__file__).resolve()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(here.parent), str(here.parents[1]), *sys.path])}
    command = [sys.executable, "-c", f"import test_leak; test_leak.stays({name!r})"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=170, env=environment)
    assert done.returncode == 0, done.stderr
