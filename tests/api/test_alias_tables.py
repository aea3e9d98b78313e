"""Folders with alias tables: the same samples, no tables in the memory of processes, and no damaged or foreign ones."""

import filecmp
import json
import os
import shutil

import numpy as np
import pytest
from gonextdoor._core import native

import gonextdoor as gnd

EDGES = 3000


def weighted(seed):
    rng = np.random.default_rng(seed)
    weights = np.where(rng.random(EDGES) < 0.2, 0, rng.random(EDGES))
    src, dst = rng.integers(0, 200, (2, EDGES))
    weights[src == 7] = 0  # a row without a weight
    return gnd.Graph.from_edges(src, dst, weights=weights, num_vertices=210)


@pytest.fixture(scope="module")
def graph():
    return weighted(4)


@pytest.fixture
def folder(graph, tmp_path):
    graph.save(tmp_path / "graph", alias_tables=True)
    return tmp_path / "graph"


def arrays_built(graph):
    """The number of arrays outside of Python's memory that the first weighted walks make."""
    before = native.call("Living", 3)
    gnd.sample(graph, gnd.apps.DeepWalk(5), seed=1, progress=False)
    return native.call("Living", 3) - before


def test_the_same_samples(graph, folder, tmp_path):
    graph.save(tmp_path / "plain")
    with_tables, plain = gnd.Graph.open(folder), gnd.Graph.open(tmp_path / "plain")
    assert arrays_built(plain) - arrays_built(with_tables) == 1
    for app in (gnd.apps.DeepWalk(9), gnd.apps.Node2Vec(0.5, 2, 9), gnd.apps.KHop([3, 2]), gnd.apps.PPR(0.3)):
        want, got = (gnd.sample(g, app, seed=3) for g in (graph, with_tables))
        np.testing.assert_array_equal(got.numpy(), want.numpy())
    want, got = (gnd.NeighborSampler(g, [4, 3], weighted=True).sample([3, 8], 1) for g in (graph, with_tables))
    np.testing.assert_array_equal(got.nodes, want.nodes)
    np.testing.assert_array_equal(got.edges, want.edges)
    assert with_tables.equals(graph)
    with_tables.save(tmp_path / "again")
    assert not (tmp_path / "again" / "alias.npy").exists()
    with_tables.save(tmp_path / "again", alias_tables=True)
    assert not filecmp.dircmp(folder, tmp_path / "again").diff_files


def test_the_array_is_documented(graph, folder):
    """A slot per edge and one more: end point, other end point, threshold and place in the row of the other."""
    slots = np.load(folder / "alias.npy").reshape(-1, 4)
    assert slots.shape == (EDGES + 1, 4)
    assert slots[-1].tolist() == [2**32 - 1, 2**32 - 1, 2**32 - 1, 0]
    starts = graph.indptr.astype(np.int64)
    row = np.repeat(np.arange(graph.num_vertices), np.diff(starts))
    sums = np.bincount(row, graph.weights, graph.num_vertices)
    some = sums[row] > 0
    slots = slots[:-1]
    np.testing.assert_array_equal(slots[some, 0], graph.indices[some])
    np.testing.assert_array_equal(slots[some, 1], graph.indices[(starts[row] + slots[:, 3])[some]])
    assert (slots[~some, :2] == 2**32 - 1).all()
    threshold = (slots[:, 2] + (slots[:, 2] == 2**32 - 1)) / 2**32
    chance = np.zeros(EDGES)
    np.add.at(chance, np.arange(EDGES), threshold)
    np.add.at(chance, starts[row] + slots[:, 3], 1 - threshold)
    degrees = np.diff(starts)[row]
    np.testing.assert_allclose((chance / degrees)[some], (graph.weights / sums[row].clip(1e-9))[some], atol=1e-7)


def test_parts(graph, tmp_path):
    gnd.partition.write(graph, tmp_path / "parts", parts=3, by="hash", hot=0.1, alias_tables=True)
    for part in ("part-00000", "part-00002", "hot"):
        assert (tmp_path / "parts" / part / "alias.npy").exists()
    parts = gnd.partition.open(tmp_path / "parts")
    for app in (gnd.apps.DeepWalk(9), gnd.apps.Node2Vec(0.5, 2, 9), gnd.apps.KHop([3, 2])):
        want = gnd.sample(graph, app, seed=3).numpy()
        np.testing.assert_array_equal(gnd.partition.sample(parts, app, seed=3).numpy(), want)


def test_heterogeneous_graphs(graph, tmp_path):
    none = gnd.Graph.from_edges([0, 1], [1, 2], num_vertices=210)
    both = gnd.HeteroGraph({("a", "to", "a"): graph, ("a", "of", "a"): none}, {"a": 210})
    both.save(tmp_path / "whole", alias_tables=True)
    gnd.partition.write(both, tmp_path / "parts", parts=2, by="hash", alias_tables=True)
    found = {os.path.relpath(at, tmp_path) for at, _, files in os.walk(tmp_path) if "alias.npy" in files}
    assert found == {"whole/relation-00000", *(f"parts/relation-00000/part-0000{i}" for i in range(2))}
    want = gnd.NeighborSampler(both, [4], weighted="auto").sample({"a": [1, 2]}, 1)
    got = gnd.NeighborSampler(gnd.HeteroGraph.open(tmp_path / "whole"), [4], weighted="auto").sample({"a": [1, 2]}, 1)
    np.testing.assert_array_equal(got.nodes["a"], want.nodes["a"])


@pytest.mark.parametrize("target", ["whole", "parts"])
def test_parquet_is_converted_with_tables(tmp_path, target):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rng = np.random.default_rng(1)
    columns = {"source": rng.integers(0, 90, 800), "target": rng.integers(0, 90, 800), "weight": rng.random(800)}
    pq.write_table(pa.table(columns), tmp_path / "e.parquet")
    graph = gnd.read(tmp_path / "e.parquet")
    if target == "whole":
        graph.save(tmp_path / "want", alias_tables=True)
        gnd.read(tmp_path / "e.parquet", folder=tmp_path / "got", alias_tables=True)
    else:
        gnd.partition.write(graph, tmp_path / "want", parts=3, by="hash", alias_tables=True)
        gnd.partition.convert(tmp_path / "e.parquet", tmp_path / "got", parts=3, by="hash", alias_tables=True)
    files = [
        os.path.relpath(os.path.join(at, f), tmp_path / "want")
        for at, _, all in os.walk(tmp_path / "want")
        for f in all
    ]
    assert any("alias.npy" in file for file in files)
    assert filecmp.cmpfiles(tmp_path / "want", tmp_path / "got", files, shallow=False)[0] == files


def refuses(folder, text):
    with pytest.raises(gnd.FormatError, match=text):
        gnd.sample(gnd.Graph.open(folder), gnd.apps.DeepWalk(5), seed=1)


def crc32c(data):
    """CRC-32C, bit by bit."""
    sum = 0xFFFFFFFF
    for byte in data:
        sum ^= byte
        for _ in range(8):
            sum = sum >> 1 ^ (0x82F63B78 if sum & 1 else 0)
    return f"{sum ^ 0xFFFFFFFF:08x}"


def edited(folder, at, word):
    """Writes a word of the tables, and their checksum to the record."""
    words = np.load(folder / "alias.npy")
    words[at] = word
    np.save(folder / "alias.npy", words)
    record = json.loads((folder / "graph.json").read_text())
    record["arrays"]["alias"]["crc32c"] = crc32c(words.tobytes())
    (folder / "graph.json").write_text(json.dumps(record))


def test_damaged_and_foreign_tables(graph, folder, tmp_path):
    shutil.copytree(folder, tmp_path / "damaged")
    with open(tmp_path / "damaged" / "alias.npy", "r+b") as file:
        file.seek(-40, 2)
        byte = file.read(1)
        file.seek(-40, 2)
        file.write(bytes([byte[0] ^ 1]))
    refuses(tmp_path / "damaged", "alias.npy: the checksum of the data is")
    weighted(5).save(tmp_path / "other", alias_tables=True)
    shutil.copytree(folder, tmp_path / "foreign")
    shutil.copy(tmp_path / "other" / "alias.npy", tmp_path / "foreign" / "alias.npy")
    refuses(tmp_path / "foreign", "alias.npy: the checksum of the data is")
    shutil.copytree(folder, tmp_path / "short")
    words = np.load(folder / "alias.npy")
    np.save(tmp_path / "short" / "alias.npy", words[:-4])
    refuses(tmp_path / "short", "alias.npy")


@pytest.mark.parametrize(("at", "word"), [(0, 5000), (1, 9999), (3, 4000), (4 * EDGES - 1, 2**32 - 1)])
def test_slots_outside_of_their_row(graph, folder, at, word):
    """Hand-made tables with the right checksum read no other memory."""
    edited(folder, at, word)
    refuses(folder, rf"alias\[{at // 4}\] has the vertices .*: expected edges of the row of vertex")


def test_refusals(graph, tmp_path):
    plain = gnd.rmat(6, seed=1)
    for write in (
        lambda: plain.save(tmp_path / "g", alias_tables=True),
        lambda: gnd.partition.write(plain, tmp_path / "g", parts=2, alias_tables=True),
    ):
        with pytest.raises(ValueError, match="alias_tables = True: the graph has no weights; leave it out"):
            write()
    with pytest.raises(TypeError, match="alias_tables = 1: expected True or False"):
        graph.save(tmp_path / "g", alias_tables=1)
    (tmp_path / "e.txt").write_text("0 1 2.5\n")
    with pytest.raises(ValueError, match="alias_tables=True: is for the folder that folder= names"):
        gnd.read(tmp_path / "e.txt", alias_tables=True)
    graph.save(tmp_path / "one", alias_tables=True)
    record = json.loads((tmp_path / "one" / "graph.json").read_text())
    del record["arrays"]["biases"], record["arrays"]["scales"]
    (tmp_path / "one" / "graph.json").write_text(json.dumps(record))
    with pytest.raises(gnd.FormatError, match="array biases is missing"):
        gnd.Graph.open(tmp_path / "one")
    assert not (tmp_path / "g").exists()
