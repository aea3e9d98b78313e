"""Walks on a GPU, from Python with the result on the GPU: G steps per second, medians of whole calls, traces written.

    python benchmarks/gpu/walks.py [--graphs G1,G2,G3,G4] [--only uniform] [--reps 11]

The GPU's random-gather rate is printed above the table. ``numpy`` and ``fixed`` time the rest of a call.
"""

from __future__ import annotations

import argparse
import importlib.util
import pathlib
import statistics
import sys
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import board
import cupy as cp
import graphs
import numpy as np

import gonextdoor as gnd

LENGTH = 80
HERE = pathlib.Path(__file__).resolve().parent
Line = tuple[str, Callable[[gnd.Graph], Any], dict[str, Any]]


def example(name: str) -> ModuleType:
    """One of examples/apps."""
    path = HERE.parents[1] / "examples" / "apps" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def seconds(call: Callable[[int], Any], repetitions: int, together: int = 1, skipped: int = 2) -> list[float]:
    """The time per call of each repetition, which queues ``together`` calls with new seeds and waits for all of them.
    The first ``skipped`` repetitions are left out."""
    times = []
    for run in range(repetitions + skipped):
        cp.cuda.Device().synchronize()
        begin = time.perf_counter()
        for k in range(together):
            held = call(run * together + k)
        cp.cuda.Device().synchronize()
        times.append((time.perf_counter() - begin) / together)
        del held
    return times[skipped:]


def line(graph: gnd.Graph, name: str, app: Any, repetitions: int, **given: Any) -> float:
    """Times an app and prints a line of the table: G steps per second, the spread, and the ms of a call, of calls that
    follow each other and of one alone. Steps are those that were taken: walks may end early."""

    def call(seed: int) -> Any:
        return gnd.sample(graph, app, seed=seed, device="cuda", progress=False, **given)

    try:
        lengths = np.asarray(call(0).lengths)
        steps = int(lengths.sum()) - len(lengths)
        first = seconds(call, 1, skipped=0)
        alone = statistics.median(first if first[0] > 0.5 else seconds(call, 3))
        times = seconds(call, repetitions, max(2, min(20, int(0.05 / alone)))) if alone < 0.5 else [alone]
        rate = steps / statistics.median(times) / 1e9
        print(
            f"{name:<44}{rate:>8.3f}   {steps / max(times) / 1e9:.3f} to {steps / min(times) / 1e9:.3f}   "
            f"{statistics.median(times) * 1e3:.3f} ms, alone {alone * 1e3:.3f} ms",
            flush=True,
        )
        return rate
    except Exception as error:  # one line that fails must not hide the others
        print(f"{name:<44}  FAILED {type(error).__name__}: {str(error)[:200]}", flush=True)
        return 0.0


def by_weight(ctx, edge, dst):  # type: ignore[no-untyped-def]  # a hook
    return ctx.weight(edge)


def by_square(ctx, edge, dst):  # type: ignore[no-untyped-def]  # a hook whose bound is measured: loops are not analysed
    weight = 1.0
    for _ in range(2):
        weight *= ctx.weight(edge)
    return weight


def by_square_and_order(ctx, edge, dst):  # type: ignore[no-untyped-def]  # node2vec by the same weights
    weight = 1.0
    for _ in range(2):
        weight *= ctx.weight(edge)
    if ctx.prev == gnd.NULL or ctx.has_edge(ctx.prev, dst):
        return weight
    return weight * (ctx.back if dst == ctx.prev else ctx.away)


def lines(name: str) -> list[tuple[str, dict[str, Any], list[tuple[str, Any, dict[str, Any]]]]]:
    """The variants of a graph (title, constructor), each with the lines of its table."""
    apps = gnd.apps
    roots: dict[str, Any] = {"roots": 1 << 24} if name == "G4" else {}
    plain = [("uniform L=80", apps.DeepWalk(LENGTH, weighted=False), roots)]
    weighted = [("alias L=80", apps.DeepWalk(LENGTH, weighted=True), roots)]
    if name != "G4":
        plain.append(("node2vec p=2 q=.5", apps.Node2Vec(2.0, 0.5, LENGTH, weighted=False), roots))
        weighted.append(("node2vec p=2 q=.5 weighted", apps.Node2Vec(2.0, 0.5, LENGTH, weighted=True), roots))
        plain.append(("node2vec p=.25 q=4", apps.Node2Vec(0.25, 4.0, LENGTH, weighted=False), roots))
        weighted.append(("node2vec p=.25 q=4 weighted", apps.Node2Vec(0.25, 4.0, LENGTH, weighted=True), roots))
        weighted.append(("DeepWalk computed", apps.DeepWalk(LENGTH, weighted="computed"), roots))
        weighted.append(("node2vec computed", apps.Node2Vec(2.0, 0.5, LENGTH, weighted="computed"), roots))
        user = example("node2vec")
        weighted.append(("node2vec, user's, bound", user.node2vec(2.0, 0.5, LENGTH), roots))
        inferred = {"edge_bias": user.edge_bias, "params": {"back": 0.5, "away": 2.0}}
        weighted.append(("node2vec, user's, inferred bound", gnd.App(steps=LENGTH, **inferred), roots))
        weighted.append(("DeepWalk, user's, inferred bound", gnd.App(edge_bias=by_weight, steps=LENGTH), roots))
        measured = {"edge_bias": by_square_and_order, "params": {"back": 0.5, "away": 2.0}}
        weighted.append(("node2vec, user's, measured bound", gnd.App(steps=LENGTH, **measured), roots))
        weighted.append(("DeepWalk, user's, measured bound", gnd.App(edge_bias=by_square, steps=LENGTH), roots))
        few = {"roots": 1 << 19} if name in ("G1", "G2") else roots  # hub rows are scanned in full, which takes seconds
        weighted.append(("node2vec, user's, no bound", user.node2vec(2.0, 0.5, LENGTH, bounded=False), few))
        weighted.append(("DeepWalk, user's, no bound", gnd.App(edge_bias=by_weight, bound=None, steps=LENGTH), few))
    kinds = [("", {}, plain), ("weighted", {"weights": "uniform"}, weighted)]
    if name == "G1":
        path = [0, 1, 2, 3, 4]
        metapath = [
            ("MetaPath 5 labels", apps.MetaPath(path, 5, weighted=False), roots),
            ("MetaPath 5 labels weighted", apps.MetaPath(path, 5, weighted=True), roots),
            ("MetaPath 5 labels, user's", example("metapath").metapath(path, 5), roots),
        ]
        kinds.append(("labels", {"weights": "uniform", "labels": True}, metapath))
        for sigma in (1, 2, 3):
            several = [(f"DeepWalk computed, sigma={sigma}", apps.DeepWalk(LENGTH, weighted="computed"), roots)]
            kinds.append((f"sigma={sigma}", {"weights": f"sigma={sigma}"}, several))
    return kinds


def more(graph: gnd.Graph, given: argparse.Namespace) -> None:
    """PPR, visits, the host's array and fixed costs, on G1."""
    hub, n = [int(np.argmax(graph.degrees()))], graph.num_vertices
    line(graph, "PPR stop .2 from the hub", gnd.apps.PPR(0.2, weighted=False), given.reps, roots=hub, repeat=n)
    walk = gnd.apps.DeepWalk(LENGTH, weighted=False)
    for part in (visits, whole, fixed):
        try:
            part(graph, walk)
        except Exception as error:  # noqa: PERF203  as above
            print(f"{part.__name__:<44}  FAILED {type(error).__name__}: {str(error)[:200]}", flush=True)


def visits(graph: gnd.Graph, walk: Any) -> None:
    """Counts of visits, no trace written."""
    for repeat in (1, 8, 16, 32):
        times = seconds(lambda s, r=repeat: gnd.visit_counts(graph, walk, repeat=r, seed=s, device="cuda"), 3)
        rate = graph.num_vertices * repeat * LENGTH / statistics.median(times) / 1e9
        print(f"{f'visit counts, {repeat} walkers a vertex':<44}{rate:>8.3f}", flush=True)


def whole(graph: gnd.Graph, walk: Any) -> None:
    """The whole call to numpy against the device's time and the transfer at 45 GB/s."""
    device = statistics.median(seconds(lambda s: gnd.sample(graph, walk, seed=s, device="cuda"), 9))
    both = statistics.median(seconds(lambda s: gnd.sample(graph, walk, seed=s, device="cuda").numpy(), 9))
    size = graph.num_vertices * (LENGTH + 1) * 4
    allowed = device + size / 45e9
    print(f"numpy(): {both * 1e3:.2f} ms, device {device * 1e3:.2f} ms + {size / 1e9:.2f} GB at 45 GB/s = "
          f"{allowed * 1e3:.2f} ms, ratio {both / allowed:.3f}", flush=True)  # fmt: skip


def fixed(graph: gnd.Graph, walk: Any) -> None:
    """A call of one root, until it returns with the result on the GPU."""
    root = np.array([1])
    times = []
    for seed in range(600):
        begin = time.perf_counter()
        held = gnd.sample(graph, walk, root, seed=seed, device="cuda")
        times.append(time.perf_counter() - begin)
        cp.cuda.Device().synchronize()
        del held
    print(f"one root, result on the card: {statistics.median(times[100:]) * 1e6:.1f} us", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--graphs", default="G1,G2,G3,G4")
    options.add_argument("--kinds", default="", help="only those whose titles begin so, with commas between; - is none")
    options.add_argument("--only", default="", help="only lines whose names begin so")
    options.add_argument("--reps", type=int, default=11)
    given = options.parse_args()
    print(f"{board.name()}; random gather of 4 bytes over 268 MB {board.gather():.1f} G/s", flush=True)
    for name in given.graphs.split(","):
        for title, how, several in lines(name):
            wanted = [k.replace("-", "") for k in given.kinds.split(",")] if given.kinds else [title]
            chosen = [x for x in several if x[0].startswith(given.only)]
            if not chosen or title not in wanted:
                continue
            begin = time.perf_counter()
            graph = graphs.arrays(name, **how).graph()
            print(f"{name} {title}: {graph}   made in {time.perf_counter() - begin:.1f} s", flush=True)
            for what, app, where in chosen:
                line(graph, what, app, given.reps, **where)
            if name == "G1" and not title and not given.only:
                more(graph, given)


if __name__ == "__main__":
    main()
