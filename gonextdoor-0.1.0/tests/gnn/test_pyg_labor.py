"""LABOR in PyG's sampler and loaders: batches are parts of the data, smaller, and equal with workers and threads."""

import pytest
import torch
from gonextdoor.pyg import LinkNeighborLoader, NeighborLoader, NeighborSampler
from torch_geometric.data import Data


@pytest.fixture(scope="module")
def data():
    edges = torch.randint(500, (2, 8000), generator=torch.Generator().manual_seed(1))
    return Data(x=torch.eye(500), edge_index=edges, num_nodes=500, time=torch.arange(500))


def nodes_of(data, **options):
    loader = NeighborLoader(data, [5, 5], batch_size=50, seed=1, **options)
    batches = list(loader)
    for batch in batches:
        assert torch.equal(data.edge_index[:, batch.e_id], batch.n_id[batch.edge_index])
    return [batch.n_id.tolist() for batch in batches]


@pytest.mark.parametrize("method", ["labor", "labor-poisson"])
def test_batches_are_smaller_and_reproducible(data, method):
    mine, wanted = nodes_of(data, method=method), nodes_of(data)
    assert sum(map(len, mine)) < 0.9 * sum(map(len, wanted))
    assert nodes_of(data, method=method, threads=1, prefetch=0) == mine
    dependent = nodes_of(data, method=method, layer_dependency=True)
    assert sum(map(len, dependent)) < sum(map(len, mine))


def test_links_have_batches_too(data):
    loader = LinkNeighborLoader(data, [5], batch_size=1000, seed=1, neg_sampling="binary", method="labor")
    batch = next(iter(loader))
    assert torch.equal(data.edge_index[:, batch.e_id], batch.n_id[batch.edge_index])


@pytest.mark.parametrize("name, value", [("disjoint", True), ("replace", True), ("time_attr", "time")])
def test_contradictions_are_refused(data, name, value):
    with pytest.raises(ValueError, match=f"{name} = {value!r}: expected .* with method"):
        NeighborLoader(data, [5], method="labor", **{name: value})


def test_a_given_sampler_has_its_method(data):
    sampler = NeighborSampler(data, [5], seed=1, method="labor")
    with pytest.raises(ValueError, match="method = 'labor'"):
        NeighborLoader(data, [5], neighbor_sampler=sampler, method="labor")
    with pytest.raises(ValueError, match="importance sampling"):
        NeighborSampler(data, [5], method="labor-1")
