"""Costs of walks on a partitioned graph, and the time that a cluster needs by them: simulated, not measured.

    python benchmarks/partition_cluster.py [--scale 18] [--parts 16] [--threads 1,2]
    python benchmarks/partition_cluster.py --simulate

Without --simulate, the stages of a run are measured in this process, where all parts are: the supersteps with the
collection of traces, the join of the walks, and the Parquet file, in ns of CPU time per step. No network is part of
them. Then the run is repeated with several threads, whose wall time shows how the cores of a part add up.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from gonextdoor.partition.part import TRACES
from gonextdoor.partition.sample import Run, _matrix

import gonextdoor as gnd

WALKS, LENGTH = 1 << 17, 80
APPS = {
    "DeepWalk": gnd.apps.DeepWalk(LENGTH),
    "Node2Vec(2, 1/2)": gnd.apps.Node2Vec(p=2, q=0.5, length=LENGTH),
    "Node2Vec(1/4, 4)": gnd.apps.Node2Vec(p=0.25, q=4, length=LENGTH),
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--scale", type=int, default=18, help="of the R-MAT graph (default %(default)s)")
    options.add_argument("--parts", default="4,16", help="numbers of parts (default %(default)s)")
    options.add_argument("--threads", default="1", help="numbers of threads (default %(default)s)")
    given = options.parse_args()
    graph = gnd.rmat(given.scale, 16, seed=1)
    for parts in map(int, given.parts.split(",")):
        divided = gnd.partition.split(graph, parts, "hash")
        for name, app in APPS.items():
            measured(divided, name, app, [int(count) for count in given.threads.split(",")])


def measured(divided: Any, name: str, app: Any, threads: list[int]) -> None:
    """Prints the costs of an app on a number of parts."""
    roots = np.random.default_rng(1).integers(0, divided.num_vertices, WALKS)
    for count in threads:
        with gnd.partition.InProcess(divided, threads=count) as transport:
            gnd.partition.sample(divided, app, roots[:1000], seed=1, transport=transport)  # builds the tables
            run = Run(divided, app, roots, 1, 1, 0, transport, TRACES, None, None)
            begin = time.process_time(), time.perf_counter()
            done = list(run.cohorts())
            cpu, wall = time.process_time() - begin[0], time.perf_counter() - begin[1]
        steps = sum(len(part.steps) for _, one in done for part in one.recorded)
        run.cohorts = lambda done=done: iter(done)  # type: ignore[method-assign]
        begin = time.process_time(), time.perf_counter()
        joined = _matrix(run, app.width(1), False)
        join = time.process_time() - begin[0]
        line = f"{divided.parts:>3} parts {count:>3} threads {name:<17}"
        line += f"{steps / wall / 1e6:7.1f} M steps/s, CPU ns per step: supersteps {cpu / steps * 1e9:5.0f}"
        line += f", join {join / steps * 1e9:4.0f}, Parquet {parquet(joined.values) / steps * 1e9:4.0f}"
        line += f"; {run.messages / steps:.2f} messages, {run.size / steps:.1f} bytes, {run.supersteps} supersteps"
        print(line, flush=True)


def parquet(values: Any) -> float:
    """Seconds of CPU time to write walks to a file in memory; NaN without pyarrow."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        return float("nan")
    column = pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1).view(np.uint32)), values.shape[1])
    begin = time.process_time()
    pq.write_table(pa.table({"walk": column}), pa.BufferOutputStream(), compression="zstd", use_dictionary=False)
    return time.process_time() - begin


if __name__ == "__main__":
    main()
