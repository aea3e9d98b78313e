"""Commands and functions that write the folder of a graph in pieces take the URI of a folder."""

import pickle

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus import hetero
from fsspec.implementations.memory import MemoryFileSystem
from gonextdoor.cli import main

import gonextdoor as gnd

TARGET = "memory://bucket/graph"
EDGES = {"source": [0, 1, 2, 0], "target": [1, 2, 0, 2]}


class Optioned(MemoryFileSystem):
    """Files in memory, whose URIs may have options, as those of pyarrow's S3."""

    protocol = "optioned"

    @classmethod
    def _strip_protocol(cls, path):
        return super()._strip_protocol(path.removeprefix("optioned://").partition("?")[0])


@pytest.fixture(autouse=True)
def storage():
    fsspec.register_implementation("optioned", Optioned, clobber=True)

    def empty():
        MemoryFileSystem.store.clear()
        MemoryFileSystem.pseudo_dirs[:] = [""]

    empty()
    yield
    empty()


@pytest.fixture
def edges(tmp_path):
    """The same edges as text and as Parquet."""
    rows = zip(EDGES["source"], EDGES["target"], strict=True)
    (tmp_path / "edges.txt").write_text("".join(f"{source} {target}\n" for source, target in rows))
    pq.write_table(pa.table(EDGES), tmp_path / "edges.parquet")
    return tmp_path


def files():
    return sorted(MemoryFileSystem.store)


def size():
    return sum(len(file.getvalue()) for file in MemoryFileSystem.store.values())


@pytest.mark.parametrize("name", ["edges.txt", "edges.parquet"])
def test_convert_writes_to_a_uri(name, edges, capfd):
    assert main(["convert", str(edges / name), TARGET]) == 0
    assert f"wrote    {TARGET}: {size()} B" in capfd.readouterr().err
    assert gnd.Graph.open(TARGET).equals(gnd.read(edges / name))
    assert main(["convert", str(edges / name), TARGET]) == 1
    refusal = capfd.readouterr().err
    assert f"OUT = '{TARGET}': the folder has 4 files, such as edge_ids.npy" in refusal
    assert "read in" not in refusal  # before the work


@pytest.mark.parametrize("command", ["convert", "partition"])
@pytest.mark.parametrize("name", ["edges.txt", "edges.parquet"])
def test_parts_are_written_to_a_uri(command, name, edges, capfd):
    assert main([command, str(edges / name), TARGET, "--parts", "2"]) == 0
    assert f"wrote    {TARGET}: 2 parts, {size() / 1000:.3g} kB" in capfd.readouterr().err
    app = gnd.apps.DeepWalk(4)
    walks = gnd.partition.sample(gnd.partition.open(TARGET), app, range(3), seed=1).numpy()
    assert (walks == gnd.sample(gnd.read(edges / name), app, range(3), seed=1).numpy()).all()


def test_the_parts_of_a_heterogeneous_graph_are_written_to_a_uri(tmp_path, capfd):
    buys = gnd.Graph.from_edges([0, 1, 2], [0, 0, 1], num_vertices=3)
    gnd.HeteroGraph({("user", "buys", "item"): buys}, {"user": 2, "item": 3}).save(tmp_path / "shop")
    assert main(["partition", str(tmp_path / "shop"), TARGET, "--parts", "2"]) == 0
    assert f"wrote    {TARGET}: 2 parts" in capfd.readouterr().err
    assert gnd.partition.open(TARGET).parts == 2


def test_options_of_a_uri_follow_the_path_of_a_relation():
    typed, uri = hetero(weighted=True), "optioned://bucket/graph?server=there"
    gnd.partition.write(typed, uri, parts=2)
    parts = gnd.partition.open(uri)
    assert sorted(graph.path for graph in parts.relations.values()) == [
        f"optioned://bucket/graph/relation-{number:05d}?server=there" for number in range(len(typed.relations))
    ]
    assert [graph.num_edges for graph in pickle.loads(pickle.dumps(list(parts.relations.values())))] == [
        graph.num_edges for graph in typed.relations.values()
    ]


@pytest.mark.parametrize("stream", [[], ["--stream"]])
def test_generate_writes_to_a_uri(stream):
    assert main(["generate", "--scale", "5", "--seed", "3", "-q", "-o", TARGET, *stream]) == 0
    assert gnd.Graph.open(TARGET).equals(gnd.rmat(5, seed=3))


def test_a_folder_that_is_written_in_pieces_may_be_a_uri(edges):
    graph = gnd.rmat(5, seed=3, folder=TARGET)
    assert graph.equals(gnd.rmat(5, seed=3)) and graph.equals(gnd.Graph.open(TARGET))
    with pytest.raises(FileExistsError, match=f"folder = '{TARGET}': the folder has 3 files"):
        gnd.rmat(5, folder=TARGET)
    with pytest.raises(FileExistsError, match=f"folder = '{TARGET}': the folder has 3 files"):
        gnd.read(edges / "edges.parquet", folder=TARGET)
    read = gnd.read(edges / "edges.parquet", folder="memory://bucket/read")
    assert read.equals(gnd.read(edges / "edges.parquet")) and read.source == gnd.read(edges / "edges.parquet").source


def test_a_uri_of_this_machine_is_its_path(edges):
    there = edges / "there"
    assert main(["convert", str(edges / "edges.txt"), there.as_uri()]) == 0
    assert main(["generate", "--scale", "5", "--seed", "3", "--stream", "-o", there.as_uri()]) == 0  # replaces it
    assert gnd.Graph.open(there).equals(gnd.rmat(5, seed=3))
    (edges / "other").mkdir()
    (edges / "other" / "file").touch()
    assert main(["convert", str(edges / "edges.txt"), (edges / "other").as_uri()]) == 2


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["memory://bucket/edges.csv"], "Invalid value for OUT: 'memory://bucket/edges.csv': a file is written on"),
        (["nothing://bucket/graph"], "OUT = 'nothing://bucket/graph': neither pyarrow nor fsspec opens it"),
        (["nothing://bucket/graph", "--parts", "2"], "OUT = 'nothing://bucket/graph': neither pyarrow nor fsspec"),
    ],
)
def test_targets_that_cannot_be_written_are_refused_before_the_work(arguments, text, edges, capfd):
    assert main(["convert", str(edges / "edges.txt"), *arguments]) in (1, 2)
    refusal = capfd.readouterr().err
    assert text in refusal and "read in" not in refusal and "Traceback" not in refusal
    assert files() == []


def test_samples_are_not_written_to_a_uri(edges, capfd):
    assert main(["walk", str(edges / "edges.txt"), "-o", "s3://bucket/walks.npy"]) == 2
    assert "-o: 's3://bucket/walks.npy': a file is written on this machine; pass a path" in capfd.readouterr().err


def test_commands_read_the_graph_of_a_uri(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("GONEXTDOOR_CACHE", str(tmp_path / "cache"))
    ends = [0, 1, 2, 3] * 4, [0] * 4 + [1] * 4 + [2] * 4 + [3] * 4
    graph = gnd.Graph.from_edges(*ends, weights=list(range(1, 17)))
    graph.save(TARGET)
    graph.save(tmp_path / "graph")
    walks = [tmp_path / "walks.npy", tmp_path / "same.npy"]
    said = []
    for source, out in zip((TARGET, str(tmp_path / "graph")), walks, strict=True):
        assert main(["info", source]) == 0
        said.append(capfd.readouterr().out)
        for options in ([], ["--unweighted"]):
            assert main(["walk", source, "--seed", "1", "--length", "9", "-o", str(out), *options]) == 0
            said.append(out.read_bytes())
    assert said[:3] == said[3:] and said[1] != said[2]
    assert gnd.read(TARGET).equals(graph) and gnd.read(TARGET, format="folder", weight=False).weights is None
    assert gnd.read(TARGET).source == "graph: the folder of a graph, as it was saved"
    capfd.readouterr()
    for source, text in (
        ("memory://bucket/none", "expected the folder of a graph"),
        ("memory://bucket/edges.txt", "are read from a URI"),
    ):
        assert main(["info", source]) == 1
        assert text in capfd.readouterr().err
