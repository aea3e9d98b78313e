"""Graph: every way to make one, what it shows, and that pickle, folders and reversal preserve it."""

from __future__ import annotations

import copy
import errno
import gzip
import os
import pathlib
import pickle
from typing import Any

import corpus
import numpy as np
import pytest

import gonextdoor as gnd


def arcs(graph: gnd.Graph) -> list[tuple[int, int]]:
    src = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    return list(zip(src.tolist(), graph.indices.tolist(), strict=True))


def same(a: gnd.Graph, b: gnd.Graph) -> None:
    for name in ("indptr", "indices", "edge_ids", "weights", "labels", "times", "vertex_names"):
        x, y = getattr(a, name), getattr(b, name)
        assert (x is None) == (y is None), name
        assert x is None or (x.dtype == y.dtype and np.array_equal(x, y)), name


def full() -> gnd.Graph:
    random = np.random.default_rng(5)
    src, dst = random.integers(0, 50, (2, 400))
    labels, times = random.integers(-9, 9, 400), random.integers(0, 1 << 40, 400)
    weights = random.random(400)
    return gnd.Graph.from_edges(src, dst, weights=weights, labels=labels, times=times, symmetric=True)


def test_edges_are_sorted_by_neighbour_and_then_by_place() -> None:
    graph = gnd.Graph.from_edges([1, 0, 0, 0, 1], [0, 2, 1, 2, 1], weights=[1, 2, 3, 4, 5], labels=[5, 6, 7, 8, 9])
    assert graph.indptr.tolist() == [0, 3, 5, 5]
    assert graph.indices.tolist() == [1, 2, 2, 0, 1]
    assert graph.edge_ids.tolist() == [2, 1, 3, 0, 4]
    assert graph.weights is not None and graph.labels is not None
    assert graph.weights.tolist() == [3, 2, 4, 1, 5]
    assert graph.labels.tolist() == [7, 6, 8, 5, 9]
    assert graph.times is None
    assert (graph.indptr.dtype, graph.indices.dtype, graph.edge_ids.dtype) == (np.int64, np.int32, np.int64)


def test_options_of_edges() -> None:
    src, dst = [0, 0, 1, 1, 2], [1, 1, 0, 1, 0]
    both = gnd.Graph.from_edges(src, dst, symmetric=True)
    assert sorted(arcs(both)) == [(0, 1), (0, 1), (0, 1), (0, 2), (1, 0), (1, 0), (1, 0), (1, 1), (2, 0)]
    once = gnd.Graph.from_edges(src, dst, symmetric=True, deduplicate=True, drop_self_loops=True)
    assert arcs(once) == [(0, 1), (0, 2), (1, 0), (2, 0)]
    assert once.edge_ids.tolist() == [0, 4, 0, 4]
    assert gnd.Graph.from_edges(src, dst, num_vertices=9).num_vertices == 9


def test_csr_need_not_be_sorted() -> None:
    graph = gnd.Graph.from_csr([0, 3, 3, 4], [2, 0, 1, 0], weights=[1.0, 2.0, 3.0, 4.0], edge_ids=[10, 20, 30, 40])
    assert graph.indices.tolist() == [0, 1, 2, 0]
    assert graph.edge_ids.tolist() == [20, 30, 10, 40]
    assert graph.weights is not None
    assert graph.weights.tolist() == [2, 3, 1, 4]
    assert gnd.Graph.from_csr(graph.indptr, graph.indices, num_vertices=5).indptr.tolist() == [0, 3, 3, 4, 4, 4]


@pytest.mark.parametrize("dtype", ["u1", "i2", "i4", "u4", "i8", "u8", ">i4"])
def test_any_integers(dtype: str) -> None:
    graph = gnd.Graph.from_edges(np.array([0, 1, 2], dtype), np.array([1, 2, 0], dtype))
    assert arcs(graph) == [(0, 1), (1, 2), (2, 0)]
    assert arcs(gnd.Graph.from_csr(np.array([0, 1, 2], dtype), np.array([1, 0], dtype))) == [(0, 1), (1, 0)]


def test_what_a_graph_shows() -> None:
    graph = corpus.directed()
    assert (graph.num_vertices, graph.num_edges) == (5, 5)
    assert graph.degrees().tolist() == [2, 1, 2, 0, 0]
    assert graph.neighbors(np.int64(2)).tolist() == [0, 3]
    assert graph.neighbors(4).size == 0
    assert graph.has_edge(0, 2)
    assert not graph.has_edge(2, 1)
    assert "num_vertices=5, num_edges=5" in repr(graph)
    assert "<table>" in graph._repr_html_()
    assert "weighted" in repr(full())
    for array in (graph.indptr, graph.indices, graph.edge_ids, full().weights, full().times):
        assert array is not None
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_a_copy_is_the_graph_itself() -> None:
    graph = corpus.graph()
    assert copy.copy(graph) is copy.deepcopy(graph) is graph


def test_views_outlive_the_graph() -> None:
    indices = corpus.graph().indices
    kept = indices.copy()
    for _ in range(3):
        corpus.graph(300, 3000)
    assert np.array_equal(indices, kept)


def test_a_graph_without_edges_or_vertices() -> None:
    for graph, vertices in [(gnd.Graph.from_edges([], []), 0), (gnd.Graph.from_edges([], [], num_vertices=3), 3)]:
        assert graph.num_vertices == vertices
        assert graph.indptr.tolist() == [0] * (vertices + 1)
        assert graph.indices.size == graph.edge_ids.size == graph.num_edges == 0
        same(graph, pickle.loads(pickle.dumps(graph)))
        same(graph, graph.reverse())


@pytest.mark.parametrize("vertices", [0, 3])
def test_a_graph_without_edges_keeps_its_attributes(vertices: int, tmp_path: pathlib.Path) -> None:
    none = np.empty(0, np.int64)
    graph = gnd.Graph.from_edges(none, none, weights=none, labels=none, times=none, num_vertices=vertices)
    graph.save(tmp_path / "none")
    for one in (graph, graph.reverse(), pickle.loads(pickle.dumps(graph)), gnd.Graph.open(tmp_path / "none")):
        assert one.weights is not None and one.labels is not None and one.times is not None
        assert one.weights.shape == one.labels.shape == one.times.shape == (0,)
    plain = gnd.Graph.from_edges(none, none, num_vertices=vertices)
    assert plain.weights is None and plain.labels is None and plain.times is None


def test_pickles_and_folders(tmp_path: pathlib.Path) -> None:
    text = gnd.Graph.from_networkx(pytest.importorskip("networkx").Graph([("a", "b"), ("b", "ö")]))
    for i, graph in enumerate([corpus.graph(), full(), text, gnd.Graph.from_csr([0, 1], [0], edge_ids=[1 << 40])]):
        same(graph, pickle.loads(pickle.dumps(graph)))
        graph.save(tmp_path / str(i))
        opened = gnd.Graph.open(tmp_path / str(i))
        same(graph, opened)
        files = sorted((tmp_path / str(i)).glob("*.npy"))
        assert {file.name for file in files} >= {"indptr.npy", "indices.npy"}
        for file in files:
            mapped = np.load(file, mmap_mode="r")
            assert isinstance(mapped, np.memmap) and np.array_equal(mapped, np.load(file))
        assert np.array_equal(np.load(files[-1].with_name("indices.npy"), mmap_mode="r"), graph.indices)
        same(graph, gnd.read(tmp_path / str(i)))
        app = gnd.apps.Node2Vec(0.5, 2, 5)
        assert np.array_equal(gnd.sample(graph, app, seed=1), gnd.sample(opened, app, seed=1))


def test_reverse() -> None:
    graph = full()
    back = graph.reverse()
    turned = sorted((v, u, e) for (u, v), e in zip(arcs(graph), graph.edge_ids.tolist(), strict=True))
    assert [(*arc, e) for arc, e in zip(arcs(back), back.edge_ids.tolist(), strict=True)] == turned
    assert np.array_equal(back.reverse().indices, graph.indices)


def test_scipy() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    dense = np.array([[0, 2, 0], [1, 0, 3], [0, 0, 4]])
    for kind in (sparse.csr_matrix, sparse.coo_array, sparse.csc_array):
        graph = gnd.Graph.from_scipy(kind(dense))
        assert graph.weights is not None
        assert arcs(graph) == [(0, 1), (1, 0), (1, 2), (2, 2)]
        assert graph.weights.tolist() == [2, 1, 3, 4]
    assert gnd.Graph.from_scipy(sparse.csr_array(dense > 0)).weights is None
    assert gnd.Graph.from_scipy(sparse.csr_array((dense > 0).astype(float))).weights is None
    with pytest.raises(ValueError, match=r"\(2, 3\)"):
        gnd.Graph.from_scipy(sparse.csr_array(np.ones((2, 3))))
    with pytest.raises(TypeError, match="ndarray"):
        gnd.Graph.from_scipy(dense)


def test_networkx() -> None:
    networkx = pytest.importorskip("networkx")
    plain = gnd.Graph.from_networkx(networkx.path_graph(4))
    assert arcs(plain) == [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)]
    assert plain.vertex_names is None and plain.weights is None
    named = networkx.DiGraph()
    named.add_edge("x", "y", weight=2.5)
    named.add_edge("y", "y")
    named.add_node("z")
    graph = gnd.Graph.from_networkx(named)
    assert arcs(graph) == [(0, 1), (1, 1)]
    assert graph.weights is not None and graph.vertex_names is not None
    assert graph.weights.tolist() == [2.5, 1]
    assert graph.vertex_names.tolist() == ["x", "y", "z"]
    assert gnd.Graph.from_networkx(named, weight=None).weights is None
    loop = gnd.Graph.from_networkx(networkx.Graph([(5, 5), (5, 9)]))
    assert arcs(loop) == [(0, 0), (0, 1), (1, 0)]
    assert loop.vertex_names is not None
    assert loop.vertex_names.tolist() == [5, 9]
    numpys = gnd.Graph.from_networkx(networkx.DiGraph([(np.int64(4), np.uint8(7))])).vertex_names
    assert numpys is not None and numpys.tolist() == [4, 7]


def test_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"source": [0, 1, 2], "target": [1, 2, 0], "w": [1.0, 2.0, 3.0]})
    graph = gnd.Graph.from_pandas(frame, weight="w")
    assert arcs(graph) == [(0, 1), (1, 2), (2, 0)]
    assert graph.vertex_names is None and graph.weights is not None
    gaps = gnd.Graph.from_pandas(pandas.DataFrame({"a": [-5, 100], "b": [100, 7]}), "a", "b")
    assert gaps.vertex_names is not None
    assert gaps.vertex_names.tolist() == [-5, 7, 100]
    assert arcs(gaps) == [(0, 2), (2, 1)]
    text = gnd.Graph.from_pandas(pandas.DataFrame({"source": ["b", "a"], "target": ["a", "c"]}))
    assert text.vertex_names is not None
    assert text.vertex_names.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match='weight="x"'):
        gnd.Graph.from_pandas(frame, weight="x")
    with pytest.raises(ValueError, match=r"target\[1\] is missing"):
        gnd.Graph.from_pandas(pandas.DataFrame({"source": ["b", "a"], "target": ["a", None]}))
    with pytest.raises(TypeError, match=r"frame: .* dict"):
        gnd.Graph.from_pandas({"source": [0], "target": [1]})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"column 1 .'target'.* and column 2 .'target'. may each"):
        gnd.Graph.from_pandas(pandas.DataFrame([[0, 1, 2]], columns=["source", "target", "target"]))


def test_signed_and_unsigned_ids_together_are_exact() -> None:
    """numpy has them together as floats, for which 2^60 and 2^60 + 1 are one."""
    pandas = pytest.importorskip("pandas")
    ends = {"source": np.array([2**60 + 1], np.uint64), "target": np.array([2**60])}
    names = gnd.Graph.from_pandas(pandas.DataFrame(ends)).vertex_names
    assert names is not None and names.tolist() == [2**60, 2**60 + 1]
    for kind in (np.uint64, object):  # larger ones become text
        ends["source"] = np.array([2**63], kind)
        for graph in (gnd.Graph.from_pandas(pandas.DataFrame(ends)), gnd.Graph.from_edges(ends["source"], [2**60])):
            assert graph.vertex_names is not None and graph.vertex_names.tolist() == [str(2**60), str(2**63)]


def test_files(tmp_path: pathlib.Path) -> None:
    text = "# a comment\n0\t1\n1\t2\n2\t0\n"
    (tmp_path / "g.txt").write_text(text)
    with gzip.open(tmp_path / "g.txt.gz", "wt") as file:
        file.write(text)
    for name in ("g.txt", "g.txt.gz"):
        assert arcs(gnd.read(tmp_path / name)) == [(0, 1), (1, 2), (2, 0)]
        assert gnd.read(str(tmp_path / name), symmetric=True).num_edges == 6
    (tmp_path / "w.csv").write_text("source,target,weight\nx,y,2\ny,x,3\n")
    graph = gnd.read(tmp_path / "w.csv")
    assert graph.weights is not None and graph.vertex_names is not None
    assert (graph.weights.tolist(), graph.vertex_names.tolist()) == ([2, 3], ["x", "y"])
    assert gnd.read(tmp_path / "w.csv", weight=False).weights is None
    (tmp_path / "w.csv").write_text("source,target,weight\nx,y,\ny,x,3\n")
    with pytest.raises(gnd.FormatError, match=r"line 2.* the weight is not a number"):
        gnd.read(tmp_path / "w.csv")
    with pytest.raises(ValueError, match="path = ''"):
        gnd.read("")
    (tmp_path / "bad.txt").write_text("0 1\n1 2\n2 oops\n")
    with pytest.raises(gnd.FormatError, match="3"):
        gnd.read(tmp_path / "bad.txt")
    with pytest.raises(FileNotFoundError) as missing:
        gnd.read(tmp_path / "none.txt")
    assert missing.value.filename == str(tmp_path / "none.txt")
    with pytest.raises(FileNotFoundError):
        gnd.Graph.open(tmp_path / "a|b")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NotADirectoryError):
        gnd.Graph.open(tmp_path / "file" / "folder")
    (tmp_path / "latin.txt").write_bytes(b"a b\n\xe9\xff|2 b\n")
    with pytest.raises(gnd.FormatError, match=r"line 2.*not UTF-8"):
        gnd.read(tmp_path / "latin.txt")
    with pytest.raises(ValueError, match="format = 'xml'"):
        gnd.read(tmp_path / "g.txt", format="xml")


def test_parquet_and_npz(tmp_path: pathlib.Path) -> None:
    pandas, sparse = pytest.importorskip("pandas"), pytest.importorskip("scipy.sparse")
    pytest.importorskip("pyarrow")
    pandas.DataFrame({"src": [0, 1], "dst": [1, 0], "weight": [1.5, 2.5]}).to_parquet(tmp_path / "g.parquet")
    graph = gnd.read(tmp_path / "g.parquet")
    assert graph.weights is not None
    assert (arcs(graph), graph.weights.tolist()) == ([(0, 1), (1, 0)], [1.5, 2.5])
    assert gnd.read(tmp_path / "g.parquet", weight=False, symmetric=True).num_edges == 4
    sparse.save_npz(tmp_path / "g.npz", sparse.csr_array(np.array([[0, 2], [0, 3]])))
    assert arcs(gnd.read(tmp_path / "g.npz")) == [(0, 1), (1, 1)]
    assert gnd.read(tmp_path / "g.npz", symmetric=True).num_edges == 3
    for name in ("bad.npz", "bad.parquet"):
        (tmp_path / name).write_bytes(b"nonsense")
        with pytest.raises(gnd.FormatError, match=name):
            gnd.read(tmp_path / name)
    sparse.save_npz(tmp_path / "bad.npz", sparse.csr_array(np.ones((2, 3))))
    with pytest.raises(gnd.FormatError, match=r"bad\.npz: .*\(2, 3\)"):
        gnd.read(tmp_path / "bad.npz")
    pandas.DataFrame({"src": [0.0, None], "dst": [1, 0]}).to_parquet(tmp_path / "bad.parquet")
    with pytest.raises(gnd.FormatError, match=r"bad\.parquet: src\[1\] is missing"):
        gnd.read(tmp_path / "bad.parquet")
    damaged = bytearray((tmp_path / "g.parquet").read_bytes())
    damaged[4:60] = b"\xff" * 56  # the first page, which the table's end says nothing about
    (tmp_path / "bad.parquet").write_bytes(damaged)
    with pytest.raises(gnd.FormatError, match=r"bad\.parquet"):
        gnd.read(tmp_path / "bad.parquet")
    with pytest.raises(FileNotFoundError) as missing:
        gnd.read(tmp_path / "none.parquet")
    assert missing.value.filename == str(tmp_path / "none.parquet")


def test_full_disk(small_disk: pathlib.Path) -> None:
    before = gnd.Graph.from_edges([0], [1])
    before.save(small_disk / "g")
    with pytest.raises(OSError, match="g was not saved and is unchanged") as refusal:
        gnd.rmat(15, seed=1).save(small_disk / "g")
    assert refusal.value.errno == errno.ENOSPC
    assert os.listdir(small_disk) == ["g"]
    same(gnd.Graph.open(small_disk / "g"), before)


def test_rmat(tmp_path: pathlib.Path) -> None:
    graph = gnd.rmat(10, 8, weights=(1, 3), seed=4)
    same(graph, gnd.rmat(10, 8, weights=(1, 3), seed=4))
    same(graph, gnd.rmat(10, 8, weights=(1, 3), seed=4, folder=tmp_path / "rmat"))
    assert graph.num_vertices == 1024
    assert 6000 < graph.num_edges <= 2 * 8 * 1024
    assert graph.weights is not None
    assert 1 <= graph.weights.min() <= graph.weights.max() <= 3
    assert sorted(arcs(graph)) == sorted((v, u) for u, v in arcs(graph))
    assert gnd.rmat(10, 8, seed=5, symmetric=False).num_edges <= 8 * 1024


def test_real_data() -> None:
    votes = gnd.read(corpus.data("wiki-Vote.txt.gz"))
    assert (votes.num_vertices, votes.num_edges) == (7115, 103689)
    assert votes.vertex_names is not None
    web = gnd.read(corpus.data("cnr-2000.txt.gz"))
    assert (web.num_vertices, web.num_edges) == (325557, 3216152)
    assert int((web.degrees() == 0).sum()) == 78056


REFUSED: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"src": [0, -1], "dst": [0, 0]}, ValueError, r"src\[1\] = -1"),
    ({"src": [0, 1], "dst": [0, 1 << 40]}, ValueError, r"dst\[1\] = 1099511627776"),
    ({"src": [0, 1], "dst": [0, 5], "num_vertices": 3}, ValueError, r"dst\[1\] = 5"),
    ({"src": [0], "dst": [0, 1]}, ValueError, "dst has 2"),
    ({"src": [0.5], "dst": [1]}, TypeError, "src"),
    ({"src": ["a"], "dst": [1]}, TypeError, "src"),
    ({"src": None, "dst": [1]}, TypeError, "src: .* NoneType"),
    ({"src": [0], "dst": [1], "weights": [None]}, TypeError, r"weights\[0\] = None"),
    ({"src": [0], "dst": [1], "weights": np.ma.masked_equal([5], 5)}, ValueError, r"weights\[0\] is masked"),
    ({"src": [[0]], "dst": [1]}, ValueError, r"src.*\(1, 1\)"),
    ({"src": [0], "dst": [1], "weights": [-1.0]}, ValueError, r"weights\[0\] = -1"),
    ({"src": [0], "dst": [1], "weights": [float("nan")]}, ValueError, r"weights\[0\] = NaN"),
    ({"src": [0], "dst": [1], "weights": [float("inf")]}, ValueError, r"weights\[0\] = \+?Inf"),
    ({"src": [0], "dst": [1], "weights": [1.0, 2.0]}, ValueError, "weights has 2"),
    ({"src": [0], "dst": [1], "weights": ["a"]}, TypeError, "weights"),
    ({"src": [0], "dst": [1], "labels": [1 << 40]}, ValueError, r"labels\[0\]"),
    ({"src": [0], "dst": [1], "num_vertices": -1}, ValueError, "num_vertices = -1"),
    ({"src": [0], "dst": [1], "num_vertices": 2.0}, TypeError, "num_vertices = 2.0"),
    ({"src": [0], "dst": [1], "symmetric": 1}, TypeError, "symmetric = 1"),
    ({"indptr": [0, 2, 1], "indices": [0]}, ValueError, r"indptr\[2\] = 1|indptr\[1\] = 2"),
    ({"indptr": [0, 1], "indices": [0, 0]}, ValueError, r"indptr\[1\] = 1"),
    ({"indptr": [1, 1], "indices": [0]}, ValueError, r"indptr\[0\] = 1"),
    ({"indptr": [], "indices": []}, ValueError, "indptr"),
    ({"indptr": [0, 1], "indices": [1]}, ValueError, r"indices\[0\] = 1"),
    ({"indptr": [0, 1], "indices": [0], "edge_ids": [-1]}, ValueError, r"edge_ids\[0\] = -1"),
    ({"indptr": [0, 1], "indices": [0], "num_vertices": 0}, ValueError, "num_vertices = 0"),
]


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_refusals(case: int) -> None:
    arguments, kind, text = REFUSED[case]
    build = gnd.Graph.from_edges if "src" in arguments else gnd.Graph.from_csr
    with pytest.raises(kind, match=text) as refusal:
        build(**arguments)
    assert type(refusal.value) is kind


def test_a_graph_is_not_made_by_its_class() -> None:
    with pytest.raises(TypeError, match="from_edges"):
        gnd.Graph()


@pytest.mark.parametrize("vertex", [5, -1, 1 << 70])
def test_no_such_vertex(vertex: int) -> None:
    graph = corpus.directed()
    for call in (graph.neighbors, lambda v: graph.has_edge(v, 0), lambda v: graph.has_edge(0, v)):
        with pytest.raises(IndexError, match=f"= {vertex}: the graph has 5"):
            call(vertex)
