"""GraphSAGE on DGL, trained with gonextdoor's sampler: one import is another than in DGL's own example.

    python examples/gnn/dgl_graphsage.py                       # a few seconds, on a graph that it makes
    python examples/gnn/dgl_graphsage.py --sampler dgl         # the same with DGL's own NeighborSampler
    python examples/gnn/dgl_graphsage.py --workers 2 --epochs 20

Needs DGL: see docs/gnn-dgl.md. The vertices belong to communities, whose members are mostly linked to each other; a
vertex's own features say little of its community, those of its neighbours together nearly all.
"""

from __future__ import annotations

import argparse
import itertools
import time
import warnings

import dgl
import torch
from dgl.dataloading import DataLoader
from dgl.nn import SAGEConv
from gonextdoor.dgl import PGSampler  # in place of: from dgl.dataloading import NeighborSampler
from torch.nn import functional


class GraphSAGE(torch.nn.Module):
    """Inductive representation learning on large graphs (Hamilton, Ying & Leskovec, NeurIPS'17), mean aggregator."""

    def __init__(self, features: int, hidden: int, classes: int, layers: int) -> None:
        super().__init__()
        sizes = [features, *[hidden] * (layers - 1), classes]
        self.layers = torch.nn.ModuleList(SAGEConv(a, b, "mean") for a, b in itertools.pairwise(sizes))

    def forward(self, blocks: list[dgl.DGLGraph], x: torch.Tensor) -> torch.Tensor:
        for layer, block in zip(self.layers, blocks, strict=True):
            x = layer(block, x)
            if layer is not self.layers[-1]:
                x = functional.dropout(functional.relu(x), 0.3, self.training)
        return x


def communities(vertices: int, degree: int, classes: int, seed: int) -> dgl.DGLGraph:
    """A graph of communities: three quarters of the edges stay within one."""
    random = torch.Generator().manual_seed(seed)
    label = torch.randint(classes, (vertices,), generator=random)
    edges = vertices * degree // 2
    src = torch.randint(vertices, (edges,), generator=random)
    by_label = torch.argsort(label)
    first = torch.searchsorted(label[by_label], torch.arange(classes))
    size = torch.bincount(label, minlength=classes)
    within = by_label[first[label[src]] + (torch.rand(edges, generator=random) * size[label[src]]).long()]
    anyone = torch.randint(vertices, (edges,), generator=random)
    dst = torch.where(torch.rand(edges, generator=random) < 0.75, within, anyone)
    g = dgl.graph((torch.cat([src, dst]), torch.cat([dst, src])), num_nodes=vertices)
    centres = torch.randn(classes, 32, generator=random)
    g.ndata["feat"] = 0.5 * centres[label] + 2 * torch.randn(vertices, 32, generator=random)
    g.ndata["label"] = label
    return g


def sampler_of(name: str, fanouts: list[int], seed: int) -> dgl.dataloading.BlockSampler:
    wanted = {"prefetch_node_feats": ["feat"], "prefetch_labels": ["label"]}
    if name == "dgl":
        return dgl.dataloading.NeighborSampler(fanouts, **wanted)
    return PGSampler(fanouts, **wanted, seed=seed)


def accuracy(model: GraphSAGE, loader: DataLoader) -> float:
    model.eval()
    right = total = 0
    with torch.no_grad():
        for _, _, blocks in loader:
            found = model(blocks, blocks[0].srcdata["feat"]).argmax(1)
            right += int((found == blocks[-1].dstdata["label"]).sum())
            total += len(found)
    return right / total


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sampler", choices=["gonextdoor", "dgl"], default="gonextdoor")
    options.add_argument("--vertices", type=int, default=10_000)
    options.add_argument("--degree", type=int, default=20, help="average degree (default %(default)s)")
    options.add_argument("--classes", type=int, default=8)
    options.add_argument("--fanouts", default="5,10", help="the last is the batch's own (default %(default)s)")
    options.add_argument("--batch-size", type=int, default=512)
    options.add_argument("--epochs", type=int, default=5)
    options.add_argument("--workers", type=int, default=0)
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    warnings.filterwarnings("ignore", message=".*CPU affinity.*")
    torch.manual_seed(given.seed)
    g = communities(given.vertices, given.degree, given.classes, given.seed)
    fanouts = [int(number) for number in given.fanouts.split(",")]
    order = torch.randperm(g.num_nodes())
    training, held_out = order[: g.num_nodes() // 2], order[g.num_nodes() // 2 :]
    shared = {"batch_size": given.batch_size, "num_workers": given.workers}
    sampler = sampler_of(given.sampler, fanouts, given.seed)
    loader = DataLoader(g, training, sampler, shuffle=True, **shared)
    tests = DataLoader(g, held_out, sampler_of(given.sampler, fanouts, given.seed + 1), **shared)
    model = GraphSAGE(g.ndata["feat"].shape[1], 64, given.classes, len(fanouts))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(given.epochs):
        model.train()
        begin, losses = time.perf_counter(), []
        for _, _, blocks in loader:
            loss = functional.cross_entropy(model(blocks, blocks[0].srcdata["feat"]), blocks[-1].dstdata["label"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        seconds = time.perf_counter() - begin
        print(f"epoch {epoch}: loss {sum(losses) / len(losses):.3f}, {seconds:.2f} s")
    print(f"accuracy on vertices that were held out: {accuracy(model, tests):.3f}")


if __name__ == "__main__":
    main()
