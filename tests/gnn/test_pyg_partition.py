"""Folders of PyG's Partitioner are read, written by PyG itself and in its layout."""

import json

import numpy as np
import pytest
import torch
from partitionbatches import same_batch

import gonextdoor as gnd


def layout(folder, graph, owners):
    """Writes a graph as PyG does: part k has the edges that lead to its vertices."""
    src = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    parts = int(owners.max()) + 1
    folder.mkdir()
    meta = {"num_parts": parts, "node_types": None, "edge_types": None, "is_hetero": False, "is_sorted": True}
    (folder / "META.json").write_text(json.dumps(meta))
    torch.save(torch.from_numpy(owners.astype(np.int64)), folder / "node_map.pt")
    for part in range(parts):
        mine = np.flatnonzero(owners[graph.indices] == part)
        (folder / f"part_{part}").mkdir()
        columns = {"edge_id": graph.edge_ids[mine], "row": src[mine], "col": graph.indices[mine].astype(np.int64)}
        content = {name: torch.from_numpy(np.ascontiguousarray(values)) for name, values in columns.items()}
        torch.save({**content, "size": (len(owners),) * 2}, folder / f"part_{part}" / "graph.pt")
    return folder


@pytest.fixture
def graph():
    src, dst = np.random.default_rng(1).integers(0, 70, (2, 600))
    return gnd.Graph.from_edges(src, dst, num_vertices=72)


@pytest.fixture
def folder(tmp_path, graph):
    return layout(tmp_path / "pyg", graph, np.arange(72) % 3)


def same(got, want):
    for name in ("indptr", "indices", "edge_ids"):
        np.testing.assert_array_equal(getattr(got, name), getattr(want, name))


def test_layout(tmp_path, graph, folder):
    read, owners = gnd.partition.read_pyg(folder)
    same(read, graph)
    np.testing.assert_array_equal(owners, np.arange(72) % 3)
    gnd.partition.write(read, tmp_path / "out", by=owners)
    assert json.loads((tmp_path / "out" / "partition.json").read_text())["parts"] == 3
    sources = np.repeat(np.arange(72), graph.degrees())
    order = np.argsort(graph.edge_ids)
    both = gnd.Graph.from_edges(sources[order], graph.indices[order], num_vertices=72, symmetric=True)
    same(gnd.partition.read_pyg(folder, symmetric=True)[0], both)


def partitioned_by_pyg(data, folder, monkeypatch):
    """Writes a folder with PyG's Partitioner. METIS of pyg-lib or torch-sparse, which have no wheels on PyPI, is
    replaced by another division; everything else is PyG's."""
    distributed = pytest.importorskip("torch_geometric.distributed")
    from torch_geometric.loader import ClusterData

    # After install() in another test, the name is that of a subclass.
    ClusterData = next(kind for kind in ClusterData.__mro__ if kind.__module__ == "torch_geometric.loader.cluster")
    monkeypatch.setattr(distributed.partition, "ClusterData", ClusterData)

    def divided(self, edge_index, num_nodes):
        return torch.arange(num_nodes) * 7 % 5 % self.num_parts

    monkeypatch.setattr(ClusterData, "_metis", divided)
    distributed.Partitioner(data, num_parts=2, root=str(folder)).generate_partition()


def test_written_by_pyg(tmp_path, graph, monkeypatch):
    from torch_geometric.data import Data

    sources = np.repeat(np.arange(72), graph.degrees())
    order = np.argsort(graph.edge_ids)
    ends = torch.from_numpy(np.stack([sources[order], graph.indices[order].astype(np.int64)]))
    data = Data(x=torch.rand(72, 3), edge_index=ends, num_nodes=72)
    partitioned_by_pyg(data, tmp_path / "by-pyg", monkeypatch)
    read, owners = gnd.partition.read_pyg(tmp_path / "by-pyg")
    same(read, graph)
    assert owners.tolist() == [v * 7 % 5 % 2 for v in range(72)]


@pytest.fixture
def library():
    """Authors who write papers, and papers that cite papers, as HeteroData."""
    from torch_geometric.data import HeteroData

    rng, data = np.random.default_rng(2), HeteroData()
    data["author"].num_nodes, data["author"].x = 20, torch.rand(20, 3)
    data["paper"].num_nodes, data["paper"].x = 31, torch.rand(31, 3)
    for relation, ends, count in (
        (("author", "writes", "paper"), (20, 31), 150),
        (("paper", "cites", "paper"), (31, 31), 200),
    ):
        both = np.stack([rng.integers(0, n, count) for n in ends])
        data[relation].edge_index = torch.from_numpy(both)
    return data


def test_several_types_written_by_pyg(tmp_path, library, monkeypatch):
    partitioned_by_pyg(library, tmp_path / "by-pyg", monkeypatch)
    read, owners = gnd.partition.read_pyg(tmp_path / "by-pyg")
    whole = gnd.Graph.from_pyg(library)
    assert read.num_vertices == whole.num_vertices and list(read.relations) == list(whole.relations)
    for relation in whole.relations:
        same(read.relations[relation], whole.relations[relation])
    assert owners["author"].tolist() == [v * 7 % 5 % 2 for v in range(20)]
    assert owners["paper"].tolist() == [v * 7 % 5 % 2 for v in range(20, 51)]
    gnd.partition.write(read, tmp_path / "parts", by=owners)
    sampler = gnd.partition.NeighborSampler(gnd.partition.open(tmp_path / "parts"), [3, 2], home=1)
    seeds = {"paper": [1, 2, 30]}
    same_batch(sampler.draw(seeds, 1), gnd.NeighborSampler(whole, [3, 2]).draw(seeds, 1))


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        (lambda f, m: m.update(edge_types=[["author", "paper"]]), gnd.FormatError, "expected the types of both ends"),
        (lambda f, m: m.update(edge_types=[["author", "writes", "book"]]), gnd.FormatError, "types of both ends"),
        (lambda f, m: m.update(node_types=None), gnd.FormatError, "node_types is None: expected list"),
        (lambda f, m: m["edge_types"].append(["paper", "of", "author"]), gnd.FormatError, "expected edges of"),
        (lambda f, m: m["edge_types"].reverse(), gnd.FormatError, "edge ids from"),
        (lambda f, m: (f / "node_map" / "paper.pt").unlink(), FileNotFoundError, "paper.pt"),
        (lambda f, m: torch.save([1], f / "part_1" / "graph.pt"), gnd.FormatError, "expected edges of"),
    ],
)
def test_bad_folders_of_several_types(tmp_path, library, monkeypatch, change, error, text):
    folder = tmp_path / "by-pyg"
    partitioned_by_pyg(library, folder, monkeypatch)
    with pytest.raises(ValueError, match="symmetric = True: the relations of a heterogeneous graph"):
        gnd.partition.read_pyg(folder, symmetric=True)
    meta = json.loads((folder / "META.json").read_text())
    change(folder, meta)
    (folder / "META.json").write_text(json.dumps(meta))
    with pytest.raises(error, match=text):
        gnd.partition.read_pyg(folder)


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        (lambda f, m: m.update(is_hetero=True), gnd.FormatError, "node_types is None: expected list"),
        (lambda f, m: m.update(num_parts=0), gnd.FormatError, "num_parts is 0: expected from 1"),
        (lambda f, m: m.pop("num_parts"), gnd.FormatError, "num_parts is None: expected int"),
        (lambda f, m: m.update(num_parts=2), gnd.FormatError, "parts from 0 to 2, expected from 0 to 1"),
        (lambda f, m: m.update(num_parts=4), FileNotFoundError, "part_3"),
        (lambda f, m: (f / "node_map.pt").unlink(), FileNotFoundError, "node_map"),
        (lambda f, m: (f / "part_1" / "graph.pt").write_text("x"), gnd.FormatError, "expected a file of torch.save"),
        (lambda f, m: torch.save([1], f / "part_1" / "graph.pt"), gnd.FormatError, "expected edge_id, row and col"),
        (lambda f, m: _edit(f, 1, lambda g: g.update(row=g["row"][1:])), gnd.FormatError, "sources and"),
        (lambda f, m: _edit(f, 1, lambda g: g["row"].add_(70)), gnd.FormatError, "expected from 0 to 71"),
        (lambda f, m: _edit(f, 1, lambda g: g["col"].add_(-1)), gnd.FormatError, "leads to a vertex of another part"),
        (lambda f, m: _edit(f, 1, lambda g: g["edge_id"].fill_(5)), gnd.FormatError, "is in no part"),
        (lambda f, m: _edit(f, 1, lambda g: g["edge_id"].add_(600)), gnd.FormatError, "edge ids from"),
        (lambda f, m: _edit(f, 1, lambda g: g.update(col=g["col"].float())), gnd.FormatError, "expected integers"),
    ],
)
def test_bad_folders(folder, change, error, text):
    meta = json.loads((folder / "META.json").read_text())
    change(folder, meta)
    (folder / "META.json").write_text(json.dumps(meta))
    with pytest.raises(error, match=text):
        gnd.partition.read_pyg(folder)


def _edit(folder, part, change):
    path = folder / f"part_{part}" / "graph.pt"
    content = torch.load(path)
    change(content)
    torch.save(content, path)
