"""node2vec (Grover and Leskovec, KDD'16) by PyTorch Geometric's own model, without pyg-lib: ``install()`` registers the
walks that it calls. ``gonextdoor.pyg.random_walk`` has weighted ones besides.

    pip install torch torch-geometric gonextdoor
    python examples/gnn/pyg_node2vec.py
"""

import functools
import time

import gonextdoor.pyg
import torch
from torch_geometric.nn import Node2Vec
from torch_geometric.utils import sort_edge_index

gonextdoor.pyg.install()


def ring_of_groups(groups=20, size=15, inside=6, seed=0):
    """Groups of nodes that know each other, each tied to the next one."""
    torch.manual_seed(seed)
    nodes = groups * size
    src = torch.arange(nodes).repeat_interleave(inside)
    near = src // size * size + torch.randint(size, (len(src),))
    ties = torch.arange(0, nodes, size)
    edges = torch.stack([torch.cat([src, ties]), torch.cat([near, (ties + size) % nodes])])
    return torch.cat([edges, edges.flip(0)], 1), torch.arange(nodes) // size


def main():
    edge_index, group = ring_of_groups()
    model = Node2Vec(edge_index, 32, walk_length=20, context_size=5, walks_per_node=3, p=1.0, q=0.5, sparse=True)
    # Walks by weights, which the operator has not: ties between groups count little.
    row, col = sort_edge_index(edge_index)
    weights = torch.where(group[row] == group[col], 1.0, 0.1)
    model.random_walk_fn = functools.partial(gonextdoor.pyg.random_walk, weights=weights)
    optimizer = torch.optim.SparseAdam(list(model.parameters()), lr=0.02)
    loader = model.loader(batch_size=128, shuffle=True)
    for epoch in range(7):
        begin, total = time.perf_counter(), 0.0
        for positive, negative in loader:
            optimizer.zero_grad()
            loss = model.loss(positive, negative)
            loss.backward()
            optimizer.step()
            total += float(loss.detach())
        if epoch % 3 == 0:
            print(f"epoch {epoch}: loss {total / len(loader):.3f}, {time.perf_counter() - begin:.2f} s")
    z = torch.nn.functional.normalize(model().detach(), dim=1)
    like = z @ z.t()
    same = group[:, None] == group[None, :]
    print(f"mean cosine within a group {float(like[same].mean()):.2f}, between groups {float(like[~same].mean()):.2f}")


if __name__ == "__main__":
    main()
