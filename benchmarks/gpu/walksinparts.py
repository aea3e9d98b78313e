"""Walks of all kinds on a graph of which a GPU may hold a quarter: times of whole calls, and equality with the CPU.

    python benchmarks/gpu/walksinparts.py [--graph G1] [--walkers 8] [--length 80] [--lines 0,1,2]

The limit of a line is a quarter of the bytes that the parts have together. Lines of one limit share a process. The
GPU makes the samples itself ("in parts"), or lets the CPU make them if that is faster ("as planned"). A further process
measures the lines on a GPU without a limit, and on the CPU of the same machine with one walker per
vertex. Steps are those of walks that have not ended. Each process prints checksums of the samples from some roots, with
their edges. They must be equal.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import zlib
from typing import Any

import numpy as np

import gonextdoor as gnd

VARIABLE = "GONEXTDOOR_DEVICE_MEMORY"
CHECKED = 1 << 18  # roots
ARRAYS = "indptr", "indices", "weights", "labels", "times"


@dataclasses.dataclass
class Line:
    """A walk, and the bytes of its parts."""

    name: str
    app: Any
    per_edge: int
    per_vertex: int
    width: int = 1  # roots of a sample


def lines(length: int) -> list[Line]:
    """Return all lines."""
    apps = gnd.apps
    return [
        Line("DeepWalk", apps.DeepWalk(length, weighted=False), 4, 8),
        Line("NonBacktracking", apps.NonBacktracking(length, weighted=False), 4, 8),
        Line("Node2Vec p=0.25 q=0.5", apps.Node2Vec(p=0.25, q=0.5, length=length, weighted=False), 4, 8),
        Line("MultiIndependent, 8 roots", apps.MultiIndependent(length, weighted=False), 4, 8, 8),
        Line("MetropolisHastings", apps.MetropolisHastings(length), 4, 12),
        Line("MultiDimensionalWalk, 8 roots", apps.MultiDimensionalWalk(length, dimension=8), 4, 12, 8),
        Line("MetaPath, 5 labels", apps.MetaPath((0, 1, 2, 3, 4), length=length, weighted=False), 4, 40),
        Line("TemporalWalk", apps.TemporalWalk(length), 16, 8),
        Line("DeepWalk, computed weights", apps.DeepWalk(length, weighted="computed"), 8, 9),
        Line("NonBacktracking, weighted", apps.NonBacktracking(length, weighted=True), 24, 8),
        Line("Node2Vec p=0.25 q=0.5, weighted", apps.Node2Vec(p=0.25, q=0.5, length=length, weighted=True), 24, 24),
    ]


def save(name: str, folder: pathlib.Path) -> None:
    """Save the arrays of a graph, for all processes."""
    import graphs

    made = graphs.arrays(name, weights="uniform", labels=True)
    times = np.random.default_rng(1).integers(0, 1 << 20, len(made.indices))
    for array, values in zip(ARRAYS, (made.indptr, made.indices, made.weights, made.labels, times), strict=True):
        np.save(folder / f"{array}.npy", values)


def measure(graph: gnd.Graph, line: Line, process: str, walkers: int) -> None:
    """Measure a line in this process."""
    device, plan = "cpu" if process == "cpu" else "cuda", {"order": "transit"} if process == "in parts" else None
    starts = np.flatnonzero(graph.degrees()).astype(np.uint32)
    starts = starts[: len(starts) // line.width * line.width]
    some = starts[:CHECKED]
    samples = gnd.sample(
        graph,
        line.app,
        some.reshape(-1, line.width) if line.width > 1 else some,
        seed=1,
        edges=True,
        device=device,
        plan=plan,
    )
    vertices = samples.numpy()
    steps = float((vertices != -1).sum()) / len(some) - 1  # per root
    check = zlib.crc32(np.ascontiguousarray(samples.edges).tobytes(), zlib.crc32(vertices.tobytes()))
    del samples, vertices
    for each in (walkers, 1) if device == "cuda" else (1,):
        roots = np.tile(starts, each)
        if line.width > 1:
            roots = roots.reshape(-1, line.width)
        times = []
        for _ in range(2):
            begin = time.perf_counter()
            made = gnd.sample(graph, line.app, roots, seed=2, device=device, plan=plan)
            if device != "cpu":
                _ = made.on_device.vertices.__cuda_array_interface__  # it waits until the samples are complete
            times.append(time.perf_counter() - begin)
            del made
        rate = len(starts) * each * steps / times[-1] / 1e9
        print(
            f"{line.name:<34}{each:>3} per vertex  {process:<10}{1e3 * times[-1]:>9.1f} ms{rate:>8.3f} G steps/s"
            f"   {steps:.1f} steps   checksum {check:08x}",
            flush=True,
        )


def run(given: argparse.Namespace) -> None:
    """Measure the lines of a process."""
    folder = pathlib.Path(given.folder)
    if given.process == "save":
        return save(given.graph, folder)
    of = {name: np.load(folder / f"{name}.npy") for name in ARRAYS}  # mapped files cannot be pinned
    graph = gnd.Graph.from_csr(of["indptr"], of["indices"], **{name: of[name] for name in ARRAYS[2:]})
    every = lines(given.length)
    for number in map(int, given.lines.split(",")):
        for process in given.process.split(","):
            measure(graph, every[number], process, given.walkers)
    return None


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--graph", default="G1")
    options.add_argument("--walkers", type=int, default=8, help="per vertex")
    options.add_argument("--length", type=int, default=80)
    options.add_argument("--lines", default=",".join(map(str, range(len(lines(1))))))
    options.add_argument(
        "--only", default="parts,whole", help="parts: lines in parts; whole: in memory, and on the CPU"
    )
    options.add_argument("--process", default="", help=argparse.SUPPRESS)
    options.add_argument("--folder", default="", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.process:
        return run(given)
    import board

    print(board.name(), f"{os.cpu_count()} CPUs", flush=True)
    with tempfile.TemporaryDirectory() as folder:

        def start(process: str, numbers: str, **more: str) -> None:
            environment = {name: value for name, value in os.environ.items() if name != VARIABLE} | more
            extra = ["--process", process, "--folder", folder, "--lines", numbers]
            subprocess.run([sys.executable, *sys.argv, *extra], env=environment, check=False)

        start("save", "0")
        vertices, edges = (len(np.load(f"{folder}/{name}.npy", mmap_mode="r")) for name in ARRAYS[:2])
        limits: dict[int, list[str]] = {}
        every = lines(1)
        for number in given.lines.split(",") if "parts" in given.only else ():
            line = every[int(number)]
            limits.setdefault((edges * line.per_edge + vertices * line.per_vertex) // 4, []).append(number)
        for limit, numbers in limits.items():
            print(f"a quarter: {limit / 1e6:.0f} MB", flush=True)
            start("in parts,as planned", ",".join(numbers), **{VARIABLE: f"{limit}B"})
        if "whole" in given.only:
            start("in memory,cpu", given.lines)
    return None


if __name__ == "__main__":
    main()
