"""Users' hooks as C++, the source that a GPU runs, give the same samples as llvmlite's if compiled for this machine."""

from __future__ import annotations

import corpus
import daily
import fuzzer
import numpy as np
import pytest
from agreement import EDGES, GRAPHS, outcome, pools
from compiler import by_compiler
from oracle_view import Spec
from test_example_apps import example
from test_udf import CASES
from test_udf_faults import FAULTS, endless

import gonextdoor as gnd

pytest.importorskip("llvmlite", reason="no llvmlite for this Python: hooks cannot be compiled")


def same(make, kind: str, roots, folder) -> object:
    """What both compilers' hooks sample, or the fault of both."""
    g, _ = GRAPHS[kind]
    got, want = outcome(g, by_compiler(make(), folder), roots, 1), outcome(g, make(), roots, 1)
    assert got == want
    return want


def random_app(seed: int, folder) -> None:
    spec = fuzzer.spec(seed, EDGES)
    for kind in GRAPHS:
        same(spec.app, kind, pools() if "vertex_bias" in spec.hooks else range(40), folder)


@pytest.mark.parametrize("seed", daily.share(range(300), 70))
def test_random_hooks(seed, tmp_path):
    random_app(seed, tmp_path)


@pytest.mark.parametrize("case", CASES)
def test_apps(case, tmp_path):
    spec, kind, roots = CASES[case]
    assert isinstance(same(spec.app, kind, roots, tmp_path) if spec.hooks else [], list)


@pytest.mark.parametrize(("spec", "error", "text"), FAULTS, ids=[text for _, _, text in FAULTS])
def test_faults(spec, error, text, tmp_path):
    kind, message = same(spec.app, "plain", range(40), tmp_path)
    assert kind == error and message.startswith(text)


def test_a_loop_that_never_ends(tmp_path):
    kind, message = same(Spec({"next": endless}, steps=1).app, "plain", range(3), tmp_path)
    assert kind == "RuntimeError" and "rounds" in message


EXAMPLES = {
    "deepwalk": lambda module: module.by_next(6),
    "forest_fire": lambda module: module.forest_fire(0.4, 3),
    "jump": lambda module: module.jump(6, 0.3),
    "layer": lambda module: module.layer(20, 50),
    "metapath": lambda module: module.metapath([0, 2, 1], 8),
    "metropolis_hastings": lambda module: module.metropolis_hastings(9),
    "multi_dimensional": lambda module: module.multi_dimensional(9),
    "node2vec": lambda module: module.node2vec(4.0, 0.25, 9),
    "ppr": lambda module: module.ppr(0.3),
    "restart": lambda module: module.restart(9, 0.3),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name, tmp_path):
    graph, module = corpus.graph(300, 4000, weighted=True), example(name)
    roots = np.random.default_rng(1).integers(0, 300, (60, 1 if name in ("ppr", "node2vec") else 4))
    ours, theirs = EXAMPLES[name](module), by_compiler(EXAMPLES[name](module), tmp_path)
    got, want = (gnd.sample(graph, app, roots, seed=3) for app in (theirs, ours))
    assert np.array_equal(got.values, want.values) and np.array_equal(got.offsets, want.offsets)


# Odd spellings: names that C++ has other uses for, letters that it does not know, chains, and both signs of zero.


def odd(ctx, edge, dst):
    double = 3
    größe = 2.5
    auto = True
    c = -0.0 if 0 < ctx.step + 1 <= ctx.slot + 1 < dst + 3 != 5 else abs(-größe)
    for ctx_ in range(2, double):
        auto = auto & (ctx_ == 2) | (dst > 3)
    return min(1.0 / max(c * c, 0.25), 9.5) + (2.0 if auto and not (dst < -1) else 1.0)


def test_odd_spellings(tmp_path):
    assert isinstance(same(lambda: gnd.App(edge_bias=odd, steps=5), "plain", range(40), tmp_path), list)
