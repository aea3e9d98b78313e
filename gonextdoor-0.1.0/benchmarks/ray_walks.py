"""Sampling on a Ray cluster of two nodes with one core each, against two threads of one process.

    RAY_AUTH_MODE=disabled python benchmarks/ray_walks.py [--scale 18] [--size 2000] [--reps 3] [--only SIDE] [--copies]
        [--kill]

The nodes are processes of this machine, so no network is measured. A side samples --size MB of vertices in ranges of
32 MiB. The rate is that of the rows between the first result and the last: starting actors, which takes seconds, is
reported apart. "on nodes" reads a dataset in one process per node, as training processes do, "dataset" in this process
alone: the rows of the other node are sent to it. "files" writes Parquet without compression. --copies measures what
Ray takes to copy rows that are there already. --kill also kills a node when a third of the files is there, and reports
the time beyond that of the remaining rows at the rate of the node that is left; and it kills one in the middle of walks
on a graph in two parts.
"""

from __future__ import annotations

import logging
import pathlib
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from typing import Any

import gonextdoor.ray as gray
import measure
import ray
from ray.cluster_utils import Cluster
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

import gonextdoor as gnd

NODE = {"num_cpus": 1, "object_store_memory": 2_000_000_000, "include_dashboard": False}
NOTICED = {"health_check_period_ms": 500, "health_check_failure_threshold": 4, "health_check_initial_delay_ms": 0}
ACTORS = {"num_cpus": 1, "concurrency": 2}
APPS = {"DeepWalk": gnd.apps.DeepWalk(80), "node2vec": gnd.apps.Node2Vec(p=0.5, q=2, length=80)}
STEPS = 80


class Reader:
    """Reads its share of a dataset, in a process on a node."""

    def ready(self) -> None:
        """Returns when the process is there."""

    def read(self, share: Any) -> list[tuple[float, int]]:
        """The times and the rows of its blocks."""
        blocks = share.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0)
        return [(time.perf_counter(), len(block)) for block in blocks]


class Prepared:
    """Returns a table that it made before."""

    def __init__(self, run: gnd.ranges.Ranges) -> None:
        self._table = run.table(run[0])

    def __call__(self, batch: Any) -> Any:
        return self._table


class Sides:
    """Both sides of a comparison, on one graph and app.

    Attributes:
        starts: the seconds until the first result of each run on the cluster.
    """

    def __init__(self, uri: str, app: Any, size: int, out: pathlib.Path) -> None:
        self.uri, self.app, self.out = uri, app, out
        rows = size * 1_000_000 // (4 * STEPS)
        self.repeat = max(1, rows // gnd.Graph.open(uri).num_vertices)
        self.run = gnd.ranges.Ranges(uri, app, repeat=self.repeat, seed=1, threads=2)
        self.starts: list[float] = []
        self._readers: dict[str, Any] = {}  # by node

    def on_nodes(self) -> float:
        """Reads a dataset on its nodes."""
        return self._on_nodes(self._sampled())

    def dataset(self) -> float:
        """Reads a dataset in this process."""
        return self._here(self._sampled())

    def copies_on_nodes(self) -> float:
        """Reads copies of a table on their nodes."""
        return self._on_nodes(self._copied())

    def copies(self) -> float:
        """Reads copies of a table in this process."""
        return self._here(self._copied())

    def _sampled(self) -> Any:
        """A dataset of walks."""
        return gray.sample(self.uri, self.app, repeat=self.repeat, seed=1, **ACTORS)

    def _copied(self) -> Any:
        """A dataset of as many rows, which are the same in all blocks."""
        ranges = ray.data.from_items([{"range": number} for number in range(len(self.run))])
        actors = ray.data.ActorPoolStrategy(size=2, max_tasks_in_flight_per_actor=8)
        return ranges.map_batches(Prepared, fn_constructor_args=(self.run,), batch_size=1, compute=actors, num_cpus=1)

    def _on_nodes(self, data: Any) -> float:
        """Reads a dataset in a process on each node, which prefers the blocks that are there."""
        nodes = [node["NodeID"] for node in ray.nodes() if node["Alive"]]
        for node in nodes:
            if node not in self._readers:
                on = NodeAffinitySchedulingStrategy(node, soft=False)
                self._readers[node] = ray.remote(num_cpus=0, scheduling_strategy=on)(Reader).remote()
        readers = [self._readers[node] for node in nodes]
        ray.get([reader.ready.remote() for reader in readers])
        begin = time.perf_counter()
        shares = data.streaming_split(len(nodes), locality_hints=nodes)
        calls = [reader.read.remote(share) for reader, share in zip(readers, shares, strict=True)]
        (first, _), *blocks = sorted(block for share in ray.get(calls) for block in share)
        self.starts.append(first - begin)
        return sum(rows for _, rows in blocks) * STEPS / (blocks[-1][0] - first) / 1e6

    def _here(self, data: Any) -> float:
        """Reads a dataset in this process."""
        blocks = data.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0)
        return self._rate(len(block) for block in blocks)

    def tables(self) -> float:
        """Makes the same tables in this process."""
        return self._rate((len(self.run.table(ids)) for ids in self.run), here=True)

    def files(self) -> float:
        """Writes files on the cluster."""
        return self._rate(self._written())

    def files_here(self) -> float:
        """Writes the same files in this process."""
        shutil.rmtree(self.out, ignore_errors=True)
        return self._rate((self._write(ids) for ids in self.run), here=True)

    def _write(self, ids: range) -> int:
        self.run.write(ids, self.out, compression="none")
        return len(ids)

    def _written(self) -> Iterator[int]:
        """The rows of each file of the cluster when it appears."""
        shutil.rmtree(self.out, ignore_errors=True)
        writer = threading.Thread(
            target=gray.write,
            args=(self.uri, self.app, self.out),
            kwargs={"repeat": self.repeat, "seed": 1, "compression": "none", **ACTORS},
        )
        writer.start()
        there: set[str] = set()
        while writer.is_alive() or len(there) < len(self.run):
            for file in self.out.glob("*.parquet") if self.out.exists() else ():
                if file.name not in there:
                    there.add(file.name)
                    yield self.run.range_rows
            time.sleep(0.005)
        writer.join()

    def _rate(self, counts: Iterator[int], here: bool = False) -> float:
        """M steps per second between the first result and the last."""
        begin = time.perf_counter()
        next(counts)
        first = time.perf_counter()
        rows = sum(counts)
        end = time.perf_counter()
        if not here:
            self.starts.append(first - begin)
        return rows * STEPS / (end - first) / 1e6


def killed(sides: Sides, cluster: Cluster) -> float:
    """Seconds beyond the time of the remaining rows on one node, if a node is killed."""
    times: list[float] = []
    total, node = len(sides.run), list(cluster.worker_nodes)[-1]
    for _ in sides._written():
        times.append(time.perf_counter())
        if len(times) == total // 3:
            cluster.remove_node(node, allow_graceful=False)
            begin = times[-1]
    cluster.add_node(**NODE)
    cluster.wait_for_nodes()
    alone = [b - a for a, b in zip(times[-4:], times[-3:], strict=False)]
    return time.perf_counter() - begin - (total - total // 3) * sum(alone) / len(alone)


class Killing(gray.ActorTransport):
    """Reaches the parts of a graph, and kills a node of the cluster at a superstep of a run."""

    cluster: Cluster
    at = 0

    def superstep(self, part: int, cohort: Any, step: int, inboxes: Any) -> Any:
        self.at -= 1
        if self.at == 0:
            self.cluster.remove_node(list(self.cluster.worker_nodes)[-1], allow_graceful=False)
        return super().superstep(part, cohort, step, inboxes)


def killed_part(uri: str, cluster: Cluster, app: Any, reps: int) -> tuple[list[float], list[float]]:
    """Seconds of walks on a graph in two parts, a node of which is killed in the middle, and of the same walks before
    it. The node had one part at least, or none."""
    folder = str(pathlib.Path(uri).with_name("parts"))
    if not pathlib.Path(folder).exists():
        gnd.partition.write(gnd.Graph.open(uri), folder, parts=2)
    parts = gnd.partition.open(folder)
    alone: list[float] = []
    lost: list[float] = []
    for _ in range(reps):
        with Killing(parts, num_cpus=0.2) as transport:
            transport.cluster = cluster
            for times, at in (([], 0), (alone, 0), (lost, STEPS)):
                transport.at = at
                begin = time.perf_counter()
                gnd.partition.end_points(parts, app, seed=1, transport=transport, cohort=1 << 17)
                times.append(time.perf_counter() - begin)
        cluster.add_node(**NODE)
        cluster.wait_for_nodes()
    return alone, lost


def main() -> None:
    options = measure.parser(__doc__, 3)
    options.add_argument("--scale", type=int, default=18)
    options.add_argument("--size", type=int, default=2000, help="MB of vertices of a run")
    options.add_argument("--only", default="", help="sides whose name contains this")
    options.add_argument("--copies", action="store_true")
    options.add_argument("--kill", action="store_true")
    given = options.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp())
    cluster = Cluster(initialize_head=True, head_node_args=NODE | {"_system_config": NOTICED})
    try:
        gnd.rmat(given.scale, seed=1).save(folder / "graph")
        cluster.add_node(**NODE)
        cluster.wait_for_nodes()
        ray.init(address=cluster.address, log_to_driver=False, logging_level=logging.ERROR)
        ray.data.DataContext.get_current().enable_progress_bars = False
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        measure.head()
        for name, app in APPS.items():
            sides = Sides(str(folder / "graph"), app, given.size, folder / "out")
            pairs = {"on nodes": (sides.on_nodes, sides.tables), "dataset": (sides.dataset, sides.tables)}
            if given.copies:
                pairs["copies on nodes"] = (sides.copies_on_nodes, sides.tables)
                pairs["copies"] = (sides.copies, sides.tables)
            pairs["files"] = (sides.files, sides.files_here)
            for what, pair in pairs.items():
                if given.only in f"{name}, {what}":
                    measure.compare(f"{name}, {what}", 2, *pair, given.reps, "M steps/s")
            if sides.starts:
                print(f"{name}: first result after {min(sides.starts):.1f} to {max(sides.starts):.1f} s", flush=True)
            if given.kill:
                lost = [killed(sides, cluster) for _ in range(given.reps)]
                print(f"{name}: a killed node costs {min(lost):.1f} to {max(lost):.1f} s", flush=True)
                alone, lost = killed_part(sides.uri, cluster, app, given.reps)
                pairs = ", ".join(f"{a:.1f} and {b:.1f}" for a, b in zip(alone, lost, strict=True))
                print(f"{name}, two parts: without and with a killed node, {pairs} s", flush=True)
    finally:
        ray.shutdown()
        cluster.shutdown()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
