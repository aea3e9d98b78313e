"""An epoch of PyG mini-batches on a CPU: NeighborLoader of ours, PyG's own on our operators, and DGL's samplers,
since PyG alone has none. First the sampling alone, then whole loaders, the overhead shown apart.

    python benchmarks/pyg_peer.py        # in an environment with PyG and DGL; make test-gnn makes one, .venv-gnn

Rates are sampled edges per second: DGL expands every vertex that a batch has met, PyG only those that were new in the
previous hop, so that a batch of DGL's has more edges.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import gonextdoor.pyg
import numpy as np
import torch
from measure import alone, compare, head, parser, threads

import gonextdoor as gnd

HOPS = [15, 10, 5]
BATCH = 1024


def main() -> None:
    options = parser(__doc__, repetitions=3)
    options.add_argument("--scale", type=int, default=18, help="of the R-MAT graph (default %(default)s)")
    options.add_argument("--batches", type=int, default=30, help="of an epoch (default %(default)s)")
    options.add_argument("--features", type=int, default=100, help="of a node (default %(default)s)")
    given = options.parse_args()
    graph = gnd.rmat(given.scale, seed=1)
    seeds = torch.from_numpy(np.random.default_rng(1).permutation(graph.num_vertices)[: given.batches * BATCH])
    data = pyg_data(graph, given.features)
    head()
    for n in threads(given.threads):
        torch.set_num_threads(n)
        epochs(graph, data, seeds, n, given.reps)


def epochs(graph: gnd.Graph, data: Any, seeds: Any, n: int, reps: int) -> None:
    """All measurements on n threads."""
    batches = seeds.split(BATCH)
    peers = {
        "DGL NeighborSampler, fused": dgl_sampling(graph, batches),
        "GraphBolt": graphbolt_sampling(graph, batches),
        "PyG's own over ours": installed(data, batches),
    }
    mine = ours(data, batches, n)
    for name, peer in peers.items():
        compare(f"sampling, {name}", n, rate(mine), rate(peer), reps, "edges/s")
    alone("sampling alone", n, per_batch(mine, len(batches)), reps, "us a batch")
    bare = data.clone()
    del bare.x, bare.y
    for name, loader in (("without features", our_loader(bare, seeds, n)), ("with", our_loader(data, seeds, n))):
        alone(f"NeighborLoader, {name}", n, per_batch(loader, len(batches)), reps, "us a batch")
    mine, peer = our_loader(data, seeds, n), dgl_loader(graph, seeds, data)
    compare(
        "loaders, DGL", n, per_batch(mine, len(batches)), per_batch(peer, len(batches)), reps, "us a batch", lower=True
    )


def our_loader(data: Any, seeds: Any, n: int) -> Callable[[], int]:
    loader = gonextdoor.pyg.NeighborLoader(
        data, HOPS, seeds, batch_size=BATCH, seed=1, prefetch=4 * n if n > 1 else 0, threads=n
    )
    return lambda: sum(int(batch.e_id.numel()) for batch in loader)


def rate(run: Callable[[], int]) -> Callable[[], float]:
    def measured() -> float:
        begin = time.perf_counter()
        edges = run()
        return edges / (time.perf_counter() - begin)

    return measured


def per_batch(run: Callable[[], int], batches: int) -> Callable[[], float]:
    def measured() -> float:
        begin = time.perf_counter()
        run()
        return (time.perf_counter() - begin) / batches * 1e6

    return measured


def pyg_data(graph: gnd.Graph, features: int) -> Any:
    from torch_geometric.data import Data

    to = torch.repeat_interleave(torch.arange(graph.num_vertices), torch.from_numpy(np.diff(graph.indptr)))
    edge_index = torch.stack([torch.from_numpy(graph.indices.astype(np.int64)), to])
    y = torch.arange(graph.num_vertices) % 16
    return Data(x=torch.randn(graph.num_vertices, features), y=y, edge_index=edge_index)


def ours(data: Any, batches: Any, n: int) -> Callable[[], int]:
    """Ours, several batches per call, as the loader draws them."""
    from torch_geometric.sampler import NodeSamplerInput

    sampler = gonextdoor.pyg.NeighborSampler(data, HOPS, seed=1)
    asked = [NodeSamplerInput(input_id=None, node=batch) for batch in batches]

    def run() -> int:
        edges = 0
        for at in range(0, len(asked), 2 * n):
            some = asked[at : at + 2 * n]
            outs = sampler.sample_many(some, list(range(at, at + len(some))), threads=n)
            edges += sum(int(out.edge.numel()) for out in outs)
        return edges

    return run


def installed(data: Any, batches: Any) -> Callable[[], int]:
    """PyG's own sampler, which calls ours as pyg::neighbor_sample."""
    from torch_geometric.sampler import NeighborSampler, NodeSamplerInput

    gonextdoor.pyg.install()
    sampler = NeighborSampler(data, HOPS)
    return lambda: sum(
        int(sampler.sample_from_nodes(NodeSamplerInput(input_id=None, node=batch)).edge.numel()) for batch in batches
    )


def dgl_graph(graph: gnd.Graph) -> Any:
    import dgl

    indptr, indices = torch.from_numpy(graph.indptr.copy()), torch.from_numpy(graph.indices.astype(np.int64))
    return dgl.graph(("csc", (indptr, indices, torch.arange(len(indices)))))


def dgl_sampling(graph: gnd.Graph, batches: Any) -> Callable[[], int]:
    import dgl

    g, sampler = dgl_graph(graph), dgl.dataloading.NeighborSampler(HOPS[::-1])
    return lambda: sum(block.num_edges() for batch in batches for block in sampler.sample_blocks(g, batch)[2])


def dgl_loader(graph: gnd.Graph, seeds: Any, data: Any) -> Callable[[], int]:
    import dgl

    g = dgl_graph(graph)
    g.ndata["x"], g.ndata["y"] = data.x, data.y
    sampler = dgl.dataloading.NeighborSampler(HOPS[::-1], prefetch_node_feats=["x"], prefetch_labels=["y"])
    loader = dgl.dataloading.DataLoader(g, seeds, sampler, batch_size=BATCH)
    return lambda: sum(blocks[0].srcdata["x"].shape[0] for _, _, blocks in loader)


def graphbolt_sampling(graph: gnd.Graph, batches: Any) -> Callable[[], int]:
    import dgl.graphbolt as gb

    make = getattr(gb, "fused_csc_sampling_graph", None) or gb.from_fused_csc
    g = make(torch.from_numpy(graph.indptr.copy()), torch.from_numpy(graph.indices.astype(np.int64)))
    hops = [torch.tensor([k]) for k in HOPS]

    def run() -> int:
        edges = 0
        for batch in batches:
            nodes = batch
            for k in hops:
                sampled = g.sample_neighbors(nodes, k).sampled_csc
                nodes, block = gb.unique_and_compact_csc_formats(sampled, nodes)
                edges += len(block.indices)
        return edges

    return run


if __name__ == "__main__":
    main()
