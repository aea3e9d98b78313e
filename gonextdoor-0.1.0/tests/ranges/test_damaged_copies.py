"""Copies in the cache folder that were damaged, or left by processes that were killed."""

import fcntl
import os
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest
from corpus import hetero
from gonextdoor.ranges import MiniBatches, Ranges

import gonextdoor as gnd
from gonextdoor import apps
from gonextdoor.partition import anygraph

KINDS = ("whole", "hetero", "parts", "hetero parts")


@pytest.fixture(scope="module")
def folders(graph, uri, tmp_path_factory):
    """A folder of each kind."""
    at = tmp_path_factory.mktemp("folders")
    typed = hetero(weighted=True)
    typed.save(at / "hetero")
    gnd.partition.write(graph, at / "parts", parts=2, by="hash", hot=0.1)
    gnd.partition.write(typed, at / "hetero parts", parts=2, by="hash")
    return {kind: uri if kind == "whole" else str(at / kind) for kind in KINDS}


def rows(kind, folder, monkeypatch):
    """Rows of a graph, which is opened anew."""
    monkeypatch.setattr(anygraph, "_graphs", {})
    app, roots = (MiniBatches([3, 2]), "paper") if "hetero" in kind else (apps.DeepWalk(4), None)
    run = Ranges(folder, app, roots, seed=1)
    return run.table(range(min(run.rows, 50))).to_pylist()


def cut(file):
    file.write_bytes(file.read_bytes()[:-1])


def emptied(file):
    file.write_bytes(b"")


def garbled(file):
    file.write_bytes(b"\xff" * file.stat().st_size)


def left(cache):
    """What the folder of copies has besides copies and locks."""
    return [path.name for path in (cache / "graphs").rglob("*.tmp")]


@pytest.mark.parametrize("damage", [os.remove, cut, emptied, garbled])
@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_copy_is_made_again(kind, damage, folders, cache, monkeypatch):
    remote = f"local://{folders[kind]}"
    want = rows(kind, folders[kind], monkeypatch)
    assert rows(kind, remote, monkeypatch) == want
    copied = sorted(path for path in (cache / "graphs").rglob("*") if path.is_file() and path.suffix != ".lock")
    copied = [path for path in copied if path.name != "degrees.npy"]  # these rows do not read it
    assert len(copied) > 2
    generator = np.random.default_rng(len(kind))
    for file in generator.choice(copied, min(4, len(copied)), replace=False):
        before = file.read_bytes()
        damage(file)
        assert rows(kind, remote, monkeypatch) == want, file
        if damage in (os.remove, emptied):  # other damage may be in bytes that are not read
            assert file.read_bytes() == before
        assert left(cache) == []


def test_damage_in_object_storage_is_not_repaired(uri, tmp_path, cache, monkeypatch):
    source = tmp_path / "graph"
    gnd.Graph.open(uri).save(source)
    want = rows("whole", f"local://{source}", monkeypatch)
    (copy,) = (path for path in (cache / "graphs").iterdir() if path.is_dir())
    cut(copy / "indices.npy")
    data = (source / "indices.npy").read_bytes()
    cut(source / "indices.npy")
    for _ in range(2):
        with pytest.raises(gnd.FormatError, match=str(source)):
            rows("whole", f"local://{source}", monkeypatch)
        assert left(cache) == []
    (source / "indices.npy").write_bytes(data)
    assert rows("whole", f"local://{source}", monkeypatch) == want


def test_a_part_that_was_deleted_is_copied_again(folders, cache, monkeypatch):
    want = rows("parts", folders["parts"], monkeypatch)
    for _ in range(2):
        assert rows("parts", f"local://{folders['parts']}", monkeypatch) == want
        (part,) = (cache / "graphs").glob("*/part-00001")
        shutil.rmtree(part)


def test_copies_of_killed_processes_are_removed(folders, cache, monkeypatch):
    code = f"""
import os, signal
import gonextdoor as gnd
from gonextdoor.storage import copies
def copied(at, name, file):
    file.write(b"x")
    os.kill(os.getpid(), signal.SIGKILL)
copies.copied = copied
gnd.ranges.Ranges({"local://" + folders["whole"]!r}, gnd.apps.DeepWalk(4)).table(range(1))
"""
    for number in (1, 1):  # the second removes what the first left
        killed = subprocess.run([sys.executable, "-c", code], timeout=170)
        assert killed.returncode == -signal.SIGKILL and len(left(cache)) == number
    rows("whole", f"local://{folders['whole']}", monkeypatch)
    assert left(cache) == []


def test_left_over_copies_of_other_graphs_are_removed_unless_they_are_being_made(folders, cache, monkeypatch):
    graphs = cache / "graphs"
    for digest in ("0" * 64, "1" * 64):
        (graphs / f"{digest}.0123abcd.tmp").mkdir(parents=True)
    with open(graphs / f"{'1' * 64}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        rows("whole", f"local://{folders['whole']}", monkeypatch)
        assert left(cache) == [f"{'1' * 64}.0123abcd.tmp"]
    rows("parts", f"local://{folders['parts']}", monkeypatch)
    assert left(cache) == []


def test_a_graph_that_is_open_outlives_its_copy(folders, cache, monkeypatch):
    remote = f"local://{folders['whole']}"
    want = rows("whole", remote, monkeypatch)
    held = gnd.Graph.open(next(path for path in (cache / "graphs").iterdir() if path.is_dir()))
    (copy,) = (path for path in (cache / "graphs").iterdir() if path.is_dir())
    os.remove(copy / "graph.json")
    assert rows("whole", remote, monkeypatch) == want
    walks = gnd.sample(held, apps.DeepWalk(4), range(50), seed=1).numpy()
    assert walks.tolist() == [[-1 if v is None else v for v in row["walk"]] for row in want]
