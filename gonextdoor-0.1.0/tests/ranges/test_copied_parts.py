"""Partitioned graphs in object storage: a machine copies what all parts share and the parts that it uses, each once."""

import concurrent.futures
import json
import os
import shutil
import threading

import fsspec
import numpy as np
import pytest
from gonextdoor.ranges import MiniBatches, Ranges
from gonextdoor.storage import parts as copies
from gonextdoor.storage import reading

import gonextdoor as gnd
from gonextdoor import apps

PARTS = 3


@pytest.fixture(scope="module")
def folder(graph, tmp_path_factory):
    """A partitioned graph with hot rows."""
    path = tmp_path_factory.mktemp("parts") / "parts"
    gnd.partition.write(graph, path, parts=PARTS, by="hash", hot=0.1)
    return path


def copied(cache):
    """The files of the only copy in the cache folder, and the parts that it has."""
    (copy,) = (path for path in (cache / "graphs").iterdir() if path.suffix != ".lock")
    return copy, [number for number in range(PARTS) if os.listdir(copy / f"part-{number:05d}")]


def left(cache):
    """What the cache folder has, except for locks."""
    return sorted(
        str(path.relative_to(cache)) for path in cache.rglob("*") if path.is_file() and path.suffix != ".lock"
    )


def test_a_part_copies_what_is_shared_and_itself(folder, cache):
    part = gnd.partition.Part(f"local://{folder}", 1)
    assert (part.number, part.parts, part.folder) == (1, PARTS, f"local://{folder}")
    copy, there = copied(cache)
    assert there == [1]
    for name in ("partition.json", "owner.npy", "degrees.npy", "hot.npy", "hot/indices.npy", "part-00001/indices.npy"):
        assert (copy / name).read_bytes() == (folder / name).read_bytes()
    gnd.partition.Part(f"local://{folder}", 2)
    assert copied(cache)[1] == [1, 2]


@pytest.mark.parametrize("scheme", ["memory", "local"])
def test_rows_are_those_of_one_machine(scheme, folder, uri):
    at = f"local://{folder}"
    if scheme == "memory":
        at, store = "memory://bucket/parts", fsspec.filesystem("memory")
        store.put(str(folder), "/bucket/parts", recursive=True)
    for app in (apps.Node2Vec(p=0.5, q=2, length=6), apps.KHop([3, 2]), MiniBatches([3, 2], batch_size=50)):
        whole, parts = Ranges(uri, app, seed=3), Ranges(at, app, seed=3)
        everything = range(whole.rows)
        assert parts.table(everything).combine_chunks().equals(whole.table(everything).combine_chunks())
    if scheme == "memory":
        store.rm("/bucket", recursive=True)


def test_it_is_not_copied_again(folder, monkeypatch):
    graph = gnd.partition.open(f"local://{folder}")
    assert graph.path == f"local://{folder}"
    monkeypatch.setattr("gonextdoor.storage.copies.copied", None)
    again = gnd.partition.open(f"local://{folder}")
    with pytest.raises(TypeError, match="NoneType"):  # the parts are copied when they are used
        again.part(0)


@pytest.mark.parametrize("every", [2, 3, 7])
def test_reads_that_fail_are_repeated(every, folder, flaky, monkeypatch):
    monkeypatch.setattr(reading, "PIECE", 1000)
    monkeypatch.setattr(reading, "CONNECTIONS", 1)
    flaky.every = every
    graph = gnd.partition.open(f"flaky://{folder}")
    walks = gnd.partition.sample(graph, apps.DeepWalk(4), seed=1).numpy()
    assert (walks == gnd.partition.sample(gnd.partition.open(folder), apps.DeepWalk(4), seed=1).numpy()).all()
    assert flaky.reads > 30


def test_a_file_that_cannot_be_read_is_named(folder, flaky, cache):
    flaky.every = 1
    with pytest.raises(OSError, match=r"reading flaky:///.*/partition.json failed 8 times; the last error"):
        gnd.partition.open(f"flaky://{folder}")
    flaky.every = 0
    graph = gnd.partition.open(f"flaky://{folder}")
    kept = left(cache)
    flaky.every = 1
    with pytest.raises(OSError, match=r"failed 8 times"):
        graph.part(0)
    assert left(cache) == kept
    flaky.every = 0
    assert graph.part(0).number == 0


def test_a_missing_part_is_refused(another, cache):
    shutil.rmtree(another / "part-00002")
    with pytest.raises(gnd.FormatError, match=r"local://.*: the folder part-00002 is missing or incomplete"):
        gnd.partition.open(f"local://{another}")
    assert left(cache) == []


def test_a_part_that_is_removed_after_the_copy_of_the_others_is_refused(another, cache):
    graph = gnd.partition.open(f"local://{another}")
    shutil.rmtree(another / "part-00002")
    with pytest.raises(gnd.FormatError, match=r"part-00002 is missing or incomplete: copy all folders"):
        graph.part(2)


def test_a_part_without_an_array_is_refused(another, cache):
    os.remove(another / "part-00001" / "indices.npy")
    graph = gnd.partition.open(f"local://{another}")
    assert graph.part(0).number == 0
    with pytest.raises(FileNotFoundError, match=r"local://.*/part-00001/indices.npy: there is no such file"):
        graph.part(1)
    assert copied(cache)[1] == [0]


@pytest.mark.parametrize("name", ["part-00001/indices.npy", "owner.npy", "degrees.npy", "hot.npy", "hot/indices.npy"])
def test_a_damaged_array_is_named_and_not_kept(name, folder, another, cache):
    data = np.load(another / name, mmap_mode="r+")
    data[1] ^= 1
    data.flush()
    with pytest.raises(gnd.FormatError, match=f"local://{another}/{name}: the checksum") as caught:
        gnd.partition.Part(f"local://{another}", 1)
    assert str(cache) not in str(caught.value)
    assert not any("indices" in file and "part" in file for file in left(cache))
    shutil.copy(folder / name, another / name)  # repaired
    assert gnd.partition.Part(f"local://{another}", 1).number == 1


def test_parts_of_different_runs_are_refused(graph, another, tmp_path, cache):
    gnd.partition.write(graph, tmp_path / "other", parts=PARTS, by="hash", hot=0.2)
    gnd.partition.write(gnd.rmat(8, 8, seed=2), tmp_path / "graph", parts=PARTS, by="hash", hot=0.1)
    shutil.rmtree(another / "part-00001")
    shutil.copytree(tmp_path / "graph" / "part-00001", another / "part-00001")
    with pytest.raises(gnd.FormatError, match=r"local://.*/part-00001 is not the part .* are of different runs"):
        gnd.partition.Part(f"local://{another}", 1)
    assert copied(cache)[1] == []
    shutil.rmtree(another / "hot")
    shutil.copytree(tmp_path / "other" / "hot", another / "hot")
    record = json.loads((another / "partition.json").read_text())
    (another / "partition.json").write_text(json.dumps(record, indent=1))  # another digest, so another copy
    with pytest.raises(gnd.FormatError, match=r"local://.*/hot is not the part .* the parts are of different runs"):
        gnd.partition.open(f"local://{another}")


def test_threads_and_processes_make_one_copy(folder, monkeypatch):
    """Locks of files are those of open files, so threads show what processes do."""
    made, copy_part, copy_shared = [], copies._copy_part, copies._copy_shared
    monkeypatch.setattr(copies, "_copy_part", lambda *given: made.append(given[2]) or copy_part(*given))
    monkeypatch.setattr(copies, "_copy_shared", lambda *given: made.append("shared") or copy_shared(*given))
    barrier = threading.Barrier(6)

    def open_part(number):
        barrier.wait()
        return gnd.partition.Part(f"local://{folder}", number).number

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        assert list(pool.map(open_part, [0, 1, 2, 0, 1, 2])) == [0, 1, 2, 0, 1, 2]
    assert sorted(map(str, made)) == ["0", "1", "2", "shared"]


def test_refusals(folder, uri, monkeypatch):
    with pytest.raises(gnd.FormatError, match=r"the graph is not partitioned; open it with gonextdoor.Graph.open"):
        gnd.partition.open(f"local://{uri}")
    with pytest.raises(FileNotFoundError, match=r"graph.json: there is no such file; expected the folder of a graph"):
        gnd.partition.open(f"local://{folder}/part-00009")
    with pytest.raises(IndexError, match="part = 3: expected from 0 to 2"):
        gnd.partition.Part(f"local://{folder}", PARTS)
    with pytest.raises(ValueError, match=r"path = 'nothing://x': neither pyarrow nor fsspec opens it"):
        gnd.partition.open("nothing://x")
    monkeypatch.setenv("GONEXTDOOR_CACHE", "off")
    with pytest.raises(OSError, match="set GONEXTDOOR_CACHE"):
        gnd.partition.open(f"local://{folder}")


@pytest.mark.parametrize("parts", [0, -1, PARTS + 1, 1 << 17, 10**8, 10**30, "3", None, 3.5, [3]])
def test_a_number_of_parts_is_checked_before_names_are_listed(parts, another, monkeypatch):
    record = json.loads((another / "partition.json").read_text())
    (another / "partition.json").write_text(json.dumps(record | {"parts": parts}))
    monkeypatch.setattr("gonextdoor.storage.parts._name", None)
    with pytest.raises(gnd.FormatError, match=r"partition\.json: "):
        gnd.partition.open(f"local://{another}")


def test_a_part_that_others_can_write_is_refused(folder, cache):
    gnd.partition.Part(f"local://{folder}", 1)
    copy, _ = copied(cache)
    (copy / "part-00001" / "indices.npy").chmod(0o666)
    gnd.partition.open(f"local://{folder}")  # does not use the part
    with pytest.raises(PermissionError, match=r"part-00001/indices\.npy: another user can have written this copy"):
        gnd.partition.Part(f"local://{folder}", 1)
