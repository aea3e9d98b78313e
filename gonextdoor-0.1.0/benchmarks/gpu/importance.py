"""LADIES and FastGCN on a GPU, from Python with the result on the GPU: seconds per epoch, medians of whole calls.

    python benchmarks/gpu/importance.py [--graph P] [--batch 512] [--layers 3] [--size 512] [--reps 11]

The graph is an R-MAT of the size of ogbn-products: 2.4 M vertices and 62 M edges. An epoch is as in gSampler (SOSP'23):
a batch for each 512 of the 196,615 training vertices of ogbn-products, which is 384 batches. Batches are the samples of
one call; their roots are random distinct vertices. Before each line, some batches are compared with those of the CPU,
bit by bit. ``alone`` is the time of a call for one batch.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import board
import graphs
import numpy as np
import walks

import gonextdoor as gnd

TRAINING = 196_615
PARTS = ("values", "offsets", "parents")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--graph", default="P")
    options.add_argument("--batch", type=int, default=512)
    options.add_argument("--layers", type=int, default=3)
    options.add_argument("--size", type=int, default=512)
    options.add_argument("--check", type=int, default=4, help="batches that are compared with those of the CPU")
    options.add_argument("--reps", type=int, default=11)
    given = options.parse_args()
    print(f"{board.name()}; random gather of 4 bytes over 268 MB {board.gather():.1f} G/s", flush=True)
    begin = time.perf_counter()
    graph = graphs.arrays(given.graph).graph()
    print(f"{given.graph}: {graph}   made in {time.perf_counter() - begin:.1f} s", flush=True)
    batches = -(-TRAINING // given.batch)
    order = np.random.default_rng(graphs.SEED).permutation(graph.num_vertices)
    roots = order[: batches * given.batch].astype(np.uint32).reshape(batches, given.batch)
    sizes = (given.size,) * given.layers
    for app in (
        gnd.apps.LADIES(sizes),
        gnd.apps.FastGCN(sizes),
        gnd.apps.LADIES(sizes, normalize=False),
        gnd.apps.LADIES(sizes, replace=True),
        gnd.apps.FastGCN(sizes, replace=False),
        gnd.apps.LADIES(sizes, normalization="row"),
        gnd.apps.FastGCN(sizes, normalization="row"),
    ):
        line(graph, app, roots, given)


def line(graph: gnd.Graph, app: Any, roots: Any, given: argparse.Namespace) -> None:
    """Checks some samples of an app, times it and prints a line of the table."""

    def call(seed: int, batches: int = len(roots), device: str = "cuda") -> gnd.Samples:
        return gnd.sample(graph, app, roots[:batches], seed=seed, device=device, progress=False)

    try:
        differs = difference(call(1, given.check), call(1, given.check, "cpu"))
        alone = walks.seconds(lambda seed: call(seed, 1), given.reps)
        times = walks.seconds(call, given.reps)
        print(
            f"{app!r:<60} {statistics.median(times):.4f} s per epoch ({min(times):.4f} to {max(times):.4f}), "
            f"alone {statistics.median(alone) * 1e3:.2f} ms   {differs or 'bits equal'}",
            flush=True,
        )
    except Exception as error:  # one line that fails must not hide the others
        print(f"{app!r:<60} FAILED {type(error).__name__}: {str(error)[:300]}", flush=True)


def difference(there: gnd.Samples, here: gnd.Samples) -> str:
    """The first part that differs between two samples, or an empty string."""
    for name in PARTS:
        if not np.array_equal(getattr(there, name), getattr(here, name)):
            return f"DIFFERS in {name}"
    for k in range(len(here)):
        one, other = there.subgraph(k), here.subgraph(k)
        for name in ("src", "dst", "edge_ids", "values"):
            if not np.array_equal(getattr(one, name), getattr(other, name)):
                return f"DIFFERS in {name} of the links of batch {k}"
    return ""


if __name__ == "__main__":
    main()
