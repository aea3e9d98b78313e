"""Walks on a graph of which a GPU may hold a part only: G steps per second, medians of whole calls, results on the GPU.

    python benchmarks/gpu/largerthanmemory.py [--graph G4] [--share 0.25] [--walkers 8,1] [--length 80] [--reps 3]

GONEXTDOOR_DEVICE_MEMORY is set to a share of the bytes that all parts of the graph have. Each line has three rates:
with that limit, without a limit, and on the CPU of the same machine with one walker per vertex. The bound printed above
a line is the rate if a call took as long as gnd.explain estimates. The first samples of all three are compared.

Walkers begin at each vertex that has an edge. A result has up to num_vertices * walkers * (length + 1) * 4 bytes, 87 GB
for G4 with 8 walkers per vertex and 80 steps. On a GPU with less memory, pass --length 20. The results of this script have not been measured yet.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import time

import board
import graphs
import numpy as np

import gonextdoor as gnd

VARIABLE = "GONEXTDOOR_DEVICE_MEMORY"
CHECKED = 2_000  # rows
LINES = (
    ("uniform", "uniform", lambda length: gnd.apps.DeepWalk(length, weighted=False)),
    ("node2vec p=2 q=0.5", "uniform", lambda length: gnd.apps.Node2Vec(p=2, q=0.5, length=length, weighted=False)),
    ("weighted", "weighted", lambda length: gnd.apps.DeepWalk(length, weighted=True)),
)


def part_bytes(graph: gnd.Graph, kind: str) -> int:
    """Return the bytes of all parts: rows, and end points or alias tables."""
    return 8 * (graph.num_vertices + 1) + (16 if kind == "weighted" else 4) * graph.num_edges


def seconds(graph: gnd.Graph, app: gnd.apps.App, roots: np.ndarray, device: str, reps: int) -> float:
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


def line(graph: gnd.Graph, name: str, kind: str, app: gnd.apps.App, walkers: int, given: argparse.Namespace) -> None:
    """Measure and print one line."""
    starts = np.flatnonzero(graph.degrees()).astype(np.uint32)  # the graph is symmetric: no other vertices are reached
    every = np.tile(starts, walkers)
    rates, rows = [], []
    for device, limit in (("cuda", int(given.share * part_bytes(graph, kind))), ("cuda", 0), ("cpu", 0)):
        roots = starts if device == "cpu" else every
        steps = len(roots) * given.length
        graph.release_device()
        os.environ.pop(VARIABLE, None)
        if limit:
            os.environ[VARIABLE] = str(limit)
            plan = gnd.explain(graph, app, roots, device="cuda")
            bound = steps / (plan.sample_seconds or math.inf) / 1e9
            print(f"  {plan.tables[0].name}; bound {bound:.2f} G steps/s", flush=True)
        try:
            rates.append(steps / seconds(graph, app, roots, device, given.reps) / 1e9)
            rows.append(gnd.sample(graph, app, every[:CHECKED], seed=1, device=device).numpy())
        except (gnd.DeviceError, MemoryError) as error:
            print(f"  {device}: {error}", flush=True)
            rates.append(math.nan)
    os.environ.pop(VARIABLE, None)
    same = all(np.array_equal(one, rows[0]) for one in rows)
    print(
        f"{name}, {walkers} per vertex: in parts {rates[0]:.2f}, in memory {rates[1]:.2f}, CPU {rates[2]:.2f} G steps/s"
        f"{'' if same else '   THE SAMPLES DIFFER'}",
        flush=True,
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--graph", default="G4")
    options.add_argument("--share", type=float, default=0.25, help="of the bytes of all parts")
    options.add_argument("--walkers", default="8,1", help="per vertex")
    options.add_argument("--length", type=int, default=80)
    options.add_argument("--reps", type=int, default=3)
    options.add_argument("--only", default="", help="only lines whose names begin so")
    given = options.parse_args()
    print(f"{board.name()}; random gather of 4 bytes over 268 MB {board.gather():.1f} G/s", flush=True)
    for kind in ("uniform", "weighted"):
        lines = [one for one in LINES if one[1] == kind and one[0].startswith(given.only)]
        if not lines:
            continue
        graph = graphs.arrays(given.graph, weights="uniform" if kind == "weighted" else "").graph()
        print(f"{given.graph} {kind}: {graph}", flush=True)
        for name, _, make in lines:
            for walkers in given.walkers.split(","):
                line(graph, name, kind, make(given.length), int(walkers), given)


if __name__ == "__main__":
    main()
