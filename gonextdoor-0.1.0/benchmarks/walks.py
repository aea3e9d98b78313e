"""Walks: gonextdoor.sample from Python, its numpy array included, against the Go prototype engine.

    python benchmarks/walks.py --graph FOLDER_WITH_g.bin --prototype FOLDER_OF_gowalk

Both walk 300,000 walkers from the same vertices. The prototype's figure includes neither Python nor the creation of the
result array (it reuses one array); of PPR it keeps only each walk's last vertex and length, while ours returns whole
walks, concatenated.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from measure import compare, head, parser, threads
from prototype import Prototype, read_graph, roots

import gonextdoor as gnd

LENGTH = 80
# A run has that many calls, about half a second of work: a PPR call takes 10 ms, and the first ones after a pause are
# slower.
LONG_CALLS, SHORT_CALLS = 3, 30
# name, our app, the prototype's variant and what it prepares, whether all start at the vertex of largest degree
WORKLOADS: list[tuple[str, Any, str, str, bool]] = [
    ("uniform", gnd.apps.DeepWalk(LENGTH, weighted=False), "g5", "", False),
    ("weighted", gnd.apps.DeepWalk(LENGTH, weighted=True), "ga", "alias", False),
    ("PPR 0.2 from the hub", gnd.apps.PPR(0.2, weighted=False), "gp3", "", True),
    ("node2vec p=2 q=0.5", gnd.apps.Node2Vec(2.0, 0.5, LENGTH, weighted=False), "gn", "bloom", False),
    ("node2vec p=2 q=0.5, weighted", gnd.apps.Node2Vec(2.0, 0.5, LENGTH, weighted=True), "gnw", "alias,bloom", False),
]


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--graph", required=True, help="folder with g.bin")
    options.add_argument("--prototype", required=True, help="folder of the Go walk engine")
    options.add_argument("--walkers", type=int, default=300_000)
    options.add_argument("--only", default="", help="measure the workloads whose names begin so")
    given = options.parse_args()
    prototype = Prototype(given.prototype)
    indptr, indices, weights = read_graph(given.graph)
    plain = gnd.Graph.from_csr(indptr, indices)
    weighted = gnd.Graph.from_csr(indptr, indices, weights=weights)
    starts = roots(given.walkers, plain.num_vertices)
    hub = np.full(given.walkers, np.argmax(np.diff(indptr)))
    head()
    for name, app, variant, prepare, from_hub in WORKLOADS:
        if not name.startswith(given.only):
            continue
        graph = weighted if app.weighted else plain
        calls = SHORT_CALLS if from_hub else LONG_CALLS
        for n in threads(given.threads):
            arguments = ["-g", given.graph, "-v", variant, "-t", str(n), "-reps", str(calls), "-nw", str(given.walkers)]
            arguments += (["-prep", prepare] if prepare else []) + (["-hub"] if from_hub else [])
            ours = walker(graph, app, hub if from_hub else starts, n, calls)
            compare(name, n, ours, lambda a=arguments: prototype.run(*a), given.reps, "M steps/s")


def walker(graph: gnd.Graph, app: Any, starts: Any, n: int, calls: int) -> Callable[[], float]:
    """One run: a warm-up call, as in the prototype, then that many; the median of their rates."""

    def run() -> float:
        rates = [once() for _ in range(1 + calls)]
        return statistics.median(rates[1:])

    def once() -> float:
        begin = time.perf_counter()
        samples = gnd.sample(graph, app, starts, seed=42, threads=n, progress=False)
        samples.numpy() if samples.app.width() else samples.values
        seconds = time.perf_counter() - begin
        return float((np.asarray(samples.lengths).sum() - len(starts)) / seconds / 1e6)

    return run


if __name__ == "__main__":
    main()
