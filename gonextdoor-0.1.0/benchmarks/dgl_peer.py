"""An epoch of dgl.dataloading.DataLoader: PGSampler against DGL's NeighborSampler (fused), fan-outs 15,10,5, B = 1024.

    python benchmarks/dgl_peer.py [rmat20 | cnr-2000.txt.gz]      (needs torch 2.2.1 and dgl 2.1.0)

Both sides have the same graph of DGL, the same batches and the same loader, and return blocks of int64 whose features
are not read. --workers 0,2 are numbers of workers; without any, DGL uses --threads 1,2 per batch, ours one.
Then the parts of a batch's time: drawing, making DGL's blocks, and for comparison
dgl.create_block with the same arrays; the rest is the loader's.
"""

from __future__ import annotations

import itertools
import resource
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from measure import alone, compare, head, parser, threads

import gonextdoor as gnd

try:
    import dgl
    import torch
except ImportError as error:
    sys.exit(f"this benchmark needs torch and dgl: pip install dgl==2.1.0 torch==2.2.1 ({error})")

from gonextdoor.dgl import PGSampler

FANOUTS = [5, 10, 15]  # in DGL's order: the last is the batch's own
BATCH = 1024


def main() -> None:
    options = parser(__doc__)
    options.add_argument("graph", nargs="?", default="rmat20", help="rmatN or an edge list (default %(default)s)")
    options.add_argument("--batches", type=int, default=24, help="batches of an epoch (default %(default)s)")
    options.add_argument("--workers", default="0,2", help="numbers of workers (default %(default)s)")
    given = options.parse_args()
    warnings.filterwarnings("ignore", message=".*CPU affinity.*")
    g = read(given.graph)
    print(f"{given.graph}: {g.num_nodes()} vertices, {g.num_edges()} edges, {given.batches} batches of {BATCH}")
    head()
    order = np.random.default_rng(1).permutation(torch.nonzero(g.in_degrees()).flatten().numpy())
    nodes = torch.from_numpy(order[: given.batches * BATCH])
    ours, theirs = PGSampler(FANOUTS, seed=1), dgl.dataloading.NeighborSampler(FANOUTS)
    for workers in (int(number) for number in given.workers.split(",")):
        for n in threads(given.threads) if workers == 0 else [1]:  # a worker has one thread
            dgl.utils.set_num_threads(n)
            for clock, what in ((time.perf_counter, ""), (processor, ", processor time")):
                sides = [epoch(g, nodes, sampler, workers, clock) for sampler in (ours, theirs)]
                compare(f"epoch, {workers} workers{what}", n, *sides, given.reps, "ms a batch", lower=True)
    dgl.utils.set_num_threads(1)
    parts(g, nodes.split(BATCH), ours, given.reps)


def read(name: str) -> Any:
    """A graph of DGL with both directions of each edge."""
    if name.startswith("rmat"):
        graph = gnd.rmat(int(name[4:]))
    else:
        graph = gnd.read(name, symmetric=True)
    indptr, indices = (torch.from_numpy(part.astype(np.int64)) for part in (graph.indptr, graph.indices))
    g = dgl.graph(("csc", (indptr, indices, torch.empty(0, dtype=torch.int64))), num_nodes=graph.num_vertices)
    g = g.formats(["csc"])
    g.create_formats_()
    return g


def processor() -> float:
    """Seconds of CPU time of this process and of ended workers, in total. Other programs on the machine
    change them little."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


def epoch(g: Any, nodes: Any, sampler: Any, workers: int, clock: Callable[[], float]) -> Callable[[], float]:
    """One pass through the loader; returns milliseconds per batch of wall time, without the workers' start."""
    loader = dgl.dataloading.DataLoader(g, nodes, sampler, batch_size=BATCH, shuffle=True, num_workers=workers)

    def run() -> float:
        begin, batches = clock(), iter(loader)
        next(batches)
        first = 0
        if clock is time.perf_counter:
            begin, first = clock(), 1
        for _ in batches:
            pass
        del batches  # workers end
        return (clock() - begin) / (len(loader) - first) * 1e3

    return run


def parts(g: Any, batches: Any, sampler: Any, repetitions: int) -> None:
    """The parts of a batch's time, in one process and on one thread."""
    bound, cpu = sampler._for(g), torch.device("cpu")
    turn = itertools.cycle(batches)  # different ones each time, as in an epoch
    drawn = bound.core_sampler.draw(batches[0].numpy(), 1)
    arrays = drawn.split(torch.from_numpy(drawn.arena))
    order = [torch.arange(len(relations[0][1])) for relations in arrays.hops]

    def of_dgl() -> None:
        met = drawn.num_nodes[0]
        for hop, ((indptr, indices, ids),) in enumerate(arrays.hops):
            known, reached = sum(met[: hop + 1]), sum(met[: hop + 2])
            csc = ("csc", (indptr, indices, order[hop]))
            block = dgl.create_block(csc, num_src_nodes=reached, num_dst_nodes=known)
            block.srcdata[dgl.NID], block.dstdata[dgl.NID] = arrays.nodes[0][:reached], arrays.nodes[0][:known]
            block.edata[dgl.EID] = ids

    steps = {
        "sample_blocks": lambda: sampler.sample_blocks(g, next(turn)),
        "  drawing": lambda: bound.core_sampler.draw(next(turn).numpy(), 1),
        "  blocks": lambda: bound.blocks.of(g, drawn, cpu),
        "dgl.create_block instead": of_dgl,
    }
    for name, step in steps.items():
        alone(name, 1, timed(step), repetitions, "µs")


def timed(step: Callable[[], Any]) -> Callable[[], float]:
    def run() -> float:
        figures = []
        for _ in range(20):
            begin = time.perf_counter()
            step()
            figures.append(time.perf_counter() - begin)
        return statistics.median(figures) * 1e6

    return run


if __name__ == "__main__":
    main()
