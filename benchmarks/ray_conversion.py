"""Conversion of Parquet files to a partitioned graph: a Ray cluster of two nodes with one core each, against two
threads of one process.

    RAY_AUTH_MODE=disabled python benchmarks/ray_conversion.py [--edges 24000000] [--reps 5]

The nodes are processes of this machine, each on one core and with the same disk, so no network and no shared file
system is measured. This process is on the core of the first node while the cluster converts. The folders are compared.
"""

from __future__ import annotations

import contextlib
import filecmp
import logging
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import gonextdoor.ray as gray
import measure
import ray
from parquet import write
from ray.cluster_utils import Cluster

import gonextdoor as gnd

NODE = {"num_cpus": 1, "object_store_memory": 500_000_000, "include_dashboard": False}
GIVEN: dict[str, Any] = {"parts": 8, "symmetric": True}


def on(cores: set[int]) -> None:
    """Moves all threads of this process to cores, and those that they start."""
    for thread in os.listdir("/proc/self/task"):
        with contextlib.suppress(ProcessLookupError):  # it has ended
            os.sched_setaffinity(int(thread), cores)


class Sides:
    """Both sides of the comparison."""

    def __init__(self, folder: Path, cores: list[int]) -> None:
        self._edges, self._one, self._other = (folder / name for name in ("edges", "one", "other"))
        self._cores = cores

    def here(self) -> float:
        """The seconds of this process."""
        return self._timed(gnd.partition.convert, self._one)

    def cluster(self) -> float:
        """The seconds of the cluster."""
        on({self._cores[0]})
        try:
            return self._timed(gray.convert, self._other)
        finally:
            on({*self._cores})

    def _timed(self, convert: Any, to: Path) -> float:
        shutil.rmtree(to, ignore_errors=True)
        begin = time.perf_counter()
        convert(self._edges, to, **GIVEN)
        return time.perf_counter() - begin

    def check(self) -> None:
        """Fails if the folders differ."""
        files = [sorted(at.relative_to(to) for at in to.rglob("*")) for to in (self._one, self._other)]
        assert files[0] == files[1]
        for at in files[0]:
            one, other = self._one / at, self._other / at
            assert one.is_dir() or filecmp.cmp(one, other, shallow=False), at


def main() -> None:
    options = measure.parser(__doc__)
    options.add_argument("--edges", type=int, default=24_000_000, help="edges, each in both directions")
    given = options.parse_args()
    cores = sorted(os.sched_getaffinity(0))[:2]
    on({cores[0]})
    cluster = Cluster(initialize_head=True, head_node_args=NODE)
    on({cores[1]})
    cluster.add_node(**NODE)
    on({*cores})
    ray.init(address=cluster.address, log_to_driver=False, logging_level=logging.ERROR)
    try:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "edges").mkdir()
            for at in range(4):
                write(Path(folder) / "edges" / f"{at}.parquet", given.edges // 4)
            sides = Sides(Path(folder), cores)
            measure.head()
            measure.compare("conversion", 2, sides.cluster, sides.here, given.reps, "s", lower=True)
            sides.check()
    finally:
        ray.shutdown()
        cluster.shutdown()


if __name__ == "__main__":
    main()
