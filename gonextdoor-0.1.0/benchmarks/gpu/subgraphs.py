"""Subgraphs and breadth-first samples: a GPU against the CPU engine on all cores of the same machine.

    python benchmarks/gpu/subgraphs.py [--scale 22] [--only GraphSAINT] [--reps 5] [--check 2000] [--gpu-only]

The graph is ``gonextdoor.rmat(scale, 16, seed=1)``. A line has the median milliseconds of a whole call on each device,
with the result in the memory of that device. Before that, up to ``--check`` samples of the same app are compared, in
all parts: vertices, offsets, parents, ends of steps and links.
"""

from __future__ import annotations

import argparse
import dataclasses
import statistics
import time
from typing import Any

import board
import cupy as cp
import numpy as np

import gonextdoor as gnd


def lines(scale: int) -> list[tuple[str, Any, int]]:
    """The apps, with their numbers of samples."""
    apps, clusters = gnd.apps, max(1, (1 << scale) // 420)
    return [
        ("RandomNode(1000)", apps.RandomNode(1000), 10_000),
        ("RandomNode(1000), without links", apps.RandomNode(1000, induced=False), 10_000),
        ("RandomEdge(1000)", apps.RandomEdge(1000), 10_000),
        (f"ClusterGCN({clusters}, 20)", apps.ClusterGCN(clusters, 20), 200),
        ("GraphSAINT, walk 2000 x 2", apps.GraphSAINT("walk", roots=2000, length=2), 200),
        ("GraphSAINT, node 4000", apps.GraphSAINT("node", budget=4000), 200),
        ("GraphSAINT, edge 2000", apps.GraphSAINT("edge", budget=2000), 200),
        ("GraphSAINT, frontier of 200, 1000", apps.GraphSAINT("multidimensional", roots=200, budget=1000), 200),
        ("Snowball(2, fanout=10)", apps.Snowball(2, fanout=10), 100_000),
        ("Snowball(5, fanout=10)", apps.Snowball(5, fanout=10), 20),
        ("ForestFire(0.4, 3)", apps.ForestFire(0.4, 3), 100_000),
        ("ForestFire(0.7, 6)", apps.ForestFire(0.7, 6), 100_000),
    ]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--scale", type=int, default=22)
    options.add_argument("--only", default="", help="only apps whose names begin so")
    options.add_argument("--reps", type=int, default=5)
    options.add_argument("--check", type=int, default=2000, help="samples to compare, at most")
    options.add_argument("--gpu-only", action="store_true", help="neither compare with the CPU nor time it")
    given = options.parse_args()
    print(f"{board.name()}; random gather of 4 bytes over 268 MB {board.gather():.1f} G/s", flush=True)
    begin = time.perf_counter()
    graph = gnd.rmat(given.scale, 16, seed=1, progress=False)
    print(f"{graph}   made in {time.perf_counter() - begin:.1f} s", flush=True)
    print(f"{'':<36}{'samples':>9}{'vertices':>10}{'GPU ms':>10}{'CPU ms':>10}{'ratio':>8}", flush=True)
    for name, app, samples in lines(given.scale):
        if name.startswith(given.only):
            try:
                print(f"{name:<36}{samples:>9}{line(graph, app, samples, given)}", flush=True)
            except Exception as error:  # one line that fails must not hide the others
                print(f"{name:<36}  FAILED {type(error).__name__}: {str(error)[:200]}", flush=True)


def line(graph: gnd.Graph, app: Any, samples: int, given: argparse.Namespace) -> str:
    """Compares the devices, and returns the figures of a line."""

    def call(device: str, count: int, seed: int) -> Any:
        return gnd.sample(graph, app, count, seed=seed, device=device, progress=False)

    if not given.gpu_only:
        few = min(samples, given.check)
        if different := differences(call("cuda", few, 7), call("cpu", few, 7)):
            return f"  DIFFERENT: {', '.join(different)}"
    mean = len(call("cuda", samples, 1).values) / samples
    there = milliseconds(lambda seed: call("cuda", samples, seed), given.reps)
    if given.gpu_only:
        return f"{mean:>10.1f}{there:>10.2f}"
    here = milliseconds(lambda seed: call("cpu", samples, seed), max(1, given.reps // 2))
    return f"{mean:>10.1f}{there:>10.2f}{here:>10.2f}{here / there:>8.1f}"


def differences(one: Any, other: Any) -> list[str]:
    """The parts in which two layered results differ."""
    parts = [("values", one.values, other.values), ("offsets", one.offsets, other.offsets)]
    names = [field.name for field in dataclasses.fields(one._layers)]
    parts += [(name, getattr(one._layers, name), getattr(other._layers, name)) for name in names]
    return [name for name, a, b in parts if (a is None) != (b is None) or (a is not None and not np.array_equal(a, b))]


def milliseconds(call: Any, repetitions: int) -> float:
    """The median time of a call until its result is complete, after a first call."""
    times = []
    for seed in range(repetitions + 1):
        begin = time.perf_counter()
        kept = call(seed)
        cp.cuda.runtime.deviceSynchronize()
        times.append(1e3 * (time.perf_counter() - begin))
        del kept
    return statistics.median(times[1:])


if __name__ == "__main__":
    main()
