"""PyG loaders: ms of a batch as the training loop sees it, by where batches are drawn and where the data is.

    python benchmarks/gpu/loaders.py [--scale 17] [--only walk] [--csv FILE]

The graph is ``gonextdoor.rmat(scale, 8, symmetric=True)`` with 64 features per node and one number per edge; HGTLoader
has one type of nodes and one of edges. A figure is the median of epochs of 20 batches by one loader, after a first one,
with the default prefetching. Loaders without the option ``device`` draw on the CPU alone.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import statistics
import time
from collections.abc import Callable
from typing import Any

import board
import gonextdoor.pyg as own
import numpy as np
import torch
from torch_geometric.data import Data, HeteroData

import gonextdoor as gnd

BATCHES, EPOCHS = 20, 4
PLACES = [("cpu", "cpu"), ("cpu", "cuda"), ("cuda", "cpu"), ("cuda", "cuda")]  # where batches are drawn, and the data
HEAD = [
    "loader", "CPU, data on the host", "CPU, data on the GPU", "GPU, data on the host", "GPU, data on the GPU",
    "nodes", "edges",
]  # fmt: skip


def lines(scale: int) -> dict[str, tuple[Callable[..., Any], bool]]:
    """For each loader by name, the function that makes it from data and options, and whether it takes device=."""
    count = 1 << scale
    steps = {"num_steps": BATCHES, "log": False}
    nodes = torch.from_numpy(np.random.default_rng(1).permutation(count))
    clusters = torch.arange(count) * 1500 // count
    many = nodes[: 1024 * BATCHES]

    def neighbor(data: Any, **options: Any) -> Any:
        return own.NeighborLoader(data, [15, 10], many, batch_size=1024, **options)

    def hgt(data: Any, **options: Any) -> Any:
        typed = HeteroData()
        typed["node"].x, typed["node"].y = data.x, data.y
        typed["node", "to", "node"].edge_index = data.edge_index
        return own.HGTLoader(typed, [512, 512], ("node", many.to(data.x.device)), batch_size=1024, **options)

    def cluster(data: Any, **options: Any) -> Any:
        made = own.ClusterData(data, 1500, clusters=clusters, log=False)
        return own.ClusterLoader(made, batch_size=20, shuffle=True, **options)

    return {
        "NeighborLoader, 15 and 10 neighbours, 1024 seed nodes": (neighbor, True),
        "the same, induced": (lambda data, **o: neighbor(data, subgraph_type="induced", **o), True),
        "ShaDow, depth 2, 10 neighbours, 64 roots": (
            lambda data, **o: own.ShaDowKHopSampler(data, 2, 10, nodes[: 64 * BATCHES], batch_size=64, **o), True),
        "GraphSAINT, 6000 nodes": (lambda data, **o: own.GraphSAINTNodeSampler(data, 6000, **steps, **o), True),
        "GraphSAINT, 2000 edges": (lambda data, **o: own.GraphSAINTEdgeSampler(data, 2000, **steps, **o), True),
        "GraphSAINT, 2000 walks of 2": (
            lambda data, **o: own.GraphSAINTRandomWalkSampler(data, 2000, 2, **steps, **o), True),
        "GraphSAINT, 6000 walks of 2": (
            lambda data, **o: own.GraphSAINTRandomWalkSampler(data, 6000, 2, **steps, **o), True),
        "ClusterLoader, 20 of 1500 clusters": (cluster, False),
        "RandomNodeLoader, 100 parts": (
            lambda data, **o: own.RandomNodeLoader(data, num_parts=100, shuffle=True, **o), False),
        "HGTLoader, 512 and 512 nodes, 1024 seed nodes": (hgt, False),
    }  # fmt: skip


def epochs(loader: Any) -> tuple[float, Any]:
    """The median milliseconds of a batch, and the last batch."""
    times: list[float] = []
    batches: list[Any] = []
    for _ in range(EPOCHS):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for batch in itertools.islice(loader, BATCHES):
            batches[:] = [batch]
        torch.cuda.synchronize()
        times.append(1e3 * (time.perf_counter() - begin) / BATCHES)
    return statistics.median(times[1:]), batches[0]


def row(make: Callable[..., Any], chooses: bool, held: dict[str, Data]) -> list[str]:
    """The figures of a loader."""
    cells, last = [], None
    for place, where in PLACES:
        if place == "cuda" and not chooses:
            cells.append("")
            continue
        try:
            figure, last = epochs(make(held[where], seed=1, **({"device": place} if chooses else {})))
            cells.append(f"{figure:.3g}")
        except Exception as error:  # one figure that fails must not hide the others
            print(f"{place}, data on {where}: {type(error).__name__}: {str(error)[:200]}", flush=True)
            cells.append("failed")
    return [*cells, *([f"{last.num_nodes:,}", f"{last.num_edges:,}"] if last is not None else ["", ""])]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--scale", type=int, default=17, help="of the graph (default %(default)s)")
    options.add_argument("--only", default="", help="only loaders whose names contain it")
    options.add_argument("--csv", help="the file that the table is written to")
    given = options.parse_args()
    print(f"{board.name()}; random gather of 4 bytes over 268 MB {board.gather():.1f} G/s", flush=True)
    graph = gnd.rmat(given.scale, 8, seed=1, symmetric=True, progress=False)
    print(f"{graph}; torch {torch.__version__}, {torch.get_num_threads()} threads", flush=True)
    count = graph.num_vertices
    ends = np.repeat(np.arange(count), graph.degrees())
    data = Data(
        x=torch.randn(count, 64), y=torch.zeros(count, dtype=torch.int64), num_nodes=count,
        edge_index=torch.from_numpy(np.stack([ends, graph.indices.astype(np.int64)])),
        edge_weight=torch.rand(graph.num_edges),
    )  # fmt: skip
    held = {"cpu": data, "cuda": data.clone().to("cuda")}
    table = [HEAD]
    for name, (make, chooses) in lines(given.scale).items():
        if given.only in name:
            table.append([name, *row(make, chooses, held)])
            print("  ".join(table[-1]), flush=True)
    if given.csv:
        with open(given.csv, "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(table)


if __name__ == "__main__":
    main()
