"""Mini-batches: PGSampler.sample from Python, fan-outs 15,10,5, batches of 1024, against the Go prototype (gsD).

    python benchmarks/minibatch.py --graph FOLDER_WITH_g.bin --prototype FOLDER_OF_gokhop

On n threads n batches are sampled at a time, each on one thread, as the workers of a training loop do. Seed nodes are
the prototype's.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from measure import compare, head, parser, threads
from prototype import Prototype, below, mix, read_graph

import gonextdoor as gnd

FANOUTS = [15, 10, 5]
BATCH = 1024


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--graph", required=True, help="folder with g.bin")
    options.add_argument("--prototype", required=True, help="folder of the Go k-hop engine")
    options.add_argument("--variant", default="gsD", help="of the prototype (gsD, gsD64, gs32; default %(default)s)")
    options.add_argument("--batches", type=int, default=20, help="batches a thread and run (default %(default)s)")
    given = options.parse_args()
    prototype = Prototype(given.prototype)
    indptr, indices, _ = read_graph(given.graph)
    graph = gnd.Graph.from_csr(indptr, indices)
    head()
    for n in threads(given.threads):
        arguments = ["-g", given.graph, "-v", given.variant, "-t", str(n), "-reps", "1"]
        arguments += ["-f", ",".join(map(str, FANOUTS)), "-B", str(BATCH), "-nb", str(given.batches)]
        ours = sampler(graph, n, given.batches)
        compare(
            "k-hop 15,10,5, relabelled", n, ours, lambda a=arguments: prototype.run(*a), given.reps, "M sampled edges/s"
        )


def sampler(graph: gnd.Graph, n: int, batches: int) -> Callable[[], float]:
    """One run: that many batches on each thread; returns millions of sampled edges per second."""
    pg = gnd.PGSampler(FANOUTS[::-1], seed=1)  # its order is DGL's: the batch's own fan-out comes last
    work = [[seed_nodes(batch, thread, graph.num_vertices) for batch in range(batches)] for thread in range(n)]

    def several(seeds: list[Any]) -> int:
        return sum(sum(len(block.indices) for block in pg.sample(graph, nodes)[2]) for nodes in seeds)

    def run() -> float:
        with ThreadPoolExecutor(n) as pool:
            list(pool.map(several, [w[:1] for w in work]))
            begin = time.perf_counter()
            edges = sum(pool.map(several, work))
            return edges / (time.perf_counter() - begin) / 1e6

    return run


def seed_nodes(batch: int, thread: int, vertices: int) -> Any:
    """The batch's vertices as the prototype draws them, each once, in order of first appearance."""
    number = np.uint64(batch * 64 + thread) << np.uint64(32)
    places = np.arange(BATCH, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    drawn = below(mix((number ^ places) + np.uint64(77)), vertices)
    return drawn[np.sort(np.unique(drawn, return_index=True)[1])]


if __name__ == "__main__":
    main()
