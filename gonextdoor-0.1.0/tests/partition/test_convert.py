"""Parts that are written from Parquet files equal those of the graph."""

import numpy as np
import pytest
from test_write import load

import gonextdoor as gnd

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def edges(tmp_path):
    rng = np.random.default_rng(7)
    table = pa.table(
        {
            "src": rng.integers(0, 400, 3000) * 2,
            "dst": rng.integers(0, 400, 3000) * 2,
            "weight": rng.random(3000),
            "time": rng.integers(0, 99, 3000),
            "label": rng.integers(0, 9, 3000),
        }
    )
    (tmp_path / "edges").mkdir()
    pq.write_table(table[:1000], tmp_path / "edges" / "1.parquet", row_group_size=300)
    pq.write_table(table[1000:], tmp_path / "edges" / "2.parquet")
    return tmp_path / "edges"


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("by", ["ranges", "hash", "list"])
def test_same_folder_as_write(tmp_path, edges, by, symmetric):
    graph = gnd.read(edges, symmetric=symmetric)
    how = np.arange(graph.num_vertices) % 5 if by == "list" else by
    for parts, hot in ((1, 0.0), (5, 0.3)):
        if by == "list" and parts == 1:
            continue
        gnd.partition.convert(edges, tmp_path / "a", parts=parts, by=how, hot=hot, symmetric=symmetric)
        gnd.partition.write(graph, tmp_path / "b", parts=parts, by=how, hot=hot)
        assert contents(tmp_path / "a") == contents(tmp_path / "b")
    assert len(load(tmp_path / "a", "names")) == graph.num_vertices


def test_columns_and_names(tmp_path, edges):
    gnd.partition.convert(edges, tmp_path / "a", parts=2, source="dst", target="src", weight=False, label="label")
    graph = gnd.read(edges, source="dst", target="src", weight=False, label="label")
    gnd.partition.write(graph, tmp_path / "b", parts=2)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    text = pa.table({"a": ["x", "é", "x"], "b": ["z", "x", "é"]})
    pq.write_table(text, tmp_path / "t.parquet")
    gnd.partition.convert(tmp_path / "t.parquet", tmp_path / "a", by=[1, 0, 1])
    gnd.partition.write(gnd.read(tmp_path / "t.parquet"), tmp_path / "b", by=[1, 0, 1])
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"parts": 2, "by": "ldg"}, ValueError, "by = 'ldg' needs the rows of the graph"),
        ({"parts": 2, "by": "metis"}, ValueError, "by = 'metis' needs the rows"),
        ({}, ValueError, "parts is None"),
        ({"parts": 0}, ValueError, "parts = 0"),
        ({"parts": 2, "by": [0]}, ValueError, r"by has shape \(1,\)"),
        ({"parts": 2, "hot": -1}, ValueError, "hot = -1"),
        ({"parts": 2, "symmetric": "yes"}, TypeError, "symmetric"),
        ({"parts": 2, "source": "nobody"}, gnd.FormatError, "nobody"),
    ],
)
def test_refusals(tmp_path, edges, arguments, error, text):
    with pytest.raises(error, match=text):
        gnd.partition.convert(edges, tmp_path / "out", **arguments)
    assert not (tmp_path / "out").exists()
    with pytest.raises(FileNotFoundError):
        gnd.partition.convert(tmp_path / "no.parquet", tmp_path / "out", parts=2)
