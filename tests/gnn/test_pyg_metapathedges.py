"""gonextdoor.pyg.AddMetaPaths: exact for nodes with few paths, and paths drawn from the others in proportion."""

import inspect

import gonextdoor.pyg
import numpy as np
import pytest
import torch
import torch_geometric.transforms
from gonextdoor.pyg import AddMetaPaths
from torch_geometric.data import Data, HeteroData

pytestmark = pytest.mark.filterwarnings("ignore:Sparse CSR tensor support")  # of PyG's own
PATH = [("a", "to", "b"), ("b", "to", "b"), ("b", "to", "c")]
ADDED = ("a", "metapath_0", "c")


def graph(chance, weighted=True, seed=1):
    """Nodes a, b and c, of which some have no edge; with weights, of which some are 0."""
    random, data = np.random.default_rng(seed), HeteroData()
    sizes = {"a": 12, "b": 40, "c": 9}
    for name, count in sizes.items():
        data[name].num_nodes = count
    for source, name, destination in PATH:
        drawn = random.random((sizes[source] - 1, sizes[destination] - 1))
        if destination == "c":
            drawn /= np.linspace(0.05, 1, len(drawn))[:, None]  # some nodes lead on by few edges
        ends = np.argwhere(drawn < chance).T
        ends = ends[:, random.permutation(ends.shape[1])]
        data[source, name, destination].edge_index = torch.from_numpy(ends).contiguous()
        if weighted:
            weight = random.random(ends.shape[1]) ** 4 * (random.random(ends.shape[1]) > 0.1)
            data[source, name, destination].edge_weight = torch.from_numpy(weight).float()
    return data


def matrix(data, name):
    """The numbers of paths, or the sums of their weights."""
    product = np.eye(12)
    for edge_type in PATH:
        one = np.zeros(data[edge_type].size())
        weight = data[edge_type].get(name)
        ends = data[edge_type].edge_index
        np.add.at(one, tuple(ends.numpy()), np.ones(ends.size(1)) if weight is None else weight.double().numpy())
        product = product @ one
    return product


@pytest.mark.parametrize("weighted", [True, False])
def test_nodes_with_few_paths_keep_all_edges_as_pyg_has_them(weighted):
    data = graph(0.15, weighted=False)
    ours, theirs = (
        c([PATH], max_sample=most, weighted=weighted)(data)[ADDED]
        for c, most in ((AddMetaPaths, 1000), (torch_geometric.transforms.AddMetaPaths, None))
    )
    order = (theirs.edge_index[0] * 9 + theirs.edge_index[1]).argsort()
    assert torch.equal(ours.edge_index, theirs.edge_index[:, order]) and ours.edge_index.size(1) > 20
    assert ("edge_weight" in ours) == weighted
    if weighted:
        assert torch.allclose(ours.edge_weight, theirs.edge_weight[order])
        data, found = graph(0.15), np.zeros((12, 9))
        ours = AddMetaPaths([PATH], max_sample=1000, weighted=True)(data)[ADDED]
        found[tuple(ours.edge_index.numpy())] = ours.edge_weight.numpy()
        assert np.allclose(found, matrix(data, "edge_weight"), atol=1e-6) and ours.edge_weight.min() > 0


@pytest.mark.parametrize("weighted", [True, False])
def test_paths_are_drawn_in_proportion_to_their_weights(weighted):
    """Each node has more than 4,000 paths, and the shares of 2,000 differ by at most 5 standard deviations."""
    data = graph(1.0, weighted)
    there = matrix(data, "edge_weight")
    assert (matrix(data, "missing")[:11].sum(1) > 4000).all()
    out = AddMetaPaths([PATH], max_sample=2000, weighted=True, seed=2)(data)[ADDED]
    found = np.zeros((12, 9))
    found[tuple(out.edge_index.numpy())] = out.edge_weight.numpy()
    total = there.sum(1, keepdims=True)
    share = np.divide(there, total, out=np.zeros_like(there), where=total > 0)
    assert np.allclose(found.sum(1, keepdims=True), total, rtol=1e-5)
    assert (np.abs(found - there) <= 5 * total * np.sqrt(share * (1 - share) / 2000) + 1e-3).all()
    few = AddMetaPaths([PATH], max_sample=3, seed=2)(data)[ADDED].edge_index
    assert few[0].bincount().max() <= 3 and few[0].unique().tolist() == list(range(11))


def test_draws_follow_the_seed_of_torch_and_types_are_dropped_as_asked():
    data, transform = graph(0.9), AddMetaPaths([PATH, PATH[1:]], True, True, True, 4, True)
    outs = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        outs.append(transform(data))
    first, again, other = (out[ADDED].edge_index for out in outs)
    assert torch.equal(first, again) and not torch.equal(first, other)
    torch.manual_seed(1)
    theirs = torch_geometric.transforms.AddMetaPaths([PATH, PATH[1:]], True, True, True, 4, True)(data)
    assert outs[0].edge_types == theirs.edge_types and outs[0].node_types == theirs.node_types
    assert outs[0].metapath_dict == theirs.metapath_dict and len(data.edge_types) == 3
    exact = AddMetaPaths([PATH])(data)[ADDED].edge_index
    assert exact.tolist() == torch_geometric.transforms.AddMetaPaths([PATH])(data)[ADDED].edge_index.tolist()
    empty = graph(0.0, False)
    assert AddMetaPaths([PATH], max_sample=3)(empty)[ADDED].edge_index.shape == (2, 0)


def test_the_signature_has_pyg_s():
    ours, theirs = (
        [(p.name, p.default) for p in inspect.signature(c).parameters.values()]
        for c in (AddMetaPaths, torch_geometric.transforms.AddMetaPaths)
    )
    assert [one for one in ours if one[0] != "seed"] == theirs


def test_refusals():
    for paths in ([PATH[:1]], [[PATH[0], PATH[0]]]):
        with pytest.raises(ValueError, match=r"metapaths\[0\] = .*: expected at least two edge types, each from"):
            AddMetaPaths(paths)
    with pytest.raises(ValueError, match=r"max_sample = 0: expected"):
        AddMetaPaths([PATH], max_sample=0)
    transform, data = gonextdoor.pyg.AddMetaPaths([PATH], max_sample=2, weighted=True), graph(0.5)
    with pytest.raises(TypeError, match=r"data: expected a torch_geometric\.data\.HeteroData, got Data"):
        transform(Data())
    with pytest.raises(ValueError, match=r"metapaths: \('a', 'to', 'b'\) is not one of the edge types \[\]"):
        transform(HeteroData())
    data["a", "to", "b"].edge_weight = -data["a", "to", "b"].edge_weight
    with pytest.raises(ValueError, match=r"\('a', 'to', 'b'\)\.edge_weight\[\d+\] = -.*: expected finite"):
        transform(data)
    del data["a", "to", "b"].edge_weight
    data["b"].num_nodes = 5
    with pytest.raises(IndexError, match=r"\('b', 'to', 'c'\)\.edge_index\[0\]\[\d+\] = \d+: there are 5 nodes"):
        transform(data)
