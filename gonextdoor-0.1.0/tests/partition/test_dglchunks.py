"""Graphs in DGL's chunked graph format, written here in its layout."""

import json
import sys

import numpy as np
import pytest
from partitionbatches import same_batch

import gonextdoor as gnd

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def write(folder, form, src, dst, vertices, chunks=3, older=False, **data):
    """Writes edges and data of edges in chunks, and metadata.json."""
    (folder / "edges").mkdir(parents=True)
    kind = "v:to:v"

    def entry(name, columns):
        files = []
        for i, at in enumerate(np.array_split(np.arange(len(src)), chunks)):
            path = folder / "edges" / f"{name}{i}.{form}"
            values = [column[at] for column in columns]
            if form == "numpy":
                np.save(path.with_suffix(".npy"), np.stack(values, axis=1) if len(values) > 1 else values[0])
                path = path.with_suffix(".npy")
            elif form == "parquet":
                pq.write_table(pa.table({str(k): value for k, value in enumerate(values)}), path)
            else:
                np.savetxt(path, np.stack(values, axis=1), fmt="%g", delimiter=" ")
            files.append(str(path) if i == 0 else f"edges/{path.name}")  # absolute and relative paths
        return {"format": {"name": form, **({"delimiter": " "} if form == "csv" else {})}, "data": files}

    metadata = {
        "graph_name": "small",
        "node_type": ["v"],
        "edge_type": [kind],
        "edges": {kind: entry("e", [src, dst])},
        "node_data": {},
        "edge_data": {kind: {name: entry(name, [values]) for name, values in data.items()}},
    }
    if older:
        metadata |= {"num_nodes_per_chunk": [[vertices - 2, 2]], "num_edges_per_chunk": [[len(src) - 5, 5]]}
    else:
        metadata |= {"num_nodes_per_type": [vertices], "num_edges_per_type": [len(src)]}
    (folder / "metadata.json").write_text(json.dumps(metadata))
    return metadata


def edges_of(edges=500, vertices=60):
    return np.random.default_rng(4).integers(0, vertices, (2, edges))


@pytest.mark.parametrize("older", [False, True])
@pytest.mark.parametrize("form", ["csv", "numpy", "parquet"])
def test_chunks(tmp_path, form, older):
    src, dst = edges_of()
    weights, times = np.arange(500) * 0.25, np.arange(500) * 3
    write(tmp_path / "g", form, src, dst, 64, older=older, w=weights, t=times)
    for given in ({}, {"symmetric": True}):
        want = gnd.Graph.from_edges(src, dst, num_vertices=64, weights=weights, times=times, **given)
        for path in (tmp_path / "g", str(tmp_path / "g" / "metadata.json")):
            graph = gnd.partition.read_dgl(path, weight="w", time="t", **given)
            for name in ("indptr", "indices", "edge_ids", "weights", "times"):
                np.testing.assert_array_equal(getattr(graph, name), getattr(want, name))
    assert not gnd.partition.read_dgl(tmp_path / "g").weighted
    assert "dgl" not in sys.modules


def test_an_assignment_of_dgl(tmp_path):
    """The text file of DGL's partitioning step, one part per line, is a list for by=."""
    src, dst = edges_of()
    write(tmp_path / "g", "numpy", src, dst, 64)
    (tmp_path / "v.txt").write_text("".join(f"{v % 3}\n" for v in range(64)))
    graph = gnd.partition.read_dgl(tmp_path / "g")
    gnd.partition.write(graph, tmp_path / "out", by=np.loadtxt(tmp_path / "v.txt", dtype=np.int64))
    assert json.loads((tmp_path / "out" / "partition.json").read_text())["parts"] == 3


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        (lambda m: m.update(node_type=["a", "b"]), gnd.FormatError, "num_nodes_per_type is .*: expected a list of 2"),
        (lambda m: m.pop("edge_type"), gnd.FormatError, "edge_type is None: expected list"),
        (lambda m: m.pop("num_nodes_per_type"), gnd.FormatError, "num_nodes_per_chunk is None"),
        (lambda m: m.update(num_nodes_per_type=[-1]), gnd.FormatError, "expected a list of one number"),
        (lambda m: m.update(num_nodes_per_type=[9]), gnd.FormatError, "is out of range: vertex ids are"),
        (lambda m: m.update(num_edges_per_type=[501]), gnd.FormatError, "the chunks have 500 edges"),
        (lambda m: m["edges"].clear(), gnd.FormatError, "v:to:v is None: expected dict"),
        (lambda m: m["edges"]["v:to:v"].update(format={"name": "hdf5"}), gnd.FormatError, "format 'hdf5'"),
        (lambda m: m["edges"]["v:to:v"]["data"].append("edges/e9.npy"), FileNotFoundError, "e9.npy"),
        (lambda m: m["edges"]["v:to:v"]["data"].append("edges/w0.npy"), gnd.FormatError, r"expected integers \(n, 2\)"),
        (lambda m: m["edges"]["v:to:v"].update(format={"name": "parquet"}), gnd.FormatError, "Parquet"),
        (lambda m: m["edge_data"].clear(), ValueError, "edge_data has no 'w'; it has nothing"),
        (lambda m: m["edge_data"]["v:to:v"]["w"]["data"].pop(), gnd.FormatError, r"'w' has shape \(334,\)"),
    ],
)  # fmt: skip
def test_bad_metadata(tmp_path, change, error, text):
    src, dst = edges_of()
    metadata = write(tmp_path / "g", "numpy", src, dst, 64, w=np.arange(500) * 0.5)
    change(metadata)
    (tmp_path / "g" / "metadata.json").write_text(json.dumps(metadata))
    with pytest.raises(error, match=text):
        gnd.partition.read_dgl(tmp_path / "g", weight="w")


def test_no_metadata(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"metadata\.json"):
        gnd.partition.read_dgl(tmp_path)
    (tmp_path / "metadata.json").write_text("[1]")
    with pytest.raises(gnd.FormatError, match="expected a JSON object, got list"):
        gnd.partition.read_dgl(tmp_path)
    (tmp_path / "metadata.json").write_text("{")
    with pytest.raises(gnd.FormatError, match="expected JSON"):
        gnd.partition.read_dgl(tmp_path)


def write_hetero(folder):
    """Writes users who buy items and follow users."""
    rng, chunks = np.random.default_rng(5), 2
    ends = {"user:buys:item": (30, 20, 200), "user:follows:user": (30, 30, 90)}
    edges = {kind: (rng.integers(0, m, count), rng.integers(0, n, count)) for kind, (m, n, count) in ends.items()}
    (folder / "edges").mkdir(parents=True)
    entries, form = {}, {"name": "numpy"}
    for kind, (src, dst) in edges.items():
        files = [f"edges/{kind.replace(':', '-')}{i}.npy" for i in range(chunks)]
        for file, piece in zip(files, np.array_split(np.stack([src, dst], axis=1), chunks), strict=True):
            np.save(folder / file, piece)
        entries[kind] = {"format": form, "data": files}
    np.save(folder / "edges" / "weights.npy", np.arange(90) * 0.5)
    metadata = {
        "graph_name": "shop",
        "node_type": ["user", "item"],
        "num_nodes_per_type": [30, 20],
        "edge_type": list(edges),
        "num_edges_per_type": [200, 90],
        "edges": entries,
        "edge_data": {"user:follows:user": {"w": {"format": form, "data": ["edges/weights.npy"]}}},
    }
    (folder / "metadata.json").write_text(json.dumps(metadata))
    return edges, metadata


def test_several_types(tmp_path):
    edges, _ = write_hetero(tmp_path / "g")
    graph = gnd.partition.read_dgl(tmp_path / "g", weight="w")
    assert graph.num_vertices == {"user": 30, "item": 20}
    assert list(graph.relations) == [("user", "buys", "item"), ("user", "follows", "user")]
    for part, (src, dst), weights in zip(
        graph.relations.values(), edges.values(), (None, np.arange(90) * 0.5), strict=True
    ):
        want = gnd.Graph.from_edges(dst, src, num_vertices=30, weights=weights)  # rows are destinations
        for name in ("indptr", "indices", "edge_ids", "weights"):
            np.testing.assert_array_equal(getattr(part, name), getattr(want, name))
    gnd.partition.write(graph, tmp_path / "parts", parts=2, by="hash")
    sampler = gnd.partition.NeighborSampler(gnd.partition.open(tmp_path / "parts"), [3, 2])
    seeds = {"item": [1, 2], "user": [3]}
    same_batch(sampler.draw(seeds, 1), gnd.NeighborSampler(graph, [3, 2]).draw(seeds, 1))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda m: m["edge_type"].__setitem__(0, "user:item"), "expected 'source:name:destination'"),
        (lambda m: m["edge_type"].__setitem__(0, "user:buys:shop"), "with types of node_type"),
        (lambda m: m["num_edges_per_type"].__setitem__(1, 91), "the chunks have 90 edges, the metadata says 91"),
        (lambda m: m.update(num_edges_per_type=[290]), "expected a list of 2 numbers"),
        (lambda m: m["edges"].pop("user:buys:item"), "user:buys:item is None"),
        (lambda m: m["num_nodes_per_type"].__setitem__(1, 5), "expected none after row 4"),
    ],
)
def test_bad_metadata_of_several_types(tmp_path, change, text):
    _, metadata = write_hetero(tmp_path / "g")
    change(metadata)
    (tmp_path / "g" / "metadata.json").write_text(json.dumps(metadata))
    with pytest.raises(gnd.FormatError, match=text):
        gnd.partition.read_dgl(tmp_path / "g")


def test_refusals_of_several_types(tmp_path):
    write_hetero(tmp_path / "g")
    with pytest.raises(ValueError, match="edge_data has no 'weight'; it has 'w'"):
        gnd.partition.read_dgl(tmp_path / "g", weight="weight")
    with pytest.raises(ValueError, match="symmetric = True: the relations of a heterogeneous graph"):
        gnd.partition.read_dgl(tmp_path / "g", symmetric=True)
