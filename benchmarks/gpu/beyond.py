"""Whether a GPU or the CPU makes samples of a graph larger than GPU memory, and which of both is faster.

    python benchmarks/gpu/beyond.py [--graph G1] [--limit 76MB] [--seconds 60] [--rows FILE]

A case is a call of ``gonextdoor.sample`` on device="cuda" until the samples are in GPU memory: made by the GPU, which
copies parts or rows of the graph (``plan={"order": "transit"}``), and by the CPU, which copies the samples to the GPU.
If the plan chooses the GPU, the latter is the time of device="cpu", in host memory. The first calls of an app are not
counted: they build tables and pin arrays. The samples of all calls are equal.

``--rows FILE`` appends the cases to a CSV file: the graph, the app and its parameters, roots per sample, samples, parts
and slots, bytes of a slot and of all parts, and the milliseconds by the GPU and by the CPU.
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import board
import graphs
import numpy as np

import gonextdoor as gnd

VARIABLE = "GONEXTDOOR_DEVICE_MEMORY"
GPU = {"device": "cuda", "plan": {"order": "transit"}}
LONG = 0.3  # seconds from which on the second call counts
CHECKED = 1 << 27  # bytes of samples up to which they are compared
Case = tuple[Any, int, int]  # app, samples, and roots of a sample


def walks(app: Callable[[int], Any], starts: int, width: int = 1) -> list[Case]:
    """Return cases of walks of two lengths, with up to two walkers per vertex."""
    long, short = (1 << 14, 400_000, 1_600_000, starts), (200_000, 1_000_000, 2 * starts)
    return [(app(80), n // width, width) for n in long] + [(app(10), n // width, width) for n in short]


def many(app: Any, *counts: int, width: int = 1) -> list[Case]:
    """Return cases of an app."""
    return [(app, n, width) for n in counts]


def cases(starts: int, attributes: bool) -> list[list[Case]]:
    """Return the cases of each app; some need weights, labels and times."""
    apps = gnd.apps
    plain = [
        many(apps.LADIES([512, 512]), 4, 16, 64, width=512),
        many(apps.KHop((25, 10), weighted=False), 1 << 14, 1 << 16, 1 << 18, 1 << 20),
        walks(lambda n: apps.DeepWalk(n, weighted=False), starts),
        walks(lambda n: apps.Node2Vec(p=2, q=0.5, length=n, weighted=False), starts),
        many(apps.Layer(1000, 2000), 256),
        many(apps.Layer(100, 200), 1 << 14),
        many(apps.Neighbor([10, 10, 10], frontier_size=100), 1 << 12),
        many(apps.FastGCN([512, 512]), 64, 1024, width=512),
        many(apps.MVS(1000, (10, 10)), 64, width=0),
        many(apps.Snowball(2, fanout=5), 1 << 12, 1 << 18),
    ]
    if not attributes:
        return plain
    return [
        *plain,
        walks(apps.MetropolisHastings, starts),
        walks(lambda n: apps.NonBacktracking(n, weighted=False), starts),
        walks(lambda n: apps.MultiIndependent(n, weighted=False), starts, 8),
        walks(lambda n: apps.Node2Vec(p=0.25, q=0.5, length=n, weighted=False), starts),
        walks(apps.TemporalWalk, starts),
        walks(lambda n: apps.DeepWalk(n, weighted="computed"), starts),
        walks(lambda n: apps.MultiDimensionalWalk(n, dimension=8), starts, 8),
        walks(lambda n: apps.DeepWalk(n, weighted=True), starts),
        walks(lambda n: apps.MetaPath((0, 1, 2, 3, 4), length=n, weighted=False), starts),
        walks(lambda n: apps.NonBacktracking(n, weighted=True), starts),
        walks(lambda n: apps.Node2Vec(p=0.25, q=0.5, length=n, weighted=True), starts),
        many(apps.KHop((25, 10), weighted=True), 1 << 14, 100_000),
        many(apps.PPR(0.15, weighted=False), 100_000, starts),
        many(apps.Jump(40, 0.2, weighted=False), 100_000, starts),
        many(apps.Restart(40, 0.2, weighted=False), 1_000_000),
        many(apps.GraphSAINT("node", budget=2000), 64, width=0),
        many(apps.GraphSAINT("walk", roots=500, length=3), 64, width=0),
        many(apps.RandomEdge(1000), 256, width=0),
        many(apps.RandomNode(1000), 256, width=0),
        many(apps.ForestFire(0.3), 1 << 12),
    ]


def interleaved(groups: list[list[Case]]) -> Iterator[Case]:
    """Return the first case of each app, then the second, and so on."""
    for turn in range(max(map(len, groups))):
        yield from (group[turn] for group in groups if turn < len(group))


def measured(call: Callable[[], gnd.Samples]) -> tuple[float, str, int | None]:
    """Return the milliseconds of a call after others, the device that made its samples, and their checksum."""
    made = call()
    for _ in range(2):
        del made
        began = time.perf_counter()
        made = call()
        if made.device != "cpu":
            _ = made.on_device.vertices.__cuda_array_interface__  # it waits until they are complete
        seconds = time.perf_counter() - began
        if seconds > LONG:
            break
    values = made.values
    check = zlib.crc32(np.ascontiguousarray(values).tobytes()) if values.nbytes < CHECKED else None
    return 1e3 * seconds, made.drawn_on, check


def parts_of(plan: gnd.Explanation) -> list[int] | None:
    """Return the numbers of parts and slots, and the bytes of a slot and of all parts; None: the graph fits."""
    table = plan.tables[0]
    found = re.search(r"(\d+) bytes together", table.when)
    if found is None:
        return None
    slots = re.match(r"(\d+) slots for (\d+) parts", table.name)
    count, places = (int(slots[2]), int(slots[1])) if slots else (1, 1)
    return [count, places, table.bytes // places, int(found[1])]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--graph", default="G1")
    options.add_argument("--limit", default="76MB", help="of the memory that graphs may take")
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--rows", help="append the cases to this file")
    given = options.parse_args()
    if os.environ.get(VARIABLE) != given.limit:  # it is read when the process starts
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, VARIABLE: given.limit})
    attributes = given.graph != "G4"
    made = graphs.arrays(given.graph, **({"weights": "uniform", "labels": True} if attributes else {}))
    times = np.random.default_rng(1).integers(0, 1 << 20, len(made.indices)) if attributes else None
    graph = gnd.Graph.from_csr(made.indptr, made.indices, weights=made.weights, labels=made.labels, times=times)
    starts = np.flatnonzero(graph.degrees()).astype(np.uint32)
    print(f"{board.name()}, {os.cpu_count()} CPUs", flush=True)
    end, right, total, worst = time.time() + given.seconds, 0, 0, 1.0
    for app, samples, width in interleaved(cases(len(starts), attributes)):
        if time.time() > end:
            print("out of time")
            break
        roots: Any = samples
        if width:
            roots = np.random.default_rng(samples).choice(starts, (samples, width) if width > 1 else samples)
        parts = parts_of(gnd.explain(graph, app, roots, **GPU))
        if parts is None:
            continue
        gpu, _, first = measured(lambda: gnd.sample(graph, app, roots, seed=1, **GPU))  # noqa: B023
        by_cpu = "the CPU makes the samples" in gnd.explain(graph, app, roots, device="cuda").why
        where = {"device": "cuda" if by_cpu else "cpu"}
        host, drawn_on, second = measured(lambda: gnd.sample(graph, app, roots, seed=1, **where))  # noqa: B023
        assert drawn_on == "cpu" and first == second, (app, samples)
        total, ratio = total + 1, (host if by_cpu else gpu) / min(host, gpu)
        right, worst = right + (ratio <= 1.1), max(worst, ratio)
        print(f"{app!r:<80}{samples:>9} samples  GPU {gpu:>9.2f} ms  CPU {host:>9.2f} ms  "
              f"by the {'CPU' if by_cpu else 'GPU'}  {ratio:.2f}", flush=True)  # fmt: skip
        if given.rows:
            with open(given.rows, "a", newline="") as file:
                name, text = app._text()
                row = [given.graph, name, text, width, samples, *parts, f"{gpu:.2f}", f"{host:.2f}"]
                csv.writer(file, lineterminator="\n").writerow(row)
    print(f"{total} cases: within 10 % of the faster device in {100 * right / max(1, total):.1f} %, worst {worst:.2f}")


if __name__ == "__main__":
    main()
