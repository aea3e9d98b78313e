"""Link prediction on PyTorch Geometric: LinkNeighborLoader with links that are not there, which the model is to tell
from those that are. One import is another one.

    pip install torch torch-geometric gonextdoor
    python examples/gnn/pyg_links.py
"""

import time

import torch
import torch.nn.functional as F
from gonextdoor.pyg import LinkNeighborLoader  # was: from torch_geometric.loader import LinkNeighborLoader
from pyg_graphsage import communities
from torch_geometric.nn import SAGEConv


class Encoder(torch.nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.first, self.second = SAGEConv(features, hidden), SAGEConv(hidden, hidden)

    def forward(self, x, edge_index):
        return self.second(F.relu(self.first(x, edge_index)), edge_index)


def main():
    data = communities(nodes=5_000)
    links = data.edge_index[:, torch.randperm(data.num_edges)[:20_000]]
    loader = LinkNeighborLoader(
        data,
        num_neighbors=[10, 5],
        edge_label_index=links,
        neg_sampling="binary",
        batch_size=1024,
        shuffle=True,
        seed=1,
    )
    model = Encoder(data.num_features, 32)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(3):
        begin, total, right, count = time.perf_counter(), 0.0, 0, 0
        for batch in loader:
            optimizer.zero_grad()
            z = model(batch.x, batch.edge_index)
            score = (z[batch.edge_label_index[0]] * z[batch.edge_label_index[1]]).sum(1)
            loss = F.binary_cross_entropy_with_logits(score, batch.edge_label)
            loss.backward()
            optimizer.step()
            total += float(loss.detach()) * len(score)
            right += int(((score > 0) == (batch.edge_label > 0.5)).sum())
            count += len(score)
        print(f"epoch {epoch}: loss {total / count:.3f}, accuracy {right / count:.3f}, "
              f"{time.perf_counter() - begin:.2f} s")  # fmt: skip


if __name__ == "__main__":
    main()
