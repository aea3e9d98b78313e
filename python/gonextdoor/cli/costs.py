"""gonextdoor bench --costs: compares the times that the core expects with measured ones.

Method: each app runs on R-MAT graphs of 2^14 and 2^20 vertices (mean degree 16, weights, three labels), or on the
graph of a file, from random vertices that have edges. The number of samples per call is doubled until a call takes
SECONDS; the result is the minimum of three such calls. The tables of the graph are built before.

On the CPU the calls run on one thread and CPU time is measured, which other work on the machine affects little. On a
GPU it is the wall time until the result is in numpy arrays. With the emulated driver of the tests the calls run, but
no times are shown.
"""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import click
import numpy as np

import gonextdoor as gnd
from gonextdoor import NULL

from .._core import native
from ..sampling.estimate import estimate
from .report import count

SCALES = (14, 20)
SECONDS = 0.1  # of a measured call, at least
MOST = 1 << 24  # samples of a call
RUNS = 3


class Case(NamedTuple):
    """An app to measure, with its number of roots per sample; 0: it chooses its own vertices."""

    name: str
    app: Any
    width: int = 1


class Measured(NamedTuple):
    """The measured and the expected seconds of a call, and its number of samples."""

    samples: int
    expected: float
    taken: float


def show(graph: Any = None, *, device: str = "cpu", scales: tuple[int, ...] = SCALES) -> None:
    """Prints for each app and graph the expected and the measured time of a sample, and their ratio.

    Args:
        graph: the graph; None: R-MAT graphs of these scales.
        device: "cpu", or a GPU, which runs the apps that it can run.
    """
    for held in (labelled(gnd, scale) for scale in scales) if graph is None else (dressed(gnd, graph),):
        how = "one thread, CPU time" if device == "cpu" else f"{device}, until the result is in numpy arrays"
        name = "R-MAT" if graph is None else "the graph"
        click.echo(f"{name}, {count(held.num_vertices, 'vertex')}, {count(held.num_edges, 'edge')}; {how}")
        click.echo(f"{'':<34}{'samples':>10}{'expected':>14}{'measured':>14}{'ratio':>8}")
        for case in cases(gnd, held):
            try:
                found = measure(gnd, held, case, device)
            except (gnd.DeviceError, ImportError):
                continue  # not supported on GPUs
            except gnd.AppError as why:
                click.echo(f"{case.name:<34} {why}")
                continue
            click.echo(line(case.name, found, meaningless=device != "cpu" and emulated()))


def line(name: str, found: Measured, *, meaningless: bool = False) -> str:
    """A line of the table."""
    expected, taken = (1e6 * seconds / found.samples for seconds in (found.expected, found.taken))
    start = f"{name:<34}{found.samples:>10}{expected:>11.2f} us"
    return f"{start}   no time: emulated" if meaningless else f"{start}{taken:>11.2f} us{expected / taken:>8.2f}"


@functools.cache
def emulated() -> bool:
    """Whether the GPUs are those of the emulated driver of the tests, whose times are meaningless."""
    devices = json.loads(native.call("Doctor")).get("Devices") or []
    return any("emulated" in str(device.get("Name", "")).lower() for device in devices)


def dressed(gnd: Any, graph: Any) -> Any:
    """A graph with the weights, labels and times that apps need, random ones if it has none."""
    random = np.random.default_rng(1)
    weights = random.uniform(1, 5, graph.num_edges) if graph.weights is None else graph.weights
    labels = random.integers(0, 3, graph.num_edges, np.int32)
    times = random.integers(0, 1 << 30, graph.num_edges)
    return gnd.Graph.from_csr(graph.indptr, graph.indices, weights=weights, labels=labels, times=times)


def labelled(gnd: Any, scale: int) -> Any:
    """An R-MAT graph of 2^scale vertices and mean degree 16, with weights and three labels."""
    return dressed(gnd, gnd.rmat(scale, 8, weights=(1.0, 5.0), seed=1, progress=False))


def cases(gnd: Any, graph: Any) -> Iterator[Case]:
    """All apps, with parameters that are common in papers and tutorials, and users' apps."""
    apps, clusters = gnd.apps, max(1, graph.num_vertices // 1000)
    yield Case("DeepWalk", apps.DeepWalk(80, weighted=False))
    yield Case("DeepWalk, weighted", apps.DeepWalk(80))
    yield Case("DeepWalk, computed", apps.DeepWalk(80, weighted="computed"))
    yield Case("PPR", apps.PPR(0.15, weighted=False))
    yield Case("PPR, weighted", apps.PPR(0.15))
    yield Case("PPR, computed", apps.PPR(0.15, weighted="computed"))
    yield Case("Node2Vec", apps.Node2Vec(2.0, 0.5, 80, weighted=False))
    yield Case("Node2Vec, weighted", apps.Node2Vec(2.0, 0.5, 80))
    yield Case("Node2Vec, computed", apps.Node2Vec(2.0, 0.5, 80, weighted="computed"))
    yield Case("NonBacktracking", apps.NonBacktracking(80, weighted=False))
    yield Case("NonBacktracking, weighted", apps.NonBacktracking(80))
    yield Case("TemporalWalk", apps.TemporalWalk(80, strict=False))
    yield Case("TemporalWalk, linear", apps.TemporalWalk(80, bias="linear"))
    yield Case("TemporalWalk, exponential", apps.TemporalWalk(80, bias="exponential"))
    yield Case("Walk, by degree", apps.Walk("degree", 80))
    yield Case("Walk, by degree, computed", apps.Walk("degree", 80, computed=True))
    yield Case("MetropolisHastings", apps.MetropolisHastings(80))
    yield Case("Jump", apps.Jump(80, weighted=False))
    yield Case("Restart", apps.Restart(80, weighted=False))
    yield Case("MultiIndependent", apps.MultiIndependent(80, weighted=False), 4)
    yield Case("MultiDimensionalWalk", apps.MultiDimensionalWalk(80, dimension=100), 100)
    yield Case("MetaPath", apps.MetaPath([0, 1, 2], 80, weighted=False))
    yield Case("MetaPath, weighted", apps.MetaPath([0, 1, 2], 80))
    degrees = np.bincount(graph.indices, minlength=graph.num_vertices)
    yield Case("Negatives", apps.Negatives())
    yield Case("Negatives, by degree", apps.Negatives(weights=degrees))
    yield Case("Negatives, same cluster", apps.Negatives(clusters=np.arange(graph.num_vertices) % clusters))
    yield Case("Negatives, 2 hops", apps.Negatives(hops=2))
    yield Case("NegativePairs", apps.NegativePairs(), 0)
    yield Case("NegativePairs, by degree", apps.NegativePairs(weights=degrees, source_weights=graph.degrees()), 0)
    yield Case("KHop", apps.KHop([15, 10]))
    yield Case("KHop, weighted", apps.KHop([15, 10], weighted=True))
    yield Case("Neighbor, frontier of 20", apps.Neighbor([15, 10], frontier_size=20))
    yield Case("Snowball, fan-out 5", apps.Snowball(3, fanout=5))
    yield Case("Snowball", apps.Snowball(2))
    yield Case("ForestFire", apps.ForestFire(0.4))
    yield Case("Layer", apps.Layer(), 16)
    yield Case("Layer, by weight", apps.Layer(bias="weight"), 16)
    yield Case("FastGCN", apps.FastGCN([512, 512]), 512)
    yield Case("LADIES", apps.LADIES([512, 512]), 512)
    yield Case("MVS", apps.MVS(512, [10]), 0)
    yield Case("RandomNode", apps.RandomNode(1000), 0)
    yield Case("RandomEdge", apps.RandomEdge(1000), 0)
    yield Case("ClusterGCN", apps.ClusterGCN(clusters), 0)
    yield Case("GraphSAINT, node", apps.GraphSAINT("node", budget=1000), 0)
    yield Case("GraphSAINT, edge", apps.GraphSAINT("edge", budget=1000), 0)
    yield Case("GraphSAINT, walk", apps.GraphSAINT("walk", roots=250, length=3), 0)
    yield Case("GraphSAINT, multidimensional", apps.GraphSAINT("multidimensional", roots=100, budget=1000), 0)
    yield Case("App, next", gnd.App(next=any_neighbor, steps=20))
    yield Case("App, edge_bias", gnd.App(edge_bias=by_degree, bound=None, steps=20))
    yield Case("App, edge_bias and bound", gnd.App(edge_bias=by_weight, bound=largest, steps=20))


def measure(gnd: Any, graph: Any, case: Case, device: str = "cpu") -> Measured:
    """The time of calls that are long enough to be measured.

    Raises:
        DeviceError, ImportError: the device does not run the app.
    """
    busy = np.flatnonzero(np.diff(graph.indptr))
    random = np.random.default_rng(2)
    clock: Callable[[], float] = time.process_time if device == "cpu" else time.perf_counter
    most = 8 if device != "cpu" and emulated() else MOST

    def taken(samples: int) -> float:
        shape: Any = (samples, case.width) if case.width > 1 else samples
        roots = random.choice(busy, shape) if case.width else samples
        begin = clock()
        made = gnd.sample(graph, case.app, roots, seed=3, threads=1, device=device, progress=False)
        if device != "cpu":
            _ = made.values if made.ragged else made.numpy()
        return clock() - begin

    taken(1)  # builds the tables
    samples = 1
    while samples < most and (seconds := taken(samples)) < SECONDS:
        samples *= 2 if seconds > SECONDS / 8 else 8
    least = min(taken(samples) for _ in range(RUNS))
    expected = estimate(graph, case.app, samples, case.width, 1)
    return Measured(samples, expected.cpu if device == "cpu" else expected.gpu, least)


def any_neighbor(ctx: Any) -> Any:
    degree = ctx.degree(ctx.transit)
    return NULL if degree == 0 else ctx.neighbor(ctx.transit, ctx.below(0, degree))


def by_degree(ctx: Any, edge: Any, dst: Any) -> Any:
    return ctx.degree(dst)


def by_weight(ctx: Any, edge: Any, dst: Any) -> Any:
    return ctx.weight(edge)


def largest(ctx: Any) -> Any:
    return ctx.max_weight(ctx.transit)
