"""The pipeline of the loaders on a GPU with features in host memory: batches of 1,024 seed nodes.

    python benchmarks/gpu/pipeline.py [--graph G1] [--floats 100,256] [--batches 96] [--step 9] [--large H]
        [--workers 8] [--only NAME] [--seconds 140]

"loader" is ms per batch of a loop over gonextdoor.pyg.NeighborLoader, 15,10,5, that only waits for each batch on the
GPU; the first 16 batches are not counted. "epoch" is a training step of GraphSAGE on each batch, against the same steps
on batches that are on the GPU already; its hidden layers have as many units as a step of --step ms needs. "busy" is the
share of the loop in which the GPU runs the steps. Every configuration has the batches of the first one.

The batches of other loaders are copied by ``.to("cuda")``: those of this package's loader on the CPU, without and with
workers, and those of PyG's own NeighborLoader with workers. PyG needs pyg-lib or torch-sparse for that, which are not
on PyPI, so it calls this package's operators (``gonextdoor.pyg.install``).

--large: batches of 10,10,10 of gonextdoor.loader, 128 floats, on a graph of the shape of ogbn-papers100M, with a cache
of 5 GB, and of the same share of the features that 5 GB are of those of ogbn-papers100M.

"where" samples the stacks of the threads: the lines of Python in which the loop and the threads that draw were found
most often. Configurations that would begin after --seconds are left out, and named. Needs cupy, torch and PyG.
"""

from __future__ import annotations

import argparse
import collections
import os
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import board
import graphs
import numpy as np
import torch
from features import source
from gonextdoor.pyg import NeighborLoader, NeighborSampler, install
from torch_geometric.data import Data
from torch_geometric.loader import NeighborLoader as PygLoader
from torch_geometric.nn import GraphSAGE

import gonextdoor as gnd

WARM = 16
FANOUTS = [15, 10, 5]
BEGIN = time.perf_counter()
PAPERS = 111_059_956  # vertices of ogbn-papers100M


def line(text: str) -> None:
    print(f"{time.perf_counter() - BEGIN:5.0f} s  {text}", flush=True)


def late(what: str, args: argparse.Namespace) -> bool:
    """Whether there is no time left for a configuration, which is reported."""
    if time.perf_counter() - BEGIN < args.seconds:
        return False
    line(f"left out: {what}")
    return True


def data_of(name: str, floats: int) -> Data:
    """A graph with features in host memory."""
    graph = graphs.arrays(name).graph()
    rows = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    edges = torch.from_numpy(np.stack([graph.indices.astype(np.int64), rows]))
    x = torch.from_numpy(source(graph.num_vertices, floats))
    return Data(x=x, edge_index=edges, num_nodes=graph.num_vertices)


def nodes_of(vertices: int, batches: int) -> np.ndarray:
    """Random seed nodes of that many batches."""
    return np.random.default_rng(1).permutation(vertices)[: batches * 1024]


class Watch:
    """Samples the stacks of all threads while a block runs, in a separate thread."""

    def __enter__(self) -> Watch:
        self._over, self._main = threading.Event(), threading.get_ident()
        self.seen: dict[str, collections.Counter[str]] = {"loop": collections.Counter(), "draw": collections.Counter()}
        self._thread = threading.Thread(target=self._run, name="watch")
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        own = {thread.ident for thread in threading.enumerate() if thread.name == "gonextdoor"}
        while not self._over.wait(0.0007):
            for ident, frame in sys._current_frames().items():
                who = "loop" if ident == self._main else "draw" if ident in own else ""
                if who:
                    code = frame.f_code
                    name = f"{os.path.basename(code.co_filename)}:{code.co_name}:{frame.f_lineno}"
                    self.seen[who][name] += 1
            own = {thread.ident for thread in threading.enumerate() if thread.name == "gonextdoor"}

    def report(self) -> None:
        for who, seen in self.seen.items():
            every = max(1, sum(seen.values()))
            most = ", ".join(f"{name} {100 * count / every:.0f} %" for name, count in seen.most_common(14))
            line(f"where, {who}: {most}")


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


def check(loader: Any, data: Data, wanted: list[torch.Tensor]) -> None:
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


class Loaders:
    """The loaders of one width of features, which share their samplers.

    Args:
        data: the graph with features.
        samplers: by device; the graph is converted once for each.
    """

    def __init__(self, data: Data, samplers: dict[str, NeighborSampler], args: argparse.Namespace) -> None:
        self.data, self._samplers, self.args = data, samplers, args
        self.tenth = data.x.numel() * data.x.element_size() // 10

    def ours(self, device: str, batches: int, **given: Any) -> NeighborLoader:
        """This package's loader."""
        if device not in self._samplers:
            self._samplers[device] = NeighborSampler(self.data, FANOUTS, seed=5, device=device)
        nodes = torch.from_numpy(nodes_of(self.data.num_nodes, batches))
        return NeighborLoader(
            self.data, FANOUTS, nodes, batch_size=1024, neighbor_sampler=self._samplers[device], **given
        )

    def pygs(self, batches: int) -> PygLoader:
        """PyG's loader with workers."""
        install()
        nodes = torch.from_numpy(nodes_of(self.data.num_nodes, batches))
        return PygLoader(self.data, FANOUTS, nodes, batch_size=1024, num_workers=self.args.workers)


def loader_lines(loaders: Loaders, floats: int, wanted: list[torch.Tensor]) -> float:
    """Measures the loader alone on the GPU; returns ms without a cache."""
    args, first = loaders.args, 0.0
    for name, given in {
        "no cache": {},
        "10 % by degree": {"cache": loaders.tenth},
        "10 % lookahead": {"cache": loaders.tenth, "cache_policy": "lookahead"},
    }.items():
        if args.only not in name or late(f"{floats} floats, loader, {name}", args):
            continue
        loader = loaders.ours("cuda", args.batches, **given)
        check(loader, loaders.data, wanted)
        runs = []
        for _ in range(3):
            loader.set_epoch(0)
            runs.append(alone(loader))
        mean, median = statistics.median(run[0] for run in runs), statistics.median(run[1] for run in runs)
        first = first or mean
        stats = loader.stats()
        spread = f"{min(run[0] for run in runs):.3f} to {max(run[0] for run in runs):.3f}"
        hits = "" if not stats.hits else f", hits {stats.hits:.3f}"
        each = {stage: round(1e3 * seconds / stats.batches, 3) for stage, seconds in stats.seconds.items()}
        line(
            f"{floats:>4} floats  loader, {name:<15} {mean:7.3f} ms a batch ({spread}), median {median:7.3f}, "
            f"x{mean / first:5.2f}{hits}, held {stats.peak_bytes / 1e6:.0f} MB, ms of stages {each}; {stats.bottleneck}"
        )
        if name != "10 % lookahead":
            with Watch() as watch:
                loader.set_epoch(0)
                alone(loader)
            watch.report()
    return first


def calibrated(floats: int, held: list[Any], args: argparse.Namespace) -> tuple[Callable[[Any], None], float]:
    """A step of at least --step ms, and its seconds alone."""
    for hidden in range(256, 1025, 64):
        step = step_of(floats, hidden)
        epoch(held, step)
        seconds, busy, count = epoch(held * 2, step)
        if 1e3 * seconds / count >= args.step:
            break
    seconds, busy, count = epoch(held * max(1, args.batches // len(held)), step)
    line(
        f"{floats:>4} floats  steps alone, hidden {hidden}: {1e3 * seconds / count:7.3f} ms each, "
        f"busy {busy / seconds:.3f}"
    )
    return step, seconds / count


def epoch_lines(loaders: Loaders, floats: int) -> None:
    """Measures epochs with a step."""
    args = loaders.args
    step, steps = calibrated(floats, list(loaders.ours("cuda", 8)), args)
    for name, given in {"no cache": {}, "10 % by degree": {"cache": loaders.tenth}}.items():
        loader = loaders.ours("cuda", args.batches, **given)
        epoch(loader, step)
        runs = sorted(epoch(loader, step) for _ in range(3))
        seconds, busy, count = runs[1]
        ratios = [run[0] / run[2] / steps for run in runs]
        line(
            f"{floats:>4} floats  epoch, {name:<15} {1e3 * seconds / count:7.3f} ms a batch, "
            f"x{seconds / count / steps:5.3f} of the steps ({ratios[0]:.3f} to {ratios[-1]:.3f}), "
            f"busy {busy / seconds:.3f}; {loader.stats().bottleneck}"
        )
    if not late(f"{floats} floats, epoch, CPU loader", args):
        loader = loaders.ours("cpu", 24)
        seconds, busy, count = epoch((batch.to("cuda") for batch in loader), step)
        line(
            f"{floats:>4} floats  epoch, CPU loader      {1e3 * seconds / count:7.3f} ms a batch, "
            f"x{seconds / count / steps:5.3f} of the steps, busy {busy / seconds:.3f}; {loader.stats().bottleneck}"
        )


def other_lines(loaders: Loaders, floats: int, ours: float, wanted: list[torch.Tensor]) -> None:
    """Measures loaders on the CPU whose batches are copied."""
    args, workers = loaders.args, loaders.args.workers
    for name, made in {
        "CPU loader": lambda: loaders.ours("cpu", 32),
        "CPU loader, serial": lambda: loaders.ours("cpu", 24, prefetch=0),
        f"CPU loader, {workers} workers": lambda: loaders.ours("cpu", 48, num_workers=workers),
        f"PyG's, {workers} workers": lambda: loaders.pygs(48),
    }.items():
        if late(f"{floats} floats, loader, {name}", args):
            continue
        loader = made()
        if hasattr(loader, "set_epoch"):
            check(loader, loaders.data, wanted)
        mean, median = alone(loader, "cuda")
        line(
            f"{floats:>4} floats  loader, {name:<23} {mean:7.3f} ms a batch, median {median:7.3f}, x{mean / ours:5.2f}"
        )


def large_lines(args: argparse.Namespace) -> None:
    """Measures gonextdoor.loader on a large graph."""
    if late(f"graph {args.large}", args):
        return
    graph = graphs.arrays(args.large).graph()
    share = graph.num_vertices / PAPERS
    line(
        f"graph {args.large}: {graph.num_vertices:,} vertices, {graph.num_edges:,} edges, {share:.2f} of the vertices "
        "of ogbn-papers100M"
    )
    x = torch.empty(graph.num_vertices, 128)
    x.copy_(torch.arange(graph.num_vertices, dtype=torch.float32)[:, None])
    x += torch.arange(128.0)
    line(f"features of {x.nbytes / 1e9:.1f} GB")
    nodes = nodes_of(graph.num_vertices, 4 * args.batches)
    for cache in (5_000_000_000, int(5e9 * share), None):
        what = "no cache" if cache is None else f"cache {cache / 1e9:.2f} GB"
        if late(f"graph {args.large}, {what}", args):
            continue
        loader = gnd.loader(graph, [10, 10, 10], nodes, 1024, seed=5, device="cuda", features=x, cache=cache)
        for number, batch in zip(range(2), loader, strict=False):
            ids = torch.from_dlpack(batch.split(torch.from_dlpack(batch.arena)).nodes[0]).cpu()
            if not torch.equal(torch.from_dlpack(batch.features).cpu(), x[ids]):
                raise SystemExit(f"batch {number} has other features")
        loader.set_epoch(0)
        mean, median = alone(loader)
        stats = loader.stats()
        missed = (1 - (stats.hits or 0.0)) * len(ids) * x[0].nbytes
        line(
            f"graph {args.large}, 128 floats, 10,10,10, {what}: {1e3 / mean:.1f} batches/s, {mean:.3f} ms (median "
            f"{median:.3f}), {len(ids)} rows, hits {stats.hits}, {missed / mean / 1e6:.1f} GB/s of missed rows; "
            f"{stats.bottleneck}"
        )
        del loader, batch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graph", default="G1")
    parser.add_argument("--floats", default="100,256")
    parser.add_argument("--batches", type=int, default=96)
    parser.add_argument("--step", type=float, default=9.0, help="ms of a training step (default %(default)s)")
    parser.add_argument("--large", default="", help="a graph for gonextdoor.loader, such as H")
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--only", default="", help="part of the name of a configuration of the loader")
    parser.add_argument("--seconds", type=float, default=140.0)
    args = parser.parse_args()
    line(f"{board.name()}: {torch.get_num_threads()} CPU cores")
    widths, samplers = list(map(int, args.floats.split(","))), dict[str, NeighborSampler]()
    data = data_of(args.graph, widths[0])
    line(f"graph {args.graph}")
    wanted: list[torch.Tensor] = []
    first = Loaders(data, samplers, args)
    ours = loader_lines(first, widths[0], wanted)
    if not args.only:
        epoch_lines(first, widths[0])
    for floats in widths[1:]:
        data.x = torch.from_numpy(source(data.num_nodes, floats))
        loader_lines(Loaders(data, samplers, args), floats, wanted)
    if args.large:
        large_lines(args)
    if not args.only:  # last, as workers are forked
        data.x = torch.from_numpy(source(data.num_nodes, widths[0]))
        other_lines(Loaders(data, samplers, args), widths[0], ours, wanted)


if __name__ == "__main__":
    main()
