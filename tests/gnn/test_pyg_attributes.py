"""Rows of a batch's attributes: which are taken, and that ends of edges are not copied."""

import pytest
import torch
from gonextdoor.pyg import NeighborLoader


@pytest.fixture(scope="module")
def data(edges):
    return edges.pyg()


def test_attributes_that_change_during_an_epoch(data):
    """What has a row per node is remembered, until an attribute is added, removed, replaced or renamed."""
    changing = data.clone()
    del changing.y
    batches = iter(NeighborLoader(changing, [2], batch_size=8, seed=1, prefetch=0))
    assert torch.equal((batch := next(batches)).x, changing.x[batch.n_id]) and "y" not in batch
    changing.y, changing.x = torch.arange(data.num_nodes), changing.x + 1
    batch = next(batches)
    assert torch.equal(batch.y, batch.n_id) and torch.equal(batch.x, changing.x[batch.n_id])
    changing.z = changing.y
    del changing.y
    batch = next(batches)
    assert torch.equal(batch.z, batch.n_id) and "y" not in batch
    changing.z = torch.arange(3)  # of the whole graph now
    assert next(batches).z.tolist() == [0, 1, 2]


def test_the_ends_of_a_small_batch_are_not_copied(data):
    batch = next(iter(NeighborLoader(data, [2], batch_size=8, seed=1, prefetch=0)))
    assert batch.edge_index.untyped_storage().data_ptr() == batch.n_id.untyped_storage().data_ptr()
