"""Whether ``device="auto"`` picks the faster device, on a grid of graphs, apps and numbers of roots.

    python benchmarks/gpu/auto.py [--scales 12,16,20,22] [--roots 1,100,10000,1000000] [--seconds 270] [--quick]
                                      [--apps KHop,Snowball] [--rows FILE]

The grid: R-MAT graphs of 2^scale vertices (mean degree 16, weights, three labels) x all apps of ``gonextdoor bench
--costs`` that a GPU runs x numbers of random roots. A case is one ``gonextdoor.sample`` call from Python until the
result is in numpy arrays (padded matrices; ``values``, ``offsets`` and all parts of other samples), after a first
call with the same arguments: the graph is on the GPU, and tables are built. The least of up to three calls counts.
``gonextdoor.explain`` says what "auto" takes. It is right if this is the faster device, or within 10 % of it.

Cases whose estimate on the CPU is above 2.5 s, whose result is above 2 GB, or for which no time is left are left out
and counted. The last line is JSON: constants of ``plan/cost.go`` fitted to the GPU's times by least squares of the
relative errors, none below 0. Names are those of cost.go; costs are in nanoseconds, cached and memory.

``--rows FILE`` appends the measured cases to a file in the form of auto.csv, as a further run. A Go test replays the
decision against auto.csv.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import json
import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from gonextdoor.cli.costs import cases, emulated, labelled

import gonextdoor as gnd

SLOWEST = 2.5  # seconds on the CPU by the estimate
LARGEST = 2e9  # bytes of a result
CLOSE = 1.10  # devices count as equally fast within this factor
# The sizes between which costs change, as cachedBytes and memoryBytes of app/cost.go.
CACHED, MEMORY = (4 << 18) + (8 << 14), (4 << 24) + (8 << 20)


@dataclasses.dataclass
class Case:
    """A measured case: seconds by device, and the inputs of the model."""

    scale: int
    name: str
    roots: int
    cpu: float
    gpu: float
    expected_cpu: float
    expected_gpu: float
    auto: str
    cost_class: str
    operations: float
    steps: float  # of one sample
    result: float  # bytes
    share: float  # of the cost in memory; the rest is in the cache

    def right(self, gpu: bool) -> bool:
        """Whether taking the GPU, or the CPU, is right."""
        taken, other = (self.gpu, self.cpu) if gpu else (self.cpu, self.gpu)
        return taken <= CLOSE * other


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scales", default="12,16,20,22")
    parser.add_argument("--roots", default="1,100,10000,1000000")
    parser.add_argument("--seconds", type=float, default=270.0, help="stop measuring after this number of seconds")
    parser.add_argument("--apps", default="", help="only cases whose names begin with one of these")
    parser.add_argument("--quick", action="store_true", help="a tiny grid that shows that the program runs")
    parser.add_argument("--rows", type=Path, help="append the measured cases to this file")
    given = parser.parse_args()
    scales = [5, 6] if given.quick else [int(s) for s in given.scales.split(",")]
    roots = [1, 20] if given.quick else [int(n) for n in given.roots.split(",")]
    if emulated():
        print("The driver is the emulated one: no time below means anything.")
    measured, left_out = grid(scales, roots, given.seconds, tuple(given.apps.split(",")))
    if not measured:
        print(f"no case was measured, {left_out} left out")
        return
    report(measured, left_out)
    if given.rows:
        store(measured, given.rows)
    constants = fitted(measured)
    share = agreement(measured, constants)
    print(f"with the constants below: {100 * share:.1f} % right")
    print(json.dumps(constants))


def grid(scales: list[int], roots: list[int], seconds: float, names: tuple[str, ...]) -> tuple[list[Case], int]:
    """Measures the cases whose names begin so, smallest graph first; each graph gets a share of the remaining time."""
    measured: list[Case] = []
    left_out, end = 0, time.monotonic() + seconds
    for at, scale in enumerate(scales):
        now = time.monotonic()
        stop = now + (end - now) / (len(scales) - at)
        graph = labelled(gnd, scale)
        print(f"R-MAT 2^{scale}: {graph.num_vertices:,} vertices, {graph.num_edges:,} edges", flush=True)
        print(f"{'':<34}{'roots':>9}{'CPU ms':>11}{'GPU ms':>11}{'auto':>8}  expected CPU, GPU", flush=True)
        for n, case in ((n, case) for n in roots for case in runnable(graph, names)):
            if time.monotonic() > stop:
                left_out += 1
                continue
            try:
                found = measure(graph, scale, case, n)
            except Exception as error:  # one case that fails must not end the grid
                print(f"{case.name:<34}{n:>9}  FAILED {type(error).__name__}: {str(error)[:150]}", flush=True)
                found = None
            if found is None:
                left_out += 1
                continue
            measured.append(found)
            print(
                f"{found.name:<34}{n:>9}{1e3 * found.cpu:>11.3f}{1e3 * found.gpu:>11.3f}{found.auto:>8}  "
                f"{1e3 * found.expected_cpu:.3f}, {1e3 * found.expected_gpu:.3f}"
                f"{'' if found.right(found.auto != 'cpu') else '  WRONG'}",
                flush=True,
            )
        graph.release_device()
    return measured, left_out


def runnable(graph: Any, names: tuple[str, ...]) -> Iterator[Any]:
    """The apps that a GPU runs, of those whose names begin so."""
    for case in cases(gnd, graph):
        if not case.name.startswith(names):
            continue
        try:
            gnd.explain(graph, case.app, given_roots(graph, case, 1), device="cuda")
        except (gnd.DeviceError, ImportError) as why:
            print(f"{case.name:<34} not on a GPU: {str(why)[:120]}")
            continue
        yield case


def given_roots(graph: Any, case: Any, n: int) -> Any:
    """Random roots that have edges."""
    if case.width == 0:
        return n
    busy = np.flatnonzero(np.diff(graph.indptr))
    return np.random.default_rng(n).choice(busy, (n, case.width) if case.width > 1 else n)


def measure(graph: Any, scale: int, case: Any, n: int) -> Case | None:
    """Times a case on both devices; None: it is too large."""
    roots = given_roots(graph, case, n)
    here = gnd.explain(graph, case.app, roots, device="cpu")
    there = gnd.explain(graph, case.app, roots, device="cuda")
    if here.sample_seconds is None or here.sample_seconds > SLOWEST or (here.result_bytes or 0) > LARGEST:
        return None
    gpu = timed(graph, case.app, roots, "cuda")
    cpu = timed(graph, case.app, roots, "cpu")
    size = 4 * graph.num_edges + 8 * graph.num_vertices
    share = min(1.0, max(0.0, math.log2(size / CACHED) / math.log2(MEMORY / CACHED)))
    operations = there.operations or 0.0
    return Case(
        scale,
        case.name,
        n,
        cpu,
        gpu,
        here.sample_seconds,
        (there.sample_seconds or 0.0) + (there.transfer_seconds or 0.0),
        gnd.explain(graph, case.app, roots).device,
        there.cost_class,
        operations,
        operations / n / max(1, case.width),
        there.result_bytes or 0.0,
        share,
    )


def seconds(graph: Any, app: Any, roots: Any, device: str, seed: int) -> float:
    """The seconds of one call, until its result is in numpy arrays."""
    begin = time.perf_counter()
    samples = gnd.sample(graph, app, roots, seed=seed, device=device, progress=False)
    _ = (samples.values, samples.offsets, samples._layers) if samples.ragged else samples.numpy()
    return time.perf_counter() - begin


def timed(graph: Any, app: Any, roots: Any, device: str) -> float:
    """The least seconds of up to three calls after a first one."""
    first = seconds(graph, app, roots, device, 0)
    return min(seconds(graph, app, roots, device, seed) for seed in range(1, 2 if first > 0.5 else 4))


def report(measured: list[Case], left_out: int) -> None:
    """Prints the share of right cases, the wrong ones, and how far the CPU's estimates are off."""
    wrong = [case for case in measured if not case.right(case.auto != "cpu")]
    for case in wrong:
        print(
            f"wrong: 2^{case.scale} {case.name}, {case.roots} roots: {case.auto}, CPU {1e3 * case.cpu:.3f} ms, "
            f"GPU {1e3 * case.gpu:.3f} ms; expected {1e3 * case.expected_cpu:.3f} and {1e3 * case.expected_gpu:.3f}"
        )
    share = 1 - len(wrong) / len(measured)
    print(f"auto is right in {100 * share:.1f} % of {len(measured)} cases (target 95 %); {left_out} left out")
    ratios = np.array([case.expected_cpu / case.cpu for case in measured])
    print(f"CPU, expected / measured: median {np.median(ratios):.2f}, middle 80 % {np.quantile(ratios, 0.1):.2f} to "
          f"{np.quantile(ratios, 0.9):.2f}")  # fmt: skip


def store(measured: list[Case], file: Path) -> None:
    """Appends the cases to a file of rows, under the next number of a run."""
    runs = [line.partition(",")[0] for line in file.read_text().splitlines()] if file.exists() else []
    run = 1 + max((int(number) for number in runs if number.isdigit()), default=0)
    with file.open("a", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        if not runs:
            rows.writerow(["run", "scale", "case", "roots", "cpu_ms", "gpu_ms"])
        for case in measured:
            seconds = [f"{1e3 * each:.3f}" for each in (case.cpu, case.gpu)]
            rows.writerow([run, case.scale, case.name, case.roots, *seconds])


def features(case: Case, classes: list[str]) -> list[float]:
    """What the GPU's constants are multiplied by: call, step, byte, and cached and memory of each class."""
    row = [1.0, case.steps, case.result]
    for name in classes:
        mine = 1e-9 * case.operations * (name == case.cost_class)
        row += [mine * (1 - case.share), mine * case.share]
    return row


def fitted(measured: list[Case]) -> dict[str, Any]:
    """The constants that make the relative errors of the GPU's times least."""
    classes = sorted({case.cost_class for case in measured})
    rows = np.array([features(case, classes) for case in measured])
    rows /= np.array([case.gpu for case in measured])[:, None]
    x = least_squares(rows, np.ones(len(rows)))
    costs = {name: [round(float(c), 5) for c in x[3 + 2 * i : 5 + 2 * i]] for i, name in enumerate(classes)}
    rate = 1 / x[2] if x[2] > 0 else None
    return {"GPUCall": float(x[0]), "GPUStep": float(x[1]), "GPUResultRate": rate, "gpuCosts": costs}


def least_squares(rows: Any, target: Any, rounds: int = 5000) -> Any:
    """The x of no negative entry that makes |rows x - target| least, by coordinate descent."""
    scale = np.sqrt((rows**2).sum(0))
    scale[scale == 0] = 1.0
    gram = (rows / scale).T @ (rows / scale)
    goal = (rows / scale).T @ target
    x = np.zeros(len(goal))
    for _ in range(rounds):
        for i in range(len(x)):
            if gram[i, i] > 0:
                x[i] = max(0.0, x[i] + (goal[i] - gram[i] @ x) / gram[i, i])
    return x / scale


def agreement(measured: list[Case], constants: dict[str, Any]) -> float:
    """The share of cases in which the estimates would pick the right device with these constants."""
    rate = constants["GPUResultRate"]
    right = 0
    for case in measured:
        cached, memory = constants["gpuCosts"][case.cost_class]
        gpu = constants["GPUCall"] + constants["GPUStep"] * case.steps + (case.result / rate if rate else 0.0)
        gpu += 1e-9 * case.operations * (cached * (1 - case.share) + memory * case.share)
        right += case.right(gpu < case.expected_cpu)
    return right / len(measured)


if __name__ == "__main__":
    main()
