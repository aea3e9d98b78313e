"""Samples that are saved and loaded: everything is as before, and damaged files are refused."""

from __future__ import annotations

import io
import itertools
import json
import os
import pathlib
import random
import zipfile
from typing import Any

import corpus
import numpy as np
import pytest
from gonextdoor.samples import file

import gonextdoor as gnd

APPS = pytest.mark.parametrize("app", corpus.APPS, ids=corpus.names)


def same(a: gnd.Samples, b: gnd.Samples) -> None:
    """Whether two results know the same."""
    assert repr(a) == repr(b)
    assert (a.seed, a.first_id, a.device, a.selector, a.ragged) == (b.seed, b.first_id, b.device, b.selector, b.ragged)
    assert (a.layered, a.records, a.has_edges, a.stats) == (b.layered, b.records, b.has_edges, b.stats)
    names = ["values", "offsets", "lengths", "roots"]
    names += ["edges", "edge_values"] if a.has_edges else []
    names += ["parents"] if a.layered else []
    for name in names:
        got, want = getattr(a, name), getattr(b, name)
        assert got.dtype == want.dtype, name
        assert np.array_equal(got, want), name
    assert np.array_equal(a.numpy(), b.numpy())
    assert np.array_equal(a.visit_counts(), b.visit_counts())
    assert len(a.steps) == len(b.steps)
    assert all(map(np.array_equal, a.steps, b.steps))
    if a.records:
        for step in range(int(a.stats["steps"])):
            one, other = a.adjacency(step), b.adjacency(step)
            assert all(np.array_equal(getattr(one, part), getattr(other, part)) for part in vars(one))
        one, other = a.subgraph(0), b.subgraph(0)
        assert all(np.array_equal(getattr(one, part), getattr(other, part)) for part in vars(one))
    assert list(a.sentences()) == list(b.sentences())


@APPS
def test_every_app(app: gnd.apps.SamplingApp, tmp_path: pathlib.Path) -> None:
    graph = corpus.graph(200, 600, symmetric=False)
    samples = gnd.sample(graph, app, corpus.many(app), repeat=2, seed=2**64 - 1, first_id=10, edges=True)
    samples.save(tmp_path / "samples")
    loaded = gnd.Samples.load(tmp_path / "samples")
    same(loaded, samples)
    same(gnd.Samples.load(tmp_path / "samples", graph=graph), samples)
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "samples").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["again", "samples"]
    frames = pytest.importorskip("pandas")
    frames.testing.assert_frame_equal(loaded.to_pandas(), samples.to_pandas())


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("app", [gnd.apps.DeepWalk(7), gnd.apps.PPR(0.3)], ids=repr)
def test_samples_on_a_gpu(app: gnd.apps.SamplingApp, tmp_path: pathlib.Path) -> None:
    samples = gnd.sample(corpus.graph(), app, seed=4, device="cuda", edges=True)
    samples.save(tmp_path / "samples")
    loaded = gnd.Samples.load(tmp_path / "samples")
    assert loaded.device == "cuda:0"
    same(loaded, samples)
    with pytest.raises(ValueError, match="not on a GPU"):
        _ = loaded.on_device


@pytest.mark.parametrize("rows", [0, 1])
@pytest.mark.parametrize("app", [gnd.apps.DeepWalk(3), gnd.apps.PPR(0.5), gnd.apps.LADIES([3])], ids=repr)
def test_few_samples(app: gnd.apps.SamplingApp, rows: int, tmp_path: pathlib.Path) -> None:
    samples = gnd.sample(corpus.graph(), app, [[0, 1]] * rows if app.layered() else [0] * rows, seed=1)
    samples.save(tmp_path / "few")
    loaded = gnd.Samples.load(tmp_path / "few")
    assert np.array_equal(loaded.numpy(), samples.numpy())


def test_int64_and_an_app_of_the_users_own(tmp_path: pathlib.Path) -> None:
    samples = gnd.sample(corpus.graph(), gnd.apps.DeepWalk(3), seed=1, dtype="int64")
    samples.save(tmp_path / "wide")
    assert gnd.Samples.load(tmp_path / "wide").numpy().dtype == np.int64
    app = gnd.App(steps=3)
    samples = gnd.sample(corpus.graph(), app, seed=1, device="cpu")
    samples.save(tmp_path / "own")
    loaded = gnd.Samples.load(tmp_path / "own")
    assert isinstance(loaded.app, file.LoadedApp)
    same(loaded, samples)
    with pytest.raises(TypeError, match="make the app again"):
        gnd.sample(corpus.graph(), loaded.app)


@pytest.mark.parametrize("names", [["z", "ada", "édith", "x y"], [5, -1, 2**40, 7], None], ids=["text", "ints", "none"])
def test_names(names: list[Any] | None, tmp_path: pathlib.Path) -> None:
    networkx = pytest.importorskip("networkx")
    named = networkx.DiGraph([(0, 1), (1, 2), (2, 3)] if names is None else list(itertools.pairwise(names)))
    samples = gnd.sample(gnd.Graph.from_networkx(named), gnd.apps.DeepWalk(3), seed=1)
    samples.save(tmp_path / "named")
    loaded = gnd.Samples.load(tmp_path / "named")
    want = names or [0, 1, 2, 3]
    for result in (samples, loaded):
        table = result.names()
        assert table.shape == (4, 4)
        assert table[0].tolist() == want
        assert table[2].tolist() == [*want[2:], None, None]  # masked elements are None in lists, too
        assert result.names(2).tolist() == result.names(-2).tolist() == want[2:]
        assert isinstance(table, np.ma.MaskedArray) == (not isinstance(want[0], str))
    assert samples.vertex_names is None or np.array_equal(loaded.vertex_names, samples.vertex_names)
    loaded.to_linesentence(tmp_path / "text") if names != ["z", "ada", "édith", "x y"] else None
    assert list(loaded.sentences()) == [list(map(str, row)) for row in [want, want[1:], want[2:], want[3:]]]


def test_the_graph_is_asked_for(tmp_path: pathlib.Path) -> None:
    graph = corpus.graph()
    gnd.sample(graph, gnd.apps.DeepWalk(3), seed=1).save(tmp_path / "samples")
    with pytest.raises(ValueError, match=r"Samples.load\(path, graph=graph\)"):
        _ = gnd.Samples.load(tmp_path / "samples").graph
    assert gnd.Samples.load(tmp_path / "samples", graph=graph).graph is graph
    with pytest.raises(ValueError, match=r"200 vertices and \d+ edges; got 5 and 5"):
        gnd.Samples.load(tmp_path / "samples", graph=corpus.directed())


class TestRefusals:
    @pytest.fixture(
        params=[gnd.apps.DeepWalk(4), gnd.apps.PPR(0.5), gnd.apps.LADIES([5, 3])], ids=["matrix", "ragged", "layered"]
    )
    def saved(self, request: Any, tmp_path: pathlib.Path) -> pathlib.Path:
        networkx = pytest.importorskip("networkx")
        graph = gnd.Graph.from_networkx(networkx.relabel_nodes(networkx.karate_club_graph(), lambda v: f"v{v}"))
        roots = np.arange(24).reshape(-1, 2) if request.param.layered() else None
        gnd.sample(graph, request.param, roots, seed=1, edges=True).save(tmp_path / "samples")
        return tmp_path / "samples"

    def test_no_file(self, tmp_path: pathlib.Path) -> None:
        with pytest.raises(FileNotFoundError) as caught:
            gnd.Samples.load(tmp_path / "none")
        assert caught.value.filename == str(tmp_path / "none") or caught.value.filename == tmp_path / "none"
        with pytest.raises(IsADirectoryError):
            gnd.Samples.load(tmp_path)
        with pytest.raises(OSError, match="none/samples"):
            gnd.sample(corpus.graph(), gnd.apps.DeepWalk(1)).save(tmp_path / "none" / "samples")

    @pytest.mark.parametrize("data", [b"", b"walks", b"PK\x03\x04" + bytes(100)])
    def test_another_file(self, data: bytes, tmp_path: pathlib.Path) -> None:
        (tmp_path / "other").write_bytes(data)
        with pytest.raises(gnd.FormatError, match=r"other: expected a file that Samples.save wrote"):
            gnd.Samples.load(tmp_path / "other")

    def test_another_archive(self, tmp_path: pathlib.Path) -> None:
        np.savez(tmp_path / "other.npz", vertices=np.zeros((3, 3)))
        with pytest.raises(gnd.FormatError, match=r"no header of samples"):
            gnd.Samples.load(tmp_path / "other.npz")
        np.savez_compressed(tmp_path / "other.npz", vertices=np.zeros((3, 3)))
        with pytest.raises(gnd.FormatError, match=r"uncompressed"):
            gnd.Samples.load(tmp_path / "other.npz")

    def test_mutated_files(self, saved: pathlib.Path) -> None:
        """Every changed byte, every cut and every piece twice is refused or makes no difference."""
        whole, rng = saved.read_bytes(), random.Random(1)
        right = gnd.Samples.load(saved)
        refused = 0
        for trial in range(700):
            data = bytearray(whole)
            if trial % 3 == 0:
                for _ in range(rng.choice([1, 1, 3])):
                    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            elif trial % 3 == 1:
                del data[rng.randrange(len(data)) :]
            else:
                a, b = sorted(rng.randrange(len(data)) for _ in range(2))
                data[a:b] = data[a:b] * 2 if trial % 2 else b""
            saved.write_bytes(data)
            try:
                same(gnd.Samples.load(saved), right)
            except gnd.FormatError as error:
                assert str(saved) in str(error)
                refused += 1
        assert refused > 600

    @pytest.mark.parametrize("fields", [{"seed": -1}, {"seed": 1.5}, {"roots": 1 << 40}, {"version": 2}, {"app": {}},
        {"ragged": None}, {"vertices": 3}, {"seconds": "1"}, {"first_id": 2**64 - 1}, {"device": 3}, {"selector": None},
        {"edges": None}])  # fmt: skip
    def test_headers(self, fields: dict[str, Any], saved: pathlib.Path) -> None:
        arrays = unpacked(saved)
        header = json.loads(arrays["header"].tobytes()) | fields
        arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
        with pytest.raises(gnd.FormatError, match=str(saved)):
            gnd.Samples.load(packed(saved, arrays))

    def test_arrays(self, saved: pathlib.Path) -> None:
        """Arrays with correct checksums that contradict each other."""
        arrays = unpacked(saved)
        for name, array in arrays.items():
            if name == "header":
                continue
            missing = {other: a for other, a in arrays.items() if other != name}
            if name not in ("edges", "link_offsets"):
                with pytest.raises(gnd.FormatError):
                    gnd.Samples.load(packed(saved, missing))
            wrong = [array[:-1], array.astype(np.float32), array.reshape(1, -1), np.concatenate([array, array])]
            if name in ("values", "vertices", "parents", "step_ends", "sources", "targets"):
                wrong += [
                    np.where(np.arange(array.size).reshape(array.shape) == 3, bad, array) for bad in (-2, 1 << 20)
                ]
            if "offsets" in name:
                wrong += [array[::-1], array + 1, -array]
            for other in wrong:
                changed = arrays | {
                    name: np.ascontiguousarray(other.astype(array.dtype) if other.dtype == np.int64 else other)
                }
                with pytest.raises(gnd.FormatError):
                    gnd.Samples.load(packed(saved, changed))

    def test_a_length_that_is_not_there(self, saved: pathlib.Path) -> None:
        """A header that states petabytes asks for no memory."""
        with zipfile.ZipFile(saved) as archive:
            parts = {entry: archive.read(entry) for entry in archive.namelist()}
        name = "values.npy" if "values.npy" in parts else "vertices.npy"
        head = io.BytesIO()
        np.lib.format.write_array_header_1_0(
            head,
            {"descr": "<i4", "fortran_order": False, "shape": (1 << 50,) if name == "values.npy" else (1 << 44, 5)},
        )
        parts[name] = head.getvalue() + bytes(100)
        with zipfile.ZipFile(saved, "w") as archive:
            for entry, data in parts.items():
                archive.writestr(entry, data)
        with pytest.raises(gnd.FormatError, match="does not fit its"):
            gnd.Samples.load(saved)


def unpacked(path: pathlib.Path) -> dict[str, Any]:
    with np.load(path) as archive:
        return {name: archive[name] for name in archive.files}


def packed(path: pathlib.Path, arrays: dict[str, Any]) -> pathlib.Path:
    np.savez(str(path) + ".npz", **arrays)
    return pathlib.Path(str(path) + ".npz")


def test_a_full_disk_leaves_nothing(small_disk: pathlib.Path) -> None:
    samples = gnd.sample(gnd.rmat(12, 8, seed=1), gnd.apps.DeepWalk(80), repeat=5, seed=1)
    with pytest.raises(OSError, match="No space left"):
        samples.save(small_disk / "samples")
    assert os.listdir(small_disk) == []


def test_a_name_with_nul_is_refused():
    samples = gnd.sample(gnd.rmat(4, seed=1), gnd.apps.DeepWalk(2), seed=1)
    for name in ("a\0b.npz", "a\0b.csv"):
        with pytest.raises(ValueError, match="a path has no NUL character"):
            samples.save(name)
