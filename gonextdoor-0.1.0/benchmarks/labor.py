"""Mini-batches by LABOR against neighbour sampling: vertices and CPU time per batch, on one R-MAT graph.

    python benchmarks/labor.py [--scale 20] [--batch 8192] [--fanouts 15,10,5]

Both sides draw batches of the same seed nodes with PGSampler, in turn. The vertices of a batch are those whose features
a model needs. Time is CPU time of the process, which other programs affect less than wall time; with several threads
the wall time per batch is printed too.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np
from gonextdoor.cli import machine
from measure import parser
from measure import threads as numbers

import gonextdoor as gnd

SIDES: dict[str, dict[str, Any]] = {
    "neighbor": {},
    "labor": {"method": "labor"},
    "labor, layers dependent": {"method": "labor", "layer_dependency": True},
    "labor-poisson": {"method": "labor-poisson"},
}


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--scale", type=int, default=20, help="of the R-MAT graph (default %(default)s)")
    options.add_argument("--degree", type=int, default=16, help="edges per vertex (default %(default)s)")
    options.add_argument("--batch", type=int, default=8192, help="seed nodes per batch (default %(default)s)")
    options.add_argument("--fanouts", default="15,10,5", help="from the batch outwards (default %(default)s)")
    given = options.parse_args()
    graph = gnd.rmat(given.scale, given.degree, seed=1)
    fanouts = [int(part) for part in given.fanouts.split(",")]
    print(machine.summary())
    print(f"R-MAT: {graph.num_vertices} vertices, {graph.num_edges} edges")
    print(f"fan-outs {fanouts}, batches of {given.batch}; ratios to neighbour sampling")
    for n in numbers(given.threads):
        heads = ("vertices", "edges", "wall ms", "CPU ms", "vertices", "CPU time")
        print(f"\n{f'{n} threads':<26}" + "".join(f"{head:>10}" for head in heads))
        report(measured(graph, fanouts, given.batch, given.reps, n))


def measured(
    graph: gnd.Graph, fanouts: list[int], size: int, repetitions: int, threads: int
) -> dict[str, list[tuple[float, float, float, float]]]:
    """(vertices, edges, wall seconds, CPU seconds) of each batch of each side. The first batch is not measured."""
    some = np.flatnonzero(np.asarray(graph.degrees()) > 0)
    samplers = {name: gnd.PGSampler(fanouts[::-1], seed=1, **options) for name, options in SIDES.items()}
    found: dict[str, list[tuple[float, float, float, float]]] = {name: [] for name in SIDES}
    for run in range(repetitions + 1):
        seeds = np.random.default_rng(run).choice(some, size, replace=False)
        for name, sampler in samplers.items():
            wall, cpu = time.perf_counter(), time.process_time()
            inputs, _, blocks = sampler.sample_many(graph, [seeds], threads=threads)[0]
            seconds = time.perf_counter() - wall, time.process_time() - cpu
            if run:
                found[name].append((len(inputs), sum(len(block.indices) for block in blocks), *seconds))
    return found


def report(found: dict[str, list[tuple[float, float, float, float]]]) -> None:
    """Prints medians, and the ratios to neighbour sampling."""
    medians = {name: [statistics.median(column) for column in zip(*rows, strict=True)] for name, rows in found.items()}
    base = medians["neighbor"]
    for name, (vertices, edges, wall, cpu) in medians.items():
        ratios = f"{vertices / base[0]:>10.2f}{cpu / base[3]:>10.2f}"
        print(f"{name:<26}{vertices:>10.0f}{edges:>10.0f}{1000 * wall:>10.1f}{1000 * cpu:>10.1f}{ratios}")


if __name__ == "__main__":
    main()
