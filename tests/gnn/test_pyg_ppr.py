"""gonextdoor.pyg.get_ppr: the exact scores within their standard errors, alone and in PyG's GDC."""

import inspect

import gonextdoor.pyg
import numpy as np
import pytest
import torch
import torch_geometric.transforms.gdc
from pyg_data import typed
from torch_geometric import EdgeIndex
from torch_geometric.data import Data
from torch_geometric.utils import to_dense_adj

# Node 0 has two parallel edges, 3 is a sink, and 4 has no edge at all.
EDGES = torch.tensor([[0, 0, 0, 1, 1, 2], [1, 1, 2, 0, 3, 2]])


def green(edges, nodes, alpha):
    """The expected visits to each node of a walk from each, which ends at a node without out-edges."""
    steps = np.zeros((nodes, nodes))
    np.add.at(steps, (edges[0].numpy(), edges[1].numpy()), 1)
    steps /= np.maximum(steps.sum(1, keepdims=True), 1)
    return np.linalg.inv(np.eye(nodes) - (1 - alpha) * steps)


@pytest.mark.parametrize("alpha, eps", [(0.2, 1e-5), (0.5, 3e-5), (1.0, 0.25)])
def test_scores_are_exact_within_5_standard_errors(alpha, eps):
    visits, walks = green(EDGES, 5, alpha), np.ceil(1 / eps)
    target = torch.tensor([1, 0, 4, 0, 2, 3])
    edges, scores = gonextdoor.pyg.get_ppr(EDGES, alpha, eps, target, num_nodes=5, seed=3)
    assert edges.dtype == torch.int64 and scores.dtype == torch.float32
    assert torch.equal(torch.unique_consecutive(edges[0]), target)
    found = np.zeros((len(target), 5))
    found[np.cumsum(np.diff(edges[0].numpy(), prepend=1) != 0), edges[1].numpy()] = scores.numpy()
    exact = alpha * visits[target.numpy()]
    square = visits[target.numpy()] * (2 * visits.diagonal() - 1)  # of the visits of one walk
    error = alpha * np.sqrt(np.maximum(square - visits[target.numpy()] ** 2, 0) / walks)
    assert (np.abs(found - exact) <= 5 * error + 1e-6).all()
    assert found[2].tolist() == pytest.approx([0, 0, 0, 0, alpha]) and found[5, 3] == pytest.approx(alpha)


def test_scores_follow_the_seed_of_torch_and_all_nodes_are_the_default():
    torch.manual_seed(5)
    first = gonextdoor.pyg.get_ppr(EDGES, eps=1e-3)
    second = gonextdoor.pyg.get_ppr(EDGES, eps=1e-3)
    torch.manual_seed(5)
    again = gonextdoor.pyg.get_ppr(EDGES.int(), 0.2, 1e-3, None, 4)
    assert torch.equal(first[0], again[0]) and torch.equal(first[1], again[1])
    assert first[0][0].unique().tolist() == [0, 1, 2, 3] and not torch.equal(first[1], second[1])
    wrapped = EdgeIndex(EDGES, sparse_size=(7, 7))
    assert gonextdoor.pyg.get_ppr(wrapped, eps=0.1)[0][0].unique().tolist() == list(range(7))
    assert gonextdoor.pyg.get_ppr(EDGES[:, :0], num_nodes=2, eps=1e-3)[0].tolist() == [[0, 1], [0, 1]]
    assert gonextdoor.pyg.get_ppr(EDGES[:, :0])[0].shape == (2, 0)


@pytest.mark.parametrize("normalization", ["sym", "col", "row"])
def test_gdc_by_walks_agrees_with_exact_gdc(normalization, monkeypatch):
    random = torch.Generator().manual_seed(1)
    pairs = (torch.rand((30, 30), generator=random) < 0.1).triu(1).nonzero().T  # GDC counts parallel edges once
    data = Data(edge_index=torch.cat([pairs, pairs.flip(0)], 1), num_nodes=30)
    options = {"normalization_in": normalization, "normalization_out": None}
    keep = {"method": "threshold", "eps": 0.0}
    how = {"method": "ppr", "alpha": 0.15}
    exact = torch_geometric.transforms.GDC(
        **options, diffusion_kwargs=how, sparsification_kwargs=dict(keep), exact=True
    )(data.clone())
    monkeypatch.setattr(torch_geometric.transforms.gdc, "get_ppr", gonextdoor.pyg.get_ppr)
    torch.manual_seed(2)
    how["eps"] = 1e-5
    walked = torch_geometric.transforms.GDC(
        **options, diffusion_kwargs=how, sparsification_kwargs=dict(keep), exact=False
    )(data.clone())
    dense = [to_dense_adj(one.edge_index, edge_attr=one.edge_attr, max_num_nodes=30)[0] for one in (exact, walked)]
    assert (dense[0] - dense[1]).abs().max() < 0.01 < dense[0].max() / 10


def test_the_signature_begins_as_pyg_s():
    ours, theirs = (
        [(p.name, p.default) for p in inspect.signature(f).parameters.values()]
        for f in (gonextdoor.pyg.get_ppr, torch_geometric.utils.get_ppr)
    )
    assert ours[: len(theirs)] == theirs


@pytest.mark.parametrize(
    "change, error, text",
    [
        ({"eps": 0}, ValueError, r"eps = 0\.0: expected a number from 1e-08 to 1, since a node has 1 / eps walks"),
        ({"eps": float("nan")}, ValueError, r"eps = nan: expected"),
        ({"alpha": 0}, ValueError, r"alpha = 0\.0: expected a probability from 1e-6 to 1"),
        ({"alpha": 1.5}, ValueError, r"alpha = 1\.5: "),
        ({"alpha": 1e-6, "eps": 1e-4}, ValueError, r"alpha = 1e-06, eps = 0\.0001: a node's walks take 2\^31 steps"),
        ({"target": torch.tensor([0, 4])}, IndexError, r"target\[1\] = 4: there are 4 nodes"),
        ({"target": torch.tensor([-1])}, IndexError, r"target\[0\] = -1: there are 4 nodes"),
        ({"target": torch.tensor([0.5])}, TypeError, r"target: dtype torch\.float32, expected int64"),
        ({"target": torch.tensor(0)}, ValueError, r"target: expected shape \(n,\), got \(\)"),
        ({"target": [0]}, TypeError, r"target: expected a tensor of ints, got list"),
        ({"num_nodes": 3}, IndexError, r"edge_index\[1\]\[4\] = 3: there are 3 nodes"),
        ({"edge_index": [[0], [1]]}, TypeError, r"edge_index: expected a tensor of ints of shape \(2, E\), got list"),
        ({"edge_index": EDGES.float()}, TypeError, r"edge_index: dtype torch\.float32"),
        ({"edge_index": EDGES.T}, ValueError, r"edge_index: expected shape \(2, E\), got \(6, 2\)"),
        ({"num_nodes": 1.5}, TypeError, r"num_nodes = 1\.5: expected an int"),
        ({"seed": -1}, ValueError, r"seed"),
    ],
)
def test_refusals(change, error, text):
    with pytest.raises(error, match=text):
        gonextdoor.pyg.get_ppr(**{"edge_index": EDGES, "eps": 0.1, **change})


def test_typed_graphs_by_pyg_s_to_homogeneous():
    """Scores between nodes of types: walks along all relations, of which PyG numbers the nodes type by type."""
    data, alpha, walks = typed(), 0.3, 20_000
    whole = data.to_homogeneous()
    target = torch.tensor([3, 250])  # a paper and an author
    edges, scores = gonextdoor.pyg.get_ppr(whole.edge_index, alpha, 1 / walks, target, whole.num_nodes, seed=3)
    first, counts = {"paper": 0, "author": 200}, {"paper": 200, "author": 90}
    steps = np.zeros((290, 290))
    for kind in data.edge_types:
        source, destination = data[kind].edge_index.numpy()
        np.add.at(steps, (source + first[kind[0]], destination + first[kind[2]]), 1)
    steps /= np.maximum(steps.sum(1, keepdims=True), 1)
    exact = alpha * np.linalg.inv(np.eye(290) - (1 - alpha) * steps)
    for node in target.tolist():
        found = np.zeros(290)
        here = edges[0] == node
        found[edges[1][here].numpy()] = scores[here].numpy()
        for number, (kind, count) in enumerate(counts.items()):
            part = slice(first[kind], first[kind] + count)
            assert (whole.node_type[part] == number).all()
            assert (np.abs(found - exact[node])[part] <= 5 * np.sqrt(exact[node][part] / walks) + 1e-4).all()
