"""Streams that are saved and resumed continue as if nothing had happened; other folders are refused."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gonextdoor as gnd

SCALE = 3


def heavy(ctx: Any, edge: Any, dst: Any) -> Any:
    return ctx.weight(edge) * SCALE


def light(ctx: Any, edge: Any, dst: Any) -> Any:
    return ctx.weight(edge)


def hooked() -> gnd.App:
    return gnd.App(steps=4, edge_bias=heavy)


APPS: dict[str, Callable[[], gnd.apps.SamplingApp]] = {
    "deepwalk": lambda: gnd.apps.DeepWalk(6),
    "ppr": lambda: gnd.apps.PPR(0.3),
    "temporal": lambda: gnd.apps.TemporalWalk(6),
    "khop": lambda: gnd.apps.KHop([3, 2]),
    "ladies": lambda: gnd.apps.LADIES([8, 4]),
}
ROOTS: dict[str, Any] = {"every": None, "random": 30, "given": list(range(20))}


def batches(count: int) -> list[dict[str, Any]]:
    """Batches of edges, whose times ascend. Each removes edges of the one before by their ids, the last one first."""
    draws, first = np.random.default_rng(3), 400
    made: list[dict[str, Any]] = []
    for step in range(count):
        size = int(draws.integers(10, 60))
        made.append(
            {
                "add": tuple(draws.integers(0, 90 + 2 * step, (2, size))),
                "weights": draws.integers(1, 8, size).astype(float),
                "times": 20 * step + draws.integers(0, 20, size),
                "remove": [first - 1, first - 2],
            }
        )
        first += size
    return made


def begun(app: gnd.apps.SamplingApp, roots: Any, **options: Any) -> gnd.Stream:
    draws = np.random.default_rng(2)
    graph = gnd.Graph.from_edges(
        *draws.integers(0, 90, (2, 400)), weights=draws.integers(1, 8, 400).astype(float),
        times=draws.integers(-20, 0, 400),
    )  # fmt: skip
    return gnd.stream(graph, app, roots, repeat=2, seed=7, first_id=3, edges=True, **options)


def same(one: gnd.Stream, other: gnd.Stream) -> None:
    assert one.graph.equals(other.graph) and np.array_equal(one.graph.edge_ids, other.graph.edge_ids)
    assert (one.batches, one.newest) == (other.batches, other.newest) and repr(one) == repr(other)
    pair = one.samples, other.samples
    for name in ("first_id", "seed", "_dtype", "_asked", "device", "selector"):
        assert getattr(pair[0], name) == getattr(pair[1], name), name
    for name in ("values", "offsets", "edge_values", "roots"):
        arrays = [getattr(samples, name) for samples in pair]
        assert arrays[0].dtype == arrays[1].dtype and np.array_equal(*arrays), name


@pytest.mark.filterwarnings("ignore:.*walks ended early")
@pytest.mark.parametrize("name", APPS)
@pytest.mark.parametrize("roots", ROOTS)
@pytest.mark.parametrize("options", [{}, {"window": 30, "dtype": np.int64}, {"symmetric": True}], ids=str)
def test_resumed_equals_unsaved(name: str, roots: str, options: dict[str, Any], tmp_path: pathlib.Path) -> None:
    given = np.arange(24).reshape(-1, 4) if name == "ladies" and roots == "given" else ROOTS[roots]
    stream, resumed = begun(APPS[name](), given, **options), begun(APPS[name](), given, **options)
    given = batches(4)
    if "window" in options:
        for batch in given:
            del batch["remove"]  # the window may have removed them
    for step, batch in enumerate(given):
        resumed.save(tmp_path / str(step))
        resumed = gnd.Stream.open(tmp_path / str(step))
        same(stream, resumed)
        update, again = stream.update(**batch), resumed.update(**batch)
        assert update.batch == again.batch == step and np.array_equal(update.rows, again.rows)
        same(stream, resumed)


def test_columns_and_names(tmp_path: pathlib.Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    graph = gnd.Graph.from_edges([("a", "b"), ("b", "c")], times=[1, 2])
    stream = gnd.stream(graph, gnd.apps.DeepWalk(4), ["a"], seed=1, window=9)
    stream.update(arrow.table({"from": ["b", "a"], "to": ["a", "c"], "time": [4, 5]}))
    stream.save(tmp_path / "s")
    resumed = gnd.Stream.open(tmp_path / "s")
    other = arrow.table({"source": ["b"], "target": ["a"], "time": [6]})
    with pytest.raises(ValueError, match="expected one named 'from', as in the first table"):
        resumed.update(other)
    later = arrow.table({"to": ["d"], "time": [6], "from": ["c"], "source": ["x"]})
    for each in (stream, resumed):
        each.update(later)
    assert resumed.graph.equals(stream.graph)
    assert np.asarray(resumed.graph.vertex_names).tolist() == ["a", "b", "c", "d"]
    assert resumed.samples.names().tolist() == stream.samples.names().tolist()
    numbered = gnd.Graph.from_edges([10, 30], [20, 10], relabel=True)
    stream = gnd.stream(numbered, gnd.apps.DeepWalk(2), [10], names=True, seed=1)
    stream.save(tmp_path / "n")
    resumed = gnd.Stream.open(tmp_path / "n")
    resumed.update([(30, 5)])
    assert np.asarray(resumed.graph.vertex_names).tolist() == [10, 20, 30, 5]


def test_newest_of_removed_edges(tmp_path: pathlib.Path) -> None:
    """The newest time is that of all edges so far, also of those that were removed."""
    stream = gnd.stream(gnd.Graph.from_edges([0, 1], [1, 0], times=[3, 9]), gnd.apps.DeepWalk(2), seed=1)
    stream.update(remove=[(1, 0)])
    stream.save(tmp_path / "s")
    resumed = gnd.Stream.open(tmp_path / "s")
    assert resumed.newest == 9
    with pytest.raises(ValueError, match=r"times\[0\] = 8: expected at least 9"):
        resumed.update([(1, 0)], times=[8])
    resumed.update([(1, 0)], times=[9])
    assert resumed.graph.edge_ids.tolist() == [0, 2]


def test_a_gpu_that_is_missing(tmp_path: pathlib.Path) -> None:
    stream = begun(gnd.apps.DeepWalk(3), None)
    stream.save(tmp_path / "s")
    name = tmp_path / "s" / "stream.json"
    name.write_text(json.dumps(json.loads(name.read_text()) | {"device": "cuda:62"}))
    with pytest.warns(gnd.InputWarning, match="the samples were on cuda:62, and are now in host memory: .*"):
        resumed = gnd.Stream.open(tmp_path / "s")
    same(stream, resumed)


def test_apps_of_users(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("llvmlite", reason="no llvmlite for this Python: hooks cannot be compiled")
    stream = begun(hooked(), None)
    stream.save(tmp_path / "s")
    with pytest.raises(ValueError, match=r"does not determine the app of the stream, App\(.*; pass it as app="):
        gnd.Stream.open(tmp_path / "s")
    resumed = gnd.Stream.open(tmp_path / "s", app=hooked())
    for batch in batches(2):
        stream.update(**batch)
        resumed.update(**batch)
    same(stream, resumed)
    other = gnd.App(steps=4, edge_bias=light)
    with pytest.raises(
        ValueError, match=r"app = App\(.*: (expected the app of the stream|the function edge_bias is not that)"
    ):
        gnd.Stream.open(tmp_path / "s", app=other)
    globals()["SCALE"] = 2
    try:
        with pytest.raises(ValueError, match="the function edge_bias is not that of the stream; pass the same app"):
            gnd.Stream.open(tmp_path / "s", app=hooked())
    finally:
        globals()["SCALE"] = 3
    with pytest.raises(ValueError, match=r"app = DeepWalk.*: expected the app of the stream, App"):
        gnd.Stream.open(tmp_path / "s", app=gnd.apps.DeepWalk(4))
    with pytest.raises(TypeError, match=r"app: expected the app of the stream, App.*, got int"):
        gnd.Stream.open(tmp_path / "s", app=5)  # type: ignore[arg-type]


def test_apps_with_arrays(tmp_path: pathlib.Path) -> None:
    starts = np.array([-15, -10, -5])
    stream = begun(gnd.apps.TemporalWalk(3, start=starts), [0, 1, 2])
    stream.save(tmp_path / "s")
    with pytest.raises(ValueError, match="pass it as app="):
        gnd.Stream.open(tmp_path / "s")
    with pytest.raises(ValueError, match="the array start is not that of the stream"):
        gnd.Stream.open(tmp_path / "s", app=gnd.apps.TemporalWalk(3, start=starts + 1))
    resumed = gnd.Stream.open(tmp_path / "s", app=gnd.apps.TemporalWalk(3, start=starts))
    for batch in batches(2):
        stream.update(**batch)
        resumed.update(**batch)
    same(stream, resumed)


def test_refused_folders(tmp_path: pathlib.Path) -> None:
    stream = begun(gnd.apps.DeepWalk(3), None)
    stream.save(tmp_path / "s")
    record = json.loads((tmp_path / "s" / "stream.json").read_text())
    for name in ("s", "file", "empty"):
        if name == "file":
            (tmp_path / name).write_text("")
        elif name == "empty":
            (tmp_path / name).mkdir()
        with pytest.raises(FileExistsError, match=f"{name}: it exists; pass the name of a new folder"):
            stream.save(tmp_path / name)
    with pytest.raises(FileNotFoundError, match="create it first"):
        stream.save(tmp_path / "none" / "s")
    with pytest.raises(FileNotFoundError):
        gnd.Stream.open(tmp_path / "none")
    with pytest.raises(gnd.FormatError, match=r"empty: expected a folder that Stream\.save wrote; it has no stream"):
        gnd.Stream.open(tmp_path / "empty")
    changes: list[tuple[Any, str]] = [
        ("{", r"stream\.json: the file is damaged"),
        ([], r"expected a file that Stream\.save wrote"),
        (record | {"version": 2}, "the stream has version 2, but this gonextdoor reads 1"),
        (record | {"window": -1}, "damaged: window = -1"),
        (record | {"names": 1}, "damaged: names = 1"),
        ({name: value for name, value in record.items() if name != "names"}, "damaged: it has no names"),
        (record | {"columns": ["a"]}, "damaged: columns"),
        (record | {"batches": None}, "damaged: batches = None"),
        (record | {"roots": []}, r"damaged: roots = \[\]"),
        (record | {"app": {"hook next": 3}}, "damaged: app"),
        (record | {"repeat": 4}, "the folder has 180 samples, and 4 of each root"),
        (record | {"newest": -100}, "the newest edge has the time -1, but stream.json has -100"),
    ]
    for text, message in changes:
        (tmp_path / "s" / "stream.json").write_text(text if isinstance(text, str) else json.dumps(text))
        with pytest.raises(gnd.FormatError, match=message):
            gnd.Stream.open(tmp_path / "s")
    (tmp_path / "s" / "stream.json").write_text(json.dumps(record))
    gnd.Stream.open(tmp_path / "s")
    gnd.sample(gnd.rmat(5, seed=1), gnd.apps.DeepWalk(3), seed=1).save(tmp_path / "s" / "samples.npz")
    with pytest.raises(gnd.FormatError, match="the samples are of another graph"):
        gnd.Stream.open(tmp_path / "s")
    os.unlink(tmp_path / "s" / "samples.npz")
    with pytest.raises(FileNotFoundError, match=r"samples\.npz"):
        gnd.Stream.open(tmp_path / "s")


def test_a_save_that_fails(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = begun(gnd.apps.DeepWalk(3), None)

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gonextdoor.sampling.streamfile.json.dump", full)
    with pytest.raises(OSError, match="No space left"):
        stream.save(tmp_path / "s")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    stream.save(tmp_path / "s")
    assert [path.name for path in tmp_path.iterdir()] == ["s"]


@pytest.mark.parametrize("call", ["os.rename", "json.dump", "gonextdoor.samples.file.npzparts.write"])
def test_a_save_that_is_killed(call: str, tmp_path: pathlib.Path) -> None:
    program = f"""
import json, os, signal, sys
import gonextdoor as gnd
import gonextdoor.samples.file
stream = gnd.stream(gnd.rmat(6, seed=1), gnd.apps.DeepWalk(3), seed=1)
{call} = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
stream.save(sys.argv[1])
"""
    folder = tmp_path / "s"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program, folder], capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".s.") and left.name.endswith(".tmp")
    with pytest.raises(FileNotFoundError):
        gnd.Stream.open(folder)
    stream = gnd.stream(gnd.rmat(6, seed=1), gnd.apps.DeepWalk(3), seed=1)
    stream.save(folder)
    same_edges = gnd.Stream.open(folder)
    assert np.array_equal(same_edges.samples, stream.samples)
