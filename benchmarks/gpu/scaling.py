"""Measures how sampling scales over the GPUs of a machine that each hold the whole graph.

    python benchmarks/gpu/scaling.py --measure FILE [--gpus 1,2,4] [--graph G1] [--seconds 300] [--only walk]
    python benchmarks/gpu/scaling.py          draws docs/assets/scaling.svg from benchmarks/results/scaling.csv

``--measure`` writes one row per case and number of GPUs. Sampled edges per second (SEPS) are those of C-SAW's apps.
The other cases are walks with the result on the GPUs, visit counts, copies to the host, and mini-batches. Numbers of
GPUs that the machine does not have are skipped with a note. The graph is one of graphs.py, which needs cupy, or the
scale of an R-MAT graph.

Runs with different numbers of GPUs alternate, so that other load affects all of them equally. A value is the median of
the runs of one case. ``gain`` is the median ratio to the run with the smallest number of GPUs in the same round.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import re
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from gonextdoor._core import native

import gonextdoor as gnd

ROOT = Path(__file__).resolve().parents[2]
ROWS = ROOT / "benchmarks/results/scaling.csv"
CHART = ROOT / "docs/assets/scaling.svg"
COLUMNS = ("case", "unit", "gpus", "value", "least", "most", "gain", "wanted")
LENGTH, PER_VERTEX, FANOUTS, SEEDS, IN_CALL = 80, 8, [15, 10, 5], 1024, 32
Devices = list[str]


class Case(NamedTuple):
    """Something to measure: ``run`` returns the value of one run on some GPUs."""

    name: str
    unit: str
    run: Callable[[Devices, int], float]  # with the number of the run
    wanted: float = 0.0  # the gain that two GPUs should have; 0: none is set


def settle(samples: Any) -> None:
    """Waits until samples on GPUs are complete."""
    for shard in samples.shards:
        assert shard._result.seconds >= 0


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """The seconds of a call, and its result."""
    begin = time.perf_counter()
    made = call()
    return time.perf_counter() - begin, made


def rate_of(graph: gnd.Graph, app: Any, roots: Any, **given: Any) -> Callable[[Devices, int], float]:
    """Sampled edges per second, in millions, with the result on the GPUs."""
    taken: dict[int, float] = {}

    def run(devices: Devices, number: int) -> float:
        def call() -> Any:
            samples = gnd.sample(graph, app, roots, seed=number, device=devices, progress=False, **given)
            if samples.device != "cpu":
                settle(samples)
            return samples

        seconds, samples = timed(call)
        if number not in taken:
            taken[number] = samples.stats["edges"]
        return taken[number] / seconds / 1e6

    return run


def apps_of_csaw(graph: gnd.Graph, instances: int) -> Iterator[Case]:
    """The apps of C-SAW's evaluation."""
    apps, random = gnd.apps, np.random.default_rng(2)
    some = np.flatnonzero(np.diff(graph.indptr.astype(np.int64)))
    roots = random.choice(some, instances)

    def case(name: str, app: Any, share: int = 1, width: int = 1) -> Case:
        n = max(1, instances // share)
        of = roots[:n] if width == 1 else random.choice(some, (n, width))
        return Case(name, "M edges/s", rate_of(graph, app, of))

    yield case("simple random walk", apps.DeepWalk(LENGTH, weighted=False))
    yield case("biased walk", apps.DeepWalk(LENGTH, weighted=True))
    yield case("Metropolis-Hastings walk", apps.MetropolisHastings(LENGTH))
    yield case("node2vec", apps.Node2Vec(2.0, 0.5, LENGTH, weighted=False))
    yield case("node2vec, biased", apps.Node2Vec(2.0, 0.5, LENGTH, weighted=True))
    yield case("neighbour sampling", apps.KHop((10, 5), weighted=False))
    yield case("neighbour sampling, biased", apps.KHop((10, 5), weighted=True))
    yield case("layer sampling", apps.Layer(100, 200), 64, 16)
    yield case("layer sampling, biased", apps.Layer(100, 200, bias="weight"), 64, 16)
    yield case("snowball", apps.Snowball(2, fanout=5), 16)
    yield case("forest fire", apps.ForestFire(0.4), 16)
    yield case("multi-dimensional walk", apps.MultiDimensionalWalk(LENGTH, dimension=100), 64, 100)


def walks(graph: gnd.Graph) -> Iterator[Case]:
    """Walks from every vertex: results on the GPUs, counts, and copies to the host."""
    apps, vertices = gnd.apps, graph.num_vertices

    def counts(app: Any) -> Callable[[Devices, int], float]:
        def run(devices: Devices, number: int) -> float:
            call = lambda: gnd.visit_counts(graph, app, repeat=PER_VERTEX, seed=number, device=devices)  # noqa: E731
            seconds, _ = timed(call)
            return float(vertices * PER_VERTEX * app.length / seconds / 1e9)

        return run

    def copy(devices: Devices, number: int) -> float:
        samples = gnd.sample(graph, apps.DeepWalk(LENGTH, weighted=False), seed=number, device=devices, progress=False)
        settle(samples)
        seconds, array = timed(samples.numpy)
        return float(array.nbytes / seconds / 1e9)

    uniform, second = apps.DeepWalk(LENGTH, weighted=False), apps.Node2Vec(2.0, 0.5, LENGTH, weighted=False)
    for name, app in (("uniform", uniform), ("node2vec", second)):
        yield Case(f"{name} walk, one per vertex", "M edges/s", rate_of(graph, app, None))
        many = rate_of(graph, app, None, repeat=PER_VERTEX)
        yield Case(f"{name} walk, {PER_VERTEX} per vertex", "M edges/s", many, 1.9)
    given = np.random.default_rng(3).choice(np.flatnonzero(graph.degrees()), 1 << 22)
    yield Case("uniform walk, 4 M given roots", "M edges/s", rate_of(graph, uniform, given), 1.8)
    yield Case(
        "trees 25,10, 1 M given roots",
        "M edges/s",
        rate_of(graph, apps.KHop((25, 10), weighted=False), given[: 1 << 20]),
    )
    yield Case(f"visit counts, {PER_VERTEX} walkers per vertex", "G steps/s", counts(uniform), 1.85)
    yield Case("visit counts, walks of one step", "G steps/s", counts(apps.DeepWalk(1, weighted=False)))
    yield Case("visit counts, node2vec", "G steps/s", counts(second))
    yield Case("numpy() of a matrix", "GB/s", copy, 1.6)


def rounds(graph: gnd.Graph, batches: int) -> list[list[Any]]:
    """Four calls of mini-batches, with different seed nodes."""
    random, vertices = np.random.default_rng(1), graph.num_vertices
    return [[random.choice(vertices, SEEDS, replace=False, shuffle=False) for _ in range(batches)] for _ in range(4)]


def wait_for(batch: Any) -> None:
    """Waits until a batch on a GPU is complete."""
    assert batch.arena.__cuda_array_interface__


def mini_batches(graph: gnd.Graph, folder: Path, calls: int) -> Iterator[Case]:
    """Mini-batches per second."""
    options: dict[str, Any] = {"expand": "all", "layout": "csc"}
    samplers: dict[tuple[str, ...], gnd.NeighborSampler] = {}

    def of(devices: Devices) -> gnd.NeighborSampler:
        if tuple(devices) not in samplers:
            samplers[tuple(devices)] = gnd.NeighborSampler(graph, FANOUTS, device=devices, **options)
        return samplers[tuple(devices)]

    def draw(sampler: gnd.NeighborSampler, given: list[list[Any]], number: int) -> None:
        last: list[Any] = []
        for i in range(calls):
            last = sampler.draw_many(given[i % len(given)], list(range(number + i, number + i + len(given[0]))))
        for batch in last[-8:]:
            wait_for(batch)

    def together(jobs: list[tuple[gnd.NeighborSampler, list[list[Any]]]], number: int) -> float:
        """Batches per second of threads, each with a sampler and its calls."""
        for sampler, given in jobs:
            draw(sampler, given, number)
        threads = [threading.Thread(target=draw, args=(*job, number)) for job in jobs]
        seconds, _ = timed(lambda: [*map(threading.Thread.start, threads), *map(threading.Thread.join, threads)])
        return sum(calls * len(given[0]) for _, given in jobs) / seconds

    def in_turn(threads: int, per_gpu: bool) -> Callable[[Devices, int], float]:
        def run(devices: Devices, number: int) -> float:
            given = rounds(graph, IN_CALL * (len(devices) if per_gpu else 1))
            return together([(of(devices), given)] * threads, number)

        return run

    def a_thread_each(devices: Devices, number: int) -> float:
        return together([(of([device]), rounds(graph, IN_CALL)) for device in devices], number)

    def a_process_each(devices: Devices, number: int) -> float:
        spawn = multiprocessing.get_context("spawn")
        gate, out = spawn.Barrier(len(devices)), spawn.Queue()
        ranks = [spawn.Process(target=rank, args=(str(folder), one, calls, gate, out)) for one in devices]
        for one in ranks:
            one.start()
        rates = [out.get(timeout=300) for _ in ranks]
        for one in ranks:
            one.join()
        return float(sum(rates))

    def a_loader(devices: Devices, number: int) -> float:
        """Batches per second of one thread that takes the batches of a loader."""
        inputs = np.arange(min(graph.num_vertices, calls * IN_CALL * SEEDS))
        loader = gnd.loader(graph, FANOUTS, inputs, SEEDS, shuffle=True, seed=number, device=devices, **options)

        def epoch() -> None:
            for batch in loader:
                last = batch
            wait_for(last)

        return len(loader) / timed(epoch)[0]

    name = f"mini-batches {','.join(map(str, FANOUTS))}"
    yield Case(f"{name}, a loader", "batches/s", a_loader, 1.85)
    yield Case(f"{name}, one thread, {IN_CALL} per call", "batches/s", in_turn(1, False), 1.85)
    yield Case(f"{name}, one thread, {IN_CALL} per call and GPU", "batches/s", in_turn(1, True))
    yield Case(f"{name}, two calls in progress", "batches/s", in_turn(2, True), 1.9)
    yield Case(f"{name}, a thread per GPU", "batches/s", a_thread_each, 1.9)
    yield Case(f"{name}, a process per GPU", "batches/s", a_process_each, 1.9)


def rank(folder: str, device: str, calls: int, gate: Any, out: Any) -> None:
    """A process that draws on one GPU, as a rank of torchrun does."""
    graph = gnd.Graph.open(folder)
    sampler, given = (
        gnd.NeighborSampler(graph, FANOUTS, device=device, expand="all", layout="csc"),
        rounds(graph, IN_CALL),
    )
    for i in range(4):
        sampler.draw_many(given[i], list(range(IN_CALL)))
    gate.wait(300)
    begin = time.perf_counter()
    for i in range(calls):
        last = sampler.draw_many(given[i % len(given)], list(range(i, i + IN_CALL)))
    wait_for(last[-1])
    out.put(calls * IN_CALL / (time.perf_counter() - begin))


def measure(cases: list[Case], numbers: list[int], seconds: float, runs: int, path: Path) -> None:
    """Measures the cases until the time is over, and writes the rows."""
    end = time.perf_counter() + seconds
    with path.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        for case in cases:
            if time.perf_counter() > end:
                print(f"no time is left for: {case.name}", flush=True)
                continue
            found: dict[int, list[float]] = {n: [] for n in numbers}
            try:
                for number in range(runs + 1):
                    for n in numbers:
                        found[n].append(case.run([f"cuda:{i}" for i in range(n)], number))
            except (gnd.DeviceError, MemoryError) as why:
                print(f"{case.name}: {why}", flush=True)
                continue
            for n in numbers:
                values, alone = found[n][1:], found[numbers[0]][1:]  # the first calls build and upload
                gain = statistics.median(a / b for a, b in zip(values, alone, strict=True))
                wanted = case.wanted if n == 2 else 0.0
                three = [f"{x:.4g}" for x in (statistics.median(values), min(values), max(values))]
                out.writerow([case.name, case.unit, n, *three, f"{gain:.3f}", wanted])
                print(case.name, n, *three, case.unit, f"{gain:.2f}x", f"(asked: {wanted}x)" * (wanted > 0), flush=True)


def draw_chart(rows: Path) -> None:
    """Draws the gain of each case over the numbers of GPUs."""
    import matplotlib as mpl

    mpl.use("svg")
    sys.path.insert(0, str(ROOT / "docs"))
    import svgfile
    from gonextdoor.plot.figure import axes_for

    with rows.open(newline="") as file:
        lines = list(csv.DictReader(line for line in file if not line.startswith("#")))
    names = list(dict.fromkeys(line["case"] for line in lines))
    numbers = sorted({int(line["gpus"]) for line in lines})[1:]
    axes: Any = axes_for(None, (8, 1 + 0.3 * len(names)))
    height = 0.8 / max(1, len(numbers))
    for k, n in enumerate(numbers):
        gains = {line["case"]: float(line["gain"]) for line in lines if int(line["gpus"]) == n}
        at = [i + (k + 0.5) * height - 0.4 for i, name in enumerate(names) if name in gains]
        axes.barh(at, [gains[name] for name in names if name in gains], height, label=f"{n} GPUs",
                  color=("#1f6f9f", "#d9a441", "#c44536")[k % 3])  # fmt: skip
    for i, name in enumerate(names):
        wanted = max(float(line["wanted"]) for line in lines if line["case"] == name)
        if wanted:
            axes.plot([wanted, wanted], [i - 0.4, i + 0.4], color="black", linewidth=1)
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlabel("times the rate of one GPU (black: the goal for two)")
    axes.set_title("Several GPUs that each hold the graph", loc="left", fontsize=11)
    axes.grid(axis="x", alpha=0.3)
    axes.set_axisbelow(True)
    axes.figure.legend(fontsize=8, ncols=3, loc="outside lower right")
    svgfile.write(CHART, axes.figure)
    print(CHART.relative_to(ROOT))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--measure", type=Path, metavar="FILE", help="measure, and write the rows to this file")
    options.add_argument("--gpus", default="1,2,4", help="numbers of GPUs (default %(default)s)")
    options.add_argument("--graph", default="G1", help="a graph of graphs.py, or the scale of an R-MAT graph")
    options.add_argument(
        "--instances", type=int, default=1 << 20, help="samples of C-SAW's walks (default %(default)s)"
    )
    options.add_argument("--calls", type=int, default=40, help="calls of mini-batches in a run (default %(default)s)")
    options.add_argument("--runs", type=int, default=5, help="runs of a case (default %(default)s)")
    options.add_argument("--seconds", type=float, default=300)
    options.add_argument("--only", default="", help="cases whose name matches this regular expression")
    options.add_argument("--rows", type=Path, default=ROWS, help="the file to draw")
    given = options.parse_args()
    if not given.measure:
        if not given.rows.exists():
            options.error(f"{given.rows} does not exist: measure it by --measure {given.rows}")
        draw_chart(given.rows)
        return
    there, wanted = int(native.call("DeviceCount")), [int(n) for n in given.gpus.split(",")]
    numbers = [n for n in wanted if n <= there]
    for n in wanted:
        if n > there:
            print(f"{n} GPUs: skipped, this machine has {there}")
    if given.graph.isdecimal():
        graph = gnd.rmat(int(given.graph), 8, weights=(1.0, 5.0), seed=1, progress=False)
    else:
        import graphs

        graph = graphs.arrays(given.graph, weights="uniform").graph()
    with tempfile.TemporaryDirectory() as folder:
        graph.save(Path(folder) / "graph")
        every = [
            *walks(graph),
            *mini_batches(graph, Path(folder) / "graph", given.calls),
            *apps_of_csaw(graph, given.instances),
        ]
        cases = [case for case in every if re.search(given.only, case.name)]
        measure(cases, numbers, given.seconds, given.runs, given.measure)


if __name__ == "__main__":
    main()
