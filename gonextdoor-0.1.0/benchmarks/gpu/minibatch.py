"""Mini-batches on a GPU: ms of a whole call from Python with the result on the GPU, medians, and of each batch of it.

    python benchmarks/gpu/minibatch.py [--graph G1] [--reps 100] [--only 15,10,5] [--profile]

Batches are new in every call. One batch per line is compared with the CPU's. The GPU's random-gather rate is printed
above the table; ``--profile`` shows the share of Python in a call.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import statistics
import time
from typing import Any

import board
import cupy as cp
import graphs
import numpy as np

import gonextdoor as gnd

# name, fan-outs from the seeds outwards, vertices of a batch, batches of a call, options
LINES: list[tuple[str, list[int], int, int, dict[str, Any]]] = [
    ("15,10,5", [15, 10, 5], 1024, 1, {}),
    ("15,10,5 weighted", [15, 10, 5], 1024, 1, {"weighted": True}),
    ("15,10,5 with replacement", [15, 10, 5], 1024, 1, {"replace": True}),
    ("15,10,5 as pairs", [15, 10, 5], 1024, 1, {"layout": "coo", "expand": "new"}),
    ("15,10,5", [15, 10, 5], 1024, 32, {}),
    ("15,10,5 weighted", [15, 10, 5], 1024, 32, {"weighted": True}),
    ("15,10,5 as pairs", [15, 10, 5], 1024, 32, {"layout": "coo", "expand": "new"}),
    ("10,10,10", [10, 10, 10], 8192, 1, {}),
    ("10,10,10 weighted", [10, 10, 10], 8192, 1, {"weighted": True}),
    ("10,10,10", [10, 10, 10], 8192, 8, {}),
    ("15,10,5", [15, 10, 5], 8192, 1, {}),
    ("15,10,5 LABOR", [15, 10, 5], 8192, 1, {"method": "labor"}),
    ("15,10,5 LABOR, dependent", [15, 10, 5], 8192, 1, {"method": "labor", "layer_dependency": True}),
    ("15,10,5 LABOR, Poisson", [15, 10, 5], 8192, 1, {"method": "labor-poisson"}),
    ("15,10,5 weighted", [15, 10, 5], 8192, 1, {"weighted": True}),
    ("15,10,5 LABOR, weighted", [15, 10, 5], 8192, 1, {"method": "labor", "weighted": True}),
    ("25,10", [25, 10], 1024, 1, {}),
    ("25,10", [25, 10], 1024, 256, {}),
]


def same(there: Any, here: Any) -> bool:
    """Whether a batch on the GPU equals the CPU's."""
    whole = there.arena.numpy()
    got, want = there.split(whole), here.split(here.arena)

    def flat(x: Any) -> list[Any]:
        return [a for part in x for a in flat(part)] if isinstance(x, (list, tuple)) else [x]

    return all(np.array_equal(a, b) for a, b in zip(flat(tuple(got)), flat(tuple(want)), strict=True))


def line(graph: gnd.Graph, args: argparse.Namespace, row: tuple[str, list[int], int, int, dict[str, Any]]) -> None:
    name, fanouts, size, count, options = row
    options = {"expand": "all", "layout": "csc"} | options
    there, here = (gnd.NeighborSampler(graph, fanouts, device=device, **options) for device in ("cuda", "cpu"))
    rng = np.random.default_rng(1)
    calls = [
        [rng.choice(graph.num_vertices, size, replace=False, shuffle=False) for _ in range(count)]
        for _ in range(min(args.reps, 16))
    ]
    first = there.draw_many(calls[0], list(range(count)))[0]
    right = same(first, here.draw(calls[0][0], 0))
    edges = sum(map(sum, first.num_edges))
    repetitions, times = max(5, args.reps // (1 + count // 8)), []
    for run in range(repetitions + 3):
        batches, words = calls[run % len(calls)], list(range(run * count, (run + 1) * count))
        cp.cuda.Device().synchronize()
        begin = time.perf_counter()
        held = there.draw(batches[0], words[0]) if count == 1 else there.draw_many(batches, words)
        cp.cuda.Device().synchronize()
        times.append(time.perf_counter() - begin)
        del held
    times = sorted(times[3:])
    median = statistics.median(times)
    print(
        f"{name:26} {size:5} x {count:3}  {median * 1e3:8.3f} ms a call  {median / count * 1e3:7.4f} a batch  "
        f"({times[0] * 1e3:.3f} to {times[-1] * 1e3:.3f})  {edges * count / median / 1e9:5.2f} G edges/s  "
        f"{'as the CPU' if right else 'WRONG'}",
        flush=True,
    )
    if args.profile and count == 1 and name == "15,10,5":
        profile(there, calls)


def profile(there: gnd.NeighborSampler, calls: list[list[Any]]) -> None:
    """The share of Python in a call."""
    watch = cProfile.Profile()
    watch.enable()
    for run in range(200):
        there.draw(calls[run % len(calls)][0], run)
    watch.disable()
    pstats.Stats(watch).sort_stats("tottime").print_stats(14)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--graph", default="G1")
    parser.add_argument("--reps", type=int, default=100)
    parser.add_argument("--only", default="")
    parser.add_argument("--profile", action="store_true")
    args = parser.parse_args()
    print(f"random gather {board.gather():.1f} G/s")
    graph = graphs.arrays(args.graph, weights="uniform").graph()
    for row in LINES:
        if args.only in row[0]:
            line(graph, args, row)


if __name__ == "__main__":
    main()
