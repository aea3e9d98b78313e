"""Ranges: the rows of any division of a run are those of one call, and files are written once and completely."""

import hashlib
import itertools
import json
import os
import pickle

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from gonextdoor.ranges import MiniBatches, PageRank, Ranges

import gonextdoor as gnd
from gonextdoor import apps

CASES = {
    "every vertex": (apps.DeepWalk(4), None, 1),
    "repeats": (apps.DeepWalk(4), None, 3),
    "random roots": (apps.DeepWalk(4), 50, 7),
    "more repeats than a range": (apps.PPR(0.2), [3, 4, 5], 400),
    "node2vec": (apps.Node2Vec(p=0.5, q=2, length=6), [9, 8, 7, 7], 30),
    "trees": (apps.KHop([3, 2]), None, 1),
    "trees of several roots": (apps.KHop([3, 2]), [[1, 2], [3, 4]], 50),
    "pools": (apps.MultiDimensionalWalk(4, dimension=3), 90, 2),
    "layers": (apps.FastGCN(sizes=[3, 4]), 9, 3),
    "own vertices": (apps.RandomNode(n=20), 9, 2),
    "snowball": (apps.Snowball(2), [1, 2, 3], 5),
}


def rows_of(samples):
    """Samples as lists, with None for a missing vertex."""
    if samples.ragged:
        return [row.tolist() for row in samples]
    return [[None if v < 0 else v for v in row] for row in samples.numpy().tolist()]


def column(table):
    return table["walk" if "walk" in table.column_names else "vertices"].to_pylist()


@pytest.mark.parametrize("name", CASES)
def test_rows_are_those_of_one_call(name, graph, uri):
    app, roots, repeat = CASES[name]
    run = Ranges(uri, app, roots, repeat=repeat, seed=5, range_bytes=3000)
    assert len(run) > 1
    run = pickle.loads(pickle.dumps(run))
    table = pa.concat_tables([run.table(ids) for ids in run])
    assert column(table) == rows_of(gnd.sample(graph, app, roots, repeat=repeat, seed=5))
    assert table["id"].to_pylist() == list(range(run.rows))
    # A range that begins and ends within the repeats of a root.
    odd = range(2, min(run.rows, 2 * repeat + 1))
    assert run.table(odd).combine_chunks().equals(table.slice(2, len(odd)).combine_chunks())


def edges_of(samples):
    """The edges of samples as lists, with None if no edge led to a vertex."""
    roots = samples.roots.shape[1]
    rows = [samples.edge_values[lo + roots : hi] for lo, hi in itertools.pairwise(samples.offsets.tolist())]
    return [[None if e < 0 else e for e in row.tolist()] for row in rows]


EDGE_CASES = ("repeats", "more repeats than a range", "node2vec", "trees", "trees of several roots", "pools")
EDGE_APPS = {name: CASES[name] for name in EDGE_CASES} | {
    "jumps": (apps.Jump(6, 0.4), None, 2),
    "fires": (apps.ForestFire(0.4, depth=2), [1, 2, 3], 90),
}


@pytest.mark.parametrize("name", EDGE_APPS)
def test_recorded_edges_are_those_of_one_call(name, graph, uri, tmp_path):
    app, roots, repeat = EDGE_APPS[name]
    given = {"repeat": repeat, "seed": 5, "edges": True}
    samples = gnd.sample(graph, app, roots, **given)
    run = pickle.loads(pickle.dumps(Ranges(uri, app, roots, range_bytes=5000, **given)))
    assert len(run) > 1
    table = pa.concat_tables([run.table(ids) for ids in run])
    assert table["edges"].to_pylist() == edges_of(samples) and column(table) == rows_of(samples)
    if name == "pools":
        return  # of the whole graph
    gnd.partition.write(graph, tmp_path / "parts", parts=3, by="hash")
    parts = Ranges(tmp_path / "parts", app, roots, **given)
    odd = range(1, min(parts.rows, 2 * repeat + 1))
    assert parts.table(odd).combine_chunks().equals(table.slice(1, len(odd)).combine_chunks())


@pytest.mark.parametrize("app", [apps.DeepWalk(80), apps.PPR(0.2)])
def test_recorded_edges_count_as_bytes(app, uri):
    one, other = (Ranges(uri, app, seed=1, range_bytes=9000, edges=edges) for edges in (False, True))
    assert 2 * one.range_rows / 9 < other.range_rows < one.range_rows / 2


def test_recorded_edges_are_not_copied(graph):
    from gonextdoor.ranges import tables

    samples = gnd.sample(graph, apps.DeepWalk(80), seed=1, edges=True)
    column = tables.of_samples(samples, range(len(samples)))["edges"].chunk(0)
    assert str(column.type) == "fixed_size_list<item: int64>[80]"
    assert column.values.buffers()[1].address == samples.edges.__array_interface__["data"][0]


@pytest.mark.parametrize("app", [apps.DeepWalk(8), apps.PPR(0.2), apps.KHop([3, 2])])
def test_recorded_edges_of_a_gpu(gpu, app, uri):
    """The GPU is the emulated one, unless GONEXTDOOR_TEST_DEVICE=cuda."""
    on, off = (Ranges(uri, app, range(40), seed=1, edges=True, device=device) for device in ("cuda", "cpu"))
    assert on.table(range(40)).equals(off.table(range(40)))


def test_runs_with_and_without_edges_differ(uri, tmp_path):
    from gonextdoor.ranges import files
    from gonextdoor.storage.location import located

    one, other = (Ranges(uri, apps.DeepWalk(4), seed=1, edges=edges) for edges in (False, True))
    files.begin(located("path", tmp_path / "out"), one.facts(), one.schema, False)
    with pytest.raises(ValueError, match="with edges = False instead of True"):
        files.begin(located("path", tmp_path / "out"), other.facts(), other.schema, True)


def test_layered_rows_have_the_recorded_edges(graph, uri):
    app = apps.FastGCN(sizes=[3, 4])
    samples = gnd.sample(graph, app, 9, seed=5)
    table = Ranges(uri, app, 9, seed=5).table(range(9))
    for i in range(9):
        part, row = samples.subgraph(i), {name: table[name][i].as_py() for name in table.column_names}
        assert row["sources"] == part.src.tolist() and row["targets"] == part.dst.tolist()
        assert row["link_values"] == part.values.tolist()
        assert [-1 if e is None else e for e in row["link_edges"]] == part.edge_ids.tolist()
        at = slice(int(samples.offsets[i]), int(samples.offsets[i + 1]))
        assert [-1 if p is None else p for p in row["parents"]] == samples.parents[at].tolist()
        assert [row["steps"].count(step) for step in range(3)] == [
            len(s[i][s[i] >= 0]) for s in [samples.roots, *samples.steps]
        ]


@pytest.mark.parametrize("app", [apps.DeepWalk(80), apps.PPR(0.2), apps.KHop([3, 2])])
def test_vertices_are_not_copied(app, graph, monkeypatch):
    """Vertices of the table are in the memory of the samples."""
    from gonextdoor.ranges import tables

    samples = gnd.sample(graph, app, seed=1)
    table = tables.of_samples(samples, range(len(samples)))
    lists = table[2].chunk(0)
    assert lists.values.buffers()[1].address == samples.values.__array_interface__["data"][0]
    assert lists.values.type == pa.uint32()
    kept = table[2].to_pylist()
    del samples, lists
    gnd.sample(graph, app, seed=2)  # may take the memory of samples that were freed
    assert table[2].to_pylist() == kept


def test_types_of_columns(uri):
    def types(app, roots=None):
        return [str(t) for t in Ranges(uri, app, roots, seed=1).table(range(0, 1)).schema.types]

    assert types(apps.DeepWalk(4)) == ["int64", "uint32", "fixed_size_list<item: uint32>[5]"]
    assert types(apps.PPR(0.2)) == ["int64", "uint32", "list<item: uint32>"]
    assert types(PageRank(walks=10)) == ["int64", "list<item: uint32>", "list<item: double>"]


def test_mini_batches_are_those_of_the_loader(graph, uri):
    kind = MiniBatches([3, 2], batch_size=50, shuffle=True, share=2, options={"direction": "in"})
    nodes = np.arange(5, 250)
    run = Ranges(uri, kind, nodes, repeat=3, seed=9, range_bytes=20_000)
    assert run.rows == 15 and len(run) > 2
    table = pa.concat_tables([run.table(ids) for ids in run])
    loader = gnd.loader(graph, [3, 2], nodes, 50, shuffle=True, share=2, direction="in", seed=9)
    batches = [batch for _ in range(3) for batch in loader]
    assert len(batches) == table.num_rows
    for i, batch in enumerate(batches):
        parts = batch.split(batch.arena)
        row = {name: table[name][i].as_py() for name in table.column_names}
        assert row["nodes"] == parts.nodes[0].tolist() and row["edges"] == parts.edges[0].tolist()
        assert row["row"] == parts.row[0].tolist() and row["col"] == parts.col[0].tolist()
        assert row["num_nodes"] == batch.num_nodes[0] and row["num_edges"] == batch.num_edges[0]


def test_pagerank_rows_are_those_of_one_call(graph, uri):
    run = Ranges(uri, PageRank(walks=200, top_k=5), np.arange(40), seed=3, range_bytes=500)
    table = pa.concat_tables([run.table(ids) for ids in run])
    scores = gnd.personalized_pagerank(graph, np.arange(40), walks=200, top_k=5, seed=3)
    assert len(run) > 1
    assert [(v, s) for v, s in zip(table["vertices"].to_pylist(), table["scores"].to_pylist(), strict=True)] == [
        (v.tolist(), s.tolist()) for v, s in scores
    ]


def test_an_app_of_a_user_and_names(tmp_path):
    def bias(ctx, edge, dst):
        return dst + 1

    graph = gnd.Graph.from_edges([("a", "b"), ("b", "c"), ("a", "c"), ("c", "a")])
    graph.save(tmp_path / "named")
    app = gnd.App(edge_bias=bias, steps=4)
    run = pickle.loads(pickle.dumps(Ranges(tmp_path / "named", app, ["b", "a"], repeat=3, seed=1)))
    assert column(run.table(range(1, 6))) == rows_of(gnd.sample(graph, app, ["b", "a"], repeat=3, seed=1))[1:]
    facts = run.facts()
    assert len(facts["hook edge_bias"]) == 64 and json.dumps(facts)

    def bias(ctx, edge, dst):  # the same name and another text
        return dst + 2

    assert (
        Ranges(tmp_path / "named", gnd.App(edge_bias=bias, steps=4), seed=1).facts()["hook edge_bias"]
        != facts["hook edge_bias"]
    )


def test_sizes_follow_range_bytes(uri):
    small, large = (Ranges(uri, apps.DeepWalk(80), repeat=4, seed=1, range_bytes=size) for size in (10_000, 100_000))
    assert len(small) > 5 * len(large) > 5
    for run in (small, large):
        assert [i for ids in run for i in ids] == list(range(run.rows))
        assert all(ids.start % 4 == 0 for ids in run)
        assert run[-1] == list(run)[-1] and run[1:3] == list(run)[1:3]
    with pytest.raises(IndexError):
        small[len(small)]


def test_a_run_without_rows(uri):
    run = Ranges(uri, apps.DeepWalk(4), roots=[], seed=1)
    assert len(run) == 0 and run.table(range(0)).num_rows == 0 and run.missing("nowhere") == []


def digests(folder):
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in sorted(os.listdir(folder))}


def test_files_have_the_same_bytes_and_are_written_once(graph, uri, tmp_path):
    run = Ranges(uri, apps.Node2Vec(p=0.5, q=2, length=6), repeat=2, seed=1, range_bytes=3000)
    for ids in run:
        assert run.write(ids, tmp_path / "one") == os.path.getsize(tmp_path / "one" / f"{ids.start:020d}.parquet")
    assert run.missing(tmp_path / "one") == []
    again = Ranges(uri, run.app, repeat=2, seed=1, range_bytes=3000, threads=1)
    for ids in reversed(again):
        again.write(ids, tmp_path / "two")
    assert digests(tmp_path / "one") == digests(tmp_path / "two")
    table = pq.read_table(tmp_path / "one").sort_by("id")
    assert column(table) == rows_of(gnd.sample(graph, run.app, repeat=2, seed=1))
    os.remove(tmp_path / "one" / f"{run[2].start:020d}.parquet")
    assert run.missing(tmp_path / "one") == [run[2]]


def test_a_failed_write_leaves_no_file(uri, tmp_path, monkeypatch):
    run = Ranges(uri, apps.DeepWalk(4), seed=1)

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        run.write(run[0], tmp_path / "out")
    assert os.listdir(tmp_path / "out") == []


def refused(kind, text, *args, **kwargs):
    with pytest.raises(kind, match=text):
        Ranges(*args, **kwargs)


def test_refusals(uri, tmp_path, graph):
    refused(
        FileNotFoundError,
        r"nowhere/graph.json: there is no such file; expected the folder of a graph",
        tmp_path / "nowhere",
        apps.DeepWalk(4),
    )
    refused(TypeError, r"uri = 5: expected a path or a URI", 5, apps.DeepWalk(4))
    refused(ValueError, r"uri = 'nothing://x': neither pyarrow nor fsspec opens it", "nothing://x", apps.DeepWalk(4))
    refused(TypeError, r"app: expected one of gonextdoor.apps", uri, "DeepWalk")
    refused(TypeError, r"pass gonextdoor.ranges.MiniBatches", uri, gnd.NeighborSampler(graph, [2]))
    refused(ValueError, r"repeat = 0: expected from 1", uri, apps.DeepWalk(4), repeat=0)
    refused(ValueError, r"range_bytes = 0", uri, apps.DeepWalk(4), range_bytes=0)
    refused(ValueError, r"roots = -1", uri, apps.DeepWalk(4), -1)
    refused(ValueError, r"roots: expected shape \(n,\) or \(n, r\), got \(1, 1, 1\)", uri, apps.DeepWalk(4), [[[1]]])
    refused(TypeError, r"roots: expected an array of ints", uri, apps.DeepWalk(4), [1.5])
    refused(ValueError, r"chooses its own vertices", uri, apps.RandomNode(n=2), [1, 2])
    refused(ValueError, r"repeat = 2: PageRank has one row per root", uri, PageRank(), repeat=2)
    refused(ValueError, r"input nodes of mini-batches", uri, MiniBatches([2]), 5)
    refused(ValueError, r"rows \(roots x repeat\): expected at most", uri, apps.DeepWalk(4), 1 << 40, repeat=1 << 40)
    refused(TypeError, r"device", uri, apps.DeepWalk(4), device=3)
    refused(TypeError, r"edges = 1: expected True or False", uri, apps.DeepWalk(4), edges=1)
    refused(ValueError, r"edges = True: does not apply to PageRank; leave it out$", uri, PageRank(), edges=True)
    refused(ValueError, "to MiniBatches; leave it out, since its rows always have", uri, MiniBatches([2]), edges=True)
    with pytest.raises(ValueError, match="options: 'disjoint' does not apply"):
        MiniBatches([2], options={"disjoint": True})
    with pytest.raises(ValueError, match="batch_size = 0"):
        MiniBatches([2], batch_size=0)
    with pytest.raises(TypeError, match="num_neighbors = 3"):
        MiniBatches(3)


def test_ranges_of_another_run_are_refused(uri):
    run = Ranges(uri, apps.DeepWalk(4), seed=1)
    for ids in (range(0, 300), range(-1, 3)):
        with pytest.raises(ValueError, match=r"expected a part of range\(0, 256\)"):
            run.table(ids)
    for ids in (range(0, 10, 2), 3, [1, 2]):
        with pytest.raises(TypeError, match="expected a range of consecutive ids"):
            run.table(ids)


def test_a_process_with_another_version_refuses(uri, monkeypatch):
    run = Ranges(uri, apps.DeepWalk(4), seed=1)
    monkeypatch.setattr("gonextdoor.ranges.ranges.__version__", "9.9.9")
    with pytest.raises(
        RuntimeError, match=r"this process has gonextdoor 9.9.9, but the run was made by \d.*install the same"
    ):
        run.table(run[0])


def test_a_machine_with_another_graph_refuses(tmp_path):
    gnd.rmat(6, seed=1).save(tmp_path / "graph")
    run = Ranges(tmp_path / "graph", apps.DeepWalk(4), seed=1)
    for name in os.listdir(tmp_path / "graph"):
        os.remove(tmp_path / "graph" / name)
    os.rmdir(tmp_path / "graph")
    gnd.rmat(6, seed=2).save(tmp_path / "graph")
    with pytest.raises(gnd.FormatError, match="is another one than that of the run"):
        run.table(run[0])


def test_pyarrow_is_named_if_it_is_missing(uri, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.fs", None)
    with pytest.raises(ImportError, match=r"pip install 'gonextdoor\[arrow\]'"):
        Ranges(uri, apps.DeepWalk(4))


@pytest.mark.parametrize("roots", [None, 60, [3, 4, 200, 4]], ids=["every vertex", "random", "given"])
def test_a_partitioned_graph_has_the_same_rows(roots, graph, uri, tmp_path):
    gnd.partition.write(graph, tmp_path / "parts", parts=3, by="hash")
    app = apps.Node2Vec(p=0.5, q=2, length=6)
    given = {"roots": roots, "repeat": 30, "seed": 4}
    whole, parts = Ranges(uri, app, **given), Ranges(tmp_path / "parts", app, range_bytes=3000, **given)
    assert parts.parts == 3 and whole.parts == 0 and len(parts) > 1
    table = pa.concat_tables([parts.table(ids) for ids in parts]).combine_chunks()
    assert table.equals(whole.table(range(whole.rows)).combine_chunks())
    odd = range(7, 95)  # begins and ends within the repeats of a root
    assert parts.table(odd).combine_chunks().equals(table.slice(7, 88).combine_chunks())


def test_roots_of_a_partitioned_graph_by_name(tmp_path):
    (tmp_path / "e.csv").write_text("source,target\nb,a\na,c\nc,b\n")
    graph = gnd.read(tmp_path / "e.csv")
    graph.save(tmp_path / "graph")
    gnd.partition.write(graph, tmp_path / "parts", parts=2)
    whole, divided = (Ranges(tmp_path / name, apps.DeepWalk(4), ["c", "b"], seed=1) for name in ("graph", "parts"))
    assert divided.table(range(2)).equals(whole.table(range(2)))


def test_mini_batches_of_a_partitioned_graph_are_those_of_the_graph(graph, uri, tmp_path):
    gnd.partition.write(graph, tmp_path / "parts", parts=3, by="hash")
    kind = MiniBatches([3, 2], batch_size=50, shuffle=True, options={"method": "labor"})
    whole, parts = (Ranges(folder, kind, repeat=2, seed=9) for folder in (uri, tmp_path / "parts"))
    assert parts.table(range(3, 9)).equals(whole.table(range(3, 9)))
    with gnd.partition.InProcess(gnd.partition.open(tmp_path / "parts")) as transport:
        assert parts.table(range(2), transport=transport).equals(whole.table(range(2)))
    with pytest.raises(ValueError, match="device = 'cuda': a partitioned graph is sampled on CPUs"):
        Ranges(tmp_path / "parts", kind, seed=9, device="cuda")


@pytest.mark.parametrize(
    ("app", "roots", "repeat"),
    [
        (apps.KHop([3, 2]), None, 2),
        (apps.KHop([3, 2]), [[1, 2], [3, 4]], 50),
        (apps.Neighbor([3, 2]), 40, 5),
        (apps.ForestFire(0.4, depth=2), None, 1),
        (MiniBatches([3, 2], batch_size=50, shuffle=True, share=2), np.arange(5, 250), 3),
    ],
    ids=["KHop", "KHop of several roots", "Neighbor", "ForestFire", "mini-batches"],
)
def test_trees_and_mini_batches_of_a_partitioned_graph(app, roots, repeat, graph, uri, tmp_path):
    gnd.partition.write(graph, tmp_path / "parts", parts=3, by="hash", hot=0.1)
    given = {"roots": roots, "repeat": repeat, "seed": 4}
    whole, parts = Ranges(uri, app, **given), Ranges(tmp_path / "parts", app, range_bytes=8000, **given)
    assert parts.at_home and not whole.at_home and len(parts) > 1
    table = pa.concat_tables([parts.table(ids) for ids in parts]).combine_chunks()
    assert table.equals(whole.table(range(whole.rows)).combine_chunks())


def test_rows_that_need_a_whole_graph(graph, tmp_path):
    gnd.partition.write(graph, tmp_path / "parts", parts=2)
    for app, text in (
        (PageRank(walks=10), "app: PageRank needs a whole graph, but the folder has a partitioned one"),
        (apps.FastGCN(sizes=[3]), "app = FastGCN"),
        (apps.LADIES([4]), "app = LADIES"),
        (apps.Snowball(2), "app = Snowball"),
        (apps.RandomEdge(5), "app = RandomEdge"),
    ):
        with pytest.raises(ValueError, match=text):  # before any part is opened
            Ranges(tmp_path / "parts", app, 3, seed=1)
    run = Ranges(tmp_path / "parts", MiniBatches([2], options={"direction": "in"}), seed=1)
    with pytest.raises(ValueError, match="direction = 'in': is not supported on a partitioned graph"):
        run.table(range(1))
    with pytest.raises(ValueError, match="device = 'cuda': a partitioned graph is sampled on CPUs"):
        Ranges(tmp_path / "parts", apps.DeepWalk(4), seed=1, device="cuda")
