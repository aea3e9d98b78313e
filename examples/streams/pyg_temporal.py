"""GraphSAGE (Hamilton, Ying and Leskovec, NeurIPS'17) on PyTorch Geometric for a graph that changes.

    pip install torch torch-geometric gonextdoor
    python examples/streams/pyg_temporal.py

Nodes move between communities, and meet other nodes as time passes. Each batch of meetings is an update of a stream,
which removes meetings older than a window and reports the nodes whose samples changed. The model is tested on these
nodes, and then trained on them alone. The loader takes the newest meetings of each node.
"""

import numpy as np
import torch
import torch.nn.functional as F
from gonextdoor.pyg import NeighborLoader
from torch_geometric.data import Data
from torch_geometric.nn import SAGEConv

import gonextdoor as gnd

NODES, CLASSES, MEETINGS, WINDOW, BATCHES = 20_000, 4, 100, 600, 30


class GraphSAGE(torch.nn.Module):
    def __init__(self, features, hidden, classes):
        super().__init__()
        self.first, self.second = SAGEConv(features, hidden), SAGEConv(hidden, classes)

    def forward(self, batch):
        hidden = F.relu(self.first(batch.x, batch.edge_index))
        return self.second(hidden, batch.edge_index)[: batch.batch_size]


def meetings(draws, kinds, count):
    """Pairs of nodes, most of which are of the same kind."""
    order, sizes = np.argsort(kinds, kind="stable"), np.bincount(kinds, minlength=CLASSES)
    src = draws.integers(NODES, size=count)
    first = np.cumsum(sizes) - sizes
    own = order[first[kinds[src]] + draws.integers(sizes[kinds[src]])]
    return src, np.where(draws.random(count) < 0.85, own, draws.integers(NODES, size=count))


def main():
    draws = np.random.default_rng(1)
    torch.manual_seed(1)
    kinds = draws.integers(CLASSES, size=NODES)
    noise = draws.normal(size=(NODES, 16)).astype(np.float32)

    times = np.repeat(np.arange(-WINDOW, 0), MEETINGS)
    src, dst = meetings(draws, kinds, len(times))
    graph = gnd.Graph.from_edges(src, dst, times=times, num_vertices=NODES, symmetric=True)
    stream = gnd.stream(graph, gnd.apps.KHop([10, 5]), window=WINDOW, symmetric=True, seed=1)
    model = GraphSAGE(16, 32, CLASSES)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    losses, right = [], []
    for now in range(BATCHES):
        moved = draws.random(NODES) < 0.001
        kinds = np.where(moved, draws.integers(CLASSES, size=NODES), kinds)
        src, dst = meetings(draws, kinds, MEETINGS)
        update = stream.update((src, dst), times=np.full(MEETINGS, now))

        # The features of a node say little about its kind.
        x, y = torch.from_numpy(noise.copy()), torch.from_numpy(kinds)
        x[torch.arange(NODES), y] += 1.0
        heads = np.repeat(np.arange(NODES), update.graph.degrees())
        data = Data(
            x=x,
            y=y,
            edge_index=torch.from_numpy(np.stack([heads, update.graph.indices])),
            time=torch.from_numpy(np.array(update.graph.times)),
        )
        loader = NeighborLoader(
            data,
            [10, 5],
            input_nodes=torch.from_numpy(update.rows),
            time_attr="time",
            temporal_strategy="last",
            input_time=torch.full((len(update.rows),), stream.newest),
            batch_size=256,
            shuffle=True,
            seed=now,
        )
        for batch in loader:
            optimizer.zero_grad()
            out, wanted = model(batch), batch.y[: batch.batch_size]
            loss = F.cross_entropy(out, wanted)
            losses.append(float(loss.detach()))
            right.append(float((out.argmax(1) == wanted).float().mean()))  # before the model is trained on them
            loss.backward()
            optimizer.step()
        if now % 10 == 9:
            print(f"time {now}: {update}, loss {np.mean(losses):.3f}, accuracy {np.mean(right):.3f}")
            losses, right = [], []


if __name__ == "__main__":
    main()
