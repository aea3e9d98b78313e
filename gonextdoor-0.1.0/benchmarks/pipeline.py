"""Epochs of training on the CPU with the pipeline of the loaders, against their serial loops (prefetch=0).

    python benchmarks/pipeline.py [--loaders numpy,pyg,dgl] [--hidden 16,64] [--batches 40] [--reps 5]

Each step is a training step of GraphSAGE with two layers by torch on one thread. The loaders use all cores for drawing.
The epochs of both loops are measured in turn; "bound" is what can be reached at best: the CPU time of the serial epoch
over the longer of its steps and its CPU time per core. "cpu" is the CPU time of the process in the pipeline's epoch,
over that of the serial one. Needs torch and PyTorch Geometric, and DGL for "dgl".
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

import torch
from gonextdoor.cli import machine

import gonextdoor as gnd

os.environ.setdefault("DGLBACKEND", "pytorch")

FANOUTS = [10, 5]
SEEDS = 1024
CLASSES = 16


def labels(nodes: Any) -> Any:
    """A class per vertex, which the training does not learn."""
    return nodes % CLASSES


class NumPy:
    """gonextdoor.loader, and layers of PyG."""

    def __init__(self, graph: gnd.Graph, x: torch.Tensor, hidden: int) -> None:
        self.graph, self.x, self.train = graph, x, pyg_step(x.shape[1], hidden)

    def loader(self, nodes: torch.Tensor, prefetch: int | None) -> Any:
        return gnd.loader(
            self.graph, FANOUTS, nodes.numpy(), SEEDS, seed=1, direction="in", features=self.x, prefetch=prefetch
        )

    def step(self, batch: Any) -> None:
        parts = batch.split(batch.arena)
        nodes = torch.from_numpy(parts.nodes[0])
        edges = torch.stack([torch.from_numpy(parts.row[0]), torch.from_numpy(parts.col[0])])
        self.train(batch.features, edges, labels(nodes[:SEEDS]), batch.num_nodes[0], batch.num_edges[0])


class PyG:
    """gonextdoor.pyg.NeighborLoader, and layers of PyG."""

    def __init__(self, graph: gnd.Graph, x: torch.Tensor, hidden: int) -> None:
        from torch_geometric.data import Data

        rows = torch.repeat_interleave(torch.arange(graph.num_vertices), torch.from_numpy(graph.degrees()))
        edges = torch.stack([torch.from_numpy(graph.indices).long(), rows])
        self.data, self.train = Data(x=x, edge_index=edges), pyg_step(x.shape[1], hidden)

    def loader(self, nodes: torch.Tensor, prefetch: int | None) -> Any:
        from gonextdoor.pyg import NeighborLoader

        return NeighborLoader(self.data, FANOUTS, nodes, batch_size=SEEDS, seed=1, prefetch=prefetch)

    def step(self, batch: Any) -> None:
        target = labels(batch.n_id[: batch.batch_size])
        self.train(batch.x, batch.edge_index, target, batch.num_sampled_nodes, batch.num_sampled_edges)


class DGL:
    """gonextdoor.dgl.DataLoader, and layers of DGL."""

    def __init__(self, graph: gnd.Graph, x: torch.Tensor, hidden: int) -> None:
        import dgl
        from dgl.nn import SAGEConv

        rows = torch.repeat_interleave(torch.arange(graph.num_vertices), torch.from_numpy(graph.degrees()))
        self.graph = dgl.graph((torch.from_numpy(graph.indices).long(), rows), num_nodes=graph.num_vertices)
        self.graph.ndata["x"] = x
        self.layers = torch.nn.ModuleList(
            [SAGEConv(x.shape[1], hidden, "mean", activation=torch.relu), SAGEConv(hidden, CLASSES, "mean")]
        )
        self.optimizer = torch.optim.Adam(self.layers.parameters())

    def loader(self, nodes: torch.Tensor, prefetch: int | None) -> Any:
        from gonextdoor.dgl import DataLoader, PGSampler

        sampler = PGSampler(FANOUTS[::-1], prefetch_node_feats=["x"], seed=1)
        return DataLoader(self.graph, nodes, sampler, batch_size=SEEDS, prefetch=prefetch)

    def step(self, batch: Any) -> None:
        _, outputs, blocks = batch
        x = blocks[0].srcdata["x"]
        for layer, block in zip(self.layers, blocks, strict=True):
            x = layer(block, x)
        finish(self.optimizer, x, labels(outputs))


def pyg_step(floats: int, hidden: int) -> Callable[..., None]:
    """A training step of PyG's GraphSAGE, whose layers compute the vertices alone that the next one needs."""
    from torch_geometric.nn import GraphSAGE

    model = GraphSAGE(floats, hidden, num_layers=2, out_channels=CLASSES)
    optimizer = torch.optim.Adam(model.parameters())

    def step(x: Any, edges: Any, target: Any, nodes_per_hop: list[int], edges_per_hop: list[int]) -> None:
        out = model(x, edges, num_sampled_nodes_per_hop=nodes_per_hop, num_sampled_edges_per_hop=edges_per_hop)
        finish(optimizer, out[: len(target)], target)

    return step


def finish(optimizer: Any, out: Any, target: Any) -> None:
    """The end of a step: the loss, its gradients and the update."""
    optimizer.zero_grad(set_to_none=True)
    torch.nn.functional.cross_entropy(out, target).backward()
    optimizer.step()


def epoch(side: Any, loader: Any) -> tuple[float, float, float]:
    """Seconds of an epoch, of its steps alone, and CPU seconds of the process."""
    steps, begin, cpu = 0.0, time.perf_counter(), time.process_time()
    for batch in loader:
        first = time.perf_counter()
        side.step(batch)
        steps += time.perf_counter() - first
    return time.perf_counter() - begin, steps, time.process_time() - cpu


def compare(side: Any, name: str, hidden: int, nodes: torch.Tensor, repetitions: int) -> None:
    """Measures both loops in turn and prints a line."""
    loaders = [side.loader(nodes, prefetch) for prefetch in (0, None)]
    runs = []
    for repetition in range(repetitions + 1):
        pair = [epoch(side, loader) for loader in loaders]
        if repetition:
            runs.append(pair)
    batches, middle = len(loaders[0]), statistics.median
    ratios = [serial[0] / piped[0] for serial, piped in runs]
    serial, piped, steps = (
        1e3 / batches * middle(figures)
        for figures in zip(*[(one[0], other[0], one[1]) for one, other in runs], strict=True)
    )
    used = middle(one[2] for one, _ in runs) * 1e3 / batches
    cores = len(os.sched_getaffinity(0))
    bound = serial / max(steps, used / cores)
    cpu = middle(other[2] / one[2] for one, other in runs)
    print(
        f"{name:<6} hidden {hidden:>4}  serial {serial:7.2f} ms a batch, steps {steps:7.2f}, pipeline {piped:7.2f}  "
        f"x{middle(ratios):5.2f} ({min(ratios):.2f} to {max(ratios):.2f}), bound x{bound:5.2f}, cpu x{cpu:5.2f}; "
        f"{loaders[1].stats().bottleneck}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loaders", default="numpy,pyg,dgl")
    parser.add_argument("--scale", type=int, default=17)
    parser.add_argument("--floats", type=int, default=128)
    parser.add_argument("--hidden", default="16,64")
    parser.add_argument("--batches", type=int, default=40)
    parser.add_argument("--reps", type=int, default=5)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    print(machine.summary(), f"load {os.getloadavg()[0]:.1f}", flush=True)
    graph = gnd.rmat(args.scale, seed=1)
    torch.manual_seed(1)
    x = torch.rand(graph.num_vertices, args.floats)
    nodes = torch.randperm(graph.num_vertices)[: args.batches * SEEDS]
    for name in args.loaders.split(","):
        for hidden in map(int, args.hidden.split(",")):
            side = {"numpy": NumPy, "pyg": PyG, "dgl": DGL}[name](graph, x, hidden)
            compare(side, name, hidden, nodes, args.reps)


if __name__ == "__main__":
    main()
