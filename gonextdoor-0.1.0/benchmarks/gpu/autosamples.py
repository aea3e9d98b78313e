"""Whether ``device="auto"`` picks the faster device for samples that groups of threads make on a GPU.

    python benchmarks/gpu/autosamples.py [--graphs R12,U14] [--samples 1,4,16] [--apps Layer] [--seconds 300]
                                         [--order 1] [--rows FILE] [--describe FILE]

The grid: R-MAT graphs (R) and uniform ones (U) x Layer, FastGCN, LADIES, MVS and users' apps x numbers of samples.
Pairs of a graph and an app are measured in a random order, until the time is over. A case is one ``gonextdoor.sample``
call from Python until the result is in numpy arrays. The median of three calls after a first one counts, or the first
one if it is long. A pair ends at the first number of samples that takes SLOWEST seconds.

``--rows FILE`` appends the cases to a file in the form of autosamples.csv, as a further run; without it they are
printed. ``--describe FILE`` writes the parameters of the apps instead, as in autosamples_apps.json. A Go test replays
the decision from these files, and fits the constants of plan/groups.go to them:

    go test -v -run Group ./gonextdoor/plan -fit
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from auto import given_roots, seconds
from gonextdoor.cli.costs import Case, any_neighbor, by_degree, by_weight, emulated, largest

import gonextdoor as gnd

SLOWEST = 0.12  # seconds of a call on the CPU, or on a GPU: the last number of samples
SHORT, LONG = 0.03, 0.1  # seconds up to which calls are repeated, and from which on the first one counts
# R-MAT graphs: scale, edge factor, and whether they are skewed or uniform. gonextdoor/plan/groups_test.go has the same.
GRAPHS = {
    "R12": (12, 8, True),
    "R16": (16, 8, True),
    "R18": (18, 16, True),
    "R20": (20, 8, True),
    "U14": (14, 4, False),
    "U17": (17, 16, False),
    "U20": (20, 3, False),
}


def graph_of(name: str) -> gnd.Graph:
    """The graph of a name."""
    scale, factor, skewed = GRAPHS[name]
    chances = {} if skewed else {"a": 0.25, "b": 0.25, "c": 0.25}
    return gnd.rmat(scale, factor, weights=(1.0, 5.0), seed=1, progress=False, **chances)


def even(ctx: Any, edge: Any, dst: Any) -> Any:
    return 3 if dst % 2 == 0 else 1


def three(ctx: Any) -> Any:
    return 3


def forward(ctx: Any, edge: Any, dst: Any) -> Any:
    return dst


def degree_of(ctx: Any, v: Any) -> Any:
    return ctx.degree(v)


def cases(vertices: int) -> list[Case]:
    """The apps with their parameters."""
    apps, app = gnd.apps, gnd.App
    scores = np.random.default_rng(1).random(vertices)
    return [
        Case("Layer", apps.Layer(), 16),
        Case("Layer, repeats", apps.Layer(unique=False), 16),
        Case("Layer, small", apps.Layer(100, 200), 1),
        Case("Layer, by weight", apps.Layer(bias="weight"), 16),
        Case("Layer, by weight, small", apps.Layer(100, 200, bias="weight"), 4),
        Case("Layer, by degree, repeats", apps.Layer(300, 900, unique=False, bias="degree"), 8),
        Case("FastGCN", apps.FastGCN([512, 512]), 512),
        Case("FastGCN, large", apps.FastGCN([2048, 2048], normalization="row"), 1024),
        Case("FastGCN, distinct, small", apps.FastGCN([64, 64, 64], replace=False), 64),
        Case("FastGCN, distinct", apps.FastGCN([256, 256], replace=False), 256),
        Case("LADIES", apps.LADIES([512, 512]), 512),
        Case("LADIES, small", apps.LADIES([64, 64, 64]), 64),
        Case("LADIES, distinct", apps.LADIES([256, 256], replace=False), 256),
        Case("LADIES, by rows", apps.LADIES([128, 128, 128], normalization="row"), 128),
        Case("MVS", apps.MVS(512, [10]), 0),
        Case("MVS, two hops", apps.MVS(64, [10, 10]), 0),
        Case("MVS, large", apps.MVS(1000, [5, 5]), 0),
        Case("MVS, scores", apps.MVS(128, [25], scores), 0),
        Case("App, next", app(next=any_neighbor, steps=20), 1),
        Case("App, edge_bias", app(edge_bias=by_degree, bound=None, steps=20), 1),
        Case("App, edge_bias and bound", app(edge_bias=by_weight, bound=largest, steps=20), 1),
        Case("App, update", app(update=forward, steps=80, weighted=False), 1),
        Case("App, picks", app(update=forward, sample_size=[10, 5], weighted=False), 1),
        Case("App, picks by weight", app(update=forward, sample_size=[5, 5, 5]), 4),
        Case("App, picks, unique", app(sample_size=[10, 5], unique="sample", weighted=False), 1),
        Case("App, picks, edge_bias", app(edge_bias=even, bound=None, sample_size=[10, 5]), 1),
        Case(
            "App, picks, edge_bias, unique", app(edge_bias=by_degree, bound=None, sample_size=[8, 8], unique="step"), 2
        ),
        Case("App, picks, edge_bias and bound", app(edge_bias=even, bound=three, sample_size=[10, 5]), 1),
        Case("App, collective", app(scope="collective", sample_size=[256, 256], weighted=False), 4),
        Case("App, collective, edge_bias", app(scope="collective", edge_bias=by_degree, sample_size=[64, 64, 64]), 4),
        Case("App, induced", app(sample_size=[10, 5], record="induced", unique="sample", weighted=False), 1),
        Case("App, pool", app(vertex_bias=degree_of, steps=50, weighted=False), 20),
    ]


def timed(graph: Any, app: Any, roots: Any, device: str, *, ready: bool) -> float:
    """The median seconds of up to three calls after a first one. ready: no call has to compile or to build tables."""
    first = seconds(graph, app, roots, device, 0)
    if ready and first > LONG:
        return first
    later = range(1, 4 if first < SHORT else 2)
    return float(np.median([seconds(graph, app, roots, device, seed) for seed in later]))


def measure(name: str, graph: Any, case: Case, counts: list[int], add: Callable[[list[Any]], None]) -> None:
    """Measures a pair, and adds its rows."""
    for n in counts:
        roots = given_roots(graph, case, n)
        gpu, cpu = (timed(graph, case.app, roots, device, ready=n > counts[0]) for device in ("cuda", "cpu"))
        add([name, case.name, n, f"{1e3 * cpu:.3f}", f"{1e3 * gpu:.3f}"])
        if max(cpu, gpu) > SLOWEST:
            return


def described(case: Case, graph: Any) -> dict[str, Any]:
    """The parameters by which the core plans an app, without the addresses of arrays and hooks."""
    app: Any = case.app._on(graph)
    user = isinstance(app, gnd.App)
    parameters = app._planning() if user else app.parameters()
    given = {key: value for key, value in parameters.items() if key != "scores"}
    scored = not user and parameters.get("scores") is not None
    return {"app": type(app).__name__, "roots": case.width, "scored": scored, "parameters": given}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", default=",".join(GRAPHS))
    parser.add_argument("--samples", default="1,4,16,64,256,1024,10000")
    parser.add_argument("--apps", default="", help="only cases whose names begin with one of these")
    parser.add_argument("--seconds", type=float, default=300.0, help="stop measuring after this number of seconds")
    parser.add_argument("--order", type=int, default=1, help="the seed of the order of pairs")
    parser.add_argument("--rows", type=Path, help="append the measured cases to this file")
    parser.add_argument("--describe", type=Path, help="write the parameters of the apps to this file")
    given = parser.parse_args()
    end = time.monotonic() + given.seconds
    if given.describe:
        graph = graph_of("R12")
        apps = [f" {json.dumps(case.name)}: {json.dumps(described(case, graph))}" for case in cases(graph.num_vertices)]
        given.describe.write_text("{\n" + ",\n".join(apps) + "\n}\n")
        return
    if emulated():
        print("# The driver is the emulated one: no time below means anything.")
    held = {name: graph_of(name) for name in given.graphs.split(",")}
    wanted, counts = tuple(given.apps.split(",")), [int(n) for n in given.samples.split(",")]
    pairs = [(name, case) for name, graph in held.items() for case in cases(graph.num_vertices)]
    pairs = [pair for pair in pairs if pair[1].name.startswith(wanted)]
    random.Random(given.order).shuffle(pairs)
    add = rows_of(given.rows)
    for at, (name, case) in enumerate(pairs):
        if time.monotonic() > end:
            print(f"# {len(pairs) - at} of {len(pairs)} pairs are left out", flush=True)
            break
        try:
            measure(name, held[name], case, counts, add)
        except Exception as error:  # one pair that fails must not end the grid
            print(f"# {name}, {case.name}: {type(error).__name__}: {str(error)[:150]}", flush=True)


def rows_of(file: Path | None) -> Callable[[list[Any]], None]:
    """Returns a function that appends a row to a file under the next number of a run, or prints it."""
    before = file.read_text().splitlines() if file and file.exists() else []
    runs = [line.partition(",")[0] for line in before]
    run = 1 + max((int(number) for number in runs if number.isdigit()), default=0)

    def write(row: list[Any]) -> None:
        with file.open("a", newline="") if file else contextlib.nullcontext(sys.stdout) as out:
            csv.writer(out, lineterminator="\n").writerow(row)
            out.flush()

    if not before:
        write(["run", "graph", "case", "samples", "cpu_ms", "gpu_ms"])
    return lambda row: write([run, *row])


if __name__ == "__main__":
    main()
