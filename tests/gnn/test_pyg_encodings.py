"""gonextdoor.pyg.AddRandomWalkPE: exact return probabilities, and estimates within their standard errors."""

import gonextdoor.pyg
import gonextdoor.pyg.encodings
import numpy as np
import pytest
import torch
import torch_geometric.transforms
from gonextdoor.pyg import AddRandomWalkPE
from torch_geometric import EdgeIndex
from torch_geometric.data import Data, HeteroData


def graph(nodes=60, edges=400, weighted=True, seed=1):
    """Some edges are parallel, some are loops, some have weight 0, and the last nodes have no out-edges."""
    random = torch.Generator().manual_seed(seed)
    ends = torch.randint(0, nodes, (2, edges), generator=random)
    ends[0] %= nodes - 5
    ends = torch.cat([ends, ends[:, :40]], 1)
    data = Data(edge_index=ends, num_nodes=nodes)
    if weighted:
        data.edge_weight = torch.rand(ends.size(1), generator=random).where(torch.arange(ends.size(1)) % 7 > 0, 0.0)
    return data


def exact(data, steps):
    """(nodes, steps) by the definition."""
    one = np.zeros((data.num_nodes,) * 2)
    weight = np.ones(data.num_edges) if data.edge_weight is None else data.edge_weight.double().numpy()
    np.add.at(one, tuple(data.edge_index.numpy()), weight)
    total = one.sum(1, keepdims=True)
    one = np.divide(one, total, out=np.zeros_like(one), where=total > 0)
    return np.stack([np.linalg.matrix_power(one, k).diagonal() for k in range(1, steps + 1)], 1)


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("block", [1 << 25, 7 * 60, 1])
def test_exact_values(weighted, block, monkeypatch):
    monkeypatch.setattr(gonextdoor.pyg.encodings, "BLOCK", block)
    data = graph(weighted=weighted)
    values = AddRandomWalkPE(6)(data).random_walk_pe
    assert values.dtype == torch.float32 and np.abs(values.numpy() - exact(data, 6)).max() < 1e-6


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support")  # of PyG's own
@pytest.mark.parametrize("nodes", [100, 2100])
def test_values_are_pyg_s_without_weights_and_parallel_edges(nodes):
    """2,100 nodes are PyG's other way, by sparse matrices."""
    random = torch.Generator().manual_seed(2)
    code = torch.randperm(nodes * nodes, generator=random)[: 4 * nodes]
    data = Data(edge_index=torch.stack([code // nodes, code % nodes]), x=torch.ones(nodes, 2))
    ours, theirs = (c(5, None)(data.clone()).x for c in (AddRandomWalkPE, torch_geometric.transforms.AddRandomWalkPE))
    assert ours.shape == (nodes, 7) and torch.allclose(ours, theirs, atol=1e-6)


def test_the_graph_of_pyg_issue_10098_has_probabilities():
    """PyG 2.8.1 has 22,252 for one of them."""
    torch.manual_seed(42)
    edge_index, weight = torch.randint(0, 100, (2, 1000)), torch.rand(1000)
    data = Data(x=torch.rand(100, 3), edge_index=edge_index, edge_weight=weight)
    assert torch_geometric.transforms.AddRandomWalkPE(20)(data).random_walk_pe.max() > 20_000
    assert round(AddRandomWalkPE(20)(data).random_walk_pe.max().item(), 3) == 0.287


@pytest.mark.parametrize("weighted", [True, False])
def test_estimates_are_exact_within_5_standard_errors(weighted, monkeypatch):
    data, walks = graph(weighted=weighted), 5000
    there = exact(data, 4)
    transform = AddRandomWalkPE(4, "pe", walks=walks, seed=3)
    out = transform(data)
    assert (np.abs(out.pe.numpy() - there) <= 5 * np.sqrt(there * (1 - there) / walks) + 1e-6).all()
    errors = out.pe_standard_error.numpy()
    assert ((errors > 0) & (np.abs(errors - np.sqrt(there * (1 - there) / walks)) < 1.5e-3)).all()
    assert (np.abs(out.pe.numpy() - there) <= 5 * errors).all()
    monkeypatch.setattr(gonextdoor.pyg.encodings, "BLOCK", 7 * walks * 5)
    again = transform(data)
    assert torch.equal(out.pe, again.pe) and "pe" not in data
    with pytest.raises(ValueError, match=r"walks = 50000: expected"):
        AddRandomWalkPE(4, walks=50_000)


def test_estimates_follow_the_seed_of_torch_and_are_appended():
    transform = AddRandomWalkPE(3, None, walks=20)
    data, values = graph(), []
    data.x = torch.zeros(60, 1)
    for _ in range(2):
        torch.manual_seed(4)
        values.append(transform(data))
    assert torch.equal(values[0].x, values[1].x) and values[0].x.shape == (60, 4)
    assert values[0].random_walk_pe_standard_error.shape == (60, 3)
    assert not torch.equal(transform(data).x, values[0].x)
    data.edge_index = EdgeIndex(data.edge_index, sparse_size=(60, 60))
    torch.manual_seed(4)
    assert torch.equal(transform(data).x, values[0].x)
    for walks in (None, 5):
        empty = Data(edge_index=torch.zeros(2, 0, dtype=torch.int64), num_nodes=3)
        assert AddRandomWalkPE(2, walks=walks)(empty).random_walk_pe.tolist() == [[0, 0]] * 3
        empty.num_nodes = 0
        assert AddRandomWalkPE(2, walks=walks)(empty).random_walk_pe.shape == (0, 2)


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        ({"walk_length": 0}, ValueError, r"walk_length = 0: expected"),
        ({"walk_length": 2.5}, TypeError, r"walk_length = 2\.5: expected an int"),
        ({"walk_length": 2, "walks": 0}, ValueError, r"walks = 0: expected"),
        ({"walk_length": 2, "seed": 1}, ValueError, r"seed = 1, walks = None: exact values take no seed"),
        ({"walk_length": 2, "attr_name": 3}, TypeError, r"attr_name = 3: expected a name or None"),
    ],
)
def test_arguments_are_refused(arguments, error, text):
    with pytest.raises(error, match=text):
        AddRandomWalkPE(**arguments)


@pytest.mark.parametrize("walks", [None, 4])
def test_graphs_are_refused(walks):
    transform, data = AddRandomWalkPE(2, walks=walks), graph()
    with pytest.raises(TypeError, match=r"data: expected a torch_geometric\.data\.Data, got HeteroData"):
        transform(HeteroData())
    for weight, text in (
        (torch.ones(3), r"data\.edge_weight: expected shape \(440,\), one per edge, got \(3,\)"),
        (torch.full((440,), -1.0), r"data\.edge_weight\[0\] = -1\.0: expected finite, non-negative weights"),
        (torch.full((440,), float("nan")), r"data\.edge_weight\[0\] = nan: expected finite"),
    ):
        data.edge_weight = weight
        with pytest.raises(ValueError, match=text):
            transform(data)
    with pytest.raises(IndexError, match=r"edge_index.*: there are 3 nodes"):
        transform(Data(edge_index=torch.tensor([[0], [3]]), num_nodes=3))
