"""Partitioned folders hold the rows of the graph, read here with NumPy alone."""

import hashlib
import itertools
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import gonextdoor as gnd

BY = ["ranges", "hash", "ldg", "metis"]


def graph_of(kind):
    rng = np.random.default_rng(5)
    src, dst = rng.integers(0, 300, (2, 4000))
    if kind == "plain":
        return gnd.Graph.from_edges(src, dst, num_vertices=310)
    if kind == "attributes":
        return gnd.Graph.from_edges(
            src, dst, num_vertices=310, symmetric=True, weights=rng.random(4000), times=src * 7, labels=dst % 5
        )
    indptr = np.concatenate([[0], np.cumsum(np.bincount(src, minlength=310))])
    return gnd.Graph.from_csr(indptr, np.sort(dst))  # edge ids are the positions


def load(folder, name):
    path = folder / f"{name}.npy"
    return np.load(path) if path.exists() else None


def owners_of(folder, record):
    """The part of each vertex, as the folder says."""
    if record["kind"] == "ranges":
        return np.repeat(np.arange(record["parts"]), np.diff(record["bounds"]))
    return load(folder, "owner")


def same_rows(folder, graph, vertices):
    """Compares a folder of rows with those of the graph."""
    indptr = load(folder, "indptr")
    assert len(indptr) == len(vertices) + 1
    degrees = graph.degrees()[vertices]
    np.testing.assert_array_equal(np.diff(indptr.astype(np.int64)), degrees)
    first = graph.indptr[:-1][vertices]
    places = np.concatenate([np.arange(f, f + d) for f, d in zip(first, degrees, strict=True)] or [np.empty(0, int)])
    np.testing.assert_array_equal(load(folder, "indices"), graph.indices[places])
    np.testing.assert_array_equal(load(folder, "edge_ids"), graph.edge_ids[places])
    for name, values in (("times", graph.times), ("labels", graph.labels)):
        np.testing.assert_array_equal(load(folder, name), None if values is None else values[places])
    weights = None
    if (folder / "biases.npy").exists():
        scales = np.repeat(load(folder, "scales").astype(float), degrees)
        weights = load(folder, "biases") * 2.0**scales
    np.testing.assert_array_equal(weights, None if graph.weights is None else graph.weights[places])


@pytest.mark.parametrize("by", BY)
@pytest.mark.parametrize("kind", ["plain", "attributes", "csr"])
def test_parts_have_the_rows(tmp_path, kind, by):
    if by == "metis":
        pytest.importorskip("pymetis")
    graph = graph_of(kind)
    for parts, hot in ((1, 0), (3, 0.25)):
        folder = tmp_path / f"{parts}"
        gnd.partition.write(graph, folder, parts=parts, by=by, hot=hot)
        record = json.loads((folder / "partition.json").read_text())
        owners = owners_of(folder, record)
        np.testing.assert_array_equal(owners, gnd.partition.owners(graph, parts, by))
        assert (record["parts"], record["by"]) == (parts, by)
        assert (record["vertices"], record["edges"]) == (graph.num_vertices, graph.num_edges)
        assert record["max_degree"] == graph.degrees().max()
        assert record["symmetric"] == (kind == "attributes")
        np.testing.assert_array_equal(load(folder, "degrees"), graph.degrees())
        for part in range(parts):
            rows = folder / f"part-{part:05d}"
            same_rows(rows, graph, np.flatnonzero(owners == part))
            text = (rows / "graph.json").read_bytes()
            assert record["rows"][part]["sha256"] == hashlib.sha256(text).hexdigest()
        assert (folder / "hot").exists() == (hot > 0)
        if hot:
            same_rows(folder / "hot", graph, load(folder, "hot").astype(np.int64))
            assert 0 < record["hot_rows"]["edges"] <= hot * graph.num_edges


def test_lists_and_files_of_parts(tmp_path):
    graph = graph_of("plain")
    listed = np.random.default_rng(1).integers(0, 7, graph.num_vertices)
    np.save(tmp_path / "parts.npy", listed.astype(np.int32))
    for by in (listed, listed.tolist(), tmp_path / "parts.npy", str(tmp_path / "parts.npy")):
        np.testing.assert_array_equal(gnd.partition.owners(graph, by=by), listed)
        gnd.partition.write(graph, tmp_path / "out", by=by)
        record = json.loads((tmp_path / "out" / "partition.json").read_text())
        assert (record["kind"], record["parts"], record["by"]) == ("map", int(listed.max()) + 1, "map")
        np.testing.assert_array_equal(load(tmp_path / "out", "owner"), listed)
    gnd.partition.write(graph, tmp_path / "more", by=listed, parts=9)  # two parts without vertices
    assert json.loads((tmp_path / "more" / "partition.json").read_text())["rows"][8]["vertices"] == 0


def test_wide_owners(tmp_path):
    graph = graph_of("plain")
    listed = np.arange(graph.num_vertices) % 300
    gnd.partition.write(graph, tmp_path / "out", by=listed)
    assert load(tmp_path / "out", "owner").dtype == np.uint16
    np.testing.assert_array_equal(load(tmp_path / "out", "owner"), listed)


def test_names_are_kept(tmp_path):
    (tmp_path / "e.csv").write_text("source,target\nb,a\na,c\n")
    graph = gnd.read(tmp_path / "e.csv")
    gnd.partition.write(graph, tmp_path / "out", parts=2)
    text, offsets = load(tmp_path / "out", "names_text").tobytes(), load(tmp_path / "out", "names_offsets")
    assert [text[a:b].decode() for a, b in itertools.pairwise(offsets)] == list(graph.vertex_names)


@pytest.mark.parametrize("edges", ["b,a\na,c\n", "30,7\n7,100\n"], ids=["text", "integers"])
def test_names_of_a_partitioned_graph(edges, tmp_path):
    (tmp_path / "e.csv").write_text(f"source,target\n{edges}")
    graph = gnd.read(tmp_path / "e.csv")
    gnd.partition.write(graph, tmp_path / "out", parts=2)
    first = str(graph.vertex_names[0])
    expected = gnd.sample(graph, gnd.apps.DeepWalk(3), [first], seed=1).numpy()
    for parts in (gnd.partition.open(tmp_path / "out"), gnd.partition.split(graph, 2)):
        assert parts.vertex_names.tolist() == graph.vertex_names.tolist()
        walks = gnd.partition.sample(parts, gnd.apps.DeepWalk(3), [first], seed=1)
        np.testing.assert_array_equal(walks.numpy(), expected)
        with pytest.raises(ValueError, match=r"roots\[0\] = '5': the graph has no vertex of that name"):
            gnd.partition.sample(parts, gnd.apps.DeepWalk(3), ["5"], seed=1)
    assert gnd.partition.split(graph_of("plain"), 2).vertex_names is None


def test_hash_is_documented(tmp_path):
    graph, mask = graph_of("plain"), (1 << 64) - 1

    def mix(x):
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & mask
        x = (x ^ x >> 27) * 0x94D049BB133111EB & mask
        return x ^ x >> 31

    want = [mix((v + 1) * 0x9E3779B97F4A7C15 & mask) * 5 >> 64 for v in range(graph.num_vertices)]
    np.testing.assert_array_equal(gnd.partition.owners(graph, 5, "hash"), want)


def test_greedy_and_metis_keep_neighbors_together():
    pytest.importorskip("pymetis")
    planted = gnd.planted_partition(2000, 4, p_in=0.02, p_out=0.0005, seed=1).graph
    sources = np.repeat(np.arange(planted.num_vertices), planted.degrees())

    def cut(by):
        parts = gnd.partition.owners(planted, 4, by)
        sizes = np.bincount(parts, weights=planted.degrees(), minlength=4)
        assert sizes.max() < 1.2 * sizes.mean()
        return float((parts[sources] != parts[planted.indices]).mean())

    assert cut("metis") < 0.15
    assert cut("hash") > 0.7
    assert cut("ldg") < 0.8 * cut("hash")


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"parts": 0}, ValueError, "parts = 0: expected from 1 to 65536"),
        ({"parts": 65537}, ValueError, "parts = 65537"),
        ({"parts": 2.5}, TypeError, "parts = 2.5: expected an int"),
        ({}, ValueError, "parts is None: expected the number of parts"),
        (
            {"parts": 2, "by": "random"},
            ValueError,
            "by = 'random': expected 'ranges', 'hash', 'ldg', 'metis', an array",
        ),
        ({"parts": 2, "by": [0, 1]}, ValueError, r"by has shape \(2,\): expected \(310,\)"),
        ({"by": np.zeros(310)}, TypeError, "by has dtype float64: expected integers"),
        ({"by": np.full(310, -1)}, ValueError, r"by\[0\] = -1: expected a part from 0"),
        ({"by": np.full(310, 1 << 17)}, ValueError, "parts = 65537"),
        ({"parts": 2, "by": np.arange(310) % 3}, ValueError, r"by\[2\] = 2: expected a part from 0 to 1"),
        ({"by": "no.npy"}, FileNotFoundError, "no.npy"),
        ({"parts": 2, "hot": 1.5}, ValueError, "hot = 1.5: expected a share of the edges, from 0 to 1"),
        ({"parts": 2, "hot": "x"}, TypeError, "hot = 'x'"),
        ({"parts": 2, "hot": float("nan")}, ValueError, "hot = nan"),
    ],
)
def test_refusals(tmp_path, arguments, error, text):
    with pytest.raises(error, match=text):
        gnd.partition.write(graph_of("plain"), tmp_path / "out", **arguments)
    assert not (tmp_path / "out").exists()


def test_other_refusals(tmp_path):
    graph = graph_of("plain")
    with pytest.raises(TypeError, match="graph"):
        gnd.partition.write([[0, 1]], tmp_path / "out", parts=2)
    with pytest.raises(TypeError, match="graph"):
        gnd.partition.owners(None, 2)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    with pytest.raises(ValueError, match=r'contains "thesis.txt", which is not part of a graph'):
        gnd.partition.write(graph, tmp_path / "mine", parts=2)
    (tmp_path / "text.npy").write_text("not an array")
    with pytest.raises(gnd.FormatError, match=r"text\.npy: expected a file in NumPy's \.npy format"):
        gnd.partition.write(graph, tmp_path / "out", by=tmp_path / "text.npy")
    gnd.partition.write(graph, tmp_path / "out", parts=2)
    for path in (tmp_path / "out", tmp_path / "out" / "part-00000"):
        with pytest.raises(gnd.FormatError, match=r"gonextdoor\.partition\.open"):
            gnd.read(path)
    assert os.listdir(tmp_path / "out")  # refusals remove nothing


def test_metis_is_optional(tmp_path):
    code = "import sys; sys.modules['pymetis'] = None; import gonextdoor as gnd; "
    code += "gnd.partition.owners(gnd.rmat(4), 2, 'metis')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "ImportError: by = 'metis' needs pymetis: pip install 'gonextdoor[metis]'" in done.stderr


def test_nothing_is_imported_with_the_package():
    code = "import gonextdoor, sys; print(sorted({'pymetis', 'pyarrow', 'torch'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_a_mapped_graph_is_written(tmp_path):
    graph = graph_of("attributes")
    graph.save(tmp_path / "whole")
    gnd.partition.write(gnd.Graph.open(tmp_path / "whole"), tmp_path / "a", parts=3, by="ldg", hot=0.1)
    gnd.partition.write(graph, tmp_path / "b", parts=3, by="ldg", hot=0.1)
    records = [json.loads((tmp_path / name / "partition.json").read_text()) for name in "ab"]
    assert records[0] == records[1]
