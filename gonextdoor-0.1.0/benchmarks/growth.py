"""Growth: what an edge costs on a graph, and on graphs of two and four times the size.

    python benchmarks/growth.py [--scale 18]

Each app samples R-MAT graphs of three sizes; the figures are nanoseconds per vertex after the roots. A larger
graph fits less of the caches, which no sampler can help: the built-in DeepWalk, first in the list, shows that step. An
app whose last column is far above DeepWalk's does work that grows with the graph.
"""

from __future__ import annotations

import statistics
import time

import numpy as np
from gonextdoor.cli import machine
from measure import parser, threads
from udf import example

import gonextdoor as gnd

BATCH = 64


def apps() -> dict[str, tuple[gnd.apps.SamplingApp, int, int | None]]:
    """Each app with its samples of a run, and the roots of a sample; None: it chooses its own vertices."""
    a = gnd.apps
    found: dict[str, tuple[gnd.apps.SamplingApp, int, int | None]] = {
        "DeepWalk": (a.DeepWalk(40, weighted=False), 50_000, 1),
        "DeepWalk weighted": (a.DeepWalk(40), 50_000, 1),
        "PPR": (a.PPR(0.1), 50_000, 1),
        "Node2Vec": (a.Node2Vec(2, 0.5, 20), 50_000, 1),
        "Node2Vec computed": (a.Node2Vec(2, 0.5, 20, weighted="computed"), 20_000, 1),
        "MetropolisHastings": (a.MetropolisHastings(40), 50_000, 1),
        "Restart": (a.Restart(40, 0.2), 50_000, 1),
        "MultiDimensionalWalk": (a.MultiDimensionalWalk(200), 2_000, 100),
        "KHop": (a.KHop([25, 10]), 2_000, 1),
        "Layer": (a.Layer(512, 1024), 50, BATCH),
        "FastGCN": (a.FastGCN([512, 512]), 200, BATCH),
        "LADIES": (a.LADIES([512, 512]), 50, BATCH),
        "ForestFire": (a.ForestFire(0.4, 5), 20_000, 1),
        "GraphSAINT walk": (a.GraphSAINT("walk", roots=2000, length=2), 20, None),
    }
    found["users' next"] = (example("deepwalk").by_next(40), 50_000, 1)
    found["users' node2vec"] = (example("node2vec").node2vec(2.0, 0.5, 20), 20_000, 1)
    return found


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--scale", type=int, default=18)
    given = options.parse_args()
    print(machine.summary())
    sizes = [given.scale, given.scale + 1, given.scale + 2]
    graphs = [gnd.rmat(scale, 15, weights=(1, 5), seed=1) for scale in sizes]
    print(
        f"{'ns a vertex sampled':<22}{'threads':>8}" + "".join(f"{f'scale {s}':>12}" for s in sizes) + "     2x     4x"
    )
    for n in threads(given.threads):
        for name, (app, samples, roots) in apps().items():
            costs = [cost(graph, app, samples, roots, n, given.reps) for graph in graphs]
            steps = "".join(f"{c / costs[0]:>7.2f}" for c in costs[1:])
            print(f"{name:<22}{n:>8}" + "".join(f"{c:>12.1f}" for c in costs) + steps, flush=True)


def cost(
    graph: gnd.Graph, app: gnd.apps.SamplingApp, samples: int, roots: int | None, n: int, repetitions: int
) -> float:
    at: object = samples
    if roots is not None:
        drawn = np.random.default_rng(1).integers(0, graph.num_vertices, (samples, roots))
        at = drawn[:, 0] if roots == 1 else drawn
    figures = []
    for run in range(repetitions + 1):
        begin = time.perf_counter()
        result = gnd.sample(graph, app, at, seed=run, threads=n, progress=False)
        seconds = time.perf_counter() - begin
        if run:
            figures.append(seconds * 1e9 / max(1, result.stats["edges"]))
    return statistics.median(figures)


if __name__ == "__main__":
    main()
