"""The cost of the PyG adapter per batch: from the core's result to tensors in PyG's form.

    pip install torch torch-geometric
    python benchmarks/adapter_overhead.py [--scale 16] [--device cuda]

A batch is drawn once; then the same result is returned in every call, so that ``NeighborSampler.sample_from_nodes`` (or
``sample_from_edges``) does everything except drawing: seeds and word of the batch, one tensor, its slices, PyG's own
classes. The time of one call of the core is printed as well.
"""

from __future__ import annotations

import functools
import statistics
import time
from collections.abc import Callable

import numpy as np
import torch
from gonextdoor.cli import machine
from gonextdoor.neighbor.sampler import NeighborSampler as CoreSampler
from gonextdoor.pyg import NeighborSampler
from measure import parser
from torch_geometric.data import Data, HeteroData
from torch_geometric.sampler import EdgeSamplerInput, NegativeSampling, NodeSamplerInput

import gonextdoor as gnd

BATCH, FANOUTS = 1024, [15, 10, 5]


def graph(scale: int) -> Data:
    made = gnd.rmat(scale, 16, seed=1)
    rows = np.repeat(np.arange(made.num_vertices), made.degrees())
    pair = np.stack([made.indices.astype(np.int64), rows])
    return Data(edge_index=torch.from_numpy(pair), num_nodes=made.num_vertices)


def typed(data: Data) -> HeteroData:
    """Two types of nodes and four of edges, all of them with the same edges."""
    made = HeteroData()
    for kind in ("a", "b"):
        made[kind].num_nodes = data.num_nodes
    for ends in ("aa", "ab", "ba", "bb"):
        made[ends[0], "to", ends[1]].edge_index = data.edge_index
    return made


def microseconds(call: Callable[[], object], repetitions: int) -> float:
    """The median time of a call."""
    seen = []
    for _ in range(repetitions):
        start = time.perf_counter()
        call()
        seen.append(time.perf_counter() - start)
    return statistics.median(seen) * 1e6


class Again:
    """A core sampler that always returns the same result."""

    def __init__(self, core: CoreSampler, seeds: object) -> None:
        self.disjoint, self.types, self.relations = core.disjoint, core.types, core.relations
        self.drawn = [core.draw(seeds, 1)]

    def draw_many(self, *given: object, **options: object) -> object:
        return self.drawn


def main() -> None:
    options = parser(__doc__, repetitions=1000)
    options.add_argument("--scale", type=int, default=16, help="of the R-MAT graph (default %(default)s)")
    options.add_argument("--device", default="cpu", help="cpu or cuda (default %(default)s)")
    given = options.parse_args()
    data = graph(given.scale)
    draws = np.random.default_rng(1)
    batch = torch.from_numpy(draws.permutation(data.num_nodes)[:BATCH])
    print(machine.summary())
    print(f"{'a batch of 1024; 15, 10, 5':<34}{'draw':>10}{'adapter':>10}  µs")
    for what, held, kind in (("nodes", data, None), ("nodes, 2 types, 4 relations", typed(data), "a")):
        sampler = NeighborSampler(held, FANOUTS, seed=1, device=given.device)
        index = NodeSamplerInput(batch, batch, None, kind)
        seeds = batch.numpy() if kind is None else {kind: batch.numpy()}
        show(what, sampler, seeds, functools.partial(sampler.sample_from_nodes, index, threads=1), given.reps)
    pairs = data.edge_index[:, torch.from_numpy(draws.integers(0, data.num_edges, BATCH))]
    index = EdgeSamplerInput(torch.arange(BATCH), *pairs)
    for what, negative in (("links", None), ("links, 1 negative each", NegativeSampling("triplet", 1))):
        sampler = NeighborSampler(data, FANOUTS, seed=1, device=given.device)
        call = functools.partial(sampler.sample_from_edges, index, negative, threads=1)
        show(what, sampler, np.unique(pairs.numpy()), call, given.reps)


def show(what: str, sampler: NeighborSampler, seeds: object, call: Callable[[], object], repetitions: int) -> None:
    core = sampler.core_sampler()
    draw = microseconds(functools.partial(core.draw, seeds, 1), 9)
    sampler._core_sampler = Again(core, seeds)
    print(f"{what:<34}{draw:>10.0f}{microseconds(call, repetitions):>10.0f}", flush=True)


if __name__ == "__main__":
    main()
