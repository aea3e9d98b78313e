"""Features of mini-batches on a GPU: ms of a read with the rows complete on the GPU, medians, and of each of several
reads that overlap, of which --ahead are begun before the first is waited for.

    python benchmarks/gpu/features.py [--graph G1] [--floats 100,128,256] [--rows 120000] [--reads 32] [--ahead 3]

Ids are uniformly random, and the nodes of batches of 1,024 seed nodes with fan-outs 15,10,5. "link" is the copy of one
block of pinned memory. The rate of missed rows is that of overlapping reads. The lines of a width are measured in turn,
--rounds times, and the figures are medians and ranges. Reads are compared with the source.
With PyTorch, index_select into pinned memory and a copy is measured beside it. Needs cupy.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import time
from typing import Any

import board
import cupy as cp
import graphs
import numpy as np

import gonextdoor as gnd

POOL = cp.get_default_memory_pool()


def wait() -> None:
    cp.cuda.Device().synchronize()


def link(size: int = 96_000_000) -> float:
    """Bytes per second of a copy from pinned memory."""
    host, there = cp.cuda.alloc_pinned_memory(size), cp.empty(size, cp.uint8)
    times = []
    for _ in range(9):
        wait()
        begin = time.perf_counter()
        there.data.copy_from_host(host.ptr, size)
        wait()
        times.append(time.perf_counter() - begin)
    return size / statistics.median(times)


def source(rows: int, floats: int) -> np.ndarray:
    """Rows whose element j is the id + j."""
    x = np.empty((rows, floats), np.float32)
    for begin in range(0, rows, 1 << 16):
        part = x[begin : begin + (1 << 16)]
        np.add(
            np.arange(begin, begin + len(part), dtype=np.float32)[:, None], np.arange(floats, dtype=np.float32), part
        )
    return x


def right(rows: Any, ids: Any) -> bool:
    """Whether the first and the last elements of rows are those of the ids."""
    got = cp.from_dlpack(rows)
    last = got.shape[1] - 1
    return bool((got[:, 0] == ids.astype(cp.float32)).all() and (got[:, last] == (ids + last).astype(cp.float32)).all())


def batches(graph: gnd.Graph, kind: str, args: argparse.Namespace) -> list[Any]:
    """The ids of reads, on the GPU."""
    if kind == "random":
        rng = cp.random.default_rng(1)
        return [rng.integers(0, graph.num_vertices, args.rows) for _ in range(args.reads)]
    sampler = gnd.NeighborSampler(graph, [15, 10, 5], device="cuda")
    rng = np.random.default_rng(2)
    all = []
    for k in range(args.reads):
        batch = sampler.draw(rng.choice(graph.num_vertices, 1024, replace=False, shuffle=False), k)
        all.append(cp.from_dlpack(batch.split(batch.arena).nodes[0]).copy())
    return all


def measured(
    x: gnd.features.CachedFeatures, ids: list[Any], ahead: int, announce: bool
) -> tuple[float, float, float, bool]:
    """Seconds of a read alone, seconds per read of overlapping ones, misses per row, and whether all rows are right."""
    alone, fine = [], True
    for k, some in enumerate(ids):
        wait()
        begin = time.perf_counter()
        rows = x.read(some)
        address = rows.__cuda_array_interface__["data"][0]  # waits for the rows
        alone.append(time.perf_counter() - begin)
        if k % 8 == 0:
            fine = fine and address != 0 and right(rows, some)
        del rows
    before, times = x.stats(), []
    for _ in range(3):
        pending: list[Any] = []
        announced = 0
        wait()
        begin = time.perf_counter()
        for k, some in enumerate(ids):
            while announce and announced < min(len(ids), k + 59):
                x.announce(ids[announced])
                announced += 1
            pending.append((x.read_async(some), some))
            if len(pending) > ahead:
                rows = pending.pop(0)[0].wait()
        while pending:
            one, some = pending.pop(0)
            rows = one.wait()
        wait()
        times.append((time.perf_counter() - begin) / len(ids))
        fine = fine and right(rows, some)
    after = x.stats()
    read = sum(after.rows.values()) - sum(before.rows.values())
    return statistics.median(alone), min(times), (after.rows["memory"] - before.rows["memory"]) / read, fine


def compare(
    x: np.ndarray, lines: dict[str, dict[str, Any]], given: dict[str, list[Any]], rate: float, args: argparse.Namespace
) -> None:
    """Measures lines of options for features in turn, and prints them."""
    with contextlib.ExitStack() as stack:
        opened = {
            name: stack.enter_context(gnd.features.cached(x, "cuda:0", **options)) for name, options in lines.items()
        }
        runs: dict[tuple[str, str], list[tuple[float, float, float, bool]]] = {}
        for _ in range(args.rounds):
            for name, features in opened.items():
                for kind, ids in given.items():
                    runs.setdefault((kind, name), []).append(measured(features, ids, args.ahead, "lookahead" in name))
        for (kind, name), all in sorted(runs.items()):
            count = statistics.mean(map(len, given[kind]))
            alone, each = ([1e3 * run[k] for run in all] for k in (0, 1))
            missed, fine = statistics.median(run[2] for run in all), min(run[3] for run in all)
            median, features = statistics.median(each), opened[name]
            sent = missed * count * features.row_bytes / median * 1e3
            times = f"{median:6.3f} ({min(each):.3f} to {max(each):.3f}) ms each, {statistics.median(alone):6.3f} alone"
            share = f"missed {missed:.3f}, kernel {features.stats().kernel_share:.2f}"
            link = f"{sent / 1e9:4.1f} GB/s = {sent / rate:.2f} of the link"
            print(
                f"{features.shape[1]:4} floats  {kind:8} {count:7.0f} rows  {name:22} {times}  {share}  {link}  "
                f"{'right' if fine else 'WRONG'}{features.why and f'  {features.misses}: {features.why}'}",
                flush=True,
            )


def torch_way(x: np.ndarray, ids: list[Any]) -> float | None:
    """Seconds of PyTorch's index_select into pinned memory and a copy."""
    try:
        import torch
    except ImportError:
        return None
    table, times = torch.from_numpy(x), []
    host = [torch.from_numpy(cp.asnumpy(some)) for some in ids[:8]]
    pinned = torch.empty((max(map(len, host)), x.shape[1]), pin_memory=True)
    for some in host:
        torch.cuda.synchronize()
        begin = time.perf_counter()
        out = pinned[: len(some)]
        torch.index_select(table, 0, some, out=out)
        out.to("cuda", non_blocking=True)
        torch.cuda.synchronize()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--graph", default="G1")
    parser.add_argument("--floats", default="100,128,256")
    parser.add_argument("--rows", type=int, default=120_000)
    parser.add_argument("--reads", type=int, default=32)
    parser.add_argument("--ahead", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="part of a line's name")
    args = parser.parse_args()
    rate = link()
    print(f"{board.name()}: random gather {board.gather():.1f} G/s, link {rate / 1e9:.1f} GB/s", flush=True)
    graph = graphs.arrays(args.graph).graph()
    degrees = graph.degrees()
    given = {kind: batches(graph, kind, args) for kind in ("random", "15,10,5")}
    for floats in map(int, args.floats.split(",")):
        x = source(graph.num_vertices, floats)
        tenth = x.nbytes // 10
        lines: dict[str, dict[str, Any]] = {}
        for way in ("copy", "kernel", "both"):
            lines[f"host, {way}"] = {"bytes": 0, "misses": way}
            lines[f"10 % by degree, {way}"] = {"bytes": tenth, "policy": degrees, "misses": way}
            lines[f"10 % lookahead, {way}"] = {
                "bytes": tenth,
                "policy": "lookahead",
                "counts": degrees,
                "misses": way,
            }
        lines["host, measured"] = {"bytes": 0}
        lines["all on the GPU"] = {"bytes": x.nbytes}
        compare(x, {name: options for name, options in lines.items() if args.only in name}, given, rate, args)
        for kind, ids in given.items():
            seconds = torch_way(x, ids)
            if seconds:
                print(f"{floats:4} floats  {kind:8} PyTorch index_select and copy {seconds * 1e3:7.3f} ms", flush=True)
        del x


if __name__ == "__main__":
    main()
