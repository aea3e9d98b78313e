"""Samples for other tools, and files that are complete or not there."""

import gzip
import os
import stat
import sys
from itertools import pairwise

import corpus
import numpy as np
import pytest
from gonextdoor._core import atomic
from gonextdoor.samples import export

import gonextdoor as gnd

pandas = pytest.importorskip("pandas")
parquet = pytest.importorskip("pyarrow.parquet")

NAMES = ["z", "ada", "grace", "édith", "x9"]


@pytest.fixture
def graph():
    return gnd.rmat(7, 3, seed=1)


@pytest.fixture
def named(tmp_path):
    """A path of vertices with names."""
    file = tmp_path / "edges.csv"
    file.write_text("source,target\n" + "".join(f"{a},{b}\n" for a, b in pairwise(NAMES)))
    return gnd.read(file)


def directed():
    """A graph with sinks, so that walks end early."""
    return corpus.graph(200, 600, symmetric=False)


APPS = pytest.mark.parametrize("app", corpus.APPS, ids=corpus.names)


def take(app, graph=None, **options):
    """Samples with the roots that the app takes."""
    return gnd.sample(directed() if graph is None else graph, app, corpus.many(app), **options)


def expected(samples):
    """Rows without missing vertices, the slow way."""
    return [[str(v) for v in row if v >= 0] for row in samples.numpy().tolist()]


@APPS
def test_sentences(app):
    samples = take(app, repeat=3, seed=1)
    sentences = samples.sentences()
    assert len(sentences) == len(samples)
    assert list(sentences) == expected(samples)
    assert list(sentences) == list(sentences), "every pass is the same"


def test_sentences_in_several_pieces(monkeypatch):
    samples = gnd.sample(directed(), gnd.apps.PPR(0.3), repeat=3, seed=1)
    monkeypatch.setattr(export, "CHUNK", 50)
    assert len(list(export.spans(samples))) > 10
    assert list(samples.sentences()) == expected(samples)


def test_sentences_have_original_names(named):
    sentences = list(gnd.sample(named, gnd.apps.DeepWalk(5), seed=1).sentences())
    assert sorted(sentence[0] for sentence in sentences) == sorted(NAMES)
    assert max(sentences, key=len) == NAMES


def test_gensim_trains_on_sentences(graph):
    gensim = pytest.importorskip("gensim")
    samples = gnd.sample(graph, gnd.apps.DeepWalk(10), seed=1)
    model = gensim.models.Word2Vec(sentences=samples.sentences(), vector_size=4, epochs=2, min_count=1, workers=1)
    assert len(model.wv) == graph.num_vertices


@APPS
def test_linesentence(app, tmp_path):
    samples = take(app, seed=1)
    samples.to_linesentence(tmp_path / "walks.txt")
    assert [line.split() for line in (tmp_path / "walks.txt").read_text().splitlines()] == expected(samples)


@pytest.mark.parametrize("name", ["walks.txt.gz", "walks.txt.zst"])
def test_compressed_linesentence(name, tmp_path):
    samples = take(gnd.apps.PPR(0.3), seed=1)
    samples.to_linesentence(tmp_path / name)
    raw = (tmp_path / name).read_bytes()
    if name.endswith(".gz"):
        raw = gzip.decompress(raw)
    elif name.endswith(".zst"):
        raw = pytest.importorskip("zstandard").ZstdDecompressor().decompressobj().decompress(raw)
    assert [line.split() for line in raw.decode().splitlines()] == expected(samples)
    assert os.listdir(tmp_path) == [name]


def test_same_samples_same_bytes(graph, tmp_path):
    for name in ("a.txt.gz", "b.txt.gz"):
        gnd.sample(graph, gnd.apps.DeepWalk(5), seed=1).to_linesentence(tmp_path / name)
    assert (tmp_path / "a.txt.gz").read_bytes() == (tmp_path / "b.txt.gz").read_bytes()


def test_names_that_are_no_words_are_refused(tmp_path):
    edges = tmp_path / "edges.csv"
    edges.write_text('source,target\n"New York",Rome\n')
    samples = gnd.sample(gnd.read(edges), gnd.apps.DeepWalk(1), seed=1)
    with pytest.raises(ValueError, match=r"New York.*white space"):
        samples.to_linesentence(tmp_path / "walks.txt")
    assert not (tmp_path / "walks.txt").exists()
    samples.to_parquet(tmp_path / "walks.parquet")
    assert "New York" in parquet.read_table(tmp_path / "walks.parquet")["root"].to_pylist()


@APPS
@pytest.mark.parametrize("chunk", [40, export.CHUNK])
def test_parquet(app, chunk, tmp_path, monkeypatch):
    monkeypatch.setattr(export, "CHUNK", chunk)
    samples = take(app, repeat=2, seed=2**64 - 1, first_id=10, edges=True)
    samples.to_parquet(tmp_path / "samples.parquet")
    table = parquet.read_table(tmp_path / "samples.parquet")
    roots, walks = samples.roots.shape[1], export.walks(samples)
    assert table["id"].to_pylist() == list(range(10, 10 + len(samples)))
    assert ("root" in table.column_names) == (roots == 1)
    if roots == 1:
        assert table["root"].to_pylist() == samples.roots[:, 0].tolist()
    gaps = not walks and not samples.ragged
    for name, rows, begin in (("walk" if walks else "vertices", samples.numpy(), 0), ("edges", samples.edges, roots)):
        want = [[v if v >= 0 else None for v in row] for row in rows.tolist()]
        if not gaps:  # no vertex, no place; an edge may be missing where a vertex is
            want = [row[: length - begin] for row, length in zip(want, samples.lengths.tolist(), strict=True)]
        assert table[name].to_pylist() == want
    layered = {"steps", "parents"} if samples.layered else set()
    links = {"sources", "targets", "link_edges", "link_values"} if samples.records else set()
    assert set(table.column_names) - {"id", "root", "walk", "vertices", "edges"} == layered | links
    assert table.schema.metadata[b"gonextdoor.seed"] == b"18446744073709551615"
    assert table.schema.metadata[b"gonextdoor.app"].decode() == repr(app)


def test_parquet_of_nothing(graph, tmp_path):
    gnd.sample(graph, gnd.apps.DeepWalk(3), [], seed=1).to_parquet(tmp_path / "none.parquet")
    assert parquet.read_table(tmp_path / "none.parquet").num_rows == 0


def test_parquet_by_name(named, tmp_path):
    samples = gnd.sample(named, gnd.apps.DeepWalk(5), seed=1)
    samples.to_parquet(tmp_path / "walks.parquet")
    assert parquet.read_table(tmp_path / "walks.parquet")["walk"].to_pylist() == list(samples.sentences())


@APPS
def test_pandas(app):
    samples = take(app, seed=1, first_id=5, edges=True)
    frame = samples.to_pandas()
    roots, walks = samples.roots.shape[1], export.walks(samples)
    place = "step" if walks else "slot"
    layered = ["step", "slot", "vertex", "parent"] if samples.layered else [place, "vertex"]
    assert list(frame.columns) == ["id", *layered, "edge"]
    whole = samples.numpy()
    assert len(frame) == (whole >= 0).sum()
    assert (whole[frame["id"] - 5, frame[place]] == frame["vertex"]).all()
    behind = frame[frame[place] >= roots]
    assert (samples.edges[behind["id"] - 5, behind[place] - roots] == behind["edge"]).all()
    assert (frame[frame[place] < roots]["edge"] == -1).all()


def test_pandas_by_name(named):
    frame = gnd.sample(named, gnd.apps.DeepWalk(2), seed=1).to_pandas()
    assert set(frame["vertex"]) == set(NAMES)
    assert "edge" not in frame


@pytest.mark.parametrize(
    ("library", "extra", "call"),
    [
        ("pandas", "gonextdoor\\[pandas\\]", lambda samples, path: samples.to_pandas()),
        ("pyarrow", "gonextdoor\\[parquet\\]", lambda samples, path: samples.to_parquet(path)),
        ("matplotlib", "gonextdoor\\[plot\\]", lambda samples, path: samples.plot()),
    ],
)
def test_missing_library_is_named(library, extra, call, graph, tmp_path, monkeypatch):
    samples = gnd.sample(graph, gnd.apps.DeepWalk(2), seed=1)
    for module in [name for name in sys.modules if name.partition(".")[0] == library]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=extra):
        call(samples, tmp_path / "file")
    assert os.listdir(tmp_path) == []


class TestPlot:
    @pytest.fixture(autouse=True)
    def backend(self):
        matplotlib = pytest.importorskip("matplotlib")
        matplotlib.use("Agg")
        yield
        from matplotlib import pyplot

        pyplot.close("all")

    def test_visits(self, graph):
        samples = gnd.sample(graph, gnd.apps.DeepWalk(20), seed=1)
        axes = samples.plot()
        points = axes.collections[0].get_offsets()
        counts, degrees = samples.visit_counts(), graph.degrees()
        shown = (counts > 0) & (degrees > 0)
        assert np.array_equal(np.asarray(points), np.column_stack([degrees, counts])[shown])
        assert axes.get_xscale() == axes.get_yscale() == "log"

    def test_lengths(self):
        samples = gnd.sample(directed(), gnd.apps.PPR(0.3), seed=1)
        axes = samples.plot("lengths")
        heights = {round(bar.get_x() + bar.get_width() / 2): bar.get_height() for bar in axes.patches}
        assert heights == dict(zip(*np.unique(samples.lengths, return_counts=True), strict=True))

    @pytest.mark.parametrize("kind", ["visits", "lengths"])
    @APPS
    def test_every_app(self, app, kind):
        samples = take(app, seed=1)
        axes = samples.plot(kind)
        assert axes.get_title().startswith(f"{len(samples)} {type(app).__name__} ")
        assert axes.collections or axes.patches

    def test_given_axes(self, graph):
        from matplotlib import pyplot

        _, axes = pyplot.subplots()
        assert gnd.sample(graph, gnd.apps.DeepWalk(2), seed=1).plot(ax=axes) is axes

    def test_unknown_kind(self, graph):
        with pytest.raises(ValueError, match="kind = 'pie': expected one of 'visits', 'lengths'"):
            gnd.sample(graph, gnd.apps.DeepWalk(2), seed=1).plot("pie")


class TestAtomic:
    def test_replaces_only_when_complete(self, tmp_path):
        target = tmp_path / "file"
        target.write_bytes(b"before")
        with pytest.raises(RuntimeError), atomic.replacing(target) as file:
            file.write(b"half")
            raise RuntimeError
        assert target.read_bytes() == b"before"
        with atomic.replacing(target) as file:
            file.write(b"after")
            assert target.read_bytes() == b"before"
        assert target.read_bytes() == b"after"
        assert os.listdir(tmp_path) == ["file"]

    def test_keyboard_interrupt_leaves_nothing(self, tmp_path):
        with pytest.raises(KeyboardInterrupt), atomic.replacing_text(tmp_path / "file.gz") as file:
            file.write(b"half")
            raise KeyboardInterrupt
        assert os.listdir(tmp_path) == []

    def test_mode_follows_umask_or_the_file_before(self, tmp_path):
        umask = os.umask(0o027)
        try:
            with atomic.replacing(tmp_path / "new"):
                pass
        finally:
            os.umask(umask)
        assert stat.S_IMODE(os.stat(tmp_path / "new").st_mode) == 0o640
        os.chmod(tmp_path / "new", 0o604)
        with atomic.replacing(tmp_path / "new"):
            pass
        assert stat.S_IMODE(os.stat(tmp_path / "new").st_mode) == 0o604

    def test_follows_links(self, tmp_path):
        (tmp_path / "link").symlink_to(tmp_path / "file")
        with atomic.replacing(tmp_path / "link") as file:
            file.write(b"x")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "file").read_bytes() == b"x"

    def test_device_is_not_replaced(self):
        with atomic.replacing("/dev/null") as file:
            file.write(b"x")
        assert stat.S_ISCHR(os.stat("/dev/null").st_mode)

    def test_folder_is_refused(self, tmp_path):
        with pytest.raises(IsADirectoryError, match="expected the name of a file"), atomic.replacing(tmp_path):
            pass

    def test_missing_parent(self, tmp_path):
        with pytest.raises(FileNotFoundError), atomic.replacing(tmp_path / "none" / "file"):
            pass

    def test_full_disk_says_so_and_leaves_nothing(self, small_disk):
        with pytest.raises(OSError, match="No space left") as caught, atomic.replacing(small_disk / "file") as file:
            for _ in range(64):
                file.write(b"x" * (1 << 16))
        assert caught.value.errno == 28
        assert os.listdir(small_disk) == []
