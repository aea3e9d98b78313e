"""The frameworks that the adapters are tested with are the real ones, and work here by themselves."""

import dgl
import torch
import torch_geometric
from torch_geometric.loader import NodeLoader
from torch_geometric.sampler import BaseSampler


def test_what_runs_here(record_property):
    found = {"torch": torch.__version__, "dgl": dgl.__version__, "torch_geometric": torch_geometric.__version__}
    for name, version in found.items():
        record_property(name, version)
    assert not torch.cuda.is_available()
    assert issubclass(BaseSampler, object) and NodeLoader


def test_dgl_samples_without_us(edges):
    graph = edges.dgl()
    loader = dgl.dataloading.DataLoader(
        graph, torch.arange(100), dgl.dataloading.NeighborSampler([3, 3]), batch_size=50
    )
    assert [len(outputs) for _, outputs, _ in loader] == [50, 50]


def test_data_is_the_same_graph(edges, typed_edges):
    graph, data = edges.dgl(), edges.pyg()
    assert torch.equal(torch.stack(graph.edges()), data.edge_index)
    graph, data = typed_edges.dgl(), typed_edges.pyg()
    for kind in typed_edges.TYPES:
        assert torch.equal(torch.stack(graph.edges(etype=kind)), data[kind].edge_index)


def test_graphbolt_is_whole(graphbolt, edges):
    indptr, indices, _ = edges.dgl().adj_tensors("csc")
    made = graphbolt.fused_csc_sampling_graph(indptr, indices)
    assert made.sample_neighbors(torch.arange(4), torch.tensor([3])) is not None
