"""Draws NextDoor's figures 6 and 7 and C-SAW's figure 9 from our own runs.

    python benchmarks/gpu/figures.py                          draws them from benchmarks/results/apps.csv
    python benchmarks/gpu/figures.py --measure FILE [--scales 16,20] [--seconds 300]     measures them

The figures are files in docs/assets: apps-relative.svg (NextDoor's figure 6: the speed of each app against another
engine, here the GPU against our CPU engine), apps-parts.svg and apps-orders.svg (figure 7: the parts of a call; the
transit-parallel against the sample-parallel order of trees) and apps-rates.svg (C-SAW's figure 9: sampled edges per
second). They depend on the CSV file alone.

``--measure`` runs the apps of ``gonextdoor bench --costs`` on R-MAT graphs of 2^scale vertices (mean degree 16,
weights, labels, times). The number of samples is that of a call which takes 0.05 s on the CPU by the estimate. Samples
stay in the memory of their device. Times are medians of three calls after a first one, in ms. The first call builds and
uploads what the app reads and is not there yet; ``copy_ms`` is the transfer of the result to the host.
"""

from __future__ import annotations

import argparse
import csv
import math
import os
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from gonextdoor.cli.costs import cases, labelled
from gonextdoor.sampling.estimate import estimate

import gonextdoor as gnd

ROOT = Path(__file__).resolve().parents[2]
ROWS = ROOT / "benchmarks/results/apps.csv"
COLUMNS = ("scale", "app", "samples", "edges", "cpu_ms", "first_ms", "gpu_ms", "copy_ms", "sample_ms", "transit_ms")
ORDERS = ("sample", "transit")
SECONDS = 0.05  # of a call on the CPU
LARGEST = 1 << 18  # samples of a call
THREADS = len(os.sched_getaffinity(0))
CPU, GPU, COPY = "#c44536", "#1f6f9f", "#d9a441"


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """The milliseconds of a call, and its result."""
    begin = time.perf_counter()
    made = call()
    return 1e3 * (time.perf_counter() - begin), made


def measure(graph: Any, scale: int, case: Any) -> tuple[Any, ...]:
    """A row of the table. Times of the GPU are 0 if it does not run the app, those of orders if there is no choice."""
    import cupy as cp

    random = np.random.default_rng(2)
    one = estimate(graph, case.app, 1, case.width, THREADS).cpu
    many = estimate(graph, case.app, 1025, case.width, THREADS).cpu
    samples = max(1, min(LARGEST, int(1024 * SECONDS / max(many - one, 1e-9))))
    shape: Any = (samples, case.width) if case.width > 1 else samples
    roots = random.choice(np.flatnonzero(np.diff(graph.indptr)), shape) if case.width else samples

    def call(device: str, seed: int, **order: Any) -> Any:
        made = gnd.sample(graph, case.app, roots, seed=seed, device=device, progress=False, **order)
        cp.cuda.Device().synchronize()
        return made

    call("cpu", 1)
    runs = [timed(partial(call, "cpu", seed)) for seed in (2, 3, 4)]
    edges, cpu = int(runs[0][1].stats["edges"]), statistics.median(ms for ms, _ in runs)
    del runs
    try:
        first, _ = timed(partial(call, "cuda", 1))
    except (gnd.DeviceError, ImportError):
        return scale, case.name, samples, edges, round(cpu, 3), 0, 0, 0, 0, 0
    gpu = statistics.median(timed(partial(call, "cuda", seed))[0] for seed in (2, 3, 4))
    made = call("cuda", 2)
    copy, _ = timed(partial(getattr, made, "values"))
    del made
    orders = [0.0, 0.0]
    if getattr(gnd.explain(graph, case.app, roots, device="cuda"), "orders", ()):
        for at, order in enumerate(ORDERS):
            one_order = partial(call, "cuda", plan={"order": order})
            orders[at] = statistics.median([timed(partial(one_order, seed))[0] for seed in (1, 2, 3, 4)][1:])
    return (scale, case.name, samples, edges, *(round(ms, 3) for ms in (cpu, first, gpu, copy, *orders)))


def measure_all(scales: list[int], seconds: float, path: Path) -> None:
    """Measures all cases until the time is over, and writes the rows."""
    end = time.perf_counter() + seconds
    with path.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        for scale in scales:
            graph = labelled(gnd, scale)
            for case in cases(gnd, graph):
                if time.perf_counter() > end:
                    print("no time is left", flush=True)
                    return
                try:
                    row = measure(graph, scale, case)
                except gnd.AppError as why:
                    print(f"{case.name}: {why}", flush=True)
                    continue
                out.writerow(row)
                print(*row, sep=",", flush=True)


def read(path: Path) -> list[dict[str, Any]]:
    """The rows of the table that a GPU ran, with numbers."""
    with path.open(newline="") as file:
        lines = csv.DictReader(line for line in file if not line.startswith("#"))
        rows = [{name: text if name == "app" else float(text) for name, text in row.items()} for row in lines]
    return [row for row in rows if float(row["gpu_ms"]) > 0]


def by_scale(rows: list[dict[str, Any]]) -> dict[int, dict[str, dict[str, Any]]]:
    """The rows by graph and app."""
    found: dict[int, dict[str, dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(int(row["scale"]), {})[row["app"]] = row
    return found


def bars(title: str, label: str, rows: list[dict[str, Any]], value: Callable[[dict[str, Any]], float]) -> Any:
    """A logarithmic bar per app and graph."""
    from gonextdoor.plot.figure import axes_for
    from matplotlib.ticker import FuncFormatter, NullFormatter

    graphs, names = by_scale(rows), list(dict.fromkeys(row["app"] for row in rows))
    axes = axes_for(None, (8, 1 + 0.26 * len(names)))
    height, colours = 0.8 / len(graphs), (GPU, COPY, CPU)
    for g, (scale, of) in enumerate(sorted(graphs.items())):
        at = [i + (g + 0.5) * height - 0.4 for i, name in enumerate(names) if name in of]
        axes.barh(at, [value(of[name]) for name in names if name in of], height, color=colours[g % 3],
                  label=f"R-MAT, 2^{scale} vertices")  # fmt: skip
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xscale("log")
    values = [value(row) for row in rows]
    axes.set_xlim(10 ** math.floor(math.log10(min(values))), 1.3 * max(values))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda tick, _: f"{tick:,g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(f"{label} (logarithmic axis)")
    axes.set_title(title, loc="left", fontsize=11)
    axes.grid(axis="x", alpha=0.3)
    axes.set_axisbelow(True)
    axes.figure.legend(fontsize=8, ncols=3, loc="outside lower right")
    return axes


def parts(rows: list[dict[str, Any]]) -> Any:
    """The shares of a first call on the largest graph: building and uploading, sampling, transfer to the host."""
    from gonextdoor.plot.figure import axes_for

    of = by_scale(rows)[max(int(row["scale"]) for row in rows)]
    axes = axes_for(None, (8, 1 + 0.26 * len(of)))
    left = np.zeros(len(of))
    totals = np.array([max(r["first_ms"], r["gpu_ms"]) + r["copy_ms"] for r in of.values()])
    for what, colour, values in (
        ("build and upload", CPU, [max(r["first_ms"] - r["gpu_ms"], 0) for r in of.values()]),
        ("sample", GPU, [r["gpu_ms"] for r in of.values()]),
        ("copy to the host", COPY, [r["copy_ms"] for r in of.values()]),
    ):
        share = 100 * np.array(values) / totals
        axes.barh(range(len(of)), share, 0.6, left, color=colour, label=what)
        left += share
    axes.set_yticks(range(len(of)), list(of), fontsize=8)
    axes.set_ylim(len(of) - 0.4, -0.6)
    axes.set_xlabel("percent of the first call")
    axes.set_title("Parts of a call on a GPU", loc="left", fontsize=11)
    axes.figure.legend(fontsize=8, ncols=3, loc="outside lower right")
    return axes


def times_faster(row: dict[str, Any]) -> float:
    """How many times faster the GPU is."""
    return float(row["cpu_ms"] / row["gpu_ms"])


def million_edges(row: dict[str, Any]) -> float:
    """Sampled edges per second on the GPU, in millions."""
    return float(row["edges"] / row["gpu_ms"] / 1e3)


def gain_of_transits(row: dict[str, Any]) -> float:
    """How many times faster the transit-parallel order is than the sample-parallel one."""
    return float(row["sample_ms"] / row["transit_ms"])


def draw(path: Path) -> None:
    """Draws all figures."""
    import matplotlib as mpl

    mpl.use("svg")
    sys.path.insert(0, str(ROOT / "docs"))
    import svgfile

    rows = read(path)
    figures = {
        "relative": bars("A GPU against 16 CPU cores", "times as fast", rows, times_faster),
        "parts": parts(rows),
        "rates": bars("Sampled edges on a GPU", "million edges per second", rows, million_edges),
    }
    if trees := [row for row in rows if row["transit_ms"] > 0]:
        figures["orders"] = bars("Transit-parallel against sample-parallel", "times as fast", trees, gain_of_transits)
    for name, axes in figures.items():
        file = ROOT / f"docs/assets/apps-{name}.svg"
        svgfile.write(file, axes.figure)
        print(file.relative_to(ROOT))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--measure", type=Path, metavar="FILE", help="measure, and write the figures to this file")
    options.add_argument("--scales", default="16,20")
    options.add_argument("--seconds", type=float, default=300)
    options.add_argument("--rows", type=Path, default=ROWS, help="the file to draw")
    given = options.parse_args()
    if given.measure:
        measure_all([int(scale) for scale in given.scales.split(",")], given.seconds, given.measure)
    else:
        draw(given.rows)


if __name__ == "__main__":
    main()
