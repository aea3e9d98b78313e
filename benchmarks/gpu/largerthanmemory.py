"""Samples on a graph of which a GPU may hold a part only: medians of whole calls.

    python benchmarks/gpu/largerthanmemory.py [--graph G4] [--limit 1350MB] [--weighted-limit 5200MB] [--walkers 8,1]
        [--only walks,weighted,samples,batches]

Walks are measured in G steps per second, trees and layers in ms per call. Four
processes measure the same lines: on a GPU with GONEXTDOOR_DEVICE_MEMORY set to the limit, which makes the samples
itself ("in parts") or lets the CPU make them if that is faster ("as planned"), on a GPU without a limit, and on the CPU
of the same machine, walks with one walker per vertex. The default limits are a quarter of the bytes that the
parts of G4 have together. The results stay on the GPU. The bound of a line is the rate if a call took as long
as gnd.explain estimates. The checksums of the first samples must be equal.

"batches" measures mini-batches in ms per batch, in calls of 32 and of 1, in another process too: on a GPU whose limit
permits nothing, for which the CPU draws. On the GPU with the limit, the host reads end points.

Walkers begin at each vertex that has an edge. A result has up to num_vertices * walkers * (length + 1) * 4 bytes, 87 GB
for G4 with 8 walkers per vertex and 80 steps. On a GPU with less memory, pass --length 20.
"""

from __future__ import annotations

import argparse
import collections.abc
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


def median(call: collections.abc.Callable[[], None], reps: int) -> float:
    """Return the median time of a call in seconds."""
    times = []
    for _ in range(reps + 1):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return statistics.median(times[1:])  # the first call pins arrays and builds tables


def place(process: str) -> dict[str, Any]:
    """Return the arguments that decide where the samples of a process are made."""
    if process == "cpu":
        return {"device": "cpu"}
    return {"device": "cuda", "plan": {"order": "transit"} if process == "in parts" else None}


def seconds(graph: gnd.Graph, app: Any, roots: Any, where: dict[str, Any], reps: int) -> float:
    """Return the median time of gonextdoor.sample."""

    def call() -> None:
        samples = gnd.sample(graph, app, roots, seed=1, **where)
        if where["device"] != "cpu":
            _ = samples.on_device.vertices.__cuda_array_interface__  # it waits until the samples are complete

    return median(call, reps)


def measure_samples(given: argparse.Namespace) -> None:
    """Measure trees, layers and mini-batches in this process."""
    where, apps = place(given.process), gnd.apps
    graph = graphs.arrays(given.graph).graph()
    random, starts = np.random.default_rng(1), np.flatnonzero(graph.degrees()).astype(np.uint32)
    for app, roots in (
        (apps.KHop((25, 10), weighted=False), random.choice(starts, given.samples)),
        (apps.Layer(1000, 2000), random.choice(starts, given.samples >> 10)),
        (apps.Layer(100, 200), random.choice(starts, given.samples >> 4)),
        (apps.Neighbor([10, 10, 10], frontier_size=100), random.choice(starts, given.samples >> 6)),
        (apps.LADIES([512, 512]), random.choice(starts, (given.samples >> 12, 512))),
        (apps.FastGCN([512, 512]), random.choice(starts, (given.samples >> 12, 512))),
        (apps.MVS(1000, (10, 10)), given.samples >> 12),
        (apps.Snowball(2, fanout=5), random.choice(starts, given.samples >> 6)),
    ):
        first = roots if isinstance(roots, int) else roots[:CHECKED]
        made = gnd.sample(graph, app, first, seed=1, **where)
        check = zlib.crc32(np.ascontiguousarray(made.values).tobytes())
        ms = 1e3 * seconds(graph, app, roots, where, given.reps)
        count = roots if isinstance(roots, int) else len(roots)
        print(f"{app!r:<90}{count:>9} samples  {given.process:<9}{ms:>10.2f} ms   checksum {check:08x}", flush=True)


def measure_batches(given: argparse.Namespace) -> None:
    """Measure mini-batches of 1,024 seed nodes in this process."""
    graph, device = graphs.arrays(given.graph).graph(), "cpu" if given.process == "cpu" else "cuda"
    random = np.random.default_rng(2)
    nodes = [random.choice(graph.num_vertices, 1024, replace=False) for _ in range(32)]
    sampler = gnd.NeighborSampler(graph, [15, 10, 5], device=device, expand="all", layout="csc")

    def call(count: int) -> Any:
        drawn = sampler.draw_many(nodes[:count], list(range(count)))
        if device != "cpu":
            assert all(batch.arena.__cuda_array_interface__ for batch in drawn)  # it waits until they are complete
        return drawn[-1]

    for count in (32, 1):
        last = call(count)
        parts = last.split(last.arena if device == "cpu" else last.arena.numpy())
        check = 0
        for array in (*parts.nodes, *parts.hops[-1][0]):
            check = zlib.crc32(np.ascontiguousarray(array).tobytes(), check)
        ms = 1e3 * median(lambda count=count: call(count), 5 * given.reps) / count
        print(
            f"mini-batches 15,10,5, {count:>2} per call  {given.process:<9} drawn on {last.drawn_on:<6}"
            f"{ms:>9.3f} ms per batch   checksum {check:08x}   {sum(map(sum, last.num_edges))} edges",
            flush=True,
        )


def measure(given: argparse.Namespace) -> None:
    """Measure all walks in this process."""
    where = place(given.process)
    weighted = given.kind == "weighted"
    graph = graphs.arrays(given.graph, weights="uniform" if weighted else "").graph()
    starts = np.flatnonzero(graph.degrees()).astype(np.uint32)  # the graph is symmetric: no others are reached
    for name, app in lines(given.length, weighted):
        for walkers in given.walkers.split(",") if where["device"] == "cuda" else ["1"]:
            roots = np.tile(starts, int(walkers))
            steps = len(roots) * given.length
            plan = gnd.explain(graph, app, roots, **where)
            check = zlib.crc32(gnd.sample(graph, app, starts[:CHECKED], seed=1, **where).numpy().tobytes())
            rate = steps / seconds(graph, app, roots, where, given.reps) / 1e9
            bound = f", bound {steps / plan.sample_seconds / 1e9:.2f}" if plan.sample_seconds else ""
            tables = (
                ", ".join(table.name for table in plan.tables)
                if where["device"] == "cuda"
                else f"{os.cpu_count()} CPUs"
            )
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
    options.add_argument("--samples", type=int, default=1 << 20, help="trees; there are fewer layered samples")
    options.add_argument("--only", default="walks,weighted,samples,batches")
    options.add_argument("--process", default="", help=argparse.SUPPRESS)
    options.add_argument("--kind", default="", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.process:
        {"samples": measure_samples, "batches": measure_batches}.get(given.kind, measure)(given)
        return
    print(f"{board.name()}; random gather of 4 bytes over 268 MB {board.gather():.1f} G/s", flush=True)
    for kind in given.only.split(","):
        for process in ("in parts", "as planned", "in memory", "cpu", *["no room"] * (kind == "batches")):
            environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
            if process in ("in parts", "as planned"):
                environment[VARIABLE] = given.weighted_limit if kind == "weighted" else given.limit
            if process == "no room":
                environment[VARIABLE] = "1KB"
            extra = ["--process", process, "--kind", kind]
            subprocess.run([sys.executable, *sys.argv, *extra], env=environment, check=False)


if __name__ == "__main__":
    main()
