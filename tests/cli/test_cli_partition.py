"""gonextdoor partition."""

import json

import numpy as np
import pytest
from commandline import ok, refused
from corpus import hetero

import gonextdoor as gnd


@pytest.fixture
def edges(tmp_path):
    rng = np.random.default_rng(2)
    lines = [f"{u} {v}" for u, v in rng.integers(0, 50, (400, 2))]
    (tmp_path / "e.txt").write_text("\n".join(lines) + "\n")
    return tmp_path / "e.txt"


def record(folder):
    return json.loads((folder / "partition.json").read_text())


@pytest.mark.parametrize("by", ["ranges", "hash", "ldg"])
def test_partition(tmp_path, edges, by):
    done = ok("partition", edges, tmp_path / "out", "--parts", 3, "--by", by, "--hot", 0.2, "--symmetric")
    assert "3 parts" in done.stderr
    graph = gnd.read(edges, symmetric=True)
    gnd.partition.write(graph, tmp_path / "same", parts=3, by=by, hot=0.2)
    assert record(tmp_path / "out") == record(tmp_path / "same")
    ok("partition", edges, tmp_path / "out", "--parts", 2, "--quiet")  # replaces it
    assert record(tmp_path / "out")["parts"] == 2


def test_a_file_of_parts(tmp_path, edges):
    graph = gnd.read(edges)
    np.save(tmp_path / "parts.npy", np.arange(graph.num_vertices) % 4)
    ok("partition", edges, tmp_path / "out", "--by", tmp_path / "parts.npy")
    assert record(tmp_path / "out")["parts"] == 4


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        ([], 2, "--by ranges needs the number of parts: pass --parts P"),
        (["--parts", 0], 2, "--parts"),
        (["--parts", 2, "--by", "random"], 2, "expected ranges, hash, ldg, metis or the name of a .npy file"),
        (["--parts", 2, "--hot", 2], 2, "--hot"),
        (["--by", "no.npy"], 1, "no.npy"),
    ],
)
def test_refusals(tmp_path, edges, arguments, code, text):
    assert text in refused(code, "partition", edges, tmp_path / "out", *arguments)
    assert not (tmp_path / "out").exists()


def test_a_target_that_is_not_a_graph(tmp_path, edges):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("x")
    assert "is not the folder of a graph" in refused(2, "partition", edges, tmp_path / "mine", "--parts", 2)


@pytest.fixture
def tables(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rng = np.random.default_rng(4)
    (tmp_path / "t").mkdir()
    for name in "ab":
        table = pa.table({"who": rng.integers(0, 60, 300), "whom": rng.integers(0, 60, 300), "w": rng.random(300)})
        pq.write_table(table, tmp_path / "t" / f"{name}.parquet")
    return tmp_path / "t"


@pytest.mark.parametrize("command", ["partition", "convert"])
@pytest.mark.parametrize("by", ["ranges", "hash", "ldg"])
def test_parquet_files(tmp_path, tables, command, by):
    columns = ["--source", "whom", "--target", "who", "--weight", "w", "--symmetric"]
    ok(command, tables, tmp_path / "out", "--parts", 3, "--by", by, "--hot", 0.1, *columns)
    graph = gnd.read(tables, source="whom", target="who", weight="w", symmetric=True)
    gnd.partition.write(graph, tmp_path / "same", parts=3, by=by, hot=0.1)
    assert record(tmp_path / "out") == record(tmp_path / "same")


def test_parquet_files_to_a_folder(tmp_path, tables):
    done = ok("convert", tables, tmp_path / "out", "--source", "who", "--target", "whom")
    assert "t (2 files)" in done.stderr
    graph = gnd.read(tmp_path / "out")
    np.testing.assert_array_equal(graph.indices, gnd.read(tables, source="who", target="whom").indices)
    ok("convert", str(tables / "*.parquet"), tmp_path / "e.csv", "--source", "who", "--target", "whom")
    assert gnd.read(tmp_path / "e.csv").num_edges == 600
    assert "have no header line" in refused(2, "partition", tables, tmp_path / "x", "--parts", 2, "--header")


def test_convert_text_to_parts(tmp_path, edges):
    ok("convert", edges, tmp_path / "out", "--parts", 2)
    ok("partition", edges, tmp_path / "same", "--parts", 2)
    assert record(tmp_path / "out") == record(tmp_path / "same")


def test_a_heterogeneous_graph(tmp_path):
    graph = hetero()
    graph.save(tmp_path / "graph")
    done = ok("partition", tmp_path / "graph", tmp_path / "out", "--parts", 3, "--by", "hash", "--hot", 0.1)
    assert "3 parts" in done.stderr and "paper/cites/paper" in done.stderr
    gnd.partition.write(graph, tmp_path / "same", parts=3, by="hash", hot=0.1)
    assert (tmp_path / "out" / "hetero.json").read_text() == (tmp_path / "same" / "hetero.json").read_text()
    ok("partition", tmp_path / "graph", tmp_path / "out", "--parts", 2, "--quiet")  # replaces it
    assert gnd.partition.open(tmp_path / "out").parts == 2
    for arguments, text in (
        (["--parts", 2, "--symmetric"], "leave out the options of reading FILE"),
        (["--by", "parts.npy"], "has several types of vertices; pass a dict of files"),
    ):
        told = refused(2, "partition", tmp_path / "graph", tmp_path / "new", *arguments)
        assert text in " ".join(told.split())


def test_folders_without_edge_ids(tmp_path, edges):
    ok("partition", edges, tmp_path / "parts", "--parts", 2, "--no-edge-ids")
    ok("convert", edges, tmp_path / "graph", "--no-edge-ids")
    for folder in ("parts/part-00000", "graph"):
        names = {path.name for path in (tmp_path / folder).iterdir()}
        assert names == {"graph.json", "indices.npy", "indptr.npy"}
    text = refused(1, "walk", tmp_path / "graph", "-o", tmp_path / "w.npz", "--edges")
    assert "edges = True needs the ids of edges, but the graph was saved with edge_ids=False" in text
    text = refused(2, "convert", edges, tmp_path / "e.csv", "--no-edge-ids")
    assert "--no-edge-ids is for folders" in text
