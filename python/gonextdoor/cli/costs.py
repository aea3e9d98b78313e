"""gonextdoor bench --costs: what the core expects calls to take, against what they take.

Method: each app runs on R-MAT graphs of 2^14 and 2^20 vertices (mean degree 16, weights, three labels) from random
vertices that have edges, on one thread. The samples of a call are doubled until the call takes SECONDS of the process's
CPU time; the least of three such calls counts. Other work on the machine hardly lengthens CPU time.
The graph's tables are made before.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import click
import numpy as np

import gonextdoor as gnd

from ..sampling.plan import estimate
from .report import count

SCALES = (14, 20)
SECONDS = 0.1  # CPU time of a measured call, at least
RUNS = 3


class Case(NamedTuple):
    """An app to measure, with so many roots per sample; 0: it chooses its own vertices."""

    name: str
    app: Any
    width: int = 1


class Measured(NamedTuple):
    """The seconds that a call of so many samples took, and those that were expected."""

    samples: int
    expected: float
    taken: float


def show(scales: tuple[int, ...] = SCALES) -> None:
    """Prints for each app and graph the expected and the measured time of a sample, and their ratio."""

    for scale in scales:
        graph = labelled(gnd, scale)
        size = f"{count(graph.num_vertices, 'vertex')}, {count(graph.num_edges, 'edge')}"
        click.echo(f"R-MAT, {size}; one thread, CPU time")
        click.echo(f"{'':<34}{'samples':>10}{'expected':>14}{'measured':>14}{'ratio':>8}")
        for case in cases(gnd, graph):
            found = measure(gnd, graph, case)
            expected, taken = (1e6 * seconds / found.samples for seconds in (found.expected, found.taken))
            click.echo(
                f"{case.name:<34}{found.samples:>10}{expected:>11.2f} us{taken:>11.2f} us{expected / taken:>8.2f}"
            )


def labelled(gnd: Any, scale: int) -> Any:
    """An R-MAT graph of 2^scale vertices and mean degree 16, with weights and three labels."""
    graph = gnd.rmat(scale, 8, weights=(1.0, 5.0), seed=1, progress=False)
    labels = np.random.default_rng(1).integers(0, 3, graph.num_edges, np.int32)
    return gnd.Graph.from_csr(graph.indptr, graph.indices, weights=graph.weights, labels=labels)


def cases(gnd: Any, graph: Any) -> Iterator[Case]:
    """All apps, with parameters as papers and tutorials have them, and apps of the user's own."""
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
    yield Case("Walk, by degree", apps.Walk("degree", 80))
    yield Case("Walk, by degree, computed", apps.Walk("degree", 80, computed=True))
    yield Case("MetropolisHastings", apps.MetropolisHastings(80))
    yield Case("Jump", apps.Jump(80, weighted=False))
    yield Case("Restart", apps.Restart(80, weighted=False))
    yield Case("MultiIndependent", apps.MultiIndependent(80, weighted=False), 4)
    yield Case("MultiDimensionalWalk", apps.MultiDimensionalWalk(80, dimension=100), 100)
    yield Case("MetaPath", apps.MetaPath([0, 1, 2], 80, weighted=False))
    yield Case("MetaPath, weighted", apps.MetaPath([0, 1, 2], 80))
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
    yield Case("App, next", gnd.App(next=_any_neighbor, steps=20))
    yield Case("App, edge_bias", gnd.App(edge_bias=_by_degree, steps=20))
    yield Case("App, edge_bias and bound", gnd.App(edge_bias=_by_weight, bound=_largest, steps=20))


def measure(gnd: Any, graph: Any, case: Case) -> Measured:
    """The CPU time of calls that are long enough to be measured."""

    busy = np.flatnonzero(np.diff(graph.indptr))
    random = np.random.default_rng(2)

    def taken(samples: int) -> float:
        shape: Any = (samples, case.width) if case.width > 1 else samples
        roots = random.choice(busy, shape) if case.width else samples
        begin = time.process_time()
        gnd.sample(graph, case.app, roots, seed=3, threads=1, device="cpu", progress=False)
        return time.process_time() - begin

    taken(1)  # makes the tables
    samples = 1
    while (seconds := taken(samples)) < SECONDS:
        samples *= 2 if seconds > SECONDS / 8 else 8
    least = min(taken(samples) for _ in range(RUNS))
    return Measured(samples, estimate(graph, case.app, samples, case.width, 1).cpu, least)


def _any_neighbor(ctx: Any) -> Any:
    return ctx.neighbor(ctx.transit, ctx.below(0, ctx.degree(ctx.transit)))


def _by_degree(ctx: Any, edge: Any, dst: Any) -> Any:
    return ctx.degree(dst)


def _by_weight(ctx: Any, edge: Any, dst: Any) -> Any:
    return ctx.weight(edge)


def _largest(ctx: Any) -> Any:
    return ctx.max_weight(ctx.transit)
