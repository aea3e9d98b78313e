"""Walks on a graph of which a GPU may hold a part only: G steps per second, medians of whole calls.

    python benchmarks/gpu/largerthanmemory.py [--graph G4] [--limit 1350MB] [--weighted-limit 5200MB] [--walkers 8,1]

Three processes measure the same lines: on a GPU with GONEXTDOOR_DEVICE_MEMORY set to the limit, on a GPU without a
limit, and on the CPU of the same machine with one walker per vertex. The default limits are a quarter of the bytes
that the parts of G4 have together. The results stay on the GPU. The bound of a line is the rate if a call took as long
as gnd.explain estimates. The checksums of the first samples must be equal.

Walkers begin at each vertex that has an edge. A result has up to num_vertices * walkers * (length + 1) * 4 bytes, 87 GB
for G4 with 8 walkers per vertex and 80 steps. On a GPU with less memory, pass --length 20.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
import zlib
from typing import Any

import board
import graphs
import numpy as np

import gonextdoor as gnd

VARIABLE = "GONEXTDOOR_DEVICE_MEMORY"
CHECKED = 2_000  # samples


def lines(length: int, weighted: bool) -> list[tuple[str, Any]]:
    """Return the lines of a graph with weights or without."""
    if weighted:
        return [("weighted", gnd.apps.DeepWalk(length, weighted=True))]
    return [
        ("uniform", gnd.apps.DeepWalk(length, weighted=False)),
        ("node2vec p=2 q=0.5", gnd.apps.Node2Vec(p=2, q=0.5, length=length, weighted=False)),
    ]


def seconds(graph: gnd.Graph, app: Any, roots: np.ndarray, device: str, reps: int) -> float:
    """Return the median time of a call."""
    times = []
    for _ in range(reps + 1):
        begin = time.perf_counter()
        samples = gnd.sample(graph, app, roots, seed=1, device=device)
        if device != "cpu":
            _ = samples.on_device.vertices.__cuda_array_interface__  # it waits until the samples are complete
        times.append(time.perf_counter() - begin)
        del samples
    return statistics.median(times[1:])  # the first call pins arrays and builds tables


def measure(given: argparse.Namespace) -> None:
    """Measure all lines in this process."""
    device = "cpu" if given.process == "cpu" else "cuda"
    weighted = given.process_weighted
    graph = graphs.arrays(given.graph, weights="uniform" if weighted else "").graph()
    starts = np.flatnonzero(graph.degrees()).astype(np.uint32)  # the graph is symmetric: no others are reached
    for name, app in lines(given.length, weighted):
        for walkers in given.walkers.split(",") if device == "cuda" else ["1"]:
            roots = np.tile(starts, int(walkers))
            steps = len(roots) * given.length
            plan = gnd.explain(graph, app, roots, device=device)
            check = zlib.crc32(gnd.sample(graph, app, starts[:CHECKED], seed=1, device=device).numpy().tobytes())
            rate = steps / seconds(graph, app, roots, device, given.reps) / 1e9
            bound = f", bound {steps / plan.sample_seconds / 1e9:.2f}" if plan.sample_seconds else ""
            tables = ", ".join(table.name for table in plan.tables) if device == "cuda" else f"{os.cpu_count()} CPUs"
            print(
                f"{name:<20}{walkers:>3} per vertex  {given.process:<9}{rate:>8.2f} G steps/s{bound}"
                f"   checksum {check:08x}   {tables}",
                flush=True,
            )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--graph", default="G4")
    options.add_argument("--limit", default="1350MB")
    options.add_argument("--weighted-limit", default="5200MB")
    options.add_argument("--walkers", default="8,1", help="per vertex")
    options.add_argument("--length", type=int, default=80)
    options.add_argument("--reps", type=int, default=3)
    options.add_argument("--process", default="", help=argparse.SUPPRESS)
    options.add_argument("--process-weighted", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.process:
        measure(given)
        return
    print(f"{board.name()}; random gather of 4 bytes over 268 MB {board.gather():.1f} G/s", flush=True)
    for weighted in (False, True):
        for process in ("in parts", "in memory", "cpu"):
            environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
            if process == "in parts":
                environment[VARIABLE] = given.weighted_limit if weighted else given.limit
            extra = ["--process", process] + ["--process-weighted"] * weighted
            subprocess.run([sys.executable, *sys.argv, *extra], env=environment, check=False)


if __name__ == "__main__":
    main()
