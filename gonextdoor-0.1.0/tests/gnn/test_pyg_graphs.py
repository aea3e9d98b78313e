"""Conversion of PyG's graphs, and the error if PyG is missing."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from gonextdoor.pyg import NeighborLoader, NeighborSampler
from pyg_data import flat, typed
from torch_geometric import EdgeIndex
from torch_geometric.data import Data, HeteroData
from torch_geometric.sampler import NodeSamplerInput

import gonextdoor as gnd


@pytest.mark.parametrize("edge_dir", ["in", "out"])
def test_rows_are_the_edges_that_lead_to_a_vertex_or_away(edge_dir):
    data = flat()
    data.weight = torch.rand(3000) + 0.5
    graph = gnd.Graph.from_pyg(data, edge_dir=edge_dir, weight_attr="weight")
    assert (graph.num_vertices, graph.num_edges) == (300, 3000)
    rows = np.repeat(np.arange(300), graph.degrees())
    ends = data.edge_index.numpy()[:, graph.edge_ids]
    mine = np.stack([graph.indices, rows] if edge_dir == "in" else [rows, graph.indices])
    assert (mine == ends).all()
    assert graph.weights == pytest.approx(data.weight.numpy()[graph.edge_ids], rel=1e-6)


@pytest.mark.parametrize("edge_dir", ["in", "out"])
def test_types(edge_dir):
    data = typed()
    graph = gnd.Graph.from_pyg(data, edge_dir)
    assert isinstance(graph, gnd.HeteroGraph) and graph.num_vertices == {"paper": 200, "author": 90}
    for source, name, destination in data.edge_types:
        key = (source, name, destination) if edge_dir == "in" else (destination, name, source)
        part = graph.relations[key]
        rows = np.repeat(np.arange(part.num_vertices), part.degrees())
        mine = np.stack([part.indices, rows] if edge_dir == "in" else [rows, part.indices])
        assert (mine == data[source, name, destination].edge_index.numpy()[:, part.edge_ids]).all()


def test_every_way_to_hold_edges():
    data = flat()
    wanted = gnd.Graph.from_pyg(data)
    order = torch.argsort(data.edge_index[1] * 300 + data.edge_index[0], stable=True)
    src, dst = data.edge_index[:, order]
    heads = torch.cat([torch.zeros(1, dtype=torch.long), torch.bincount(dst, minlength=300).cumsum(0)])
    ones = torch.ones(3000)
    back = torch.argsort(data.edge_index[0] * 300 + data.edge_index[1], stable=True)
    columns = torch.cat([torch.zeros(1, dtype=torch.long), torch.bincount(data.edge_index[0], minlength=300).cumsum(0)])
    ways = {
        "adj_t": (torch.sparse_csr_tensor(heads, src, ones, (300, 300)), order),
        "adj": (torch.sparse_csc_tensor(heads, src, ones, (300, 300)), order),
        "adj_t by columns": (torch.sparse_csc_tensor(columns, data.edge_index[1][back], ones, (300, 300)), back),
        "edge_index": (EdgeIndex(data.edge_index, sparse_size=(300, 300)), torch.arange(3000)),
        "edge_index of int32": (data.edge_index.int(), torch.arange(3000)),
    }
    for name, (held, ids) in ways.items():
        other = Data(num_nodes=300)
        other[name.split()[0]] = held
        graph = gnd.Graph.from_pyg(other)
        assert (graph.indptr == wanted.indptr).all() and (graph.indices == wanted.indices).all(), name
        ends = data.edge_index[:, ids[torch.from_numpy(graph.edge_ids.copy())]]
        assert (ends[0].numpy() == graph.indices).all(), name
    empty = gnd.Graph.from_pyg(Data(num_nodes=7))
    assert (empty.num_vertices, empty.num_edges) == (7, 0)


def test_a_node_type_without_edges():
    data = typed()
    data["venue"].num_nodes = 5
    out = NeighborSampler(data, [2]).sample_from_nodes(NodeSamplerInput(None, torch.tensor([3, 4]), None, "venue"))
    assert out.node["venue"].tolist() == [3, 4] and not len(out.node["paper"])
    assert all(counts == [0] for counts in out.num_sampled_edges.values())


def test_refusals():
    with pytest.raises(ValueError, match="edge_dir = 'both'"):
        gnd.Graph.from_pyg(flat(), "both")
    with pytest.raises(ValueError, match="Expected a 'Data'"):
        gnd.Graph.from_pyg(np.ones(3))
    with pytest.raises(ValueError, match=r"data.edge_index: expected ints of shape \(2, E\)"):
        gnd.Graph.from_pyg(Data(edge_index=torch.zeros(3, 4, dtype=torch.long), num_nodes=4))
    with pytest.raises(ValueError, match="num_nodes"):
        gnd.Graph.from_pyg(HeteroData({"a": {}}))
    with pytest.raises(IndexError, match=r"row 1\[1\] = -1"):
        gnd.Graph.from_pyg(Data(edge_index=torch.tensor([[0, 1], [1, -1]]), num_nodes=4))
    with pytest.raises(TypeError, match="sparse matrix"):
        gnd.Graph.from_pyg(Data(adj_t=torch.ones(4, 4), num_nodes=4))


def test_a_change_of_the_data_is_noticed():
    data, index = flat(), NodeSamplerInput(None, torch.tensor([3, 4]))
    data.weight, data.time = torch.rand(3000), torch.arange(3000)
    sampler = NeighborSampler(data, [2], weight_attr="weight", time_attr="time")
    index.time = torch.tensor([9, 9])
    wanted = sampler.sample_from_nodes(index, batch_seed=1).edge
    data.apply(torch.clone)  # equal ones in their place, as data.to(device) puts there
    data.x = None
    assert torch.equal(sampler.sample_from_nodes(index, batch_seed=1).edge, wanted)
    for key in ("edge_index", "weight", "time"):
        kept = data[key].clone()
        data[key].view(-1)[7] += 1
        with pytest.raises(ValueError, match=f"data.{key} has changed"):
            sampler.sample_from_nodes(index)
        data[key] = kept[..., :-1]
        with pytest.raises(ValueError, match=f"data.{key} has changed"):
            sampler.sample_from_nodes(index)
        data[key] = kept
        assert torch.equal(sampler.sample_from_nodes(index, batch_seed=1).edge, wanted)
    del data.edge_index
    sampler.sample_from_nodes(index)
    kinds = typed()
    kinds["paper"].time = torch.arange(200)
    sampler = NeighborSampler(kinds, [2], time_attr="time")
    kinds["paper"].time[5] = 300
    with pytest.raises(ValueError, match=r"data\['paper'\].time has changed"):
        sampler.sample_from_nodes(NodeSamplerInput(None, torch.tensor([3]), None, "paper"))


@pytest.mark.parametrize("missing", ["torch", "torch_geometric"])
def test_what_lacks_is_named(missing):
    code = f"import sys; sys.modules[{missing!r}] = None; import gonextdoor; import gonextdoor.pyg"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode and "ImportError" in done.stderr and "pip install torch torch-geometric" in done.stderr


def test_an_interpreter_that_ends_says_nothing():
    """torch keeps a program's variables until the modules' own names are gone."""
    code = "import torch, gonextdoor as gnd; g = gnd.rmat(8); n = gnd.NeighborSampler(g, [2]); d = n.draw([1], 1)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("options", [{}, {"replace": True}, {"subgraph_type": "bidirectional"}, {"disjoint": True}])
def test_adj_t_has_an_entry_for_each_edge_of_the_batch(options):
    """Also of parallel edges, and of edges that were taken several times."""
    heads, sources = torch.tensor([0, 2, 5, 6]), torch.tensor([1, 1, 0, 0, 2, 1])
    values = torch.tensor([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
    whole = torch.sparse_csr_tensor(heads, sources, values, (3, 3))
    destinations = torch.repeat_interleave(torch.arange(3), heads.diff())
    as_pairs = Data(num_nodes=3, edge_index=torch.stack([sources, destinations]), w=values)
    given = {"seed": 1, "batch_size": 3, **options}
    for ours, theirs in zip(
        NeighborLoader(Data(num_nodes=3, adj_t=whole), [4, 4], **given),
        NeighborLoader(as_pairs, [4, 4], **given),
        strict=True,
    ):
        rows = torch.repeat_interleave(torch.arange(ours.num_nodes), ours.adj_t.crow_indices().diff())
        entries = zip(ours.adj_t.col_indices().tolist(), rows.tolist(), ours.adj_t.values().tolist(), strict=True)
        assert sorted(entries) == sorted(zip(*theirs.edge_index.tolist(), theirs.w.tolist(), strict=True))
        dense = torch.zeros(ours.num_nodes, ours.num_nodes)
        dense.index_put_((theirs.edge_index[1], theirs.edge_index[0]), theirs.w, accumulate=True)
        assert torch.equal(ours.adj_t @ torch.eye(ours.num_nodes), dense)
