"""Graph.from_edges(*edge_index) with direction="in" against the PyG loader of the same data."""

import numpy as np
import pytest
from gonextdoor.pyg import NeighborLoader, NeighborSampler
from pyg_data import asked, flat

import gonextdoor as gnd


@pytest.mark.parametrize("replace", [False, True])
def test_the_samples_are_those_of_the_pyg_sampler(replace):
    data, seeds = flat(), np.array([5, 299, 0, 17])
    graph = gnd.Graph.from_edges(*data.edge_index.numpy(), num_vertices=data.num_nodes)
    of_pyg = gnd.Graph.from_pyg(data)
    got = gnd.NeighborSampler(graph, [4, 3], replace=replace, direction="in").draw(seeds, 9)
    want = gnd.NeighborSampler(of_pyg, [4, 3], replace=replace).draw(seeds, 9)
    for ours, theirs in zip(got.split(got.arena), want.split(want.arena), strict=True):
        assert all(map(np.array_equal, ours, theirs))
    out = NeighborSampler(data, [4, 3], replace=replace, seed=1).sample_from_nodes(asked(seeds.tolist()))
    assert len(out.node) > len(seeds)
    candidates = gnd.PGSampler([-1], direction="in").sample(graph, out.node.numpy())[2][0].edge_ids
    assert set(out.edge.tolist()) <= set(candidates.tolist())


def test_all_neighbours_are_those_of_the_loader():
    data = flat(m=700)
    graph = gnd.Graph.from_edges(*data.edge_index.numpy(), num_vertices=data.num_nodes)
    sampler = gnd.PGSampler([-1, -1], direction="in")
    for batch in NeighborLoader(data, [-1, -1], batch_size=64, input_nodes=None):
        inputs, outputs, blocks = sampler.sample(graph, batch.input_id.numpy())
        assert set(inputs.tolist()) == set(batch.n_id.tolist())
        assert outputs.tolist() == batch.input_id.tolist()
        assert {e for block in blocks for e in block.edge_ids.tolist()} == set(batch.e_id.tolist())
