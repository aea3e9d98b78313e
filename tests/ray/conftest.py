"""A Ray cluster on this machine, for a module of tests. Its nodes are processes."""

import contextlib
import logging
import os
import time

import pytest

os.environ["RAY_AUTH_MODE"] = "disabled"  # read when Ray is imported
os.environ.setdefault("RAY_DEDUP_LOGS", "1")
os.environ["RAY_TQDM"] = "0"

import ray
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
        self.workers += [self.cluster.add_node(**NODE) for _ in range(count)]
        self.cluster.wait_for_nodes()

    def kill(self) -> None:
        """Kills the processes of a node."""
        self.cluster.remove_node(self.workers.pop(0), allow_graceful=False)


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


@pytest.fixture(scope="module")
def nodes():
    """Two nodes."""
    with running(1) as nodes:
        yield nodes


@pytest.fixture(scope="module")
def graph():
    return gnd.rmat(9, 8, seed=1)


@pytest.fixture(scope="module")
def uri(graph, tmp_path_factory):
    folder = tmp_path_factory.mktemp("ray") / "graph"
    graph.save(folder)
    return str(folder)


def wait(condition, seconds: float = 120.0) -> None:
    """Waits until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} s"
        time.sleep(0.01)
