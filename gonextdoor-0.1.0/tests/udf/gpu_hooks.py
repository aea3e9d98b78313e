"""Users' apps on a GPU and on the CPU: for test_udf_gpu, and as a program for machines without pytest."""

from __future__ import annotations

import collections
import sys
import time

import bound_fuzzer
import corpus
import fuzzer
import growth_fuzzer
import numpy as np
from agreement import EDGES, GRAPHS, PLACE, pools
from oracle_view import Spec
from test_example_apps import example
from test_udf import CASES
from test_udf_faults import FAULTS, endless

import gonextdoor as gnd

ERRORS = (ValueError, IndexError, ZeroDivisionError, RuntimeError)
DRAWN: collections.Counter[tuple[str, str]] = collections.Counter()  # calls: device, drawn_on


def outcome(g: gnd.Graph, app: gnd.App, roots, device: str, **rest) -> object:
    """The samples and their edges, or the text and class of the error."""
    try:
        samples = gnd.sample(g, app, roots, seed=5, first_id=7, device=device, edges=True, **rest)
        DRAWN[device, samples.drawn_on] += 1
        layers = samples._result.layers
        parts = [] if layers is None else [layers.parents, layers.ends_from, layers.ends]
        if samples.records:
            parts += layers.links()
        return tuple(x.tolist() for x in (samples.values, samples.offsets, samples.edges, *parts))
    except ERRORS as error:
        if isinstance(error, gnd.errors.DeviceError):
            raise
        place = str(error).partition("): ")[2]
        assert place == "" or PLACE.fullmatch(place), place
        return type(error).__name__, str(error)


def runs(g: gnd.Graph, app: gnd.App, roots) -> bool:
    try:
        gnd.sample(g, app, roots[:0] if isinstance(roots, np.ndarray) else [], seed=1, device="cuda")
    except gnd.errors.DeviceError as error:
        assert "does not run on a GPU" in str(error) and "device=" in str(error), error
        return False
    return True


def same(name: str, make, g: gnd.Graph, roots, **rest) -> bool:
    """Whether the GPU runs the app; what it samples is then the same."""
    app = make()
    if not runs(g, app, roots):
        print(f"{name}: by the CPU alone")
        return False
    got, want = outcome(g, app, roots, "cuda", **rest), outcome(g, make(), roots, "cpu", **rest)
    assert got == want, (name, repr(got)[:300], repr(want)[:300])
    print(f"{name}: {'equal' if isinstance(want[1], list) else want[1]}", flush=True)
    return True


def case(name: str) -> bool:
    """One of the apps of test_udf."""
    spec, kind, roots = CASES[name]
    return same(name, spec.app, GRAPHS[kind][0], roots)


def inferred(seed: int) -> bool:
    """A random app whose bound is inferred, if it has one."""
    spec, kind = bound_fuzzer.spec(seed, EDGES), ("weighted", "plain", "dense")[seed % 3]
    return same(f"inferred bound {seed}", lambda: spec.app(bound="auto"), GRAPHS[kind][0], range(40))


def fault(place: int) -> bool:
    """One of the faults of test_udf_faults, or the one after the last: a loop that never ends."""
    spec, _, text = [*FAULTS, (Spec({"next": endless}, steps=1), "", "endless")][place]
    return same(text, spec.app, GRAPHS["plain"][0], range(40 if place < len(FAULTS) else 3))


EXAMPLES = {
    "deepwalk": lambda module: module.by_next(6),
    "jump": lambda module: module.jump(6, 0.3),
    "metapath": lambda module: module.metapath([0, 2, 1], 8),
    "metropolis_hastings": lambda module: module.metropolis_hastings(9),
    "multi_dimensional": lambda module: module.multi_dimensional(9),
    "node2vec": lambda module: module.node2vec(4.0, 0.25, 9),
    "node2vec, in one pass": lambda module: module.node2vec(4.0, 0.25, 5, False),
    "ppr": lambda module: module.ppr(0.3),
    "restart": lambda module: module.restart(9, 0.3),
    "several plain walks": lambda module: module.plain(5),
}


def written(name: str) -> bool:
    """One of the examples, on a graph with weights and labels."""
    module = example({"several plain walks": "deepwalk"}.get(name, name.partition(",")[0]))
    width = {"multi_dimensional": 4, "several plain walks": 3}.get(name, 1)
    roots = np.random.default_rng(1).integers(0, 300, (70, width))
    return same(name, lambda: EXAMPLES[name](module), corpus.graph(300, 4000, weighted=True), roots, repeat=2)


def random_app(seed: int) -> bool:
    """One of the fuzzer's."""
    spec = fuzzer.spec(seed, EDGES)
    roots = pools() if "vertex_bias" in spec.hooks else range(40)
    return same(f"fuzz {seed}", spec.app, GRAPHS[["weighted", "plain", "dense"][seed % 3]][0], roots)


def grown(seed: int) -> bool:
    """A random app of any kind."""
    spec, options = growth_fuzzer.spec(seed, EDGES)
    roots = pools(12) if "vertex_bias" in spec.hooks or seed % 4 == 0 else range(20)
    g = GRAPHS[["weighted", "plain", "dense"][seed % 3]][0]
    return same(f"grown {seed}", lambda: spec.app(**options), g, roots)


if __name__ == "__main__":  # such as: gpu_hooks.py grown 0 1000 40, for the seeds of a range, but at most 40 seconds
    which, *numbers = sys.argv[1:]
    all_of = {"apps": (case, CASES), "faults": (fault, range(len(FAULTS) + 1)), "examples": (written, EXAMPLES)}
    random = {"fuzz": random_app, "inferred": inferred, "grown": grown}
    do, over = (random[which], range(*map(int, numbers[:2]))) if which in random else all_of[which]
    end = time.monotonic() + (float(numbers[2]) if len(numbers) > 2 else float("inf"))
    print(sum(do(x) for x in over if time.monotonic() < end), "by the GPU")  # type: ignore[operator]
    print(*(f"{device} {drawn}" for device, drawn in sorted(DRAWN)), sep=", ")
