"""Misses of a loader's cache by policy: the fraction of the rows of many batches that were not in GPU memory.

    python benchmarks/gpu/cachemisses.py [--graph 18] [--seeds 16,64] [--batches 200] [--share 0.1]

The graph is an R-MAT graph of that scale, or the path of a list of edges. A cache has that share of the rows. The last
columns compare "lookahead" with the better one of "degree" and "frequency". The visits are those of one epoch, and the
misses those of another. Every batch is compared with the source.

Misses do not depend on the speed of the GPU, so the emulated driver counts the same ones, in minutes:

    GONEXTDOOR_LIBCUDA=$(python kernels/host/build.py) python benchmarks/gpu/cachemisses.py
"""

from __future__ import annotations

import argparse
import itertools
import statistics
from typing import Any

import numpy as np

import gonextdoor as gnd

STATIC = ("degree", "frequency")
FLOATS = 4


def room(policy: str, rows: int, slots: int) -> int:
    """The bytes of a cache with that many slots."""
    tables = 12 * rows + 32 + 4 * slots if policy == "lookahead" else 4 * rows
    return tables + slots * 4 * FLOATS


def missed(graph: gnd.Graph, x: np.ndarray, policy: str, args: argparse.Namespace, seeds: int) -> tuple[float, float]:
    """The fraction of the rows that were missed, and the vertices of a batch."""
    given: dict[str, Any] = {"batch_size": seeds, "shuffle": True, "seed": 1, "device": "cuda", "drop_last": True}
    cache = room(policy, len(x), int(args.share * len(x)))
    loader = gnd.loader(graph, [15, 10, 5], features=x, cache=cache, cache_policy=policy, **given)
    loader.set_epoch(1)
    sizes = []
    for batch in itertools.islice(loader, args.batches):
        ids = np.asarray(batch.split(batch.arena).nodes[0])
        assert (np.asarray(batch.features.numpy())[:, 0] == ids).all()
        sizes.append(len(ids))
    return 1 - float(loader.stats().hits or 0), statistics.mean(sizes)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--graph", default="18")
    options.add_argument("--seeds", default="16,64")
    options.add_argument("--batches", type=int, default=200)
    options.add_argument("--share", type=float, default=0.1)
    args = options.parse_args()
    graph = gnd.rmat(int(args.graph), seed=1) if args.graph.isdigit() else gnd.read(args.graph)
    rows = graph.num_vertices
    x = np.repeat(np.arange(rows, dtype=np.float32)[:, None], FLOATS, axis=1)
    print(f"{args.graph}: {rows} vertices, {graph.num_edges} edges, {args.batches} batches", flush=True)
    for seeds in map(int, args.seeds.split(",")):
        rates = {}
        for policy in (*STATIC, "lookahead"):
            rates[policy], size = missed(graph, x, policy, args, seeds)
        less = 1 - rates["lookahead"] / min(rates[policy] for policy in STATIC)
        told = "  ".join(f"{policy} {rate:.3f}" for policy, rate in rates.items())
        print(
            f"{seeds:5} seed nodes, {100 * size / rows:.2f} % of the vertices: missed {told}  {-100 * less:+.1f} %",
            flush=True,
        )


if __name__ == "__main__":
    main()
