"""Layered samples on a GPU against the CPU engine: milliseconds of whole calls, medians.

    python benchmarks/gpu/layers.py [--graphs G1] [--only Layer] [--reps 7] [--threads 16]

The result of a GPU stays there. Samples of both devices are compared first. Columns: the number of samples, ms on the
GPU, ms on the CPU, and their ratio.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import board
import cupy as cp
import graphs
import numpy as np

import gonextdoor as gnd

COMPARED = 100  # samples


def lines(vertices: int) -> list[tuple[Any, int, int]]:
    """The apps, each with its number of samples on the GPU and on the CPU. The CPU's time is scaled to the first."""
    apps, scores = gnd.apps, np.random.default_rng(1).random(vertices)
    return [
        (apps.Layer(1000, 2000), 10_000, 10_000),
        (apps.Layer(1000, 2000, unique=False), 10_000, 10_000),
        (apps.Layer(100, 200), 100_000, 10_000),
        (apps.Neighbor([10, 10, 10], frontier_size=100), 10_000, 10_000),
        (apps.MVS(1000, (10, 10)), 200, 200),
        (apps.MVS(1000, (10,), scores), 200, 200),
        (apps.Layer(1000, 2000, bias="degree"), 500, 16),
        (apps.Layer(1000, 2000, unique=False, bias="weight"), 500, 16),
    ]


def median(call: Callable[[int], Any], repetitions: int) -> float:
    """The median time of a call in ms, after one that is not counted."""
    call(0)
    times = []
    for seed in range(1, repetitions + 1):
        begin = time.perf_counter()
        call(seed)
        times.append(time.perf_counter() - begin)
    return statistics.median(times) * 1e3


def compare(graph: gnd.Graph, app: Any, roots: Any) -> None:
    """Exits unless both devices give the same samples."""
    there, here = (gnd.sample(graph, app, roots, seed=5, edges=True, device=d) for d in ("cuda", "cpu"))
    for name in ("values", "offsets", "edges", "parents"):
        if not np.array_equal(getattr(there, name), getattr(here, name)):
            raise SystemExit(f"{app!r}: {name} differ")


def line(graph: gnd.Graph, app: Any, starts: Any, samples: int, fewer: int, given: argparse.Namespace) -> None:
    """Compares the devices, and prints a line of the table."""

    def roots(n: int) -> Any:
        return n if isinstance(app, gnd.apps.MVS) else starts[:n]

    def there(seed: int) -> None:
        gnd.sample(graph, app, roots(samples), seed=seed, device="cuda", progress=False)
        cp.cuda.runtime.deviceSynchronize()

    def here(seed: int) -> None:
        gnd.sample(graph, app, roots(fewer), seed=seed, device="cpu", threads=given.threads, progress=False)

    compare(graph, app, roots(min(fewer, COMPARED)))
    gpu = median(there, given.reps)
    cpu = median(here, max(1, given.reps // 3)) * samples / fewer
    print(f"{app!r:<70} {samples:>7} {gpu:>10.2f} {cpu:>10.1f} {cpu / gpu:>7.1f}", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--graphs", default="G1")
    options.add_argument("--only", default="", help="only apps whose names begin so")
    options.add_argument("--reps", type=int, default=7)
    options.add_argument("--threads", type=int, default=16)
    given = options.parse_args()
    print(f"{board.name()}; random gather of 4 bytes over 268 MB {board.gather():.1f} G/s", flush=True)
    for name in given.graphs.split(","):
        graph = graphs.arrays(name, weights="uniform").graph()
        print(f"{name}: {graph}", flush=True)
        starts = np.random.default_rng(2).integers(0, graph.num_vertices, 100_000)
        for app, samples, fewer in lines(graph.num_vertices):
            if not repr(app).startswith(given.only):
                continue
            line(graph, app, starts, samples, fewer, given)


if __name__ == "__main__":
    main()
