"""One small case of each kernel family, compared with the CPU: a program to run under NVIDIA's compute-sanitizer.

    python benchmarks/gpu/sanitize.py [--only Snowball] [--list]
    compute-sanitizer --tool memcheck python benchmarks/gpu/sanitize.py
    compute-sanitizer --tool racecheck python benchmarks/gpu/sanitize.py --only layered

The names of cases begin with their family: walks, users, trees, layered, batches, counts or device. A case that the GPU
refuses is reported, and left out. The exit status is 1 if a result differs from the CPU's, or a case fails. All graphs
are small, so that the program takes seconds even under the sanitizer. They have parallel edges, sinks and edges of
weight 0; two of them have a hub.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import gonextdoor as gnd

Case = tuple[str, Callable[[str], Any]]  # the name, and the function that returns the result on a device


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--only", default="", help="only cases whose names contain this")
    options.add_argument("--list", action="store_true", help="print the names of the cases and run none")
    given = options.parse_args()
    failed = refused = ran = 0
    for name, run in cases():
        if given.only not in name:
            continue
        if given.list:
            print(name)
            continue
        begin = time.perf_counter()
        try:
            what = "as the CPU" if equal(run("cuda"), run("cpu")) else "DIFFERENT"
        except (gnd.DeviceError, ImportError) as why:
            what = f"{'FAILED' if 'context is lost' in str(why) else 'refused'}: {str(why)[:100]}"
        except Exception as why:  # one case that fails must not hide the others
            what = f"FAILED {type(why).__name__}: {str(why)[:200]}"
        ran, refused, failed = ran + 1, refused + what.startswith("refused"), failed + what[0].isupper()
        print(f"{name:<60}{1e3 * (time.perf_counter() - begin):>8.0f} ms  {what}", flush=True)
    print(f"{ran} cases, {refused} refused, {failed} failed")
    return int(failed > 0)


def graph(vertices: int, edges: int, hub: int, *, weighted: bool = True) -> gnd.Graph:
    """A random graph of which vertex 1 has `hub` edges more; the last tenth of the vertices have none."""
    random = np.random.default_rng(vertices)
    src, dst = random.integers(0, vertices * 9 // 10, (2, edges + hub))
    src[edges:] = 1
    weights = random.integers(0, 6, edges + hub).astype(float) if weighted else None
    labels, times = random.integers(0, 3, edges + hub), random.integers(0, 40, edges + hub)
    return gnd.Graph.from_edges(
        src, dst, weights=weights, labels=labels, times=times, num_vertices=vertices, symmetric=True
    )


def cases() -> Iterator[Case]:
    """All cases."""
    small, hub = graph(200, 2000, 0), graph(900, 3000, 5000)
    plain = graph(700, 3000, 3000, weighted=False)
    yield from walks(small, plain)
    yield from users(small, hub)
    yield from trees(small, hub)
    yield from layered(small, hub)
    yield from batches(hub)
    yield from counts(small, hub)


def samples(family: str, on: gnd.Graph, app: Any, roots: Any, **given: Any) -> Case:
    """The samples of an app, with edges."""

    def run(device: str) -> Any:
        return gnd.sample(on, app, roots, seed=5, edges=True, device=device, progress=False, **given)

    return f"{family}: {app!r:.50}", run


def walks(small: gnd.Graph, plain: gnd.Graph) -> Iterator[Case]:
    apps = gnd.apps
    for app in (
        apps.DeepWalk(9),
        apps.DeepWalk(9, weighted="computed"),
        apps.PPR(0.3),
        apps.PPR(0.3, weighted="computed"),
        apps.Node2Vec(2.0, 0.5, 9),
        apps.Node2Vec(0.25, 4.0, 9),
        apps.Node2Vec(2.0, 0.5, 9, weighted="computed"),
        apps.NonBacktracking(9),
        apps.Walk("degree", 9),
        apps.Walk("degree", 9, computed=True),
        apps.MetropolisHastings(9),
        apps.Jump(9, 0.2),
        apps.Restart(9, 0.3),
        apps.MetaPath([0, 1, 2], 9, weighted=False),
        apps.MetaPath([0, 1, 2], 9),
        apps.TemporalWalk(9),
        apps.TemporalWalk(9, "backward", "exponential", strict=False, scale=9),
    ):
        yield samples("walks", small, app, 700)
    pairs = np.random.default_rng(2).integers(0, 180, (300, 4))
    yield samples("walks", small, apps.MultiIndependent(6), pairs)
    yield samples("walks", small, apps.MultiDimensionalWalk(12, dimension=4), pairs)
    for app in (apps.DeepWalk(9), apps.Node2Vec(2.0, 0.5, 9), apps.NonBacktracking(9), apps.PPR(0.2)):
        yield samples("walks, no weights", plain, app, 700)


def by_weight(ctx, edge, dst):  # type: ignore[no-untyped-def]  # a hook
    return ctx.weight(edge)


def largest(ctx):  # type: ignore[no-untyped-def]  # a hook
    return ctx.max_weight(ctx.transit)


def other_end(ctx):  # type: ignore[no-untyped-def]  # a hook
    degree = ctx.degree(ctx.transit)
    return gnd.NULL if degree == 0 else ctx.neighbor(ctx.transit, ctx.below(0, degree))


def users(small: gnd.Graph, hub: gnd.Graph) -> Iterator[Case]:
    app = gnd.App
    yield samples("users, next", small, app(next=other_end, steps=6), 500)
    for name, on in (("users", small), ("users, hub", hub)):
        yield samples(f"{name}, bound", on, app(edge_bias=by_weight, bound=largest, steps=6), 500)
        yield samples(f"{name}, no bound", on, app(edge_bias=by_weight, bound=None, steps=6), 500)
    for name, options in (
        ("picks", {"replace": True}),
        ("unique", {"unique": "sample"}),
        ("collective", {"scope": "collective", "unique": "step"}),
        ("recorded", {"record": "adjacency"}),
        ("induced", {"record": "induced"}),
    ):
        yield samples(f"users, {name}", small, app(edge_bias=by_weight, sample_size=[5, 4], **options), 200)


def trees(small: gnd.Graph, hub: gnd.Graph) -> Iterator[Case]:
    apps = gnd.apps
    for on in (small, hub):
        for weighted in (False, True):
            for replace in (False, True):
                yield samples("trees", on, apps.KHop([5, 3], replace=replace, weighted=weighted), 300)
    yield samples("trees, many", hub, apps.KHop([600], weighted=True), 60)
    yield samples("trees, many", hub, apps.KHop([5000]), 20)
    yield samples("trees", small, apps.Neighbor([3, 2], bias="degree"), 300)
    yield samples("trees", small, apps.Neighbor([3, 2], frontier_size=2), 300)


def layered(small: gnd.Graph, hub: gnd.Graph) -> Iterator[Case]:
    apps = gnd.apps
    some = np.random.default_rng(3).integers(0, 180, (60, 3))
    for name, on in (("layered", small), ("layered, hub", hub)):
        for app, roots in (
            (apps.Snowball(2), 60),
            (apps.Snowball(3, fanout=4), some),
            (apps.Snowball(3, fanout=20), 60),
            (apps.ForestFire(0.4), 200),
            (apps.ForestFire(0.9, 3), 60),
            (apps.RandomNode(40), 60),
            (apps.RandomNode(40, replace=True), 60),
            (apps.RandomNode(600), 9),
            (apps.RandomEdge(30), 60),
            (apps.ClusterGCN(9, 2), 40),
            (apps.GraphSAINT("node", budget=20), 60),
            (apps.GraphSAINT("node", budget=3000), 5),
            (apps.GraphSAINT("edge", budget=30), 60),
            (apps.GraphSAINT("walk", roots=12, length=3), 60),
            (apps.GraphSAINT("multidimensional", roots=6, budget=30), 60),
            (apps.Layer(5, 12), some),
            (apps.Layer(30, 60, unique=False, bias="degree"), some),
            (apps.Layer(9, 40, bias="weight"), some),
            (apps.FastGCN([20, 9]), some),
            (apps.LADIES([20, 9]), some),
            (apps.LADIES([20, 9], replace=True, normalize=False), some),
            (apps.MVS(30, [3, -1]), 40),
        ):
            yield samples(name, on, app, roots)


def batches(hub: gnd.Graph) -> Iterator[Case]:
    seed_nodes = [np.arange(first, first + 40) for first in (0, 60, 500)]
    half: dict[str, Any] = {"exclude": [np.arange(0, 8000, 2)] * 3}
    for fanouts, options, given in (
        ([5, 3], {}, {}),
        ([5, 3], {"replace": True}, {}),
        ([5, 3], {"weighted": True}, {}),
        ([5, 3], {"weighted": True, "replace": True, "layout": "csc", "expand": "all"}, {}),
        ([-1, 2], {"disjoint": True}, {}),
        ([300, 2], {"weighted": True}, {}),
        ([4500], {}, {}),
        ([5, 3], {}, half),
        ([5, 3], {"weighted": True}, half),
        ([5, 3], {"temporal": "uniform", "disjoint": True}, {"times": [np.full(40, 30)] * 3}),
        ([5, 3], {"temporal": "last", "disjoint": True}, {"times": [np.full(40, 30)] * 3}),
        ([5, 3], {"method": "labor"}, {}),
    ):

        def run(device: str, fanouts: Any = fanouts, options: Any = options, given: Any = given) -> Any:
            sampler = gnd.NeighborSampler(hub, fanouts, device=device, **options)
            several = sampler.draw_many(seed_nodes, [1, 2, 3], **given)
            return [batch.split(batch.arena.numpy() if device == "cuda" else batch.arena) for batch in several]

        yield f"batches: {fanouts} {options} {', '.join(given)}", run


def counts(small: gnd.Graph, hub: gnd.Graph) -> Iterator[Case]:
    def scores(device: str) -> Any:
        found = gnd.personalized_pagerank(hub, np.arange(20), walks=3000, seed=4, device=device, progress=False)
        return [found.indptr, found.indices, found.visits, found.visitors]

    yield "counts: personalized_pagerank", scores
    for name, count in (("visit_counts", gnd.visit_counts), ("end_points", gnd.end_points)):
        for app in (gnd.apps.DeepWalk(9), gnd.apps.PPR(0.3)):

            def run(device: str, count: Any = count, app: Any = app) -> Any:
                return count(small, app, np.arange(180), repeat=8, seed=4, device=device)

            yield f"counts: {name}, {app!r:.40}", run

    def wide(device: str) -> Any:
        made = gnd.sample(hub, gnd.apps.PPR(0.3), 500, seed=5, device=device, dtype="int64", progress=False)
        return [made.lengths, made.values, made.visit_counts(), made.numpy()]

    yield "device: lengths, padding and visits of 64-bit samples", wide


def equal(one: Any, other: Any) -> bool:
    """Whether two results are equal in all parts."""
    a, b = parts(one), parts(other)
    return len(a) == len(b) and all(x.shape == y.shape and bool((x == y).all()) for x, y in zip(a, b, strict=True))


def parts(result: Any) -> list[Any]:
    """The arrays of a result."""
    if isinstance(result, np.ndarray):
        return [result]
    if isinstance(result, (list, tuple)):
        return [array for part in result for array in parts(part)]
    if not result.ragged:
        return [result.numpy(), result.edges]
    arrays = [result.values, result.offsets, result.edges]
    if result.layered:
        held = [getattr(result._layers, field.name) for field in dataclasses.fields(result._layers)]
        arrays += [array for array in held if array is not None]
    return arrays


if __name__ == "__main__":
    sys.exit(main())
