"""The pipeline of gonextdoor.pyg.NeighborLoader on a GPU with features in host memory: batches of 15,10,5, 1,024 seed
nodes.

    python benchmarks/gpu/pipeline.py [--graph G1] [--floats 100,256] [--batches 96] [--hidden 256] [--only NAME]

"loader" is ms per batch of a loop that only waits for each batch on the GPU; the first 16 batches are not counted.
"epoch" is a training step of GraphSAGE on each batch, against the same steps on batches that are on the GPU already;
"busy" is the share of the loop in which the GPU runs the steps. "CPU loader" draws on the CPU and copies by
``.to("cuda")``. Every configuration has the batches of the first one. Needs cupy, torch and PyTorch Geometric.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterable
from typing import Any

import board
import graphs
import numpy as np
import torch
from features import source
from gonextdoor.pyg import NeighborLoader
from torch_geometric.data import Data
from torch_geometric.nn import GraphSAGE

WARM = 16
FANOUTS = [15, 10, 5]


def data_of(name: str, floats: int) -> Data:
    """A graph with features and labels in host memory."""
    graph = graphs.arrays(name).graph()
    rows = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    edges = torch.from_numpy(np.stack([graph.indices.astype(np.int64), rows]))
    x = torch.from_numpy(source(graph.num_vertices, floats))
    return Data(x=x, edge_index=edges, num_nodes=graph.num_vertices)


def loader_of(data: Data, batches: int, **given: Any) -> NeighborLoader:
    """A loader of that many batches of random nodes."""
    nodes = torch.from_numpy(np.random.default_rng(1).permutation(data.num_nodes)[: batches * 1024])
    return NeighborLoader(data, FANOUTS, nodes, batch_size=1024, seed=5, **given)


def alone(loader: Iterable[Any], to: str | None = None) -> tuple[float, float]:
    """Milliseconds per batch of the loader alone, the mean and the median, with the batches complete on the GPU."""
    times = []
    torch.cuda.synchronize()
    last = time.perf_counter()
    for batch in loader:
        if to is not None:
            batch.to(to)
        torch.cuda.current_stream().synchronize()
        now = time.perf_counter()
        times.append(1e3 * (now - last))
        last = now
    counted = times[min(WARM, len(times) // 2) :]
    return statistics.mean(counted), statistics.median(counted)


def step_of(floats: int, hidden: int) -> Callable[[Any], None]:
    """A training step of GraphSAGE."""
    torch.manual_seed(1)
    model = GraphSAGE(floats, hidden, num_layers=3, out_channels=47).to("cuda")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def step(batch: Any) -> None:
        optimizer.zero_grad(set_to_none=True)
        out = model(batch.x, batch.edge_index)[: batch.batch_size]
        target = batch.n_id[: batch.batch_size] % 47
        torch.nn.functional.cross_entropy(out, target).backward()
        optimizer.step()

    return step


def epoch(batches: Iterable[Any], step: Callable[[Any], None]) -> tuple[float, float, int]:
    """Seconds of a loop with steps, seconds in which the GPU ran them, and the number of batches."""
    spans, count = [], 0
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for batch in batches:
        first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        first.record()
        step(batch)
        last.record()
        spans.append((first, last))
        count += 1
    torch.cuda.synchronize()
    seconds = time.perf_counter() - begin
    return seconds, sum(first.elapsed_time(last) for first, last in spans) / 1e3, count


def check(loader: NeighborLoader, data: Data, wanted: list[torch.Tensor]) -> None:
    """Compares the first batches with those of the first configuration, and their features with the source. The loader
    begins the epoch again afterwards."""
    for number, batch in zip(range(3), loader, strict=False):
        nodes = batch.n_id.cpu()
        if not torch.equal(batch.x.cpu(), data.x[nodes]):
            raise SystemExit(f"batch {number} has other features")
        if len(wanted) <= number:
            wanted.append(nodes)
        elif not torch.equal(nodes, wanted[number]):
            raise SystemExit(f"batch {number} has other nodes")
    loader.set_epoch(0)


def lines(data: Data, floats: int, args: argparse.Namespace) -> None:
    """Measures all configurations for one width of features."""
    tenth = data.x.numel() * data.x.element_size() // 10
    given: dict[str, dict[str, Any]] = {
        "no cache": {"device": "cuda"},
        "10 % by degree": {"device": "cuda", "cache": tenth},
        "10 % lookahead": {"device": "cuda", "cache": tenth, "cache_policy": "lookahead"},
        "CPU loader": {"device": "cpu"},
    }
    wanted: list[torch.Tensor] = []
    first = 0.0
    for name, options in given.items():
        if args.only and args.only not in name:
            continue
        count = args.batches if options["device"] == "cuda" else min(args.batches, 32)
        loader = loader_of(data, count, **options)
        check(loader, data, wanted)
        mean, median = alone(loader, None if options["device"] == "cuda" else "cuda")
        first = first or mean
        stats = loader.stats()
        hits = "" if not stats.hits else f", hits {stats.hits:.3f}"
        print(
            f"{floats:>4} floats  loader, {name:<15} {mean:7.3f} ms a batch, median {median:7.3f}, "
            f"x{mean / first:5.2f}{hits}, held {stats.peak_bytes / 1e6:.0f} MB; {stats.bottleneck}",
            flush=True,
        )
        del loader
    if args.only and "epoch" not in args.only:
        return
    step = step_of(floats, args.hidden)
    held = list(loader_of(data, 8, device="cuda"))
    epoch(held, step)
    seconds, busy, count = epoch(held * max(1, args.batches // 16), step)
    steps = seconds / count
    print(
        f"{floats:>4} floats  steps alone            {1e3 * steps:7.3f} ms each, busy {busy / seconds:.3f}", flush=True
    )
    del held
    for name in ("no cache", "10 % by degree", "CPU loader"):
        cpu = name == "CPU loader"
        loader = loader_of(data, min(args.batches, 24) if cpu else args.batches, **given[name])
        seconds, busy, count = epoch((batch.to("cuda") for batch in loader) if cpu else loader, step)
        print(
            f"{floats:>4} floats  epoch, {name:<15} {1e3 * seconds / count:7.3f} ms a batch, "
            f"x{seconds / count / steps:5.3f} of the steps, busy {busy / seconds:.3f}; {loader.stats().bottleneck}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--graph", default="G1")
    parser.add_argument("--floats", default="100,256")
    parser.add_argument("--batches", type=int, default=96)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--only", default="", help="part of a line's name")
    args = parser.parse_args()
    begin = time.perf_counter()
    print(f"{board.name()}: {torch.get_num_threads()} CPU cores", flush=True)
    data: Data | None = None
    for floats in map(int, args.floats.split(",")):
        if data is None:
            data = data_of(args.graph, floats)
        else:
            data.x = torch.from_numpy(source(data.num_nodes, floats))
        lines(data, floats, args)
    print(f"{time.perf_counter() - begin:.0f} s")


if __name__ == "__main__":
    main()
