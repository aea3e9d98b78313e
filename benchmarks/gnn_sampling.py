"""The sampling part of a training epoch: NeighborSampler against DGL's NeighborSampler (fused) and GraphBolt, one run.

    python benchmarks/gnn_sampling.py [rmat20 | cnr-2000.txt.gz]      (needs torch 2.2.1 and dgl 2.1.0)

If pyg_lib is installed, its neighbor_sample takes part; PyPI has none, so build it from source.

Fan-outs 15,10,5, batches of 1024, without replacement, relabelled, in torch tensors of int64; every side draws the same
batches, a whole epoch of them in turn with the others. Ours returns pairs of the nodes that are new in a hop, as PyG's
NeighborLoader takes them, or blocks of all nodes met, as DGL does: eight batches per call, each on one thread (as
loaders with prefetching do), or one, on all the threads, as the others do. Edges per second are compared, since the
sides do not expand the same vertices; CPU time is printed for busy machines.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from gonextdoor.cli import machine
from measure import parser
from measure import threads as numbers

import gonextdoor as gnd

try:
    import dgl
    import dgl.graphbolt as gb
    import torch
except ImportError as error:
    sys.exit(f"this benchmark needs torch and dgl with GraphBolt: pip install dgl==2.1.0 torch==2.2.1 ({error})")

FANOUTS = [15, 10, 5]
BATCH = 1024
TOGETHER = 8
Array = Any
Epoch = Callable[[list[Array]], int]  # draws some batches and returns the number of their edges


def main() -> None:
    options = parser(__doc__)
    options.add_argument("graph", nargs="?", default="rmat20", help="rmatN or an edge list (default %(default)s)")
    options.add_argument("--batches", type=int, default=48, help="batches of an epoch (default %(default)s)")
    given = options.parse_args()
    graph = read(given.graph)
    print(machine.summary())
    print(f"{given.graph}: {graph.num_vertices} vertices, {graph.num_edges} edges, {given.batches} batches of {BATCH}")
    for n in numbers(given.threads):
        torch.set_num_threads(n)
        os.environ["OMP_NUM_THREADS"] = str(n)
        compare(sides(graph, n), epoch(graph, given.batches), given.reps, n)


def read(name: str) -> gnd.Graph:
    """A graph with both directions of each edge, whose edge ids are the positions."""
    if name.startswith("rmat"):
        graph = gnd.rmat(int(name[4:]))
    else:
        graph = gnd.read(name, symmetric=True, weight=False)
    return gnd.Graph.from_csr(np.asarray(graph.indptr), np.asarray(graph.indices))


def epoch(graph: gnd.Graph, batches: int) -> list[Array]:
    """Batches of different vertices with edges, in a random order."""
    vertices = np.flatnonzero(graph.degrees() > 0)
    order = np.random.default_rng(1).permutation(vertices)
    return [order[at * BATCH % (len(order) - BATCH) :][:BATCH].astype(np.int64) for at in range(batches)]


def sides(graph: gnd.Graph, n: int) -> dict[str, Epoch]:
    indptr = torch.from_numpy(np.asarray(graph.indptr).astype(np.int64))
    indices = torch.from_numpy(np.asarray(graph.indices).astype(np.int64))
    return {
        "ours, pairs": ours(graph, n, TOGETHER, expand="new", layout="coo"),
        "ours, pairs, a batch a call": ours(graph, n, 1, expand="new", layout="coo"),
        "ours, blocks": ours(graph, n, TOGETHER, expand="all", layout="csc"),
        "DGL NeighborSampler, fused": fused(indptr, indices),
        "GraphBolt": graphbolt(indptr, indices),
    } | ({"pyg-lib": pyg_lib_sampler(indptr, indices)} if find_spec("pyg_lib") else {})


def ours(graph: gnd.Graph, n: int, together: int, **kind: Any) -> Epoch:
    """On n threads, with that many batches per call."""
    sampler = gnd.NeighborSampler(graph, FANOUTS, **kind)

    def draw(batches: list[Array]) -> int:
        edges = 0
        for first in range(0, len(batches), together):
            seeds = batches[first : first + together]
            for drawn in sampler.draw_many(seeds, range(first, first + len(seeds)), threads=n):
                parts = drawn.split(torch.from_numpy(drawn.arena))
                edges += sum(len(row) for row in parts.row) + sum(len(hop[0][1]) for hop in parts.hops)
        return edges

    return draw


def fused(indptr: Any, indices: Any) -> Epoch:
    graph = dgl.graph(("csc", (indptr, indices, torch.empty(0, dtype=torch.int64))), num_nodes=len(indptr) - 1)
    graph = graph.formats(["csc"])
    graph.create_formats_()
    sampler = dgl.dataloading.NeighborSampler(FANOUTS[::-1])

    def draw(batches: list[Array]) -> int:
        edges = 0
        for seeds in batches:
            blocks = sampler.sample_blocks(graph, torch.from_numpy(seeds))[2]
            edges += sum(block.num_edges() for block in blocks)
        return edges

    return draw


def graphbolt(indptr: Any, indices: Any) -> Epoch:
    graph = gb.fused_csc_sampling_graph(indptr, indices)

    def draw(batches: list[Array]) -> int:
        edges = 0
        for seeds in batches:
            nodes = torch.from_numpy(seeds)
            for fanout in FANOUTS:
                sampled = graph.sample_neighbors(nodes, torch.tensor([fanout])).sampled_csc
                nodes, compact = gb.unique_and_compact_csc_formats(sampled, nodes)
                edges += len(compact.indices)
        return edges

    return draw


def pyg_lib_sampler(indptr: Any, indices: Any) -> Epoch:
    from pyg_lib.sampler import neighbor_sample

    return lambda batches: sum(
        len(neighbor_sample(indptr, indices, torch.from_numpy(seeds), FANOUTS)[0]) for seeds in batches
    )


def compare(sides: dict[str, Epoch], batches: list[Array], repetitions: int, n: int) -> None:
    """All sides in turn, the first round unmeasured; medians, and the ratios of our first side in each round."""
    runs: dict[str, list[tuple[float, float, float]]] = {name: [] for name in sides}
    for turn in range(repetitions + 1):
        for name, draw in sides.items():
            some = batches if turn else batches[: max(2, len(batches) // 8)]
            begin, worked = time.perf_counter(), time.process_time()
            edges = draw(some)
            taken, work = time.perf_counter() - begin, time.process_time() - worked
            if turn:
                runs[name].append((edges / taken / 1e6, taken / len(some) * 1e3, work / edges * 1e9))
    columns = f"{'M edges/s':>10}{'ms/batch':>10}{'cpu ns/edge':>12}"
    print(f"{n} threads{'':<22}{columns}   ours is faster by; by processor time")
    first = next(iter(runs.values()))
    for name, values in runs.items():
        rate, taken, work = (statistics.median(column) for column in zip(*values, strict=True))
        ratios = [mine[0] / other[0] for mine, other in zip(first, values, strict=True)]
        works = [other[2] / mine[2] for mine, other in zip(first, values, strict=True)]
        print(f"{name:<31}{rate:>10.4g}{taken:>10.4g}{work:>12.4g}   {spread(ratios)}; {spread(works)}", flush=True)


def spread(ratios: list[float]) -> str:
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


if __name__ == "__main__":
    main()
