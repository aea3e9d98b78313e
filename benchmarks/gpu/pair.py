"""All that two GPUs have to show, by one command: the tests on both, then the measurements.

    python benchmarks/gpu/pair.py [--out FOLDER] [--graphs G1,G4] [--steps tests,go,scaling,split] [--length 80]

The steps are

    tests    pytest tests/gpu with GONEXTDOOR_TEST_DEVICE=cuda
    go       go test of the packages that use GPUs, likewise; needs Go and the source tree
    scaling  benchmarks/gpu/scaling.py: visit counts, copies to the host, and mini-batches in one process and several
    split    graphs that are split over both GPUs, compared with a copy on each

FOLDER gets the output of each step, scaling.csv and split.csv. The command fails if a step fails, or the machine has
one GPU. A step that fails does not stop the others.

The split graph has no replicas, so half of all reads are remote, unless GONEXTDOOR_DEVICE_REPLICAS is set. Walks are
made with the rows of the other GPU read by peer access, exchanged after each step, and as planned. Modes alternate in
each round; the first round is not counted. ``share`` is the median ratio to the graph that is replicated. The samples
of all modes must be equal. Graphs are those of graphs.py, which needs cupy, or the scale of an R-MAT graph.
"""

from __future__ import annotations

import argparse
import csv
import os
import statistics
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from gonextdoor._core import native

import gonextdoor as gnd

ROOT = Path(__file__).resolve().parents[2]
PAIR = ["cuda:0", "cuda:1"]
REPLICAS = "GONEXTDOOR_DEVICE_REPLICAS"
PACKAGES = ("cuda", "engine/gpu/...", "engine/sharded", "engine/neighborbatch", "engine/visits", ".")
CHECKED, SEEDS, IN_CALL, FANOUTS = 2_000, 1024, 32, [15, 10, 5]
# By mode: whether the graph is split, and the order of the walks.
MODES = {
    "replicated": (False, None),
    "peer reads": (True, "sample"),
    "exchange": (True, "transit"),
    "planned": (True, None),
}
COLUMNS = ("graph", "case", "mode", "value", "least", "most", "unit", "share", "wanted")


class Case(NamedTuple):
    """Something to measure. ``run`` returns a rate in some mode; ``check`` a checksum of the samples."""

    name: str
    unit: str
    wanted: float  # the share of the rate of the replicated graph that the planned mode should have; 0: none is set
    run: Callable[[str | None, int], float]
    check: Callable[[str | None], int]
    modes: tuple[str, ...]


def walk(graph: gnd.Graph, name: str, app: Any, roots: np.ndarray, wanted: float, repeat: int = 1) -> Case:
    """Walks whose results stay on the GPUs, several from each root."""

    def sample(of: np.ndarray, order: str | None, seed: int) -> Any:
        plan = {"order": order} if order else None
        return gnd.sample(graph, app, of, repeat=repeat, seed=seed, device=PAIR, progress=False, plan=plan)

    def run(order: str | None, seed: int) -> float:
        begin = time.perf_counter()
        for shard in sample(roots, order, seed).shards:
            assert shard._result.seconds >= 0  # it waits until the samples are complete
        return len(roots) * repeat * app.length / (time.perf_counter() - begin) / 1e9

    def check(order: str | None) -> int:
        return zlib.crc32(sample(roots[:CHECKED], order, 1).numpy().tobytes())

    return Case(name, "G steps/s", wanted, run, check, tuple(MODES))


def flat(x: Any) -> list[bytes]:
    """The arrays of a batch, as bytes."""
    return [a for part in x for a in flat(part)] if isinstance(x, (list, tuple)) else [np.asarray(x).tobytes()]


def mini_batches(graph: gnd.Graph, calls: int) -> Case:
    """Mini-batches in one process, two calls in progress. They read the rows of the other GPU."""
    random, vertices = np.random.default_rng(1), graph.num_vertices
    nodes = [random.choice(vertices, min(SEEDS, vertices), replace=False) for _ in range(IN_CALL)]

    def draw(number: int) -> list[Any]:
        sampler = gnd.NeighborSampler(graph, FANOUTS, device=PAIR, expand="all", layout="csc")
        last: list[Any] = []
        for i in range(calls):
            last = sampler.draw_many(nodes, list(range(number + i, number + i + IN_CALL)))
        for batch in last:
            assert batch.arena.__cuda_array_interface__  # it waits until the batch is complete
        return last

    def run(_: str | None, number: int) -> float:
        threads = [threading.Thread(target=draw, args=(number + i * calls,)) for i in range(2)]
        begin = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return len(threads) * calls * IN_CALL / (time.perf_counter() - begin)

    def check(_: str | None) -> int:
        return zlib.crc32(b"".join(x for batch in draw(0) for x in flat(tuple(batch.split(batch.arena.numpy())))))

    name = f"mini-batches {','.join(map(str, FANOUTS))}, {IN_CALL} per call"
    return Case(name, "batches/s", 0.6, run, check, ("replicated", "planned"))


def cases(graph: gnd.Graph, given: argparse.Namespace) -> Iterator[Case]:
    """The cases of one graph."""
    starts = np.flatnonzero(graph.degrees()).astype(np.uint32)
    some = np.random.default_rng(3).choice(starts, 100_000)
    uniform = gnd.apps.DeepWalk(given.length, weighted=False)
    second = gnd.apps.Node2Vec(p=2, q=0.5, length=given.length, weighted=False)
    yield walk(graph, "uniform, 8 per vertex", uniform, starts, 0.45, 8)
    yield walk(graph, "node2vec, 8 per vertex", second, starts, 0.45, 8)
    yield walk(graph, "uniform, 100,000 walkers", uniform, some, 0.25)
    yield walk(graph, "node2vec, 100,000 walkers", second, some, 0.25)
    yield mini_batches(graph, given.calls)


def measure(name: str, graph: gnd.Graph, case: Case, runs: int) -> list[list[Any]]:
    """The rows of a case. It exits if the samples of two modes differ."""
    found: dict[str, list[float]] = {mode: [] for mode in case.modes}
    checks: dict[str, int] = {}
    for number in range(runs + 1):
        for mode in case.modes:
            split, order = MODES[mode]
            if (graph.placement is not None) != split:
                graph.place(PAIR if split else None)
                case.run(order, number)  # it uploads the layouts
            found[mode].append(case.run(order, number))
            if number == 0:
                checks[mode] = case.check(order)
    if len(set(checks.values())) > 1:
        raise SystemExit(f"{case.name}: the samples differ: {checks}")
    rows = []
    for mode in case.modes:
        values, all_of = found[mode][1:], found["replicated"][1:]
        share = statistics.median(a / b for a, b in zip(values, all_of, strict=True))
        wanted = case.wanted if mode == "planned" else 0.0
        three = [f"{x:.4g}" for x in (statistics.median(values), min(values), max(values))]
        rows.append([name, case.name, mode, *three, case.unit, f"{share:.3f}", wanted])
        print(*rows[-1], flush=True)
    return rows


def measured(name: str, graph: gnd.Graph, case: Case, runs: int) -> list[list[Any]]:
    """Return the rows of a case, or one that says why it failed."""
    try:
        return measure(name, graph, case, runs)
    except (gnd.DeviceError, MemoryError) as why:
        print(f"{name}, {case.name}: {why}", flush=True)
        return [[name, case.name, f"failed: {why}"]]


def split(given: argparse.Namespace) -> None:
    """Measure graphs that are split over two GPUs, in this process."""
    with (given.out / "split.csv").open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        for name in given.graphs.split(","):
            if name.isdecimal():
                graph = gnd.rmat(int(name), 8, seed=1, symmetric=True, progress=False)
            else:
                import graphs

                graph = graphs.arrays(name).graph()
            for case in cases(graph, given):
                out.writerows(measured(name, graph, case, given.runs))


def commands(given: argparse.Namespace) -> dict[str, list[str]]:
    """The command of each step."""
    python = sys.executable
    packages = [f"./gonextdoor/{name}".removesuffix("/.") for name in PACKAGES]
    here = [__file__, "--step-split", "--out", str(given.out), "--graphs", given.graphs, "--length", str(given.length),
            "--runs", str(given.runs), "--calls", str(given.calls)]  # fmt: skip
    first = given.graphs.split(",")[0]
    return {
        "tests": [python, "-m", "pytest", "-q", "-rs", "tests/gpu"],
        "go": ["go", "test", "-short", "-v", *packages],
        "scaling": [python, "benchmarks/gpu/scaling.py", "--measure", str(given.out / "scaling.csv"), "--graph", first],
        "split": [python, *here],
    }


def run(name: str, command: list[str], out: Path) -> bool:
    """Run a step and store its output. It returns whether the step succeeded."""
    environment = dict(os.environ, GONEXTDOOR_TEST_DEVICE="cuda")
    if name == "split":
        environment.setdefault(REPLICAS, "0")
    begin = time.perf_counter()
    with (out / f"{name}.txt").open("w") as file:
        try:
            code = subprocess.run(
                command, cwd=ROOT, env=environment, stdout=file, stderr=subprocess.STDOUT, check=False
            ).returncode
        except OSError as why:
            file.write(f"{command[0]}: {why}\n")
            code = 127
    text = (out / f"{name}.txt").read_text().rstrip().splitlines()
    result = "succeeded" if code == 0 else f"failed ({code})"
    print(
        f"{name}: {result} after {time.perf_counter() - begin:.0f} s; {name}.txt: {text[-1] if text else ''}",
        flush=True,
    )
    return code == 0


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--out", type=Path, default=Path("pair"), help="a folder (default %(default)s)")
    options.add_argument("--graphs", default="G1,G4")
    options.add_argument("--steps", default="tests,go,scaling,split")
    options.add_argument("--length", type=int, default=80)
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--calls", type=int, default=40, help="calls of mini-batches in a run (default %(default)s)")
    options.add_argument("--step-split", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    given.out = given.out.resolve()
    have = int(native.call("DeviceCount"))
    if have < 2:
        options.error(f"this machine has {have} GPUs, and two are needed")
    if given.step_split:
        split(given)
        return
    given.out.mkdir(parents=True, exist_ok=True)
    steps = commands(given)
    unknown = set(given.steps.split(",")) - set(steps)
    if unknown:
        options.error(f"--steps has {sorted(unknown)}: expected some of {', '.join(steps)}")
    failed = [name for name in given.steps.split(",") if not run(name, steps[name], given.out)]
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
