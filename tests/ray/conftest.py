"""A Ray cluster on this machine, which the tests of this folder share. Its nodes are processes."""

import contextlib
import hashlib
import logging
import os
import pathlib
import signal
import threading
import time

import numpy as np
import pytest

os.environ["RAY_AUTH_MODE"] = "disabled"  # read when Ray is imported
os.environ.setdefault("RAY_DEDUP_LOGS", "1")
os.environ["RAY_TQDM"] = "0"

import ray
from gonextdoor.ranges import MiniBatches, Ranges
from ray.cluster_utils import Cluster

import gonextdoor as gnd

NODE = {"num_cpus": 1, "num_gpus": 1, "object_store_memory": 100_000_000, "include_dashboard": False}
NOTICED = {"health_check_period_ms": 500, "health_check_failure_threshold": 4, "health_check_initial_delay_ms": 0}


class Nodes:
    """The head of a cluster, which stays, and nodes that can be removed."""

    def __init__(self, workers: int) -> None:
        self.cluster = Cluster(initialize_head=True, head_node_args=NODE | {"_system_config": NOTICED})
        self.workers = []
        self.add(workers)

    @property
    def address(self) -> str:
        return self.cluster.address

    def add(self, count: int = 1) -> None:
        self.workers += [self.cluster.add_node(wait=False, **NODE) for _ in range(count)]
        self.cluster.wait_for_nodes()

    def kill(self, actors=()) -> None:
        """Kills the processes of a node, of one that has one of the actors if there is one.

        Workers would live a little longer than the process that started them, and answer meanwhile.
        """
        states = living()
        busy = {states[id]["Address"]["NodeID"] for id in (actor._actor_id.hex() for actor in actors) if id in states}
        node = next((node for node in self.workers if node.node_id in busy), self.workers[0])
        self.workers.remove(node)
        self.cluster.remove_node(node, allow_graceful=False)
        for state in states.values():
            if state["Address"]["NodeID"] == node.node_id:
                end(state)


def living():
    """The states of the actors that are alive, by id."""
    return ray._private.state.actors(actor_state_name="ALIVE")


def end(state) -> None:
    """Kills the process of an actor."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(state["Pid"], signal.SIGKILL)


@contextlib.contextmanager
def running(workers: int):
    """A cluster to which this process is connected."""
    nodes = Nodes(workers)
    try:
        ray.init(address=nodes.address, log_to_driver=False, logging_level=logging.ERROR)
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = context.print_on_execution_start = False
        logging.getLogger("ray.data").setLevel(logging.CRITICAL)
        yield nodes
    finally:
        ray.shutdown()
        nodes.cluster.shutdown()


_shared = contextlib.ExitStack()  # has the cluster
_nodes = []  # of it, when it runs


@pytest.fixture(scope="module")
def cluster():
    """Three nodes, of which a test may kill one. They start with the first test that asks for them."""
    if not _nodes:
        _nodes.append(_shared.enter_context(running(2)))
    return _nodes[0]


@pytest.fixture
def nodes(cluster):
    """Three nodes, whatever the test before did."""
    if len(cluster.workers) < 2:
        cluster.add()
    return cluster


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    """Ends the cluster after the last test of this folder, so that it takes nothing from those of others."""
    result = yield
    if nextitem is None or pathlib.Path(__file__).parent not in nextitem.path.parents:
        _nodes.clear()
        _shared.close()
    return result


@pytest.fixture(scope="module")
def graph():
    return gnd.rmat(9, 8, seed=1)


@pytest.fixture(scope="module")
def uri(graph, tmp_path_factory):
    folder = tmp_path_factory.mktemp("ray") / "graph"
    graph.save(folder)
    return str(folder)


PARTS = 3
CPUS = 0.2  # of the actor of a part
BATCHES = MiniBatches([3, 2], batch_size=64, shuffle=True)


@pytest.fixture(scope="module")
def parts(graph, tmp_path_factory):
    folder = tmp_path_factory.mktemp("ray") / "parts"
    gnd.partition.write(graph, folder, parts=PARTS, by="hash")
    return gnd.partition.open(folder)


def expected(uri, app, roots=None, **given):
    run = Ranges(uri, app, roots, **given)
    return run.table(range(run.rows)).combine_chunks()


def same(ours, theirs):
    """Compares the batches of two loaders. Returns their number."""
    pairs = list(zip(ours, theirs, strict=True))
    for one, other in pairs:
        arrays, expected = one.split(one.arena), other.split(other.arena)
        assert one.num_nodes == other.num_nodes
        assert np.array_equal(arrays.nodes[0], expected.nodes[0]) and np.array_equal(arrays.edges[0], expected.edges[0])
    return len(pairs)


def wait(condition, seconds: float = 120.0) -> None:
    """Waits until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} s"
        time.sleep(0.01)


def finished(folder):
    """The files that have appeared under their final name."""
    return sorted(folder.glob("[0-9]*.parquet")) if folder.exists() else []


class Watch(threading.Thread):
    """Kills something when a number of files is there, and afterwards checks that files never change."""

    def __init__(self, kill, folder, count):
        super().__init__(daemon=True)
        self.kill, self.folder, self.count = kill, folder, count
        self.seen, self.changed, self.done = {}, [], threading.Event()

    def run(self):
        wait(lambda: len(finished(self.folder)) >= self.count)
        self.kill()
        while not self.done.wait(0.05):
            for file in finished(self.folder):
                digest = hashlib.sha256(file.read_bytes()).hexdigest()
                if self.seen.setdefault(file, digest) != digest:
                    self.changed.append(file)
