"""What the adapter to PyG adds to a batch: from what the core has drawn to tensors in PyG's form.

    pip install torch torch-geometric
    python benchmarks/adapter_overhead.py [--scale 16]

Two calls take turns: ``Neighborhood.draw``, whose result lies in one array, and ``NeighborSampler.sample_from_nodes``
(or ``sample_from_edges``, against a draw of the same ends). The difference of their medians is the adapter: seeds and
word of the batch, one tensor, its slices, PyG's own classes.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
import torch
from gonextdoor.pyg import NeighborSampler
from measure import head, parser
from torch_geometric.data import Data, HeteroData
from torch_geometric.sampler import EdgeSamplerInput, NodeSamplerInput

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


def microseconds(calls: list[Callable[[], object]], repetitions: int) -> list[float]:
    """The medians of calls that take turns."""
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(repetitions):
        for call, seen in zip(calls, times, strict=True):
            start = time.perf_counter()
            call()
            seen.append(time.perf_counter() - start)
    return [statistics.median(seen) * 1e6 for seen in times]


def main() -> None:
    options = parser(__doc__, repetitions=300)
    options.add_argument("--scale", type=int, default=16, help="of the R-MAT graph (default %(default)s)")
    given = options.parse_args()
    data = graph(given.scale)
    draws = np.random.default_rng(1)
    batch = torch.from_numpy(draws.permutation(data.num_nodes)[:BATCH])
    head()
    print(f"{'a batch of 1024':<34}{'draw':>10}{'adapter':>10}  µs")
    typed_data = typed(data)
    for name, fanouts in (("15, 10, 5", FANOUTS), ("1", [1])):
        for what, held, kind in (("", data, None), (", 2 types, 4 relations", typed_data, "a")):
            sampler = NeighborSampler(held, fanouts, seed=1)
            index, core = NodeSamplerInput(batch, batch, None, kind), sampler.neighborhood()
            seeds = batch.numpy() if kind is None else {kind: batch.numpy()}
            show(
                f"nodes, {name}{what}",
                core,
                seeds,
                lambda s=sampler, i=index: s.sample_from_nodes(i, threads=1),
                given.reps,
            )
    sampler = NeighborSampler(data, FANOUTS, seed=1)
    pairs = data.edge_index[:, torch.from_numpy(draws.integers(0, data.num_edges, BATCH))]
    index = EdgeSamplerInput(torch.arange(BATCH), *pairs)
    ends = np.unique(pairs.numpy())
    show(
        "links, 15, 10, 5",
        sampler.neighborhood(),
        ends,
        lambda: sampler.sample_from_edges(index, threads=1),
        given.reps,
    )


def show(name: str, core: object, seeds: object, call: Callable[[], object], repetitions: int) -> None:
    words = iter(range(1 << 62))
    draw, whole = microseconds([lambda: core.draw(seeds, next(words)), call], repetitions)
    print(f"{name:<34}{draw:>10.0f}{whole - draw:>10.0f}")


if __name__ == "__main__":
    main()
