"""Measures what it costs to continue an epoch, and to begin one.

    python benchmarks/resume.py [--scale 17] [--nodes 100000] [--batch 1024] [--repeat 30]

Each row is a loader: the time to load a state with nine tenths of the batches handed out, and the times to the first
batch of a new epoch and of a resumed one. The last row is the order of a million shuffled vertices. Times are medians
in milliseconds. The loaders for PyG and DGL are measured if the libraries are installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from gonextdoor.neighbor.order import Positions

import gonextdoor as gnd

FANOUTS = [10, 5]


def milliseconds(call: Callable[[], Any], before: Callable[[], Any], repeat: int) -> float:
    """The median time of a call, with another before each that does not count."""
    times = []
    for _ in range(repeat):
        before()
        begin = time.perf_counter()
        call()
        times.append(1000 * (time.perf_counter() - begin))
    return statistics.median(times)


def loaders(scale: int, nodes: int, batch: int) -> dict[str, Any]:
    """The loaders that can be made here."""
    graph = gnd.rmat(scale, seed=1)
    given = {"batch_size": batch, "shuffle": True}
    made: dict[str, Any] = {"gonextdoor.loader": gnd.loader(graph, FANOUTS, np.arange(nodes), seed=1, **given)}
    src, dst = np.repeat(np.arange(graph.num_vertices), graph.degrees()), graph.indices.astype(np.int64)
    if importlib.util.find_spec("torch_geometric") is not None:
        import torch
        from gonextdoor.pyg import NeighborLoader
        from torch_geometric.data import Data

        data = Data(edge_index=torch.from_numpy(np.stack([src, dst])), num_nodes=graph.num_vertices)
        made["pyg.NeighborLoader"] = NeighborLoader(data, FANOUTS, torch.arange(nodes), seed=1, prefetch=0, **given)
    if importlib.util.find_spec("dgl") is not None:
        import dgl
        import torch
        from gonextdoor.dgl import DataLoader, PGSampler

        g = dgl.graph((torch.from_numpy(src), torch.from_numpy(dst)), num_nodes=graph.num_vertices)
        made["dgl.DataLoader"] = DataLoader(g, torch.arange(nodes), PGSampler(FANOUTS, seed=1), **given)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=int, default=17, help="of the R-MAT graph")
    parser.add_argument("--nodes", type=int, default=100_000, help="vertices of an epoch")
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--repeat", type=int, default=30)
    asked = parser.parse_args()
    print(f"{'loader':20} {'load_state_dict':>16} {'first batch':>12} {'resumed':>9}")
    for name, loader in loaders(asked.scale, asked.nodes, asked.batch).items():
        next(iter(loader))
        loader.set_epoch(0)
        state = {**loader.state_dict(), "batches": len(loader) * 9 // 10}
        load = milliseconds(lambda: loader.load_state_dict(state), lambda: None, asked.repeat)  # noqa: B023
        first = milliseconds(lambda: next(iter(loader)), lambda: loader.set_epoch(0), asked.repeat)  # noqa: B023
        resumed = milliseconds(
            lambda: next(iter(loader)),  # noqa: B023
            lambda: loader.load_state_dict(state),  # noqa: B023
            asked.repeat,
        )
        print(f"{name:20} {load:16.3f} {first:12.3f} {resumed:9.3f}")
    million = Positions(1_000_000, asked.batch, True, False)
    print(f"order of 1,000,000 shuffled vertices: {milliseconds(lambda: million.order(1, 0), lambda: None, 9):.1f} ms")


if __name__ == "__main__":
    main()
