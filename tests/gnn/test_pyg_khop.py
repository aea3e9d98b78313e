"""gonextdoor.pyg.k_hop_subgraph equals PyG's, and refuses what is not valid."""

import inspect
import itertools

import gonextdoor.pyg
import pytest
import torch
import torch_geometric.utils
from gonextdoor.pyg import k_hop_subgraph
from torch_geometric import EdgeIndex

EDGES = torch.randint(0, 60, (2, 110), generator=torch.Generator().manual_seed(1))  # parallel edges and loops too
SEEDS = [7, [3, 3, 59], torch.tensor([5, 0, 41]), torch.tensor([], dtype=torch.int64)]


@pytest.mark.parametrize("hops", [0, 1, 2, 5, 64])
def test_results_are_pyg_s(hops):
    for nodes, relabel, flow, directed, dtype in itertools.product(
        SEEDS, [False, True], ["source_to_target", "target_to_source"], [False, True], [torch.int64, torch.int32]
    ):
        if isinstance(nodes, torch.Tensor):
            nodes = nodes.to(dtype)
        if dtype == torch.int32 and (relabel or not isinstance(nodes, torch.Tensor)):
            continue  # PyG raises an error, or returns int64
        arguments = (nodes, hops, EDGES.to(dtype), relabel, 60, flow, directed)
        ours, theirs = k_hop_subgraph(*arguments), torch_geometric.utils.k_hop_subgraph(*arguments)
        for mine, other in zip(ours, theirs, strict=True):
            assert torch.equal(mine, other) and mine.dtype == other.dtype, arguments


def test_changes_of_the_edges_are_seen_and_nodes_without_edges_count():
    edges = EDGES.clone()
    assert [len(part) for part in k_hop_subgraph(99, 3, edges, num_nodes=100)] == [1, 2, 1, 110]
    assert k_hop_subgraph(7, 1, edges, num_nodes=60)[0].tolist() == [7]
    assert [len(part) for part in k_hop_subgraph(99, 3, EdgeIndex(edges, sparse_size=(100, 100)))] == [1, 2, 1, 110]
    edges[:, 0] = torch.tensor([3, 7])
    assert k_hop_subgraph(7, 1, edges, num_nodes=60)[0].tolist() == [3, 7]
    arguments = (7, 1, edges, False, 60)
    for mine, other in zip(k_hop_subgraph(*arguments), torch_geometric.utils.k_hop_subgraph(*arguments), strict=True):
        assert torch.equal(mine, other)


def test_the_signature_is_pyg_s():
    ours, theirs = (
        [(p.name, p.default) for p in inspect.signature(f).parameters.values()]
        for f in (k_hop_subgraph, torch_geometric.utils.k_hop_subgraph)
    )
    assert ours == theirs


@pytest.mark.parametrize(
    "change, error, text",
    [
        ({"num_hops": -1}, ValueError, r"num_hops = -1: expected"),
        ({"num_hops": 65}, ValueError, r"num_hops = 65: expected"),
        ({"flow": "in"}, ValueError, r'flow = \'in\': expected "source_to_target" or "target_to_source"'),
        ({"node_idx": 60}, IndexError, r"node_idx\[0\] = 60: there are 60 nodes"),
        ({"node_idx": [-1]}, IndexError, r"node_idx\[0\] = -1: there are 60 nodes"),
        ({"node_idx": [[1]]}, ValueError, r"node_idx: expected a node or shape \(n,\), got \(1, 1\)"),
        ({"node_idx": 1.5}, TypeError, r"node_idx: expected an array of ints"),
        ({"edge_index": EDGES.T}, ValueError, r"edge_index: expected shape \(2, E\), got \(110, 2\)"),
        ({"num_nodes": 3}, IndexError, r"edge_index\[\d\]\[\d+\] = \d+: there are 3 nodes"),
        ({"directed": 2}, TypeError, r"directed = 2: expected"),
    ],
)
def test_refusals(change, error, text):
    with pytest.raises(error, match=text):
        k_hop_subgraph(**{"node_idx": 0, "num_hops": 1, "edge_index": EDGES, "num_nodes": 60, **change})
    assert gonextdoor.pyg.k_hop_subgraph is k_hop_subgraph
