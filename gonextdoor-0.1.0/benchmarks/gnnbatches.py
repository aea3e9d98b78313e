"""GNN batches: the loaders that convergence.py compares. Each yields batches without end, epoch by epoch."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from typing import Any

import torch
from gnnmodels import LAYERS, Batch, Relation
from labelled import NODE, TO, Labelled

FANOUTS = [15, 10]  # from the seed nodes on

Batches = Iterator[Batch]


def pyg_samples() -> bool:
    """Whether PyG can sample without gonextdoor."""
    from torch_geometric import typing

    return bool(typing.WITH_PYG_LIB or typing.WITH_TORCH_SPARSE)


def available() -> list[str]:
    """The loaders that are installed."""
    dgl = importlib.util.find_spec("dgl") is not None
    return ["gonextdoor", "full batch"] + ["PyG"] * pyg_samples() + ["DGL"] * dgl


def whole(task: Labelled, device: str) -> Batch:
    """The whole graph as a batch."""
    ids = {kind: torch.arange(len(x), device=device) for kind, x in task.features.items()}
    edges = {relation: torch.from_numpy(of).to(device) for relation, of in task.edges.items()}
    return Batch(ids, [edges] * LAYERS, 0)


def full_batch(task: Labelled, nodes: Any, size: int, seed: int, device: str) -> Batches:
    """The training nodes as the seed nodes of one batch, without sampling."""
    batch = whole(task, device)
    while True:
        yield batch


def gonextdoor_loader(task: Labelled, nodes: Any, size: int, seed: int, device: str) -> Batches:
    from gonextdoor.pyg import NeighborLoader

    options: dict[str, Any] = {} if device == "cpu" else {"device": device}
    return _pyg(NeighborLoader, task, nodes, size, device, {"seed": seed, **options})


def pyg_loader(task: Labelled, nodes: Any, size: int, seed: int, device: str) -> Batches:
    from torch_geometric.loader import NeighborLoader

    return _pyg(NeighborLoader, task, nodes, size, device, {})


def _pyg(
    loader: Callable[..., Any], task: Labelled, nodes: Any, size: int, device: str, options: dict[str, Any]
) -> Batches:
    from torch_geometric.data import Data, HeteroData

    if list(task.edges) == [TO]:
        data: Any = Data(edge_index=torch.from_numpy(task.edges[TO]), num_nodes=len(task.labels))
        seeds: Any = nodes
    else:
        data, seeds = HeteroData(), (task.target, nodes)
        for kind, x in task.features.items():
            data[kind].num_nodes = len(x)
        for relation, edges in task.edges.items():
            data[relation].edge_index = torch.from_numpy(edges)
    batches = loader(data, FANOUTS, seeds, batch_size=size, shuffle=True, **options)
    while True:
        for batch in batches:
            batch = batch.to(device)
            if list(task.edges) == [TO]:
                yield Batch({NODE: batch.n_id}, [{TO: batch.edge_index}] * LAYERS, batch.batch_size)
            else:
                ids = {kind: batch[kind].n_id for kind in task.features}
                edges = {relation: batch[relation].edge_index for relation in task.edges}
                yield Batch(ids, [edges] * LAYERS, batch[task.target].batch_size)


def dgl_loader(task: Labelled, nodes: Any, size: int, seed: int, device: str) -> Batches:
    import dgl

    dgl.seed(seed)
    ends = {relation: tuple(torch.from_numpy(edges)) for relation, edges in task.edges.items()}
    graph = dgl.heterograph(ends, num_nodes_dict={kind: len(x) for kind, x in task.features.items()})
    sampler = dgl.dataloading.NeighborSampler(FANOUTS[::-1])  # the last is the seed nodes'
    seeds = nodes if list(task.edges) == [TO] else {task.target: nodes}
    loader = dgl.dataloading.DataLoader(graph, seeds, sampler, batch_size=size, shuffle=True)
    while True:
        for _, _, blocks in loader:
            blocks = [block.to(device) for block in blocks]
            ids = {kind: blocks[0].srcnodes[kind].data[dgl.NID] for kind in task.features}
            layers: list[dict[Relation, Any]] = [
                {relation: torch.stack(block.edges(etype=relation)) for relation in task.edges} for block in blocks
            ]
            yield Batch(ids, layers, blocks[-1].num_dst_nodes(task.target))


LOADERS: dict[str, Callable[..., Batches]] = {
    "gonextdoor": gonextdoor_loader,
    "full batch": full_batch,
    "PyG": pyg_loader,
    "DGL": dgl_loader,
}
