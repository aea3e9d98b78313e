"""Misses of caches of features by policy: the fraction of the rows of mini-batches that were not in GPU memory.

    python benchmarks/gpu/cachemisses.py [--graph 18] [--seeds 13,80] [--batches 150] [--share 0.1]

The graph is an R-MAT graph of that scale, or the path of a list of edges. Batches have fan-outs 15,10,5. A cache has
that share of the rows. "frequency" has the rows that the batches of another epoch read most often, and "lookahead"
begins with them. Misses are those of the second half of the batches. The last column compares "lookahead" with the
better one of the others. Every read is compared with the source.

Misses do not depend on the speed of the GPU, so the emulated driver counts the same ones:

    GONEXTDOOR_LIBCUDA=$(python kernels/host/build.py) python benchmarks/gpu/cachemisses.py
"""

from __future__ import annotations

import argparse

import numpy as np

import gonextdoor as gnd

AHEAD = 59  # batches that are announced
FLOATS = 4


def epoch(graph: gnd.Graph, seeds: int, count: int, number: int) -> list[np.ndarray]:
    """The vertices of the first batches of an epoch."""
    sampler = gnd.NeighborSampler(graph, [15, 10, 5])
    order = np.random.default_rng(number).permutation(graph.num_vertices)
    batches = []
    for k in range(count):
        batch = sampler.draw(order[k * seeds : (k + 1) * seeds], number << 32 | k)
        batches.append(np.asarray(batch.split(batch.arena).nodes[0]))
    return batches


def missed(x: gnd.features.CachedFeatures, batches: list[np.ndarray]) -> float:
    """The fraction of the rows that were missed in the second half of the batches."""
    announced, before = 0, 0
    half = len(batches) // 2
    for k, ids in enumerate(batches):
        while x.looks_ahead and announced < min(k + AHEAD, len(batches)):
            x.announce(batches[announced])
            announced += 1
        rows = x.read(ids).numpy()
        if not (rows[:, 0] == ids).all():
            raise SystemExit(f"batch {k}: other rows")
        if k + 1 == half:
            before = x.stats().rows["memory"]
    return float((x.stats().rows["memory"] - before) / sum(map(len, batches[half:])))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--graph", default="18")
    options.add_argument("--seeds", default="13,80")
    options.add_argument("--batches", type=int, default=150)
    options.add_argument("--share", type=float, default=0.1)
    args = options.parse_args()
    graph = gnd.rmat(int(args.graph), seed=1) if args.graph.isdigit() else gnd.read(args.graph)
    rows = graph.num_vertices
    slots = int(args.share * rows)
    table = np.repeat(np.arange(rows, dtype=np.float32)[:, None], FLOATS, axis=1)
    degrees = np.bincount(graph.indices, minlength=rows)
    print(f"{args.graph}: {rows} vertices, {graph.num_edges} edges, {args.batches} batches", flush=True)
    for seeds in map(int, args.seeds.split(",")):
        before, batches = epoch(graph, seeds, args.batches, 0), epoch(graph, seeds, args.batches, 1)
        counts = gnd.features.count_visits(before, rows)
        rates = {}
        for policy, scores in (("degree", degrees), ("frequency", counts), ("lookahead", counts)):
            ahead = policy == "lookahead"
            room = slots * 4 * FLOATS + (12 * rows + 32 + 4 * slots if ahead else 4 * rows)
            given = {"policy": policy, "counts": scores} if ahead else {"policy": scores}
            with gnd.features.cached(table, "cuda:0", bytes=room, **given) as x:
                assert x.slots == slots
                rates[policy] = missed(x, batches)
        change = 100 * (rates["lookahead"] / min(rates["degree"], rates["frequency"]) - 1)
        size = 100 * np.mean(list(map(len, batches))) / rows
        shown = "  ".join(f"{policy} {rate:.3f}" for policy, rate in rates.items())
        print(f"{seeds:5} seed nodes, {size:.2f} % of the vertices: missed {shown}  {change:+.1f} %", flush=True)


if __name__ == "__main__":
    main()
