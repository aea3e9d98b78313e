"""Graphs in object storage: one checked copy per machine, and reads that fail now and then."""

import concurrent.futures
import multiprocessing
import os
import pathlib
import re
import shutil
import stat
import types

import fsspec
import numpy as np
import pytest
from gonextdoor.ranges import Ranges
from gonextdoor.storage import copies, head, location, reading
from gonextdoor.storage.head import head_of

import gonextdoor as gnd
from gonextdoor import apps
from gonextdoor.partition import anygraph


def walks(run):
    return run.table(range(run.rows))["walk"].to_pylist()


@pytest.fixture
def memory(uri):
    """The same graph in a file system that has no files on this machine."""
    store = fsspec.filesystem("memory")
    store.put(uri, "/bucket/graph", recursive=True)
    yield "memory://bucket/graph"
    store.rm("/bucket", recursive=True)


def test_a_remote_graph_gives_the_same_rows(uri, memory, cache, monkeypatch):
    here, there = (Ranges(at, apps.DeepWalk(4), seed=1) for at in (uri, memory))
    assert walks(here) == walks(there) and here.facts() == there.facts()
    copies = [name for name in os.listdir(cache / "graphs") if not name.endswith(".lock")]
    assert copies == [there.facts()["graph"]]
    # The copy serves later processes: nothing but the head is read again.
    monkeypatch.setattr(anygraph, "_graphs", {})
    monkeypatch.setattr("gonextdoor.storage.copies.copied", None)
    assert walks(there) == walks(here)


def test_a_process_opens_a_graph_once(uri, monkeypatch):
    opened = []
    monkeypatch.setattr(anygraph.Graph, "open", lambda path, of=gnd.Graph.open: opened.append(path) or of(path))
    run = Ranges(uri, apps.DeepWalk(4), seed=1, range_bytes=3000)
    for ids in run:
        run.table(ids)
    assert opened == [uri]


def test_a_process_keeps_few_graphs(tmp_path):
    graphs = []
    for i in range(anygraph.KEPT + 2):
        gnd.rmat(4, seed=i).save(tmp_path / str(i))
        graphs.append(anygraph.open_graph(tmp_path / str(i)))
    assert len(anygraph._graphs) == anygraph.KEPT
    assert anygraph.open_graph(tmp_path / str(i)) is graphs[-1]


@pytest.mark.parametrize(("every", "connections"), [(2, 1), (3, 1), (7, 8)])
def test_reads_that_fail_are_repeated(every, connections, uri, flaky, monkeypatch):
    monkeypatch.setattr(reading, "PIECE", 1000)
    monkeypatch.setattr(reading, "CONNECTIONS", connections)
    flaky.every = every
    run = Ranges(f"flaky://{uri}", apps.DeepWalk(4), seed=1)
    assert walks(run) == walks(Ranges(uri, apps.DeepWalk(4), seed=1))
    assert flaky.reads > 10


def test_a_file_that_cannot_be_read_is_named(uri, flaky, cache):
    flaky.every = 1
    with pytest.raises(OSError, match=r"reading flaky:///.*/graph.json failed 8 times; the last error: read 8 fails"):
        Ranges(f"flaky://{uri}", apps.DeepWalk(4), seed=1)
    flaky.every = 0
    run = Ranges(f"flaky://{uri}", apps.DeepWalk(4), seed=1)
    flaky.every = 1
    with pytest.raises(OSError, match=r"reading flaky:///.*/graph.json failed 8 times"):
        run.table(run[0])
    head = head_of(location.located("uri", uri))
    from gonextdoor.storage.copies import copy_of

    with pytest.raises(OSError, match=r"reading flaky:///.*/indices.npy failed 8 times"):
        copy_of(location.located("uri", f"flaky://{uri}"), head)
    left = [name for name in os.listdir(cache / "graphs") if not name.endswith(".lock")]
    assert left == []


def test_reads_of_a_missing_file_are_not_repeated(uri, tmp_path, flaky):
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        Ranges(f"flaky://{tmp_path}/nowhere", apps.DeepWalk(4))
    assert flaky.reads <= 1
    shutil.copytree(uri, tmp_path / "part")
    os.remove(tmp_path / "part" / "indices.npy")
    run = Ranges(f"flaky://{tmp_path}/part", apps.DeepWalk(4))
    with pytest.raises(FileNotFoundError, match=r"part/indices.npy: there is no such file"):
        run.table(run[0])


def test_a_damaged_file_is_not_kept(uri, tmp_path, flaky, cache):
    shutil.copytree(uri, tmp_path / "damaged")
    data = np.load(tmp_path / "damaged" / "indices.npy", mmap_mode="r+")
    data[5] ^= 1
    data.flush()
    run = Ranges(f"flaky://{tmp_path}/damaged", apps.DeepWalk(4))
    with pytest.raises(gnd.FormatError, match="checksum"):
        run.table(run[0])
    assert [name for name in os.listdir(cache / "graphs") if not name.endswith(".lock")] == []


def test_a_read_that_ends_early_is_an_error(uri, flaky):
    class Longer:
        """A file system that reports files 10 bytes longer than they are."""

        def __init__(self, system):
            self.open_input_file, self._system = system.open_input_file, system

        def get_file_info(self, path):
            return types.SimpleNamespace(size=self._system.get_file_info(path).size + 10)

    at = location.located("uri", f"flaky://{uri}")
    size = os.path.getsize(f"{uri}/indices.npy")
    at = at._replace(filesystem=Longer(at.filesystem))
    with pytest.raises(OSError, match=f"{size} bytes at 0, expected {size + 10}"), open(os.devnull, "wb") as file:
        reading.copied(at, "indices.npy", file)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("{", "not the head of a graph"),
        ("[" * 9999, "not the head of a graph"),
        ('{"format": "other"}', 'format is "other", expected "gonextdoor graph"'),
        ('{"format": "gonextdoor graph"}', "version is 0"),
        ('{"format": "gonextdoor graph", "version": 1, "vertices": 1e99}', "graph.json: "),
        (
            '{"format": "gonextdoor graph", "version": 1, "arrays": {"../x": {}}}',
            r"array \"../x\" of dtype \"\" is not known",
        ),
    ],
)
def test_a_folder_with_another_head_is_refused(text, error, tmp_path):
    (tmp_path / "graph.json").write_text(text)
    with pytest.raises(gnd.FormatError, match=error):
        Ranges(tmp_path, apps.DeepWalk(4))


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "edges.txt").write_text("0 1\n")
    with pytest.raises(
        gnd.FormatError, match=r"edges.txt is a file; expected the folder .* gonextdoor convert edges.txt"
    ):
        Ranges(tmp_path / "edges.txt", apps.DeepWalk(4))


def test_storage_that_does_not_answer_is_named(monkeypatch):
    def from_uri(uri):
        raise OSError("no answer")

    monkeypatch.setattr(
        location, "_pyarrow_fs", lambda: types.SimpleNamespace(FileSystem=types.SimpleNamespace(from_uri=from_uri))
    )
    with pytest.raises(OSError, match=r"uri = 's3://bucket/graph': pyarrow cannot open it: no answer; check the name"):
        Ranges("s3://bucket/graph", apps.DeepWalk(4))


def test_a_head_that_is_too_long_is_refused(tmp_path):
    (tmp_path / "graph.json").write_text("x" * 70_000)
    with pytest.raises(OSError, match="longer than 65536 bytes"):
        Ranges(tmp_path, apps.DeepWalk(4))


def test_without_a_cache_folder(uri, flaky, monkeypatch):
    run = Ranges(f"flaky://{uri}", apps.DeepWalk(4))
    monkeypatch.setenv("GONEXTDOOR_CACHE", "off")
    with pytest.raises(OSError, match="set GONEXTDOOR_CACHE"):
        run.table(run[0])


def copy_in_process(uri, folder, barrier, results):
    os.environ["GONEXTDOOR_CACHE"] = folder
    from gonextdoor.storage import copies

    made = []
    copy, copies.arrays = copies.arrays, lambda *given: made.append(1) or copy(*given)
    run = Ranges(uri, apps.DeepWalk(4), seed=1)
    barrier.wait()
    results.put((walks(run), len(made)))


def test_processes_of_a_machine_make_one_copy(uri, tmp_path):
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(3), context.Queue()
    remote = "local://" + uri  # of fsspec, so it counts as object storage
    workers = [
        context.Process(target=copy_in_process, args=(remote, str(tmp_path / "shared"), barrier, results))
        for _ in range(3)
    ]
    for worker in workers:
        worker.start()
    found = [results.get(timeout=120) for _ in workers]
    for worker in workers:
        worker.join(60)
    assert sum(made for _, made in found) == 1
    expected = walks(Ranges(uri, apps.DeepWalk(4), seed=1))
    assert all(rows == expected for rows, _ in found)


def test_threads_open_a_graph_once(uri, flaky):
    run = Ranges(f"flaky://{uri}", apps.DeepWalk(4), seed=1, range_bytes=3000)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(run.table, run))
    assert len(anygraph._graphs) == 1


@pytest.mark.parametrize("kind", ["memory://bucket/walks", "flaky://{}/walks"])
def test_files_in_object_storage(kind, uri, tmp_path, flaky):
    path = kind.format(tmp_path)
    run = Ranges(uri, apps.DeepWalk(4), seed=1, range_bytes=3000)
    assert run.missing(path) == list(run)
    for ids in run[1:]:
        run.write(ids, path)
    assert run.missing(path) == [run[0]]
    run.write(run[0], path)
    at = location.located("path", path)
    from pyarrow import fs

    names = sorted(info.base_name for info in at.filesystem.get_file_info(fs.FileSelector(at.path)))
    assert names == [".gonextdoor.parquet", *(f"{ids.start:020d}.parquet" for ids in run)]  # and no temporary ones
    for ids in run:
        run.write(ids, tmp_path / "here")
        name = f"{ids.start:020d}.parquet"
        assert reading.content(at, name, 1 << 20) == (tmp_path / "here" / name).read_bytes()


def test_uris_of_this_machine(uri, tmp_path, monkeypatch):
    monkeypatch.chdir(os.path.dirname(uri))
    assert location.located("uri", "graph").uri == uri
    assert Ranges(f"file://{uri}", apps.DeepWalk(4), seed=1).run == Ranges("graph", apps.DeepWalk(4), seed=1).run
    assert location.located("uri", "file:///a%20b").path == "/a b"


def planted(target):
    """Another user's graph in the place of a copy."""
    for where, folders, files in os.walk(target):
        for name in ("", *folders, *files):
            os.chown(os.path.join(where, name), 65534, 65534)


def writable(target):
    """A file that others can write."""
    os.chmod(target / "indices.npy", 0o666)


def linked(target):
    os.rename(target / "indices.npy", target.parent / "indices.npy")
    os.symlink(target.parent / "indices.npy", target / "indices.npy")


@pytest.mark.parametrize("damage", [planted, writable, linked])
def test_a_copy_that_another_user_can_have_written_is_refused(damage, uri, flaky, cache):
    if damage is planted and os.geteuid():
        pytest.skip("only root can give files away")
    at = location.located("uri", f"flaky://{uri}")
    copy = pathlib.Path(copies.copy_of(at, head.head_of(at)))
    assert copies.copy_of(at, head.head_of(at)) == str(copy)
    damage(copy)
    with pytest.raises(PermissionError, match=rf"remove {re.escape(str(copy))} to copy it again"):
        copies.copy_of(at, head.head_of(at))
    shutil.rmtree(copy)
    copies.copy_of(at, head.head_of(at))


def test_a_copy_with_another_head_is_made_again(uri, flaky, cache):
    at = location.located("uri", f"flaky://{uri}")
    record = pathlib.Path(copies.copy_of(at, head.head_of(at))) / "graph.json"
    before = record.read_text()
    record.write_text(before + " ")
    copies.copy_of(at, head.head_of(at))
    assert record.read_text() == before


@pytest.mark.parametrize("name", [".", "graphs"])
def test_a_cache_folder_that_others_can_write_is_refused(name, uri, flaky, cache):
    at = location.located("uri", f"flaky://{uri}")
    copies.copy_of(at, head.head_of(at))
    (cache / name).chmod(0o777)
    with pytest.raises(PermissionError, match=r"another user can write to this folder, .* set GONEXTDOOR_CACHE"):
        copies.copy_of(at, head.head_of(at))
    (cache / name).chmod(0o755)
    copies.copy_of(at, head.head_of(at))
    assert stat.S_IMODE((cache / name).stat().st_mode) == 0o700


def test_files_of_a_copy_are_ours_with_any_umask(uri, flaky, cache):
    before = os.umask(0)
    try:
        at = location.located("uri", f"flaky://{uri}")
        for _ in range(2):
            copies.copy_of(at, head.head_of(at))
    finally:
        os.umask(before)


def test_folders_are_copied_by_pyarrow(tmp_path):
    """Folders that pyarrow copied are the same, with a URI of this machine."""
    from pyarrow import fs

    graph, uri = gnd.rmat(5, seed=1), (tmp_path / "bucket" / "graph").as_uri()
    graph.save(tmp_path / "here")
    os.makedirs(tmp_path / "bucket" / "graph")
    fs.copy_files(str(tmp_path / "here"), uri)
    assert walks(Ranges(uri, apps.DeepWalk(4), seed=1)) == walks(Ranges(tmp_path / "here", apps.DeepWalk(4), seed=1))
    os.makedirs(tmp_path / "back")
    fs.copy_files(uri, str(tmp_path / "back"))
    assert gnd.Graph.open(tmp_path / "back").equals(graph)
