"""gonextdoor.pyg.NeighborSampler in PyG's own loaders."""

import torch
from gonextdoor.pyg import NeighborSampler
from pyg_data import flat, typed
from torch_geometric.loader import NeighborLoader, NodeLoader
from torch_geometric.nn import SAGEConv
from torch_geometric.utils import trim_to_layer


class SAGE(torch.nn.Module):
    def __init__(self, trim):
        super().__init__()
        self.convs, self.trim = torch.nn.ModuleList([SAGEConv(1, 8), SAGEConv(8, 3)]), trim

    def forward(self, batch):
        x, edges = batch.x, batch.edge_index
        for i, conv in enumerate(self.convs):
            if self.trim:
                x, edges, _ = trim_to_layer(i, batch.num_sampled_nodes, batch.num_sampled_edges, x, edges)
            x = conv(x, edges).relu()
        return x[: batch.batch_size]


def test_loaders_of_pyg_and_trim_to_layer():
    data = flat()
    sampler = NeighborSampler(data, [4, 3], seed=2)
    model, trimmed = SAGE(False), SAGE(True)
    trimmed.load_state_dict(model.state_dict())
    given = {"input_nodes": torch.arange(100), "batch_size": 40, "shuffle": True}
    for loader in (NodeLoader(data, sampler, **given), NeighborLoader(data, [4, 3], neighbor_sampler=sampler, **given)):
        sizes = []
        for batch in loader:
            sizes.append(batch.batch_size)
            assert torch.equal(batch.n_id[: batch.batch_size], batch.input_id)
            assert torch.equal(batch.x.view(-1).long(), batch.n_id) and torch.equal(batch.edge_attr, batch.e_id)
            assert torch.equal(data.edge_index[:, batch.e_id], batch.n_id[batch.edge_index])
            torch.testing.assert_close(model(batch), trimmed(batch))
        assert sizes == [40, 40, 20]


def test_loader_of_types():
    data = typed()
    sampler = NeighborSampler(data, [4, 3], seed=2)
    for batch in NodeLoader(data, sampler, input_nodes=("paper", torch.arange(50)), batch_size=20):
        assert torch.equal(batch["paper"].n_id[: batch["paper"].batch_size], batch["paper"].input_id)
        for edge_type in data.edge_types:
            edges, n_id = batch[edge_type], (batch[edge_type[0]].n_id, batch[edge_type[2]].n_id)
            ends = torch.stack([n_id[0][edges.edge_index[0]], n_id[1][edges.edge_index[1]]])
            assert torch.equal(data[edge_type].edge_index[:, edges.e_id], ends)


def test_repeats_in_a_loader():
    data = flat()
    picks = torch.utils.data.WeightedRandomSampler(torch.ones(20), 60)
    loader = NodeLoader(data, NeighborSampler(data, [4, 3]), input_nodes=torch.arange(20), batch_size=30, sampler=picks)
    for batch in loader:
        assert torch.equal(batch.n_id[:30], batch.input_id)
        assert torch.equal(data.edge_index[:, batch.e_id], batch.n_id[batch.edge_index])


def test_batches_do_not_depend_on_workers(workers):
    data, seen = flat(), []
    for given in ({"num_workers": 0}, workers):
        sampler = NeighborSampler(data, [4, 3], seed=2)
        sampler.set_epoch(3)
        loader = NodeLoader(data, sampler, input_nodes=torch.arange(100), batch_size=10, **given)
        seen.append([batch.e_id.tolist() for batch in loader])
    assert seen[0] == seen[1]
    sampler.set_epoch(4)
    assert [batch.e_id.tolist() for batch in loader] != seen[0]
