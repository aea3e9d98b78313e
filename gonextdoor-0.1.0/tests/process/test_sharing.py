"""Graphs sent to other processes are mapped there, not copied, and unmapped and closed in the end."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import pathlib
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import corpus
import daily
import numpy as np
import pytest

import gonextdoor as gnd
from gonextdoor.graph import sharing

METHODS = ["fork", "spawn", "forkserver"]
WALK = gnd.apps.DeepWalk(6)

pytestmark = pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="sharing needs Linux's memfd")


def private_bytes() -> int:
    """The private memory of this process in bytes, without mapped graphs."""
    total, of_file = 0, False
    for line in pathlib.Path("/proc/self/smaps").read_text().splitlines():
        head = line.split()
        if not head[0].endswith(":"):
            of_file = "gonextdoor-graph" in line or ".npy" in line
        elif head[0] in ("Private_Dirty:", "Private_Clean:") and not of_file:
            total += int(head[1]) << 10
    return total


def large() -> gnd.Graph:
    """50 MB of arrays."""
    return gnd.rmat(17, 32, weights=(1, 5), seed=1)


def size_of(graph: gnd.Graph) -> int:
    return graph.num_edges * 8


def facts(graph: gnd.Graph) -> dict[str, Any]:
    arrays = ["indptr", "indices", "edge_ids", "weights", "labels", "times", "vertex_names"]
    found = {name: getattr(graph, name) for name in arrays}
    return {name: None if array is None else array.tolist() for name, array in found.items()}


def replies(method: str, work: Callable[..., Any], *args: Any) -> Any:
    """Returns work(*args), computed in a separate process."""
    context = multiprocessing.get_context(method)
    here, there = context.Pipe()
    process = context.Process(target=_work, args=(there, work, *args))
    process.start()
    there.close()
    try:
        assert here.poll(120), "no answer"
        return here.recv()
    finally:
        process.join(30)
        assert process.exitcode == 0
        process.close()


def _work(pipe: Any, work: Callable[..., Any], *args: Any) -> None:
    pipe.send(work(*args))


def sampled(graph: gnd.Graph) -> Any:
    return gnd.sample(graph, WALK, seed=3).numpy()


def costs(graph: gnd.Graph | None, sampling: bool = True) -> int:
    if graph is not None and sampling:
        gnd.PGSampler([5, 5], seed=1).sample(graph, range(100))
    return private_bytes()


GRAPHS = {
    "plain": lambda: corpus.graph(),
    "weighted": lambda: corpus.graph(weighted=True),
    "attributes": lambda: gnd.Graph.from_edges([0, 1, 1], [1, 0, 2], labels=[4, 5, 6], times=[9, 8, 7]),
    "ids": lambda: gnd.Graph.from_csr([0, 1, 2], [1, 0], edge_ids=[7, 1 << 40]),
    "no edges": lambda: gnd.Graph.from_edges([], [], num_vertices=3),
    "no vertices": lambda: gnd.Graph.from_csr([0], []),
}


@pytest.mark.parametrize("method", daily.share(METHODS, 3, test="the same there"))
@pytest.mark.parametrize("name", daily.share(GRAPHS, 2))
def test_the_graph_is_the_same_there(name: str, method: str) -> None:
    graph = GRAPHS[name]()
    assert replies(method, facts, graph) == facts(graph)


def test_names_go_along(tmp_path: pathlib.Path) -> None:
    (tmp_path / "g.csv").write_text("source,target\nada,grace\ngrace,édith\n")
    graph = gnd.read(tmp_path / "g.csv")
    assert replies("spawn", facts, graph)["vertex_names"] == ["ada", "grace", "édith"]


@pytest.mark.parametrize("method", daily.share(METHODS, 3))
@pytest.mark.parametrize("saved", [False, True])
def test_workers_have_no_copy(method: str, saved: bool, tmp_path: pathlib.Path) -> None:
    nothing, cost, size = replies("spawn", costs_of_a_worker, method, tmp_path / "g" if saved else None)
    assert cost - nothing < size / 4


def costs_of_a_worker(method: str, folder: pathlib.Path | None) -> tuple[int, int, int]:
    """The private memory of a worker without and with the graph, and the size of the graph.

    Called in a new process: a forked worker of a large one copies memory that is not the graph's,
    for a collection of garbage writes to each object.
    """
    graph = large()
    if folder is not None:
        graph.save(folder)
        graph = gnd.Graph.open(folder)
    gnd.PGSampler([5, 5], seed=1).sample(graph, range(100))
    nothing = replies(method, costs, None if method != "fork" else graph, False)
    assert costs(graph) > 0
    return nothing, replies(method, costs, graph), size_of(graph)


def test_tables_that_were_made_go_along() -> None:
    graph = large()
    nothing = replies("spawn", costs, graph)
    want = sampled(graph)  # makes alias tables
    got, cost = replies("spawn", sampled_at_cost, graph)
    assert np.array_equal(got, want)
    assert cost - nothing < size_of(graph) / 4 + 2 * want.nbytes


def sampled_at_cost(graph: gnd.Graph) -> Any:
    rows = sampled(graph)
    return rows, private_bytes()


def test_a_process_that_has_it_already_maps_nothing() -> None:
    graph = corpus.graph()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        kept = pool.starmap_async(keep, [(graph, k) for k in range(50)], chunksize=1).get(60)
    assert set(kept) == {1}


_kept: list[gnd.Graph] = []


def keep(graph: gnd.Graph, k: int) -> int:
    _kept.append(graph)
    return len(set(map(id, _kept)))


@pytest.mark.parametrize("method", daily.share(METHODS, 3, test="sends"))
def test_a_worker_sends_a_graph_and_ends(method: str) -> None:
    assert facts(replies(method, corpus.graph)) == facts(corpus.graph())


def test_a_worker_s_own_worker_maps_it() -> None:
    graph = corpus.graph()
    assert np.array_equal(replies("spawn", handed_on, graph), sampled(graph))


def handed_on(graph: gnd.Graph) -> Any:
    return replies("spawn", sampled, graph)


def test_the_sender_may_drop_it_before_it_arrives() -> None:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_work, args=(there, sampled, corpus.graph()))
    process.start()
    gc.collect()
    assert here.poll(60)
    assert np.array_equal(here.recv(), sampled(corpus.graph()))
    process.join(30)


def test_a_plain_pickle_holds_the_arrays(tmp_path: pathlib.Path) -> None:
    graph = corpus.graph(weighted=True)
    (tmp_path / "graph.pickle").write_bytes(pickle.dumps(graph))
    program = f"import pickle; print(pickle.load(open({str(tmp_path / 'graph.pickle')!r}, 'rb')).indices.sum())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(done.stdout) == graph.indices.sum()


@contextlib.contextmanager
def descriptors_stay() -> Iterator[None]:
    def names() -> list[str]:
        found = []
        for entry in os.listdir("/proc/self/fd"):
            with contextlib.suppress(OSError):
                found.append(os.readlink(f"/proc/self/fd/{entry}"))
        return [name for name in found if "gonextdoor-graph" in name]

    gc.collect()
    before = len(names())
    yield
    gc.collect()
    assert len(names()) == before


def maps() -> int:
    return pathlib.Path("/proc/self/maps").read_text().count("gonextdoor-graph")


@pytest.mark.parametrize("method", daily.share(METHODS, 3))
def test_nothing_is_left_in_the_sender(method: str) -> None:
    with descriptors_stay():
        before = maps()
        graph = corpus.graph()
        replies(method, sampled, graph)
        replies(method, sampled, graph)
        del graph
        gc.collect()
        assert maps() == before
        assert not [name for name in os.listdir("/dev/shm") if "gonextdoor" in name]


def unmapped() -> int:
    gc.collect()
    return maps()


def test_a_worker_that_drops_it_unmaps_it() -> None:
    graph = corpus.graph()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        for _ in range(3):
            pool.apply_async(sampled, (graph,)).get(60)
        assert pool.apply_async(unmapped).get(60) == 0


KILLED = """
import multiprocessing, os, sys, time, corpus, gonextdoor as gnd
def work(graph, pipe):
    pipe.send(gnd.sample(graph, gnd.apps.DeepWalk(3), seed=1).numpy().sum())
    time.sleep(60)
if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=work, args=(corpus.graph(), there))
    process.start()
    here.recv()
    print(process.pid, flush=True)
    time.sleep(60)
"""


def lives(process: int) -> bool:
    """Whether a process maps anything; a zombie does not."""
    try:
        return bool(pathlib.Path(f"/proc/{process}/maps").read_text())
    except OSError:
        return False


def test_nothing_is_left_of_a_killed_sender(tmp_path: pathlib.Path) -> None:
    (tmp_path / "killed.py").write_text(KILLED)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(pathlib.Path(__file__).parents[1]), *sys.path])}
    sender = subprocess.Popen(
        [sys.executable, str(tmp_path / "killed.py")], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert sender.stdout is not None
    worker = int(sender.stdout.readline())
    sender.kill()
    sender.wait(30)
    sender.stdout.close()
    os.kill(worker, signal.SIGKILL)
    for _ in range(100):
        if not lives(worker):
            break
        time.sleep(0.05)
    assert not lives(worker)
    assert not [name for name in os.listdir("/dev/shm") if "gonextdoor" in name]


def test_no_room_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: Any) -> None:
        raise OSError(28, "No space left on device")

    graph = corpus.graph()
    monkeypatch.setattr(os, "ftruncate", full)
    with pytest.raises(MemoryError, match=r"needs 0\.\d+ GB of shared memory .*No space left.* save it to a folder"):
        replies("spawn", facts, graph)
    monkeypatch.undo()
    assert replies("spawn", facts, graph) == facts(graph)


def test_a_folder_that_changed_is_refused(tmp_path: pathlib.Path) -> None:
    corpus.graph().save(tmp_path / "g")
    graph = gnd.Graph.open(tmp_path / "g")
    kind, args = sharing._reduced(graph)
    key = args[1:]
    del sharing._known[key]
    gnd.Graph.from_edges([0], [1]).save(tmp_path / "g")
    with pytest.raises(gnd.FormatError, match="has been removed or replaced"):
        kind(*args)
    shutil.rmtree(tmp_path / "g")
    with pytest.raises(FileNotFoundError, match=r"g/graph\.json"):
        kind(*args)


def test_a_folder_goes_by_its_path(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus.graph().save(tmp_path / "g")
    monkeypatch.chdir(tmp_path)
    for graph in (gnd.Graph.open("g"), gnd.read("g"), gnd.rmat(5, folder="r")):
        assert graph._folder is not None
        with descriptors_stay():
            assert replies("spawn", facts, graph) == facts(graph)
    assert gnd.read("g", weight=False)._folder is None


def test_threads_that_open_a_folder_at_once_get_one_graph(tmp_path):
    gnd.rmat(6, 4, seed=1).save(tmp_path / "graph")
    path, first = str(tmp_path / "graph"), []
    stamp = sharing.stamp_of(path)

    class Late:
        """Opens the graph after another thread has."""

        @staticmethod
        def open(path):
            first.append(sharing._opened(gnd.Graph, path, stamp))
            return gnd.Graph.open(path)

    assert sharing._opened(Late, path, stamp) is first[0]
