"""gonextdoor.pyg.NeighborSampler on a FeatureStore and a GraphStore, in every layout, with and without times."""

import numpy as np
import pytest
import torch
from gonextdoor.pyg import NeighborSampler
from pyg_data import flat, typed
from torch_geometric.loader import LinkLoader, NodeLoader
from torch_geometric.sampler import NodeSamplerInput
from torch_geometric.testing.feature_store import MyFeatureStore
from torch_geometric.testing.graph_store import MyGraphStore

WRITES = ("author", "writes", "paper")


def pair(edges, sizes, layout):
    """An edge index in a layout, and the places of its edges in the original."""
    src, dst = edges
    if layout == "coo":
        return (src, dst), torch.arange(len(src))
    first, other, rows = (dst, src, sizes[1]) if layout == "csc" else (src, dst, sizes[0])
    order = torch.argsort(first, stable=True)
    heads = torch.cat([torch.zeros(1, dtype=torch.long), torch.bincount(first, minlength=rows).cumsum(0)])
    return ((other[order], heads) if layout == "csc" else (heads, other[order])), order


def stores(data, layout):
    features, graph, orders = MyFeatureStore(), MyGraphStore(), {}
    for kind in data.node_types:
        features.put_tensor(data[kind].x, group_name=kind, attr_name="x", index=None)
    for kind in data.edge_types:
        sizes = (data[kind[0]].num_nodes, data[kind[2]].num_nodes)
        held, orders[kind] = pair(data[kind].edge_index, sizes, layout)
        graph.put_edge_index(held, edge_type=kind, layout=layout, size=sizes)
    return features, graph, orders


@pytest.mark.parametrize("layout", ["coo", "csc", "csr"])
def test_layouts(layout):
    data = typed()
    features, graph, orders = stores(data, layout)
    sampler = NeighborSampler((features, graph), [-1, 2], seed=3)
    index = NodeSamplerInput(None, torch.tensor([4, 9]), None, "paper")
    out = sampler.sample_from_nodes(index, batch_seed=1)
    for kind in data.edge_types:
        ends = torch.stack([out.node[kind[0]][out.row[kind]], out.node[kind[2]][out.col[kind]]])
        assert torch.equal(data[kind].edge_index[:, orders[kind][out.edge[kind]]], ends)
    first = out.num_sampled_edges[WRITES][0]
    degrees = np.bincount(data[WRITES].edge_index[1], minlength=200)
    assert first == degrees[4] + degrees[9]
    for batch in NodeLoader((features, graph), sampler, input_nodes=("paper", torch.arange(20)), batch_size=10):
        assert torch.equal(batch["paper"].x.view(-1).long(), batch["paper"].n_id)
    edges = (WRITES, data[WRITES].edge_index[:, :20])
    for batch in LinkLoader((features, graph), sampler, edge_label_index=edges, neg_sampling="binary", batch_size=10):
        assert batch[WRITES].edge_label_index.shape == (2, 20)


def test_times_of_nodes():
    data = typed()
    features, graph, _ = stores(data, "coo")
    features.put_tensor(torch.arange(200), group_name="paper", attr_name="time", index=None)
    sampler = NeighborSampler((features, graph), [3, 3], time_attr="time")
    index = NodeSamplerInput(None, torch.tensor([50, 150]), torch.tensor([50, 150]), "paper")
    out = sampler.sample_from_nodes(index)
    assert sampler.is_temporal and bool((out.node["paper"] <= torch.tensor([50, 150])[out.batch["paper"]]).all())
    with pytest.raises(ValueError, match="time_attr = 'when'"):
        NeighborSampler((features, graph), [3], time_attr="when")


@pytest.mark.parametrize("layout", ["coo", "csc"])
def test_one_type(layout):
    data = flat()
    features, graph = MyFeatureStore(), MyGraphStore()
    features.put_tensor(data.x, group_name=None, attr_name="x", index=None)
    features.put_tensor(torch.arange(300), group_name=None, attr_name="time", index=None)
    held, order = pair(data.edge_index, (300, 300), layout)
    graph.put_edge_index(held, edge_type=None, layout=layout, size=(300, 300))
    sampler = NeighborSampler((features, graph), [-1])
    assert not sampler.is_hetero and sampler.num_nodes == 300
    out = sampler.sample_from_nodes(NodeSamplerInput(None, torch.tensor([4, 9])))
    assert torch.equal(data.edge_index[:, order[out.edge]], torch.stack([out.node[out.row], out.node[out.col]]))
    assert len(out.edge) == int(torch.isin(data.edge_index[1], torch.tensor([4, 9])).sum())
    timed = NeighborSampler((features, graph), [4, 4], time_attr="time")
    out = timed.sample_from_nodes(NodeSamplerInput(None, torch.tensor([100, 200]), torch.tensor([100, 200])))
    assert bool((out.node <= torch.tensor([100, 200])[out.batch]).all())
