"""Sampling on a Ray cluster of two nodes with one core each, against two threads of one process.

    RAY_AUTH_MODE=disabled python benchmarks/ray_walks.py [--scale 18] [--size 1000] [--reps 3] [--kill]

The nodes are processes of this machine, so no network is measured. A side samples --size MB of vertices in ranges of
32 MiB. The rate is that of the rows between the first result and the last: starting actors, which takes seconds, is
reported apart. "dataset" reads the rows in this process, "files" writes Parquet without compression. --kill also kills
a node when a third of the files is there, and reports the time beyond that of the remaining rows at the rate of the
node that is left; and it kills one in the middle of walks on a graph in two parts.
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

import gonextdoor as gnd

NODE = {"num_cpus": 1, "object_store_memory": 2_000_000_000, "include_dashboard": False}
NOTICED = {"health_check_period_ms": 500, "health_check_failure_threshold": 4, "health_check_initial_delay_ms": 0}
ACTORS = {"num_cpus": 1, "concurrency": 2}
APPS = {"DeepWalk": gnd.apps.DeepWalk(80), "node2vec": gnd.apps.Node2Vec(p=0.5, q=2, length=80)}
STEPS = 80


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

    def dataset(self) -> float:
        """Reads a dataset."""
        data = gray.sample(self.uri, self.app, repeat=self.repeat, seed=1, **ACTORS)
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
    options.add_argument("--size", type=int, default=1000, help="MB of vertices of a run")
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
            measure.compare(f"{name}, dataset", 2, sides.dataset, sides.tables, given.reps, "M steps/s")
            measure.compare(f"{name}, files", 2, sides.files, sides.files_here, given.reps, "M steps/s")
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
