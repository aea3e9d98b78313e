"""Graphs of Parquet files, which are read twice, equal graphs of the whole table in memory."""

import errno
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import gonextdoor as gnd
from gonextdoor.graph import dataset, streaming

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def table_of(kind, edges=3000, vertices=200, seed=1):
    """A table of edges whose ids are of a kind, with every attribute."""
    rng = np.random.default_rng(seed)
    src, dst = rng.integers(0, vertices, (2, edges))
    src[:vertices] = np.arange(vertices)
    ids = {
        "dense": (src, dst),
        "narrow": (src.astype(np.int16), dst.astype(np.uint8)),
        "gaps": (src * 3 + 7, dst * 3 + 7),
        "sparse": (src * 10**12, dst * 10**12),
        "negative": (src - 100, dst - 100),
        "text": ([f"v{x}" for x in src], [f"v{x}" for x in dst]),
        "words": (pa.array([f"v{x}" for x in src]).dictionary_encode(), [f"v{x}" for x in dst]),
    }[kind]
    return pa.table(
        {
            "source": ids[0],
            "target": ids[1],
            "weight": rng.integers(0, 5, edges) * rng.random(edges, np.float32),
            "time": rng.integers(-(10**9), 10**9, edges),
            "label": rng.integers(0, 7, edges).astype(np.int16),
        }
    )


KINDS = ["dense", "narrow", "gaps", "sparse", "negative", "text", "words"]


def write_files(folder, table, bounds, row_group=500):
    """Writes a table as files a, b, ...; the bounds are the first rows of all but the first."""
    folder.mkdir(exist_ok=True)
    ends = [*bounds, table.num_rows]
    for name, first, end in zip("abcdefgh", [0, *bounds], ends, strict=False):
        pq.write_table(table.slice(first, end - first), folder / f"{name}.parquet", row_group_size=row_group)
    return folder


def same(got, want):
    assert (got.num_vertices, got.num_edges) == (want.num_vertices, want.num_edges)
    for name in ("indptr", "indices", "edge_ids", "weights", "times", "labels"):
        np.testing.assert_array_equal(getattr(got, name), getattr(want, name), name)
    names = (got.vertex_names, want.vertex_names)
    assert (names[0] is None) == (names[1] is None)
    assert names[0] is None or list(names[0]) == list(names[1])


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_files_are_one_table(tmp_path, kind, symmetric):
    table = table_of(kind)
    want = gnd.Graph.from_arrow(table, symmetric=symmetric)
    many = write_files(tmp_path / "many", table, [700, 701, 2200])
    one = write_files(tmp_path / "one", table, []) / "a.parquet"
    files = sorted(many.iterdir())
    for source in (one, many, str(many), str(many / "*.parquet"), files, [str(one)], (one,)):
        same(gnd.read(source, symmetric=symmetric), want)
    for name, source in (("x", one), ("y", many)):
        graph = gnd.read(source, symmetric=symmetric, folder=tmp_path / name)
        same(graph, want)
        assert sorted(os.listdir(tmp_path / name)) == sorted(os.listdir(_saved(want, tmp_path / f"{name}-saved")))
    sampled = gnd.sample(graph, gnd.apps.DeepWalk(length=5), seed=3).numpy()
    np.testing.assert_array_equal(sampled, gnd.sample(want, gnd.apps.DeepWalk(length=5), seed=3).numpy())


def _saved(graph, folder):
    graph.save(folder)
    return folder


def test_columns_are_chosen(tmp_path):
    table = table_of("dense").rename_columns(["who", "whom", "strength", "when", "sort"])
    folder = write_files(tmp_path / "t", table, [1000])
    chosen = {"source": "whom", "target": "who", "weight": "strength", "time": "when", "label": "sort"}
    graph = gnd.read(folder, **chosen)
    same(graph, gnd.Graph.from_arrow(table, **chosen))
    assert (
        graph.source
        == "t (2 files): columns whom -> who, weight 'strength', time 'when', label 'sort'; symmetric=False"
    )
    assert gnd.read(folder / "a.parquet", source=0, target=1).source.startswith("a.parquet: columns who -> whom")


def test_order_of_files(tmp_path):
    """A list keeps its order; a folder and a glob are sorted by path."""
    table = table_of("dense", 300)
    folder = write_files(tmp_path / "t", table, [100, 200])
    (folder / "_metadata.parquet").write_text("not read")
    (folder / ".hidden").mkdir()
    backwards = [folder / "c.parquet", folder / "b.parquet", folder / "a.parquet"]
    same(gnd.read(backwards), gnd.Graph.from_arrow(pa.concat_tables([table[200:], table[100:200], table[:100]])))
    deep = tmp_path / "deep"
    for name in ("z", "y"):
        (deep / name).mkdir(parents=True)
    pq.write_table(table[:100], deep / "y" / "9.parquet")
    pq.write_table(table[100:], deep / "z" / "0.parquet")
    for source in (deep, str(deep / "**" / "*.parquet")):
        same(gnd.read(source), gnd.Graph.from_arrow(table))


def test_empty_files(tmp_path):
    table = table_of("dense", 0, 0)
    pq.write_table(table, tmp_path / "e.parquet")
    graph = gnd.read(tmp_path / "e.parquet")
    assert (graph.num_vertices, graph.num_edges) == (0, 0)
    full = table_of("dense", 200)
    folder = write_files(tmp_path / "t", full, [0, 150])
    same(gnd.read(folder), gnd.Graph.from_arrow(full))


BAD_COLUMNS = [
    (2, "weight", [1.0] * 99 + [-1.0] + [1.0] * 200, r"weight\[99\] = -1: expected a finite number"),
    (2, "weight", [1.0] * 250 + [None] + [1.0] * 49, r"weight\[250\] is missing: expected numbers"),
    (0, "source", [0] * 200 + [None] * 100, r"source\[200\] is missing: expected integers or text"),
    (4, "label", [1 << 40] * 300, r"label\[0\] = 1099511627776"),
    (0, "source", ["a"] * 300, "source has text and target has integers"),
    (0, "source", [0.5] * 300, "source"),
]


@pytest.mark.parametrize(("at", "name", "values", "text"), BAD_COLUMNS)
def test_bad_values(tmp_path, at, name, values, text):
    table = table_of("dense", 300).set_column(at, name, pa.array(values))
    folder = write_files(tmp_path / "t", table, [90, 240], row_group=50)
    for given in ({}, {"folder": tmp_path / "out"}):
        with pytest.raises(gnd.FormatError, match=text) as caught:
            gnd.read(folder, **given)
        assert str(folder) in str(caught.value)
    assert not (tmp_path / "out").exists()


def unlike(table, columns):
    """The table with other columns, and the graphs that reading it in memory and by a folder should equal."""
    for at, (name, values) in columns.items():
        table = table.set_column(at, name, values)
    return table


@pytest.mark.parametrize("kind", ["large", "dates", "other dates", "whole", "two kinds"])
def test_columns_that_are_no_integers(tmp_path, kind):
    """Ids of 64 bits without a sign, dates, and users and items, which start in later files too."""
    table = table_of("dense", 300)
    columns = {
        "large": {0: ("source", pa.array([2**64 - 1 if i == 260 else i for i in range(300)], pa.uint64()))},
        "dates": {3: ("time", pa.array(np.arange(300) * 60, pa.timestamp("us", tz="Europe/Berlin")))},
        "other dates": {3: ("time", pa.array(np.arange(300) * 1000, pa.timestamp("ms")))},
        "whole": {3: ("time", pa.array(np.arange(300) * 36.0))},
        "two kinds": {0: ("user", table["source"]), 1: ("item", table["target"])},
    }[kind]
    table = unlike(table, columns)
    bipartite = {"bipartite": True} if kind == "two kinds" else {}
    wanted = gnd.Graph.from_arrow(table, **bipartite)
    folder = write_files(tmp_path / "t", table, [90, 240], row_group=50)
    graphs = [gnd.read(folder, **bipartite), gnd.read(folder, folder=tmp_path / "out", **bipartite)]
    for graph in graphs:
        same(graph, wanted)
        assert graph.time_unit == wanted.time_unit == {"dates": "us", "other dates": "ms"}.get(kind)
    if kind == "two kinds":
        with pytest.warns(gnd.InputWarning, match="bipartite=False makes them one"):
            same(gnd.read(folder), wanted)
    if "dates" in kind:
        gnd.partition.convert(folder, tmp_path / "parts", parts=2)
        gnd.partition.write(wanted, tmp_path / "written", parts=2)
        for parts in ("parts", "written"):
            assert gnd.partition.open(tmp_path / parts).time_unit == wanted.time_unit


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (pa.array([None if i == 250 else i for i in range(300)], pa.timestamp("us")), r"time\[250\] is missing"),
        (pa.array([0.5 if i == 250 else float(i) for i in range(300)]), r"time\[250\] = 0.5: expected a whole number"),
    ],
)
def test_bad_times(tmp_path, values, text):
    folder = write_files(tmp_path / "t", unlike(table_of("dense", 300), {3: ("time", values)}), [90, 240], row_group=50)
    for given in ({}, {"folder": tmp_path / "out"}):
        with pytest.raises(gnd.FormatError, match=text):
            gnd.read(folder, **given)
    assert not (tmp_path / "out").exists()


def test_bad_files(tmp_path):
    table = table_of("dense", 300)
    folder = write_files(tmp_path / "t", table, [100])
    pq.write_table(table.drop_columns(["label"]), folder / "c.parquet")
    with pytest.raises(
        gnd.FormatError, match=r"c\.parquet: columns source int64, .*; expected those of .*a\.parquet: .*label int16"
    ):
        gnd.read(folder)
    (folder / "c.parquet").write_bytes(b"PAR1 not really")
    with pytest.raises(gnd.FormatError, match=r"c\.parquet"):
        gnd.read(folder)
    text = (folder / "b.parquet").read_bytes()
    (folder / "c.parquet").write_bytes(text[:40] + bytes(200) + text[240:])  # damaged pages under a valid footer
    with pytest.raises(gnd.FormatError, match=r"c\.parquet"):
        gnd.read(folder)
    with pytest.raises(FileNotFoundError, match=r"no\.parquet"):
        gnd.read(tmp_path / "no.parquet")
    with pytest.raises(gnd.FormatError, match="no Parquet files"):
        gnd.read(str(tmp_path / "*.parquet"))
    with pytest.raises(FileNotFoundError):
        gnd.read([folder / "a.parquet", folder / "z.parquet"])
    with pytest.raises(ValueError, match="expected a list of Parquet files"):
        gnd.read(["edges.txt"])
    with pytest.raises(ValueError, match="expected a list of Parquet files"):
        gnd.read([])
    with pytest.raises(ValueError, match="only Parquet is written to a folder while it is read"):
        gnd.read(tmp_path / "edges.txt", folder=tmp_path / "out")
    with pytest.raises(ValueError, match="has no header line"):
        gnd.read(folder / "a.parquet", header=True)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "x.txt").write_text("x")
    with pytest.raises(ValueError, match=r"contains \"x.txt\""):
        gnd.read(folder / "a.parquet", folder=tmp_path / "mine")


@pytest.mark.parametrize("kind", ["dense", "sparse", "text"])
def test_files_that_change_between_the_passes(tmp_path, kind, monkeypatch):
    folder = write_files(tmp_path / "t", table_of(kind, 300), [100])
    place = streaming.EdgeStream._place

    def changed(self):
        pq.write_table(table_of(kind, 300, 250, seed=9).slice(0, 100), folder / "a.parquet")
        place(self)

    monkeypatch.setattr(streaming.EdgeStream, "_place", changed)
    for given in ({}, {"folder": tmp_path / "out"}):
        with pytest.raises(gnd.FormatError, match="the edges changed between"):
            gnd.read(folder, **given)
        write_files(tmp_path / "t", table_of(kind, 300), [100])
    assert sorted(os.listdir(tmp_path)) == ["t"]


def test_uris(tmp_path):
    fsspec = pytest.importorskip("fsspec")
    table = table_of("gaps", 900)
    folder = write_files(tmp_path / "t", table, [300, 600])
    memory = fsspec.filesystem("memory")
    for path in folder.iterdir():
        memory.pipe(f"/edges/{path.name}", path.read_bytes())
    memory.pipe("/edges/_SUCCESS.parquet", b"")
    want = gnd.Graph.from_arrow(table)
    for source in (f"file://{folder}", "memory://edges", [f"memory://edges/{name}.parquet" for name in "abc"]):
        same(gnd.read(source, format="parquet"), want)
    same(gnd.read("memory://edges/a.parquet"), gnd.Graph.from_arrow(table[:300]))
    with pytest.raises(FileNotFoundError, match="nowhere"):
        gnd.read("memory://nowhere/a.parquet")
    with pytest.raises(ValueError, match=r"Only Parquet, and the folders of graphs, .* URI"):
        gnd.read("https://example.org/edges.txt")
    with pytest.raises(ValueError, match="ftq://"):
        gnd.read("ftq://host/edges.parquet")
    memory.rm("/edges", recursive=True)


def test_storage_that_fails(tmp_path, monkeypatch):
    """Every n-th read of the storage fails: the read ends with an error that names the file, and no folder is left."""
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    folder = write_files(tmp_path / "t", table_of("dense", 900), [300, 600], row_group=100)
    for path in folder.iterdir():
        memory.pipe(f"/flaky/{path.name}", path.read_bytes())
    kind, reads = type(memory.open("/flaky/a.parquet")), [0]
    read = kind.read
    for n in (3, 20, 61):
        reads[0] = 0

        def failing(self, *size, n=n):
            reads[0] += 1
            if reads[0] % n == 0:
                raise OSError(errno.EIO, "the connection was lost")
            return read(self, *size)

        monkeypatch.setattr(kind, "read", failing)
        with pytest.raises(OSError, match="connection was lost") as caught:
            gnd.read("memory://flaky", format="parquet", folder=tmp_path / "out")
        assert "flaky/" in str(caught.value)
        assert not (tmp_path / "out").exists()
        monkeypatch.setattr(kind, "read", read)
    memory.rm("/flaky", recursive=True)


def run(code, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)], capture_output=True, text=True
    )
    return done.returncode, done.stdout, done.stderr


LIMITED = """
    import resource, sys
    import pyarrow, pyarrow.parquet
    pyarrow.set_cpu_count(1); pyarrow.set_io_thread_count(1)
    import gonextdoor as gnd
    gnd.read(sys.argv[4])  # all libraries have their arenas
    size = next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith("VmSize"))
    resource.setrlimit(resource.RLIMIT_AS, (size + int(sys.argv[3]),) * 2)
    """


@pytest.mark.slow
def test_memory_is_bounded_by_a_part(tmp_path):
    """Under a limit on memory below the size of the graph, folders and parts are written; the graph cannot be read."""
    edges, groups = 6_000_000, []
    rng = np.random.default_rng(3)
    small = write_files(tmp_path / "small", table_of("dense", 3000), []) / "a.parquet"
    schema = pa.schema([("source", pa.int32()), ("target", pa.int32()), ("time", pa.int64())])
    with pq.ParquetWriter(tmp_path / "large.parquet", schema) as writer:
        for first in range(0, edges, 200_000):
            src, dst = rng.integers(0, 50_000, (2, 200_000), dtype=np.int32)
            groups.append(pa.table([src, dst, np.arange(first, first + 200_000)], schema=schema))
            writer.write_table(groups[-1])
    graph_bytes = 2 * edges * (4 + 4 + 8)  # 183 MiB
    limit = 2 * graph_bytes // 3
    read = LIMITED + "gnd.read(sys.argv[1], symmetric=True)\n"
    code, _, error = run(read, tmp_path / "large.parquet", "", limit, small)
    assert code != 0 and "MemoryError" in error
    parts = LIMITED + "gnd.partition.convert(sys.argv[1], sys.argv[2], parts=8, symmetric=True)\n"
    code, _, error = run(parts, tmp_path / "large.parquet", tmp_path / "parts", limit, small)
    assert code == 0, error
    whole = LIMITED + "gnd.read(sys.argv[1], folder=sys.argv[2], symmetric=True)\n"
    code, _, error = run(whole, tmp_path / "large.parquet", tmp_path / "whole", limit, small)
    assert code != 0 and "could not reserve" in error  # the folder is written; mapping it needs addresses
    want = gnd.read(tmp_path / "large.parquet", symmetric=True)
    same(gnd.Graph.open(tmp_path / "whole"), want)
    gnd.partition.write(want, tmp_path / "same", parts=8)
    assert (tmp_path / "parts" / "partition.json").read_text() == (tmp_path / "same" / "partition.json").read_text()


def test_blocks_are_small():
    """A block is converted at a time, so that a row group is the largest piece in memory."""
    assert dataset.BLOCK <= 1 << 18


def test_nothing_is_left_in_the_core(tmp_path):
    from gonextdoor._core import native

    folder = write_files(tmp_path / "t", table_of("dense", 300), [100])
    before = native.call("Living", 3)
    for _ in range(3):
        gnd.read(folder, folder=tmp_path / "out")
        with pytest.raises(gnd.FormatError):
            gnd.read(folder, source="weight", target="time")
    assert native.call("Living", 3) <= before
