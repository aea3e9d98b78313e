"""gonextdoor bench: measures the speed of the apps on this machine."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click
import cloup

import gonextdoor as gnd
from gonextdoor._core.arguments import cores
from gonextdoor.device.devices import among

from . import machine, options
from .command import Command
from .graphinput import GraphInput
from .options import check_device
from .report import Report, count
from .run import steps_of

BATCH = 1024  # seed nodes of a mini-batch
BATCHES = 20
STEPS = 20_000_000  # approximate number of steps per measurement


@dataclass(frozen=True)
class Workload:
    """A workload to measure: run returns the number of steps (sampled edges) that it made."""

    name: str
    unit: str
    run: Callable[[int], int]


@click.command(
    cls=Command,
    short_help="Measure the speed of the apps on this machine.",
    quiet="Suppress the report about the graph.",
    example="gonextdoor bench --scale 18\ngonextdoor bench wiki-Vote.txt.gz --threads 1,2\n"
    "gonextdoor bench --scale 20 --device cuda",
)
@cloup.argument(
    "file", metavar="[FILE]", type=options.PATH, required=False, help="A graph. Default: a generated R-MAT graph."
)
@cloup.option(
    "--scale",
    type=options.WholeNumber(1, 31),
    metavar="S",
    default=18,
    show_default=True,
    help="Without FILE: the R-MAT graph has 2^S vertices.",
)
@cloup.option("--threads", metavar="N,N,…", help="Numbers of threads, separated by commas. Default: 1 and all cores.")
@cloup.option(
    "--device",
    metavar="DEVICE",
    default="cpu",
    show_default=True,
    help="cpu, cuda or cuda:1. A GPU runs only the walks.",
)
@cloup.option(
    "--repeat",
    type=options.WholeNumber(1),
    metavar="N",
    default=5,
    show_default=True,
    help="Number of runs of each app.",
)
@cloup.option(
    "--costs", is_flag=True, help="Compare all apps with the estimates of the cost model instead. Takes some minutes."
)
def bench(
    file: str | None, scale: int, threads: str | None, device: str, repeat: int, costs: bool, quiet: bool
) -> None:
    """Measure the speed of apps: complete calls from Python, with the result as a NumPy array.

    The first run of each app builds tables and is not counted. Other work on the machine affects the results.
    """
    if costs:
        from .costs import show

        click.echo(machine.summary())
        check_device(device)
        show(GraphInput(file).read(Report(quiet)) if file else None, device=device)
        return
    check_device(device)
    numbers = _threads(threads) if among(device) == () else [0]
    report = Report(quiet)
    if file:
        graph = GraphInput(file).read(report)
    else:
        graph = gnd.rmat(scale, weights=(1.0, 5.0), seed=1)
        report.line(
            "graph", f"R-MAT, {count(graph.num_vertices, 'vertex')}, {count(graph.num_edges, 'edge')}, with weights"
        )
    click.echo(machine.summary())
    click.echo(f"{'':<22}{'threads' if numbers[0] else 'device':>8}{'median':>10}{'least':>10}{'most':>10}")
    for workload in workloads(gnd, graph, device):
        for n in numbers:
            rates = measure(workload, n, repeat)
            middle, least, most = statistics.median(rates), min(rates), max(rates)
            click.echo(
                f"{workload.name:<22}{n or device:>8}{middle:>10.1f}{least:>10.1f}{most:>10.1f}  M {workload.unit}/s"
            )


def _threads(text: str | None) -> list[int]:
    if text is None:
        return sorted({1, cores()})
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or min(numbers) < 1:
        raise click.BadParameter(
            f"{text!r}: expected numbers of at least 1, separated by commas, such as 1,2", param_hint="--threads"
        )
    return numbers


def measure(workload: Workload, threads: int, repeat: int) -> list[float]:
    """Millions of steps per second, of each run except the first."""
    rates = []
    for run in range(repeat + 1):
        begin = time.perf_counter()
        steps = workload.run(threads)
        if run:
            rates.append(steps / (time.perf_counter() - begin) / 1e6)
    return rates


def workloads(gnd: Any, graph: Any, device: str) -> list[Workload]:
    """Walks from every vertex, repeated for enough steps; on the CPU also trees and mini-batches."""
    length = 80
    repeat = max(1, STEPS // max(1, length * graph.num_vertices))
    walks = {
        "DeepWalk": gnd.apps.DeepWalk(length, weighted=False),
        "DeepWalk, weighted": gnd.apps.DeepWalk(length, weighted=True),
        "PPR, stop 0.15": gnd.apps.PPR(0.15, weighted=False),
        "Node2Vec, p=2 q=0.5": gnd.apps.Node2Vec(2.0, 0.5, length, weighted=False),
    }
    if graph.weights is None:
        del walks["DeepWalk, weighted"]

    def walk(app: Any) -> Callable[[int], int]:
        given = {"repeat": repeat, "seed": 1, "progress": False, "device": device}
        return lambda threads: _sampled(gnd.sample(graph, app, threads=threads or None, **given))

    def tree(threads: int) -> int:
        app = gnd.apps.KHop([15, 10, 5])
        return _sampled(gnd.sample(graph, app, 5000, seed=1, threads=threads, progress=False, device="cpu"))

    found = [Workload(name, "steps", walk(app)) for name, app in walks.items()]
    if device != "cpu":
        return found
    return [
        *found,
        Workload("KHop 15,10,5", "edges", tree),
        Workload("PGSampler 15,10,5", "edges", _batches(gnd, graph)),
    ]


def _sampled(samples: Any) -> int:
    samples.numpy()
    return steps_of(samples)


def _batches(gnd: Any, graph: Any) -> Callable[[int], int]:
    """Batches on a number of threads, one at a time per thread, as in the workers of a training loop."""
    from concurrent.futures import ThreadPoolExecutor

    import numpy as np

    seeds = np.random.default_rng(1).integers(0, graph.num_vertices, (BATCHES, min(BATCH, graph.num_vertices)))
    sampler = gnd.PGSampler([5, 10, 15], seed=1)

    def batch(nodes: Any) -> int:
        _, _, blocks = sampler.sample(graph, np.unique(nodes))
        return sum(len(block.indices) for block in blocks)

    def run(threads: int) -> int:
        with ThreadPoolExecutor(threads) as pool:
            return sum(pool.map(batch, seeds))

    return run
