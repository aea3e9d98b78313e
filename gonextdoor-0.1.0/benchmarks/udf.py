"""Users' apps: hooks in Python, compiled, against built-in loops and against the same logic in native Go.

    python benchmarks/udf.py [--scale 20]

``next``: a uniform choice written as a hook, against the built-in DeepWalk. node2vec: examples/apps/node2vec.py with
its bound and without, against benchmarks/native, plain Go loops over blocks of 128 walkers that give the same walks
(their sums are compared). Then the cost of an app's first call: in a fresh process whose cache is empty, and in one
that finds the compiled hooks.
"""

from __future__ import annotations

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from types import ModuleType

import numpy as np
from measure import alone, compare, head, parser, threads

import gonextdoor as gnd

HERE = pathlib.Path(__file__).resolve().parent
FIRST = """
import sys, time
import numpy as np
import gonextdoor as gnd
sys.path.insert(0, {examples!r})
graph = gnd.rmat(8, seed=1)
gnd.sample(graph, gnd.apps.DeepWalk(1), [0], seed=1)
import node2vec
begin = time.perf_counter()
gnd.sample(graph, node2vec.node2vec(2, 0.5, 5), [0], seed=1)
print(time.perf_counter() - begin)
"""


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, HERE.parent / "examples" / "apps" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--scale", type=int, default=20)
    options.add_argument("--only", default="", help="measure the lines whose names begin so")
    given = options.parse_args()
    graph = gnd.rmat(given.scale, 15, seed=1)
    head()
    for n in threads(given.threads):
        if "next".startswith(given.only):
            ours, theirs = example("deepwalk").by_next(40), gnd.apps.DeepWalk(40, weighted=False)
            compare("uniform next / DeepWalk", n, rate(graph, ours, n), rate(graph, theirs, n), given.reps, "M steps/s")
    if "node2vec".startswith(given.only):
        with tempfile.TemporaryDirectory() as folder:
            native_node2vec(graph, pathlib.Path(folder), threads(given.threads), given.reps)
    if "first".startswith(given.only):
        with tempfile.TemporaryDirectory() as cache:
            alone("first call, new app", "", lambda: first(None), given.reps, "ms")
            first(cache)
            alone("first call, kept hooks", "", lambda: first(cache), given.reps, "ms")


def rate(graph: gnd.Graph, app: gnd.apps.SamplingApp, n: int, walkers: int = 200_000, steps: int = 40):
    roots = np.arange(walkers) * 7 % graph.num_vertices

    def run() -> float:
        begin = time.perf_counter()
        gnd.sample(graph, app, roots, seed=42, threads=n, progress=False)
        return walkers * steps / (time.perf_counter() - begin) / 1e6

    return run


def native_node2vec(graph: gnd.Graph, folder: pathlib.Path, counts: list[int], reps: int) -> None:
    program, saved = folder / "native", folder / "graph"
    subprocess.run(["go", "build", "-o", program, "./benchmarks/native"], cwd=HERE.parent, check=True)
    graph.save(saved)
    for n in counts:
        for how, walkers, steps in (("bounded", 100_000, 10), ("whole", 4_000, 4)):
            app = example("node2vec").node2vec(2.0, 0.5, steps, how == "bounded")
            roots = np.arange(walkers) * 7 % graph.num_vertices
            arguments = [str(x) for x in (program, saved, walkers, steps, 2.0, 0.5, how, n)]

            def native(arguments: list[str] = arguments, work: int = walkers * steps) -> float:
                done = subprocess.run(arguments, check=True, capture_output=True, text=True)
                seconds, native.sum = done.stdout.split()  # type: ignore[attr-defined]
                return work / float(seconds) / 1e6

            if how == "bounded":  # the edge table is built after enough lookups; the native side has it from the start
                for seed in range(8):
                    gnd.sample(graph, app, roots, seed=seed, progress=False)
            compare(f"node2vec, {how}", n, rate(graph, app, n, walkers, steps), native, reps, "M steps/s")
            rows = gnd.sample(graph, app, roots, seed=42).numpy()[:, 1:].astype(np.uint32)
            assert rows.astype(np.uint64).sum() == int(native.sum), "the walks differ"  # type: ignore[attr-defined]


def first(cache: str | None) -> float:
    with tempfile.TemporaryDirectory() as empty:
        environment = os.environ | {"GONEXTDOOR_CACHE": cache or empty}
        text = FIRST.format(examples=str(HERE.parent / "examples" / "apps"))
        done = subprocess.run([sys.executable, "-c", text], env=environment, check=True, capture_output=True, text=True)
    return float(done.stdout) * 1e3


if __name__ == "__main__":
    main()
