"""GraphSAGE (Hamilton, Ying and Leskovec, NeurIPS'17) on PyTorch Geometric: one import is another one, and neither
pyg-lib nor torch-sparse is needed.

    pip install torch torch-geometric gonextdoor
    python examples/gnn/pyg_graphsage.py                  # --device cuda draws and trains on the GPU
"""

import argparse
import time

import torch
import torch.nn.functional as F
from gonextdoor.pyg import NeighborLoader  # was: from torch_geometric.loader import NeighborLoader
from torch_geometric.data import Data
from torch_geometric.nn import SAGEConv
from torch_geometric.utils import trim_to_layer


def communities(nodes=20_000, classes=8, degree=12, features=32, seed=0):
    """A graph whose nodes mostly meet their own kind, with features that say little about it."""
    torch.manual_seed(seed)
    y = torch.randint(classes, (nodes,))
    order = y.argsort()
    first = torch.cat([torch.zeros(1, dtype=torch.long), y.bincount(minlength=classes).cumsum(0)])
    src = torch.arange(nodes).repeat_interleave(degree)
    kind = y[src]
    own = order[(first[kind] + torch.rand(len(src)) * (first[kind + 1] - first[kind])).long()]
    dst = torch.where(torch.rand(len(src)) < 0.7, own, torch.randint(nodes, (len(src),)))
    x = torch.randn(nodes, features)
    x[torch.arange(nodes), y] += 1.0
    train = torch.rand(nodes) < 0.6
    return Data(x=x, y=y, edge_index=torch.stack([src, dst]), train_mask=train, test_mask=~train)


class GraphSAGE(torch.nn.Module):
    def __init__(self, features, hidden, classes):
        super().__init__()
        self.layers = torch.nn.ModuleList([SAGEConv(features, hidden), SAGEConv(hidden, classes)])

    def forward(self, batch):
        x, edge_index = batch.x, batch.edge_index
        for i, layer in enumerate(self.layers):
            x, edge_index, _ = trim_to_layer(i, batch.num_sampled_nodes, batch.num_sampled_edges, x, edge_index)
            x = layer(F.relu(x) if i else x, edge_index)
        return x[: batch.batch_size]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()
    data = communities().to(args.device, "x", "y")
    options = {} if args.device == "cpu" else {"device": args.device}
    train = NeighborLoader(data, [10, 10], data.train_mask, batch_size=512, shuffle=True, seed=1, **options)
    test = NeighborLoader(data, [10, 10], data.test_mask, batch_size=2048, seed=1, **options)
    model = GraphSAGE(data.num_features, 64, 8).to(args.device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(args.epochs):
        model.train()
        begin, total = time.perf_counter(), 0.0
        for batch in train:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(batch), batch.y[: batch.batch_size])
            loss.backward()
            optimizer.step()
            total += float(loss.detach()) * batch.batch_size
        seconds = time.perf_counter() - begin
        model.eval()
        with torch.no_grad():
            right = sum(int((model(batch).argmax(1) == batch.y[: batch.batch_size]).sum()) for batch in test)
        mean, share = total / int(data.train_mask.sum()), right / int(data.test_mask.sum())
        print(f"epoch {epoch}: loss {mean:.3f}, test accuracy {share:.3f}, {seconds:.2f} s")


if __name__ == "__main__":
    main()
