"""Measures batches per second of NeighborLoader in one or several processes of torch.distributed, a GPU for each.

    torchrun --standalone --nproc-per-node 1 benchmarks/gpu/ranks.py
    torchrun --standalone --nproc-per-node 2 benchmarks/gpu/ranks.py     [--scale 20] [--batches 400] [--device cuda]

The processes begin each epoch together, and an epoch ends when the last of them has its batches. The first epoch is not
measured. The digest is the sum of a hash of each of the first batches, modulo 2^64: it must be the same for any number
of processes.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import os
import statistics
import time
from typing import Any

import numpy as np
import torch
from gonextdoor.pyg import NeighborLoader
from torch_geometric.data import Data

import gonextdoor as gnd


def loader_of(asked: argparse.Namespace) -> NeighborLoader:
    """The loader. No seed node occurs twice."""
    graph = gnd.rmat(asked.scale, seed=1)
    if asked.batches * asked.batch > graph.num_vertices:
        raise SystemExit(f"--batches {asked.batches}: an epoch has more seed nodes than the graph has vertices")
    sources = np.repeat(np.arange(graph.num_vertices), graph.degrees()).astype(np.int64)
    edges = torch.from_numpy(np.stack([sources, graph.indices.astype(np.int64)]))
    data = Data(edge_index=edges, num_nodes=graph.num_vertices)
    nodes = torch.arange(asked.batches * asked.batch)
    given = {"batch_size": asked.batch, "shuffle": True, "seed": 1, "divide": "ranks", "even": "error"}
    return NeighborLoader(data, asked.fanouts, nodes, device=asked.device, **given)


def digest_of(batch: Any) -> int:
    """A hash of the nodes and edges of a batch."""
    parts = (batch.n_id, batch.e_id, batch.edge_index)
    digest = hashlib.blake2b(b"".join(part.cpu().numpy().tobytes() for part in parts), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=int, default=20, help="of the R-MAT graph")
    parser.add_argument("--batches", type=int, default=400, help="of an epoch, a multiple of the processes")
    parser.add_argument("--batch", type=int, default=1024, help="seed nodes in a batch")
    parser.add_argument("--fanouts", type=lambda text: [int(hop) for hop in text.split(",")], default=[15, 10, 5])
    parser.add_argument("--epochs", type=int, default=7)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--hashed", type=int, default=400, help="batches of an epoch that enter the digest")
    asked = parser.parse_args()
    on_gpu = asked.device != "cpu"
    if on_gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    torch.distributed.init_process_group("nccl" if on_gpu else "gloo")
    loader, rates, starts = loader_of(asked), [], []
    for epoch in range(asked.epochs):
        torch.distributed.barrier()
        begin = time.perf_counter()
        for number, _ in enumerate(loader):
            if number == 0:
                starts.append(time.perf_counter() - begin)
        if on_gpu:
            torch.cuda.synchronize()
        torch.distributed.barrier()
        if epoch:
            rates.append(asked.batches / (time.perf_counter() - begin))
    loader.set_epoch(0)
    sums: list[Any] = [None] * torch.distributed.get_world_size()
    hashed = itertools.islice(loader, asked.hashed // len(sums))
    torch.distributed.all_gather_object(sums, sum(map(digest_of, hashed)))
    if torch.distributed.get_rank() == 0:
        middle, least, most = statistics.median(rates), min(rates), max(rates)
        digest = f"{sum(sums) % 2**64:016x}"
        first = statistics.median(starts[1:]) * 1e3
        print(f"{len(sums)} processes: {middle:.0f} batches/s ({least:.0f} to {most:.0f}), "
              f"first batch after {first:.1f} ms, digest {digest}")  # fmt: skip
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
