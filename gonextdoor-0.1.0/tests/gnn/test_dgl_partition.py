"""Graphs that DGL's partition_graph divided are read with DGL's ids and parts."""

import json

import dgl
import numpy as np
import pytest
import torch
from gonextdoor.dgl import from_dgl, read_partition
from partitionbatches import same_batch

import gonextdoor as gnd

distributed = pytest.importorskip("dgl.distributed")


def homogeneous():
    rng = np.random.default_rng(3)
    src, dst = rng.integers(0, 60, (2, 500))
    return dgl.graph((torch.from_numpy(src), torch.from_numpy(dst)), num_nodes=64)


def heterogeneous():
    rng = np.random.default_rng(4)

    def ends(a, b, count):
        return torch.from_numpy(rng.integers(0, a, count)), torch.from_numpy(rng.integers(0, b, count))

    counts = {"user": 40, "item": 25}
    edges = {("user", "buys", "item"): ends(40, 25, 150), ("user", "follows", "user"): ends(40, 40, 200)}
    return dgl.heterograph(edges, num_nodes_dict=counts)


def divided(g, folder, parts, method):
    """Divides a graph by DGL. Returns the configuration, and the original ids of vertices and edges."""
    mapping = distributed.partition_graph(g, "small", parts, str(folder), part_method=method, return_mapping=True)
    return folder / "small.json", mapping


def same_edges(graph, rows, ends):
    """Compares the edges of a graph, by id, with rows and end points."""
    order = np.argsort(graph.edge_ids)
    np.testing.assert_array_equal(np.repeat(np.arange(graph.num_vertices), graph.degrees())[order], rows)
    np.testing.assert_array_equal(graph.indices[order], ends)


@pytest.mark.parametrize(("parts", "method"), [(1, "metis"), (2, "metis"), (3, "random")])
def test_one_type(parts, method, tmp_path):
    g = homogeneous()
    path, (nodes, edges) = divided(g, tmp_path / "dgl", parts, method)
    graph, owners = read_partition(path)
    number = np.empty(64, np.int64)
    number[nodes.numpy()] = np.arange(64)  # the new number of each original vertex
    src, dst = (ends.numpy()[edges.numpy()] for ends in g.edges(order="eid"))
    assert graph.num_vertices == 64
    same_edges(graph, number[src], number[dst])
    assert len(owners) == 64 and len(np.unique(owners)) == parts and (np.diff(owners.astype(int)) >= 0).all()
    record = json.loads(path.read_text())
    assert np.bincount(owners).tolist() == [end - first for first, end in record["node_map"]["_N"]]


@pytest.mark.parametrize(("parts", "method"), [(1, "metis"), (2, "metis"), (3, "random")])
def test_several_types(parts, method, tmp_path):
    g = heterogeneous()
    path, (nodes, edges) = divided(g, tmp_path / "dgl", parts, method)
    graph, owners = read_partition(path)
    assert dict(graph.num_vertices) == {"user": 40, "item": 25} and {*graph.relations} == {*g.canonical_etypes}
    number = {}
    for kind, original in nodes.items():
        number[kind] = np.empty(len(original), np.int64)
        number[kind][original.numpy()] = np.arange(len(original))
    for (source, name, destination), part in graph.relations.items():
        relation = source, name, destination
        src, dst = (ends.numpy()[edges[relation].numpy()] for ends in g.edges(order="eid", etype=relation))
        same_edges(part, number[destination][dst], number[source][src])
    gnd.partition.write(graph, tmp_path / "parts", by=owners, parts=parts)
    sampler = gnd.partition.NeighborSampler(gnd.partition.open(tmp_path / "parts"), [3, 2])
    seeds = {"item": [1, 2], "user": [3]}
    same_batch(sampler.draw(seeds, 1), gnd.NeighborSampler(graph, [3, 2]).draw(seeds, 1))
    assert {relation: part.num_edges for relation, part in graph.relations.items()} == {
        relation: part.num_edges for relation, part in from_dgl(g).relations.items()
    }


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        (lambda f, m: m.update(num_parts=0), gnd.FormatError, "num_parts is 0: expected from 1"),
        (
            lambda f, m: m.update(num_parts=3),
            gnd.FormatError,
            "expected a range for each of 3 parts",
        ),
        (lambda f, m: m.pop("ntypes"), gnd.FormatError, "ntypes is None: expected dict"),
        (lambda f, m: m["etypes"].update({"user:item": 5}), gnd.FormatError, "expected 'source:name:destination'"),
        (lambda f, m: m["node_map"].pop("user"), gnd.FormatError, "the ids of 'user' are None"),
        (lambda f, m: m["node_map"]["user"][0].append(4), gnd.FormatError, "the ids of 'user' are"),
        (lambda f, m: m["node_map"]["user"][0].reverse(), gnd.FormatError, "the ids of 'user' are"),
        (
            lambda f, m: m["node_map"]["user"][1].append(m["node_map"]["user"][1].pop() - 1),
            gnd.FormatError,
            "an id is not of type 'user'",
        ),
        (lambda f, m: m["part-1"].update(m["part-0"]), gnd.FormatError, "the parts have .* expected each of"),
        (lambda f, m: m.pop("part-1"), gnd.FormatError, "part-1 is None: expected dict"),
        (lambda f, m: (f / "part1" / "graph.dgl").unlink(), FileNotFoundError, "graph.dgl"),
        (
            lambda f, m: (f / "part1" / "graph.dgl").write_bytes(b"x" * 99),
            gnd.FormatError,
            "expected a file of dgl.save",
        ),
        (
            lambda f, m: dgl.save_graphs(str(f / "part1" / "graph.dgl"), [homogeneous()]),
            gnd.FormatError,
            "the graph has no '_ID'",
        ),
    ],
)
def test_bad_files(tmp_path, change, error, text):
    path, _ = divided(heterogeneous(), tmp_path / "dgl", 2, "random")
    record = json.loads(path.read_text())
    change(tmp_path / "dgl", record)
    path.write_text(json.dumps(record))
    with pytest.raises(error, match=text):
        read_partition(path)
