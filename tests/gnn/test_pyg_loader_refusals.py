"""What the loaders refuse, and samplers of others in them."""

import time

import numpy as np
import pytest
import torch
from gonextdoor.pyg import LinkNeighborLoader, NeighborLoader
from torch_geometric.data import Data, HeteroData
from torch_geometric.sampler import BaseSampler, SamplerOutput


@pytest.fixture(scope="module")
def data(edges):
    return edges.pyg()


@pytest.fixture(scope="module")
def hetero(typed_edges):
    return typed_edges.pyg()


class Slow(BaseSampler):
    """Somebody else's sampler, which takes its time."""

    def __init__(self, seconds=0.0):
        self.seconds = seconds

    def sample_from_nodes(self, index):
        time.sleep(self.seconds)
        none = torch.empty(0, dtype=torch.int64)
        return SamplerOutput(index.node.clone(), none, none, none, metadata=(index.input_id, index.time))

    def sample_from_edges(self, index, neg_sampling=None):
        raise NotImplementedError

    @property
    def edge_permutation(self):
        return None


def test_samplers_of_others(data):
    batches = list(NeighborLoader(data, None, torch.arange(10), batch_size=4, neighbor_sampler=Slow()))
    assert torch.equal(torch.cat([batch.n_id for batch in batches]), torch.arange(10))
    assert batches[0].x.shape == (4, 16) and batches[0].edge_index.shape == (2, 0)
    loader = NeighborLoader(data, None, neighbor_sampler=Slow(1.0), prefetch=1, timeout=0.2)
    with pytest.raises(RuntimeError, match="timeout"):
        next(iter(loader))


REFUSED = [
    ({"prefetch": -1}, ValueError, "prefetch = -1"),
    ({"prefetch": 2, "num_workers": 2}, ValueError, "prefetch = 2 with num_workers = 2"),
    ({"threads": 2, "num_workers": 2}, ValueError, "threads = 2 with num_workers = 2"),
    ({"threads": 0}, ValueError, "threads = 0"),
    ({"batch_size": None}, ValueError, "batch_size = None"),
    ({"input_time": torch.zeros(2000, dtype=torch.int64)}, ValueError, "'time_attr' is not set, but input_time is"),
    ({"neighbor_sampler": Slow(), "replace": True}, ValueError, "replace = True: the given neighbor_sampler"),
    ({"neighbor_sampler": Slow(), "seed": 1}, ValueError, "seed = 1: the given neighbor_sampler"),
    ({"neighbor_sampler": Slow(), "device": "cuda"}, ValueError, "device = 'cuda': the given neighbor_sampler"),
    ({"no_such": 1}, TypeError, "no_such"),
    ({"seed": -1}, ValueError, "seed = -1"),
    ({"seed": "a"}, TypeError, "seed"),
    ({"temporal_strategy": "first"}, ValueError, "temporal_strategy = 'first'"),
    ({"subgraph_type": "whole"}, ValueError, "subgraph_type = 'whole': expected one of 'directional'"),
    ({"input_nodes": "paper"}, TypeError, "input_nodes = 'paper': data has one type of nodes"),
    ({"shuffles": True}, TypeError, r"gonextdoor.pyg.NeighborLoader got .* did you mean shuffle="),
]


@pytest.mark.parametrize("options, kind, text", REFUSED, ids=[str(case[2]) for case in REFUSED])
def test_refusals(data, options, kind, text):
    with pytest.raises(kind, match=text):
        NeighborLoader(data, [3], **options)


@pytest.mark.parametrize("rows", [4, 6])
def test_features_that_are_not_one_row_per_node(rows):
    ends = torch.tensor([[0, 1, 2], [1, 2, 4]])
    plain = Data(x=torch.zeros(rows, 2), edge_index=ends, num_nodes=5)
    with pytest.raises(ValueError, match=f"data.x has {rows} rows, but data.num_nodes = 5: pass a row per node"):
        NeighborLoader(plain, [2])
    typed = HeteroData({"paper": {"x": np.zeros((rows, 2)), "num_nodes": 5}})
    typed["paper", "cites", "paper"].edge_index = ends
    with pytest.raises(ValueError, match=rf"data\['paper'\].x has {rows} rows"):
        LinkNeighborLoader(typed, [2], ("paper", "cites", "paper"))


def test_a_type_that_the_data_does_not_have(hetero):
    """PyG would add it to the data."""
    before = hetero.metadata()
    for nodes in ("papr", ("papr", torch.arange(2))):
        with pytest.raises(ValueError, match=r"input_nodes = 'papr': the types of nodes are '"):
            NeighborLoader(hetero, [3], nodes)
    with pytest.raises(ValueError, match=r"edge_label_index = \('a', 'b', 'c'\): the types of edges are"):
        LinkNeighborLoader(hetero, [3], ("a", "b", "c"))
    assert hetero.metadata() == before


def test_refusals_of_links(data, hetero):
    with pytest.raises(ValueError, match="'edge_label_time' is not set, but time_attr is"):
        LinkNeighborLoader(data, [3], time_attr="edge_time")
    with pytest.raises(ValueError, match="'time_attr' is not set, but edge_label_time is"):
        LinkNeighborLoader(data, [3], edge_label_time=torch.zeros(20000, dtype=torch.int64))
    with pytest.raises(ValueError, match="edge_label_index = None"):
        LinkNeighborLoader(hetero, [3])
    with pytest.raises(ValueError, match="neg_sampling and neg_sampling_ratio"):
        LinkNeighborLoader(data, [3], neg_sampling="binary", neg_sampling_ratio=1.0)
    with pytest.raises(ValueError, match="input_nodes = None"):
        NeighborLoader(hetero, [3])
    assert isinstance(next(iter(LinkNeighborLoader(data, [3], neg_sampling_ratio=2))).edge_label, torch.Tensor)


def test_places_that_are_not_there_are_refused(data):
    for options in ({}, {"prefetch": 0}, {"num_workers": 1}):
        loader = NeighborLoader(data, [3], torch.arange(10), batch_sampler=[[0, 1], [2, 3], [4, 99]], **options)
        seen = []
        with pytest.raises(IndexError, match="batch 2 of epoch 0"):
            seen.extend(batch.input_id.tolist() for batch in loader)
        assert seen in ([], [[0, 1], [2, 3]])
